-- Idempotency-Key: an effect and its answer are recorded in one transaction, and told again to whoever repeats the
-- request.

-- A key as it was sent: whose it is, what it was sent with, and the digests that the request may have been recorded under (the
-- services' encryption keys are replaced now and then), the current one first.
CREATE TYPE platform.keyed_request AS (
  merchant_id uuid,
  caller text,
  key text,
  part text,
  operation text,
  fingerprints text[]
);

-- Serializes the requests of one key until the end of the transaction and looks the answer up.
-- {outcome: 'new'} | {outcome: 'repeated', response, sealed}
-- | {outcome: 'conflict', forgotten}: the key was used for another request, or for this one and its secrets are not kept any more.
CREATE FUNCTION platform.recall(p_request platform.keyed_request) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_record platform.idempotency_record;
BEGIN
  PERFORM pg_advisory_xact_lock(
    hashtextextended(concat_ws(E'\n', p_request.merchant_id, p_request.caller, p_request.key, p_request.part), 0)
  );
  SELECT * INTO v_record FROM platform.idempotency_record r
  WHERE r.merchant_id = p_request.merchant_id AND r.caller = p_request.caller AND r.key = p_request.key AND r.part = p_request.part
    AND r.expires_at > now();
  RETURN CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'new')
    WHEN v_record.operation <> p_request.operation OR v_record.fingerprint <> ALL (p_request.fingerprints)
      THEN jsonb_build_object('outcome', 'conflict', 'forgotten', false)
    WHEN v_record.sealed_until <= now() THEN jsonb_build_object('outcome', 'conflict', 'forgotten', true)
    ELSE jsonb_build_object('outcome', 'repeated', 'response', v_record.response, 'sealed', v_record.sealed)
  END;
END
$$;

-- Records what came of a request, in the transaction of its effect. Whoever records it second in another transaction fails, and with it
-- what it has done; the same transaction may say more of it.
-- p_seconds: for how long a sealed outcome is kept.
CREATE FUNCTION platform.remember(
  p_request platform.keyed_request, p_response jsonb, p_sealed text, p_seconds integer, p_record_ids uuid[]
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO platform.idempotency_record AS r (
    merchant_id, caller, key, part, operation, fingerprint, response, sealed, sealed_until, record_ids
  )
  VALUES (
    p_request.merchant_id, p_request.caller, p_request.key, p_request.part, p_request.operation, p_request.fingerprints[1],
    p_response, p_sealed, CASE WHEN p_sealed IS NOT NULL THEN now() + make_interval(secs => p_seconds) END, p_record_ids
  )
  ON CONFLICT (merchant_id, caller, key, part) DO UPDATE SET
    operation = excluded.operation, fingerprint = excluded.fingerprint, response = excluded.response, sealed = excluded.sealed,
    sealed_until = excluded.sealed_until, record_ids = excluded.record_ids, transaction_id = excluded.transaction_id,
    created_at = excluded.created_at, expires_at = excluded.expires_at
  -- An expired record that the job hasn't purged yet is none.
  WHERE r.expires_at <= now() OR r.transaction_id = excluded.transaction_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'unique_violation', SCHEMA = 'platform', TABLE = 'idempotency_record',
      CONSTRAINT = 'idempotency_record_pkey', MESSAGE = 'duplicate key value violates unique constraint "idempotency_record_pkey"';
  END IF;
END
$$;

-- Records the key of a mutation of rows, which the gateway sends among the session's variables: x-hasura-idempotency-key, -part,
-- -operation, -fingerprint, -record (the type of the record that the mutation is about) and -about (ids in its arguments). Hasura runs a
-- mutation in one transaction, so the record is there exactly when the rows are changed. Arguments as of audit.record_rows.
CREATE FUNCTION platform.keep_key() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_session jsonb := current_setting('hasura.user')::jsonb;
  v_about uuid[] := coalesce(v_session ->> 'x-hasura-idempotency-about', '{}')::uuid[];
  v_is_record boolean := v_session ->> 'x-hasura-idempotency-record' = TG_ARGV[0];
  v_request platform.keyed_request;
  v_ids uuid[];
BEGIN
  EXECUTE format('SELECT array_agg(c.id) FROM (SELECT %I AS id FROM changed LIMIT 100) c', TG_ARGV[1]) INTO v_ids;
  -- What changed nothing isn't recorded, and is judged anew when it is sent again.
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
  -- What goes along with the record takes the key, too, but doesn't say what the record is.
  IF v_is_record OR NOT EXISTS (
    SELECT FROM platform.idempotency_record r
    WHERE r.merchant_id = v_request.merchant_id AND r.caller = v_request.caller AND r.key = v_request.key
      AND r.part = v_request.part AND r.transaction_id = pg_current_xact_id()
  ) THEN
    PERFORM platform.remember(v_request, NULL, NULL, NULL, CASE WHEN v_is_record THEN v_ids ELSE '{}' END || v_about);
  END IF;
  RETURN NULL;
END
$$;

-- Has the keys kept of what Hasura changes in a table.
CREATE FUNCTION platform.keep_keys(p_table regclass, p_type text, p_id text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_event text;
BEGIN
  FOREACH v_event IN ARRAY '{INSERT,UPDATE,DELETE}'::text[] LOOP
    EXECUTE format(
      'CREATE TRIGGER keep_key_%s AFTER %s ON %s REFERENCING %s TABLE AS changed FOR EACH STATEMENT
       WHEN (pg_trigger_depth() = 0 AND current_setting(''hasura.user'', true) LIKE ''%%x-hasura-idempotency-key%%'')
       EXECUTE FUNCTION platform.keep_key(%L, %L)',
      lower(v_event), v_event, p_table, CASE v_event WHEN 'DELETE' THEN 'OLD' ELSE 'NEW' END, p_type, p_id
    );
  END LOOP;
END
$$;

-- Deletes records that have expired, and of others the secrets whose time is over: that the key was used stays known. Returns how many;
-- fewer than p_limit means that it is done.
CREATE FUNCTION platform.purge_idempotency_records(p_limit integer) RETURNS integer
LANGUAGE sql VOLATILE
AS $$
  WITH gone AS (
    DELETE FROM platform.idempotency_record r
    WHERE (r.merchant_id, r.caller, r.key, r.part) IN (
      SELECT x.merchant_id, x.caller, x.key, x.part FROM platform.idempotency_record x
      WHERE x.expires_at <= now()
      ORDER BY x.expires_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
    RETURNING 1
  ), forgotten AS (
    UPDATE platform.idempotency_record r SET sealed = NULL
    WHERE (r.merchant_id, r.caller, r.key, r.part) IN (
      SELECT x.merchant_id, x.caller, x.key, x.part FROM platform.idempotency_record x
      WHERE x.sealed IS NOT NULL AND x.sealed_until <= now() AND x.expires_at > now()
      ORDER BY x.sealed_until
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
    RETURNING 1
  )
  SELECT greatest((SELECT count(*) FROM gone), (SELECT count(*) FROM forgotten))::integer
$$;
