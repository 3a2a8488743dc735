INSERT INTO breakpoint (device_id, problem_id, n_low, n_high, n_switch, probes, regret, run_id, finished_at)
VALUES (:device_id, :problem_id, :n_low, :n_high, :n_switch, :probes, :regret, :run_id, :finished_at)
ON CONFLICT (device_id, problem_id, n_low) DO UPDATE SET
  n_high = excluded.n_high, n_switch = excluded.n_switch, probes = excluded.probes, regret = excluded.regret,
  run_id = excluded.run_id, finished_at = excluded.finished_at
