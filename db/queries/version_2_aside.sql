-- Makes room for the table of the current schema.
ALTER TABLE problem RENAME TO problem_of_version_2
