-- Precedes a query of a file of schema version 1: it has no breakpoints.
WITH breakpoint AS (
  SELECT NULL AS device_id, NULL AS problem_id, NULL AS n_low, NULL AS n_high, NULL AS n_switch, NULL AS probes,
         NULL AS regret, NULL AS run_id, NULL AS finished_at
  WHERE 0
)
