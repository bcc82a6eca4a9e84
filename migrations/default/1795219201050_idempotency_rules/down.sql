DROP FUNCTION platform.purge_idempotency_records(integer);
DROP FUNCTION platform.remember(uuid, text, text, bytea, jsonb);
DROP FUNCTION platform.recall(uuid, text, text, bytea);
