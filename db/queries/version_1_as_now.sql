-- Precedes a query of a file of schema version 1: it has no breakpoints either.
WITH RECURSIVE power (of_two) AS (
  SELECT 1 UNION ALL SELECT 2 * of_two FROM power WHERE of_two < 140737488355328
),
record AS (
  SELECT record.*, coalesce(of_two, 0) AS served_above, n AS served_up_to, '[]' AS probes
  FROM main.record AS record LEFT JOIN power ON of_two < n AND n <= 2 * of_two
),
breakpoint AS (
  SELECT NULL AS device_id, NULL AS problem_id, NULL AS n_low, NULL AS n_high, NULL AS n_switch, NULL AS probes,
         NULL AS regret, NULL AS run_id, NULL AS finished_at
  WHERE 0
)
