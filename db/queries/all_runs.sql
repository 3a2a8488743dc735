SELECT id, started_at, tool_version, template_hash, compiler_version, driver_version, effort, seed, policy FROM run
