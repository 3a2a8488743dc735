-- A record serves its octave up to its own N, and has no probes. A file may have been made without the schema's checks:
-- a row that breaks one would never be used, and is left out.
WITH RECURSIVE power (of_two) AS (
  SELECT 1 UNION ALL SELECT 2 * of_two FROM power WHERE of_two < 140737488355328
)
INSERT OR IGNORE INTO record (device_id, problem_id, n, family, config, run_id, median_us, spread, default_us,
                              ceiling_us, finished_at, served_above, served_up_to, probes)
SELECT device_id, problem_id, n, family, config, run_id, median_us, spread, default_us, ceiling_us, finished_at,
       coalesce(of_two, 0), n, '[]'
FROM record_of_version_3 LEFT JOIN power ON of_two < n AND n <= 2 * of_two
