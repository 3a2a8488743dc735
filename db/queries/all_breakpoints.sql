-- Every breakpoint; queries of their own tell what the ids stand for.
SELECT device_id, problem_id, run_id, n_low AS n, n_high, n_switch, probes, finished_at
FROM breakpoint
ORDER BY device_id, problem_id, n_low
