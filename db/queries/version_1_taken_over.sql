-- The ids stay, so that every record and trial keeps its problem. All times of version 1 were taken back to back.
INSERT INTO problem (id, input_type, accumulator_type, output_type, op, kind, determinism, forward_progress, latency)
SELECT id, input_type, accumulator_type, output_type, op, kind, determinism, forward_progress, 'back_to_back'
FROM problem_of_version_1
