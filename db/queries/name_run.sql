-- In a copy that is exported: says in the policy of a run where its records come from.
UPDATE run SET policy = :policy WHERE id = :id
