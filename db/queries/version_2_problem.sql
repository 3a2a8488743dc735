-- The problem of records in files of schema versions 1 and 2, by its id: a scan with a column for each member of its request.
SELECT *
FROM problem
WHERE id = ?1;
