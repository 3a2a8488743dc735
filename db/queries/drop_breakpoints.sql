-- Precedes saving a record: its breakpoints were measured with the config that it had, and one that spans it is no
-- longer between neighbours.
DELETE FROM breakpoint
WHERE device_id = :device_id AND problem_id = :problem_id
  AND (n_low < :n AND :n < n_high
       OR :n IN (n_low, n_high)
          AND NOT EXISTS (SELECT 1 FROM record
                          WHERE device_id = :device_id AND problem_id = :problem_id AND n = :n
                            AND family = :family AND config = :config))
