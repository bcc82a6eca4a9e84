-- Records in which request the key was used, with the rows that it changed. It runs as the owner, because the record of
-- another request may have a sealed answer, which whoever changes rows may not read.
CREATE FUNCTION platform.keep_key()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  v_session jsonb := current_setting('hasura.user')::jsonb;
  v_about uuid[] := coalesce(v_session ->> 'x-hasura-idempotency-about', '{}')::uuid[];
  v_is_record boolean := v_session ->> 'x-hasura-idempotency-record' = concat_ws('_', TG_TABLE_SCHEMA, TG_TABLE_NAME);
  v_request platform.keyed_request;
  v_ids uuid[];
BEGIN
  EXECUTE format('SELECT array_agg(c.id) FROM (SELECT %I AS id FROM changed LIMIT 100) c', TG_ARGV[0])
  INTO v_ids;
  -- A request that changed nothing isn't recorded, and is processed anew when it is sent again.
  IF v_ids IS NULL THEN
    RETURN NULL;
  END IF;
  v_request := ROW(
    v_session ->> 'x-hasura-merchant-id',
    coalesce('customer:' || (v_session ->> 'x-hasura-customer-id'), 'merchant'),
    v_session ->> 'x-hasura-idempotency-key',
    coalesce(v_session ->> 'x-hasura-idempotency-part', ''),
    v_session ->> 'x-hasura-idempotency-operation',
    ARRAY[v_session ->> 'x-hasura-idempotency-fingerprint']
  );
  -- A mutation beside the one that made the record takes the key, too, but doesn't name the record.
  IF
    v_is_record
    OR NOT EXISTS (
      SELECT
      FROM platform.idempotency_record r
      WHERE
        r.merchant_id = v_request.merchant_id
        AND r.caller = v_request.caller
        AND r.key = v_request.key
        AND r.part = v_request.part
        AND r.transaction_id = pg_current_xact_id()
    )
  THEN
    PERFORM
      platform.remember(
        v_request,
        NULL,
        NULL,
        NULL,
        CASE
          WHEN v_is_record THEN v_ids
          ELSE '{}'
        END || v_about
      );
  END IF;
  RETURN NULL;
END;
$$;
