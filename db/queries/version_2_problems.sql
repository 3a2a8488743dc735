-- The problems of a file of schema version 1 or 2: scans with a column for each member of their requests.
SELECT * FROM problem
