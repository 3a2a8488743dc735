DELETE FROM problem
WHERE id NOT IN (SELECT problem_id FROM trial) AND id NOT IN (SELECT problem_id FROM record)
