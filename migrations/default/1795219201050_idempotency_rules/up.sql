-- Idempotency-Key: an effect and its answer are recorded in one transaction, and told again to whoever repeats the
-- request.

-- Serializes the requests of one key until the end of the transaction and looks the answer up.
-- {outcome: 'new'} | {outcome: 'repeated', response} | {outcome: 'conflict'}: the key was used for another request.
CREATE FUNCTION platform.recall(p_merchant_id uuid, p_key text, p_operation text, p_fingerprint bytea) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_record platform.idempotency_record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(p_merchant_id::text || p_key, 0));
  SELECT * INTO v_record FROM platform.idempotency_record r
  WHERE r.merchant_id = p_merchant_id AND r.key = p_key AND r.expires_at > now();
  RETURN CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'new')
    WHEN v_record.operation <> p_operation OR v_record.fingerprint <> p_fingerprint THEN jsonb_build_object('outcome', 'conflict')
    ELSE jsonb_build_object('outcome', 'repeated', 'response', v_record.response)
  END;
END
$$;

-- Records the answer of a request that recall called new, in the same transaction.
CREATE FUNCTION platform.remember(p_merchant_id uuid, p_key text, p_operation text, p_fingerprint bytea, p_response jsonb)
RETURNS void
LANGUAGE sql VOLATILE
AS $$
  -- The conflict is with an expired record that the job hasn't purged yet.
  INSERT INTO platform.idempotency_record (merchant_id, key, operation, fingerprint, response)
  VALUES (p_merchant_id, p_key, p_operation, p_fingerprint, p_response)
  ON CONFLICT (merchant_id, key) DO UPDATE SET
    operation = excluded.operation, fingerprint = excluded.fingerprint, response = excluded.response,
    created_at = excluded.created_at, expires_at = excluded.expires_at
$$;

-- Deletes records that have expired. Returns how many; fewer than p_limit means that it is done.
CREATE FUNCTION platform.purge_idempotency_records(p_limit integer) RETURNS integer
LANGUAGE sql VOLATILE
AS $$
  WITH gone AS (
    DELETE FROM platform.idempotency_record r
    WHERE (r.merchant_id, r.key) IN (
      SELECT x.merchant_id, x.key FROM platform.idempotency_record x
      WHERE x.expires_at <= now()
      ORDER BY x.expires_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
    RETURNING 1
  )
  SELECT count(*)::integer FROM gone
$$;
