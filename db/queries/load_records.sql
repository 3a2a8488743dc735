-- Every record with its device, problem and provenance: what the runtime's selector chooses from. ?1 limits the rows.
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
       record.n,
       record.family,
       record.config,
       run.template_hash,
       record.median_us,
       record.default_us,
       record.finished_at
FROM record
JOIN device ON device.id = record.device_id
JOIN problem ON problem.id = record.problem_id
JOIN run ON run.id = record.run_id
LIMIT ?1;
