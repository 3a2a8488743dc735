-- Precedes a query of a file of schema version 2 or 3: a record serves its octave up to its own N, and has no probes.
WITH RECURSIVE power (of_two) AS (
  SELECT 1 UNION ALL SELECT 2 * of_two FROM power WHERE of_two < 140737488355328
),
record AS (
  SELECT record.*, coalesce(of_two, 0) AS served_above, n AS served_up_to, '[]' AS probes
  FROM main.record AS record LEFT JOIN power ON of_two < n AND n <= 2 * of_two
)
