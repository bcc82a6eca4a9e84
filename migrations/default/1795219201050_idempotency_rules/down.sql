DROP FUNCTION platform.keep_keys(regclass, text, text);
DROP FUNCTION platform.keep_key();
DROP FUNCTION platform.purge_idempotency_records(integer);
DROP FUNCTION platform.remember(platform.keyed_request, jsonb, text, integer, uuid[]);
DROP FUNCTION platform.recall(platform.keyed_request);
DROP TYPE platform.keyed_request;
