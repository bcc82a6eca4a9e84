-- answers: uuid | null
-- nullable: p_client, p_device, p_opened_by
CREATE FUNCTION identity.open_session(
  p_merchant_id uuid,
  p_subject text,
  p_id uuid,
  p_client text,
  p_device text,
  p_opened_by jsonb,
  p_refresh_hash bytea,
  p_refresh_lifetime interval,
  p_session_lifetime interval
)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_session_id uuid := platform.uuid_v7();
  v_email citext;
  v_proves boolean := TRUE;
BEGIN
  IF p_subject = 'USER' THEN
    UPDATE identity.user u
    SET last_login_at = now()
    WHERE u.merchant_id = p_merchant_id AND u.id = p_id AND u.status = 'ACTIVE'
    RETURNING u.email
    INTO v_email;
  ELSE
    -- The lock keeps a block from coming between looking and opening.
    SELECT x.email, x.has_account
    INTO v_email, v_proves
    FROM crm.customer x
    WHERE x.merchant_id = p_merchant_id AND x.id = p_id AND x.blocked_at IS NULL
    FOR SHARE;
  END IF;
  IF v_email IS NULL THEN
    RETURN NULL;
  END IF;
  -- Attempts of other clients stay counted. A guest has proved nothing about the address.
  DELETE FROM identity.sign_in_attempt a
  WHERE
    v_proves
    AND a.merchant_id = p_merchant_id
    AND a.subject = p_subject
    AND a.email = v_email
    AND a.client IN ('', coalesce(p_client, 'unknown'));
  PERFORM
    identity.remember_client(
      p_merchant_id,
      CASE
        WHEN p_subject = 'USER' THEN p_id
      END,
      CASE
        WHEN p_subject = 'CUSTOMER' THEN p_id
      END,
      CASE
        WHEN v_proves THEN p_client
      END
    );
  INSERT INTO identity.session
    (merchant_id, id, user_id, customer_id, opened_by_kind, opened_by_id, device, network, idle_until, expires_at)
  VALUES
    (
      p_merchant_id,
      v_session_id,
      CASE
        WHEN p_subject = 'USER' THEN p_id
      END,
      CASE
        WHEN p_subject = 'CUSTOMER' THEN p_id
      END,
      p_opened_by ->> 'kind',
      (p_opened_by ->> 'id')::uuid,
      p_device,
      p_client,
      now() + least(p_refresh_lifetime, p_session_lifetime),
      now() + p_session_lifetime
    );
  INSERT INTO identity.refresh_token (merchant_id, hash, session_id, expires_at)
  VALUES (p_merchant_id, p_refresh_hash, v_session_id, now() + least(p_refresh_lifetime, p_session_lifetime));
  RETURN v_session_id;
END;
$$;
