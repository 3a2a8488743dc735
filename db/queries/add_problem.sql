INSERT INTO problem (input_type, accumulator_type, output_type, op, kind, determinism, forward_progress, latency)
VALUES (:input_type, :accumulator_type, :output_type, :op, :kind, :determinism, :forward_progress, :latency)
ON CONFLICT (input_type, accumulator_type, output_type, op, kind, determinism, forward_progress, latency) DO NOTHING
