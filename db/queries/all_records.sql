-- Every winner; queries of their own tell what the ids stand for.
SELECT device_id, problem_id, run_id, n, family, config, median_us, spread, default_us, ceiling_us, finished_at,
       served_above, served_up_to, probes
FROM record
ORDER BY device_id, problem_id, n
