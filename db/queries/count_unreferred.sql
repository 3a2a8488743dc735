-- Rows that nothing refers to, since the records and trials that named them were dropped.
SELECT (SELECT count(*) FROM run
        WHERE id NOT IN (SELECT run_id FROM trial) AND id NOT IN (SELECT run_id FROM record)
          AND id NOT IN (SELECT run_id FROM breakpoint)) AS runs,
       (SELECT count(*) FROM problem
        WHERE id NOT IN (SELECT problem_id FROM trial) AND id NOT IN (SELECT problem_id FROM record)) AS problems,
       (SELECT count(*) FROM device
        WHERE id NOT IN (SELECT device_id FROM trial) AND id NOT IN (SELECT device_id FROM record)) AS devices
