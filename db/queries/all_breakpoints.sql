-- Every breakpoint with its key, the configs on either side and where it comes from.
SELECT device.arch, device.name, device.sm_count,
       problem.input_type, problem.accumulator_type, problem.output_type, problem.op, problem.kind,
       problem.determinism, problem.forward_progress, problem.latency,
       breakpoint.n_low AS n, breakpoint.n_high, breakpoint.n_switch, breakpoint.probes, breakpoint.finished_at,
       low.family AS low_family, low.config AS low_config, high.family AS high_family, high.config AS high_config,
       run.started_at, run.tool_version, run.template_hash, run.compiler_version, run.driver_version, run.effort,
       run.seed, run.policy
FROM breakpoint
JOIN device ON device.id = breakpoint.device_id
JOIN problem ON problem.id = breakpoint.problem_id
JOIN run ON run.id = breakpoint.run_id
LEFT JOIN record AS low ON low.device_id = breakpoint.device_id AND low.problem_id = breakpoint.problem_id
                       AND low.n = breakpoint.n_low
LEFT JOIN record AS high ON high.device_id = breakpoint.device_id AND high.problem_id = breakpoint.problem_id
                        AND high.n = breakpoint.n_high
ORDER BY device.arch, device.name, device.sm_count, problem.id, breakpoint.n_low
LIMIT :limit
