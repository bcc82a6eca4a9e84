CREATE SCHEMA audit;

CREATE TABLE audit.entry (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  happened_at timestamptz NOT NULL DEFAULT now(),
  actor text,
  operation text NOT NULL,
  table_name text NOT NULL,
  row_data jsonb NOT NULL
);

-- Hasura sets hasura.user to the session's variables in the transaction of a mutation.
CREATE FUNCTION audit.note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit.entry (actor, operation, table_name, row_data)
  VALUES (
    nullif(current_setting('hasura.user', true), '')::json ->> 'x-hasura-user-id',
    TG_OP, TG_TABLE_NAME, to_jsonb(coalesce(NEW, OLD))
  );
  RETURN NULL;
END $$;

CREATE TRIGGER task_audit AFTER INSERT OR UPDATE OR DELETE ON task FOR EACH ROW EXECUTE FUNCTION audit.note();
