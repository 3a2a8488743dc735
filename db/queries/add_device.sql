INSERT INTO device (arch, name, sm_count) VALUES (:arch, :name, :sm_count)
ON CONFLICT (arch, name, sm_count) DO NOTHING
