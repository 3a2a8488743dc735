-- Which kernel templates were measured, by the id of the run.
SELECT template_hash
FROM run
WHERE id = ?1;
