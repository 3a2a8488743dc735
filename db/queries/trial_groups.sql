-- The columns by which trials are chosen, one row for all trials that share them.
SELECT device_id, problem_id, run_id, n, family, finished_at, count(*) AS trials
FROM trial
GROUP BY device_id, problem_id, run_id, n, family, finished_at
