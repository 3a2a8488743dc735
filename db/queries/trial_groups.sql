-- What trials are chosen by, once for all that share it.
SELECT device_id, problem_id, run_id, n, family, finished_at, count(*) AS trials
FROM trial
GROUP BY device_id, problem_id, run_id, n, family, finished_at
