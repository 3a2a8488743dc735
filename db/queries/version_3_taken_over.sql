-- A record serves its octave up to its own N, and has no probes.
WITH RECURSIVE power (of_two) AS (
  SELECT 1 UNION ALL SELECT 2 * of_two FROM power WHERE of_two < 1099511627776
)
INSERT INTO record (device_id, problem_id, n, family, config, run_id, median_us, spread, default_us, ceiling_us,
                    finished_at, served_above, served_up_to, probes)
SELECT device_id, problem_id, n, family, config, run_id, median_us, spread, default_us, ceiling_us, finished_at,
       (SELECT coalesce(max(of_two), 0) FROM power WHERE of_two < n), n, '[]'
FROM record_of_version_3
