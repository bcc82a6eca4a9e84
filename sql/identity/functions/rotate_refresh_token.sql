-- answers: rotated {sessionId: uuid, subject: 'USER' | 'CUSTOMER', id: uuid} | refused {}
CREATE FUNCTION identity.rotate_refresh_token(
  p_merchant_id uuid,
  p_hash bytea,
  p_next_hash bytea,
  p_user_lifetime interval,
  p_customer_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.refresh_token;
  v_session identity.session;
  v_idle_until timestamptz;
BEGIN
  SELECT *
  INTO v_token
  FROM identity.refresh_token t
  WHERE t.merchant_id = p_merchant_id AND t.hash = p_hash
  FOR UPDATE;
  IF v_token.hash IS NULL THEN
    RETURN jsonb_build_object('outcome', 'refused');
  END IF;
  SELECT *
  INTO v_session
  FROM identity.session s
  WHERE s.merchant_id = p_merchant_id AND s.id = v_token.session_id
  FOR UPDATE;
  IF v_token.used_at IS NOT NULL THEN
    PERFORM identity.revoke_session(p_merchant_id, v_session.id, 'REUSED');
    RETURN jsonb_build_object('outcome', 'refused');
  END IF;
  IF
    v_session.revoked_at IS NOT NULL
    OR least(v_session.expires_at, v_token.expires_at) <= now()
    OR EXISTS (
      SELECT
      FROM identity.user u
      WHERE u.merchant_id = p_merchant_id AND u.id = v_session.user_id AND u.status <> 'ACTIVE'
    )
    OR EXISTS (
      SELECT
      FROM crm.customer x
      WHERE x.merchant_id = p_merchant_id AND x.id = v_session.customer_id AND x.blocked_at IS NOT NULL
    )
  THEN
    RETURN jsonb_build_object('outcome', 'refused');
  END IF;
  v_idle_until := least(
    v_session.expires_at,
    now() + CASE
      WHEN v_session.user_id IS NULL THEN p_customer_lifetime
      ELSE p_user_lifetime
    END
  );
  UPDATE identity.refresh_token t SET used_at = now() WHERE t.merchant_id = p_merchant_id AND t.hash = p_hash;
  INSERT INTO identity.refresh_token (merchant_id, hash, session_id, expires_at)
  VALUES (p_merchant_id, p_next_hash, v_session.id, v_idle_until);
  UPDATE identity.session s
  SET
    idle_until = v_idle_until,
    last_used_at = now()
  WHERE s.merchant_id = p_merchant_id AND s.id = v_session.id;
  RETURN jsonb_build_object(
    'outcome',
    'rotated',
    'sessionId',
    v_session.id,
    'subject',
    CASE
      WHEN v_session.user_id IS NULL THEN 'CUSTOMER'
      ELSE 'USER'
    END,
    'id',
    coalesce(v_session.user_id, v_session.customer_id)
  );
END;
$$;
