-- The problem of records, by its id.
SELECT input_type,
       accumulator_type,
       output_type,
       op,
       kind,
       determinism,
       forward_progress,
       latency
FROM problem
WHERE id = ?1;
