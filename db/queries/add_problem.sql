INSERT INTO problem (algorithm, request, shape)
VALUES (:algorithm, :request, :shape)
ON CONFLICT (algorithm, request, shape) DO NOTHING
