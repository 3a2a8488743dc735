UPDATE run SET template_hash = :now WHERE template_hash = :before
