INSERT INTO problem (input_type, accumulator_type, output_type, op, kind, determinism, forward_progress)
VALUES (:input_type, :accumulator_type, :output_type, :op, :kind, :determinism, :forward_progress)
ON CONFLICT (input_type, accumulator_type, output_type, op, kind, determinism, forward_progress) DO NOTHING
