-- Before a record is saved: its breakpoints were measured with the config that it had.
DELETE FROM breakpoint
WHERE device_id = :device_id AND problem_id = :problem_id AND :n IN (n_low, n_high)
  AND NOT EXISTS (SELECT 1 FROM record
                  WHERE device_id = :device_id AND problem_id = :problem_id AND n = :n
                    AND family = :family AND config = :config)
