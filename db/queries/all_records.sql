-- Every winner with its key and where it comes from.
SELECT device.arch, device.name, device.sm_count,
       problem.input_type, problem.accumulator_type, problem.output_type, problem.op, problem.kind,
       problem.determinism, problem.forward_progress, problem.latency,
       record.n, record.family, record.config, record.median_us, record.spread, record.default_us, record.ceiling_us,
       record.finished_at,
       run.started_at, run.tool_version, run.template_hash, run.compiler_version, run.driver_version, run.effort,
       run.seed, run.policy
FROM record
JOIN device ON device.id = record.device_id
JOIN problem ON problem.id = record.problem_id
JOIN run ON run.id = record.run_id
ORDER BY device.arch, device.name, device.sm_count, problem.id, record.n
LIMIT :limit
