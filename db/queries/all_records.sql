-- Every winner; what the ids stand for is in queries of its own.
SELECT device_id, problem_id, run_id, n, family, config, median_us, spread, default_us, ceiling_us, finished_at
FROM record
ORDER BY device_id, problem_id, n
