-- Makes room for another trial of a config, whose failure may have been chance.
DELETE FROM trial
WHERE device_id = :device_id AND problem_id = :problem_id AND n = :n
  AND family = :family AND config = :config AND template_hash = :template_hash AND status <> 'ok'
