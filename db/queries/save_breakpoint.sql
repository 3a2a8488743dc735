-- Another process may have dropped the record at an end since both were measured; then there is nothing to save.
INSERT INTO breakpoint (device_id, problem_id, n_low, n_high, n_switch, probes, regret, run_id, finished_at)
SELECT :device_id, :problem_id, :n_low, :n_high, :n_switch, :probes, :regret, :run_id, :finished_at
WHERE (SELECT count(*) FROM record
       WHERE device_id = :device_id AND problem_id = :problem_id AND n IN (:n_low, :n_high)) = 2
ON CONFLICT (device_id, problem_id, n_low) DO UPDATE SET
  n_high = excluded.n_high, n_switch = excluded.n_switch, probes = excluded.probes, regret = excluded.regret,
  run_id = excluded.run_id, finished_at = excluded.finished_at
