DELETE FROM device
WHERE id NOT IN (SELECT device_id FROM trial) AND id NOT IN (SELECT device_id FROM record)
