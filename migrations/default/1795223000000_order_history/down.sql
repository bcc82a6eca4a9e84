DROP FUNCTION ordering.add_note(uuid, uuid, text, boolean);
DROP TRIGGER record_order ON ordering.order;
DROP FUNCTION ordering.record_order();
DROP FUNCTION ordering.record(uuid, uuid, text, text, text, bigint, text, uuid, boolean, timestamptz);
DROP TABLE ordering.history_entry;
DROP FUNCTION ordering.keep_history();
DROP FUNCTION platform.current_actor();
DROP TYPE platform.actor;
DROP FUNCTION platform.acting_as(jsonb);
