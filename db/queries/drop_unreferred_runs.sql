DELETE FROM run
WHERE id NOT IN (SELECT run_id FROM trial) AND id NOT IN (SELECT run_id FROM record)
  AND id NOT IN (SELECT run_id FROM breakpoint)
