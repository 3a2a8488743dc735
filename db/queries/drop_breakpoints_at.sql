-- Precedes dropping a record: the breakpoints at it were measured with its config, at either end.
DELETE FROM breakpoint WHERE device_id = :device_id AND problem_id = :problem_id AND :n IN (n_low, n_high)
