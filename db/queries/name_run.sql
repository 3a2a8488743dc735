-- Says in the policy of a run where its records come from, for a copy that is exported.
UPDATE run SET policy = :policy WHERE id = :id
