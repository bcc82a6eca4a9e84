-- answers: integer
CREATE FUNCTION identity.purge_expired(p_limit integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_purged integer := 0;
  v_count integer;
BEGIN
  DELETE FROM identity.session s WHERE (s.merchant_id, s.id) IN (
    SELECT x.merchant_id, x.id FROM identity.session x
    -- Refresh tokens that come back late are told from unknown ones for a day; a backend's session has none.
    WHERE x.expires_at < now() AND (x.origin = 'BACKEND' OR x.expires_at < now() - interval '1 day')
    LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_purged := v_purged + v_count;
  DELETE FROM identity.one_time_token t WHERE (t.merchant_id, t.id) IN (
    SELECT x.merchant_id, x.id FROM identity.one_time_token x
    WHERE x.expires_at < now() - interval '1 day' LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_purged := v_purged + v_count;
  DELETE FROM identity.sign_in_attempt a WHERE (a.merchant_id, a.subject, a.email, a.client) IN (
    SELECT x.merchant_id, x.subject, x.email, x.client FROM identity.sign_in_attempt x
    WHERE x.last_at < now() - interval '1 day' LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  v_purged := v_purged + v_count;
  DELETE FROM identity.known_client k WHERE (k.merchant_id, k.id) IN (
    SELECT x.merchant_id, x.id FROM identity.known_client x
    WHERE x.last_at < now() - interval '90 days' LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_purged + v_count;
END
$$;
