SELECT id FROM device WHERE arch = :arch AND name = :name AND sm_count = :sm_count
