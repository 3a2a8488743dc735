SELECT family, config, template_hash, status, reason, median_us, spread, samples, sm_clock_mhz, compile_ms
FROM trial
WHERE device_id = :device_id AND problem_id = :problem_id AND n = :n
ORDER BY id
