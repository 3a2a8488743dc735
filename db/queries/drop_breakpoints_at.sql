-- Before a record is dropped: what was measured with its config, at either end.
DELETE FROM breakpoint WHERE device_id = :device_id AND problem_id = :problem_id AND :n IN (n_low, n_high)
