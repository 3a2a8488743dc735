DELETE FROM trial
WHERE device_id = :device_id AND problem_id = :problem_id AND n = :n AND family = :family
  AND run_id = :run_id AND finished_at = :finished_at
