-- Marks the trial of a config that was fast at first and failed in the final round.
UPDATE trial SET status = :status, reason = :reason, median_us = NULL, spread = NULL, samples = NULL,
                 sm_clock_mhz = NULL, finished_at = :finished_at
WHERE device_id = :device_id AND problem_id = :problem_id AND n = :n
  AND family = :family AND config = :config AND template_hash = :template_hash
