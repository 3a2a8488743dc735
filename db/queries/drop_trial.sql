DELETE FROM trial WHERE id = :id
