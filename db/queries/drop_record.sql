-- Follows drop_breakpoints_at.sql.
DELETE FROM record WHERE device_id = :device_id AND problem_id = :problem_id AND n = :n
