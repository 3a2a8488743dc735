INSERT INTO record (device_id, problem_id, n, family, config, run_id, median_us, spread, default_us, ceiling_us,
                    finished_at, served_above, served_up_to, probes)
VALUES (:device_id, :problem_id, :n, :family, :config, :run_id, :median_us, :spread, :default_us, :ceiling_us,
        :finished_at, :served_above, :served_up_to, :probes)
ON CONFLICT (device_id, problem_id, n) DO UPDATE SET
  family = excluded.family, config = excluded.config, run_id = excluded.run_id, median_us = excluded.median_us,
  spread = excluded.spread, default_us = excluded.default_us, ceiling_us = excluded.ceiling_us,
  finished_at = excluded.finished_at, served_above = excluded.served_above, served_up_to = excluded.served_up_to,
  probes = excluded.probes
