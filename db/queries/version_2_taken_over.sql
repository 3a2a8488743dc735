-- The ids stay, so that every record and trial keeps its problem.
INSERT INTO problem (id, algorithm, request, shape)
VALUES (:id, :algorithm, :request, :shape)
