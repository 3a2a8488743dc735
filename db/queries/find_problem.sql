SELECT id FROM problem
WHERE input_type = :input_type AND accumulator_type = :accumulator_type AND output_type = :output_type
  AND op = :op AND kind = :kind AND determinism = :determinism AND forward_progress = :forward_progress AND latency = :latency
