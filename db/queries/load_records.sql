-- Every record with its device, problem and provenance, and the breakpoint above it: what the runtime's selector
-- chooses from. ?1 limits the rows.
SELECT device.arch,
       device.name AS device_name,
       device.sm_count,
       problem.input_type,
       problem.accumulator_type,
       problem.output_type,
       problem.op,
       problem.kind,
       problem.determinism,
       problem.forward_progress,
       problem.latency,
       record.n,
       record.family,
       record.config,
       run.template_hash,
       record.median_us,
       record.default_us,
       record.finished_at,
       breakpoint.n_high AS next_n,
       breakpoint.n_switch AS switch_n,
       breakpoint.regret AS switch_regret,
       probing.template_hash AS switch_template_hash
FROM record
JOIN device ON device.id = record.device_id
JOIN problem ON problem.id = record.problem_id
JOIN run ON run.id = record.run_id
LEFT JOIN breakpoint ON breakpoint.device_id = record.device_id
                    AND breakpoint.problem_id = record.problem_id
                    AND breakpoint.n_low = record.n
LEFT JOIN run AS probing ON probing.id = breakpoint.run_id
LIMIT ?1;
