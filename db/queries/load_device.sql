-- The device of records, by its id.
SELECT arch,
       name AS device_name,
       sm_count
FROM device
WHERE id = ?1;
