SELECT id, input_type, accumulator_type, output_type, op, kind, determinism, forward_progress, latency FROM problem
