-- Which kernel templates were measured, and where the run's records come from, by the id of the run.
SELECT template_hash,
       policy
FROM run
WHERE id = ?1;
