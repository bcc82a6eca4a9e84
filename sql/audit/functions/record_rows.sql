CREATE FUNCTION audit.record_rows()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_session jsonb := current_setting('hasura.user')::jsonb;
  v_root_field text := v_session ->> 'x-hasura-root-field';
  v_actor platform.actor := platform.current_actor();
  v_ids uuid[];
BEGIN
  -- An operator, with the admin secret.
  IF v_actor.kind = 'SYSTEM' THEN
    RETURN NULL;
  END IF;
  EXECUTE format('SELECT array_agg(c.id) FROM (SELECT %I AS id FROM changed LIMIT 100) c', TG_ARGV[1])
  INTO v_ids;
  IF v_ids IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit.entry
    (
      merchant_id,
      actor_kind,
      actor_id,
      client_address,
      request_id,
      source,
      operation_name,
      operation,
      record,
      change,
      target_ids,
      outcome
    )
  VALUES
    (
      (v_session ->> 'x-hasura-merchant-id')::uuid,
      CASE
        WHEN v_actor.kind = 'CUSTOMER' THEN 'CUSTOMER'
        WHEN v_session ? 'x-hasura-user-id' THEN 'USER'
        ELSE 'KEY'
      END,
      v_actor.id,
      left(v_session ->> 'x-hasura-client-address', 64),
      left(v_session ->> 'x-hasura-request-id', 128),
      CASE
        WHEN v_root_field IS NULL THEN 'HASURA'
        ELSE 'CONTRACT'
      END,
      left(v_session ->> 'x-hasura-operation-name', 200),
      -- Hasura doesn't say which of its root fields it was.
      coalesce(v_root_field, concat_ws('_', lower(TG_OP), TG_TABLE_SCHEMA, TG_TABLE_NAME)),
      TG_ARGV[0],
      CASE TG_OP
        WHEN 'INSERT' THEN 'CREATED'
        WHEN 'UPDATE' THEN 'UPDATED'
        ELSE 'DELETED'
      END,
      v_ids,
      'DONE'
    );
  RETURN NULL;
END;
$$;
