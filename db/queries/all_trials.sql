-- Every trial with its key and where it comes from; read when a file is imported.
SELECT device.arch, device.name, device.sm_count,
       problem.input_type, problem.accumulator_type, problem.output_type, problem.op, problem.kind,
       problem.determinism, problem.forward_progress, problem.latency,
       trial.n, trial.family, trial.config, trial.status, trial.reason, trial.is_default, trial.median_us, trial.spread,
       trial.samples, trial.compile_ms, trial.sm_clock_mhz, trial.finished_at,
       run.started_at, run.tool_version, trial.template_hash, run.compiler_version, run.driver_version, run.effort,
       run.seed, run.policy
FROM trial
JOIN device ON device.id = trial.device_id
JOIN problem ON problem.id = trial.problem_id
JOIN run ON run.id = trial.run_id
ORDER BY trial.id
LIMIT :limit
