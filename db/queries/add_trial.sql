-- Two tuners may try the same config at the same time: the first one to finish is kept.
INSERT INTO trial (run_id, device_id, problem_id, n, family, config, template_hash, status, reason, is_default,
                   median_us, spread, samples, compile_ms, sm_clock_mhz, finished_at)
VALUES (:run_id, :device_id, :problem_id, :n, :family, :config, :template_hash, :status, :reason, :is_default,
        :median_us, :spread, :samples, :compile_ms, :sm_clock_mhz, :finished_at)
ON CONFLICT (device_id, problem_id, n, family, config, template_hash) DO NOTHING
