SELECT id FROM problem
WHERE algorithm = :algorithm AND request = :request AND shape = :shape
