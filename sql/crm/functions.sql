CREATE FUNCTION crm.points_expire_at(p_merchant_id uuid)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT now() + make_interval(days => g.points_expire_after_days)
  FROM crm.loyalty_program g
  WHERE g.merchant_id = p_merchant_id;
$$;

CREATE FUNCTION crm.hold_loyalty_account(p_merchant_id uuid, p_customer_id uuid)
RETURNS crm.loyalty_account
LANGUAGE plpgsql
AS $$
DECLARE
  v_account crm.loyalty_account;
  v_expired bigint;
  v_next timestamptz;
BEGIN
  INSERT INTO crm.loyalty_account (merchant_id, customer_id)
  VALUES (p_merchant_id, p_customer_id)
  ON CONFLICT DO NOTHING;
  SELECT *
  INTO v_account
  FROM crm.loyalty_account a
  WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id
  FOR NO KEY UPDATE;
  IF (v_account.next_expiry > now()) IS NOT FALSE THEN
    RETURN v_account;
  END IF;
  SELECT u.expired, u.next_expiry
  INTO v_expired, v_next
  FROM crm.unspent_expired_points(p_merchant_id, p_customer_id) u;
  IF v_expired > 0 THEN
    INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points)
    VALUES (p_merchant_id, p_customer_id, 'EXPIRED', -v_expired);
  END IF;
  UPDATE crm.loyalty_account a
  SET next_expiry = v_next
  WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id
  RETURNING a.*
  INTO v_account;
  RETURN v_account;
END;
$$;

-- answers: integer
CREATE FUNCTION crm.expire_points(p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_account crm.loyalty_account;
  v_accounts integer := 0;
BEGIN
  FOR v_account IN SELECT a.*
  FROM crm.loyalty_account a
  WHERE a.next_expiry <= now()
  ORDER BY a.next_expiry
  LIMIT p_limit
  FOR NO KEY UPDATE SKIP LOCKED LOOP
    PERFORM crm.hold_loyalty_account(v_account.merchant_id, v_account.customer_id);
    v_accounts := v_accounts + 1;
  END LOOP;
  RETURN v_accounts;
END;
$$;

-- answers: changed {entryId: uuid} | unknown_customer {} | too_many_points {} | not_enough_points {points: integer}
CREATE FUNCTION crm.adjust_points(p_merchant_id uuid, p_customer_id uuid, p_points integer, p_reason text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_account crm.loyalty_account;
  v_entry_id uuid := platform.uuid_v7();
BEGIN
  IF NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id) THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  v_account := crm.hold_loyalty_account(p_merchant_id, p_customer_id);
  IF v_account.points + p_points::bigint < 0 THEN
    RETURN jsonb_build_object('outcome', 'not_enough_points', 'points', v_account.points);
  END IF;
  IF v_account.points + p_points::bigint > 2147483647 THEN
    RETURN jsonb_build_object('outcome', 'too_many_points');
  END IF;
  INSERT INTO crm.loyalty_entry (merchant_id, id, customer_id, type, points, reason, expires_at)
  VALUES
    (
      p_merchant_id,
      v_entry_id,
      p_customer_id,
      'ADJUSTED',
      p_points,
      p_reason,
      CASE
        WHEN p_points > 0 THEN crm.points_expire_at(p_merchant_id)
      END
    );
  RETURN jsonb_build_object('outcome', 'changed', 'entryId', v_entry_id);
END;
$$;
