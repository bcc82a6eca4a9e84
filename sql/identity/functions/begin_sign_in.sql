-- answers:
--   blocked {seconds: integer}
--   | unknown {}
--   | known {id: uuid, passwordHash: text, totpSecret: text | null}
-- nullable: p_client
CREATE FUNCTION identity.begin_sign_in(
  p_merchant_id uuid,
  p_subject text,
  p_email text,
  p_client text,
  p_of_client identity.attempt_limit,
  p_of_all identity.attempt_limit,
  p_longest interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_seconds integer := identity.count_attempt(
    p_merchant_id,
    p_subject,
    p_email,
    p_client,
    p_of_client,
    p_of_all,
    p_longest
  );
  v_known jsonb;
BEGIN
  IF v_seconds IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'blocked', 'seconds', v_seconds);
  END IF;
  IF p_subject = 'USER' THEN
    SELECT jsonb_build_object('outcome', 'known', 'id', u.id, 'passwordHash', c.password_hash, 'totpSecret', t.secret)
    INTO v_known
    FROM
      identity.user u
      JOIN identity.credential c ON c.merchant_id = u.merchant_id AND c.user_id = u.id
      LEFT JOIN identity.totp t ON t.merchant_id = u.merchant_id AND t.user_id = u.id AND t.confirmed_at IS NOT NULL
    WHERE u.merchant_id = p_merchant_id AND u.email = p_email::citext AND u.status = 'ACTIVE';
  ELSE
    SELECT jsonb_build_object('outcome', 'known', 'id', x.id, 'passwordHash', c.password_hash, 'totpSecret', NULL)
    INTO v_known
    FROM
      crm.customer x
      JOIN identity.credential c ON c.merchant_id = x.merchant_id AND c.customer_id = x.id
    WHERE x.merchant_id = p_merchant_id AND x.email = p_email::citext AND x.has_account AND x.blocked_at IS NULL;
  END IF;
  RETURN coalesce(v_known, jsonb_build_object('outcome', 'unknown'));
END;
$$;
