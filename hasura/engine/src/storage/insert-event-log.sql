-- Called by the triggers that metadata describes. A setting that was local to an earlier transaction reads as
-- an empty text, which is no JSON.
create or replace function hdb_catalog.insert_event_log(
  schema_name text,
  table_name text,
  trigger_name text,
  op text,
  row_data json
) returns text
language plpgsql as $$
declare
  id text := gen_random_uuid();
begin
  insert into hdb_catalog.event_log (id, schema_name, table_name, trigger_name, created_at, payload)
  values (
    id, schema_name, table_name, trigger_name, now() at time zone 'utc',
    jsonb_build_object(
      'op', op,
      'data', row_data,
      'session_variables', nullif(current_setting('hasura.user', true), '')::json,
      'trace_context', nullif(current_setting('hasura.tracecontext', true), '')::json
    )
  );
  return id;
end
$$;
