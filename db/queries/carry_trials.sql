-- A trial that was repeated under the hash of now stands in the way, and stays.
UPDATE OR IGNORE trial SET template_hash = :now WHERE template_hash = :before
