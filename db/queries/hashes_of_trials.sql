SELECT template_hash, count(*) AS count FROM trial GROUP BY template_hash
