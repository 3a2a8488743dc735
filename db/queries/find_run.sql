-- The same run, which is there already when a file is imported twice.
SELECT id FROM run
WHERE started_at = :started_at AND tool_version = :tool_version AND template_hash = :template_hash
  AND compiler_version = :compiler_version AND driver_version = :driver_version
  AND effort = :effort AND seed = :seed AND policy = :policy
