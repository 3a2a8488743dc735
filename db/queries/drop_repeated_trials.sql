DELETE FROM trial WHERE template_hash = :before
