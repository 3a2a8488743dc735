-- Makes room for the table of the current schema.
ALTER TABLE record RENAME TO record_of_version_3
