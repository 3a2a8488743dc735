-- Every record and the breakpoint above it: what the runtime's selector chooses from. Devices, problems and runs are
-- looked up by their ids, once each: joined here, their texts would be read again with every record. ?1 limits the rows.
SELECT record.device_id,
       record.problem_id,
       record.run_id,
       record.n,
       record.family,
       record.config,
       record.median_us,
       record.default_us,
       record.finished_at,
       record.served_above,
       record.served_up_to,
       breakpoint.n_high,
       breakpoint.n_switch
FROM record
LEFT JOIN breakpoint ON breakpoint.device_id = record.device_id
                    AND breakpoint.problem_id = record.problem_id
                    AND breakpoint.n_low = record.n
LIMIT ?1;
