-- Every trial, for importing a file; queries of their own tell what the ids stand for.
SELECT device_id, problem_id, run_id, n, family, config, template_hash, status, reason, is_default, median_us, spread,
       samples, compile_ms, sm_clock_mhz, finished_at
FROM trial
ORDER BY id
