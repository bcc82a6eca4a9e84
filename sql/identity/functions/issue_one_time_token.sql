-- @param p_token sealed, to be mailed; NULL: it is handed over in another way
--
-- answers: boolean
-- nullable: p_user_id, p_customer_id, p_token
CREATE FUNCTION identity.issue_one_time_token(
  p_merchant_id uuid,
  p_purpose text,
  p_user_id uuid,
  p_customer_id uuid,
  p_token text,
  p_hash bytea,
  p_lifetime interval,
  p_pause interval
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_email citext;
BEGIN
  -- The lock lets one of several requests at once make the token.
  IF p_user_id IS NOT NULL THEN
    SELECT u.email
    INTO v_email
    FROM identity.user u
    WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id
    FOR NO KEY UPDATE;
  ELSE
    SELECT x.email
    INTO v_email
    FROM crm.customer x
    WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id AND x.blocked_at IS NULL
    FOR NO KEY UPDATE;
  END IF;
  IF
    v_email IS NULL
    OR EXISTS (
      SELECT
      FROM identity.one_time_token t
      WHERE
        t.merchant_id = p_merchant_id
        AND t.purpose = p_purpose
        AND t.created_at > now() - p_pause
        AND (t.user_id = p_user_id OR t.customer_id = p_customer_id)
        AND t.used_at IS NULL
        AND t.email = v_email
    )
  THEN
    RETURN FALSE;
  END IF;
  DELETE FROM identity.one_time_token t
  WHERE
    t.merchant_id = p_merchant_id
    AND t.purpose = p_purpose
    AND (t.user_id = p_user_id OR t.customer_id = p_customer_id);
  INSERT INTO identity.one_time_token (merchant_id, purpose, user_id, customer_id, email, hash, undelivered, expires_at)
  VALUES (p_merchant_id, p_purpose, p_user_id, p_customer_id, v_email, p_hash, p_token, now() + p_lifetime);
  RETURN TRUE;
END;
$$;
