SELECT template_hash, count(*) AS count FROM run GROUP BY template_hash
