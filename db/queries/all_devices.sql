SELECT id, arch, name, sm_count FROM device
