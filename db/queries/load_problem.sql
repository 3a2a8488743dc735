-- The problem of records, by its id.
SELECT algorithm,
       request,
       shape
FROM problem
WHERE id = ?1;
