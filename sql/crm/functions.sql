CREATE FUNCTION crm.points_expire_at(p_merchant_id uuid)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT now() + make_interval(days => g.points_expire_after_days)
  FROM crm.loyalty_program g
  WHERE g.merchant_id = p_merchant_id;
$$;

-- Of all that a payment earned, the part of all that was given back: so refunds in parts take back as much as one of
-- the whole.
CREATE FUNCTION crm.points_due(p_earned bigint, p_refunded_amount bigint, p_captured_amount bigint)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT (platform.allocate(p_earned, ARRAY[p_refunded_amount, p_captured_amount - p_refunded_amount]))[1];
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
CREATE FUNCTION crm.expire_points(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_account crm.loyalty_account;
  v_accounts integer := 0;
BEGIN
  FOR v_account IN SELECT a.*
  FROM crm.loyalty_account a
  WHERE a.merchant_id = p_merchant_id AND a.next_expiry <= now()
  ORDER BY a.next_expiry
  LIMIT p_limit
  FOR NO KEY UPDATE SKIP LOCKED LOOP
    PERFORM crm.hold_loyalty_account(p_merchant_id, v_account.customer_id);
    v_accounts := v_accounts + 1;
  END LOOP;
  RETURN v_accounts;
END;
$$;

-- The customers who count as one person: an account by itself, a guest with all guests of the same e-mail address,
-- since each guest checkout makes a customer of its own.
CREATE FUNCTION crm.same_person(p_merchant_id uuid, p_customer_id uuid)
RETURNS SETOF uuid
LANGUAGE sql
STABLE
AS $$
  SELECT p_customer_id
  UNION
  SELECT g.id
  FROM
    crm.customer c
    JOIN crm.customer g ON g.merchant_id = c.merchant_id AND g.email = c.email AND NOT g.has_account
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id AND NOT c.has_account;
$$;

-- What a customer's point pays of a purchase, in minor units. NULL: the customer can't pay with points, as guests
-- can't.
CREATE FUNCTION crm.point_value(p_merchant_id uuid, p_customer_id uuid, p_currency text)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT g.point_value
  FROM
    crm.loyalty_program g
    JOIN merchant.settings s ON s.merchant_id = g.merchant_id AND s.currency = p_currency
    JOIN crm.customer c ON c.merchant_id = g.merchant_id AND c.id = p_customer_id AND c.has_account
  WHERE g.merchant_id = p_merchant_id AND g.enabled;
$$;

-- The same, and it stays so until the end of the transaction.
CREATE FUNCTION crm.hold_point_value(p_merchant_id uuid, p_customer_id uuid, p_currency text)
RETURNS bigint
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM crm.loyalty_program g WHERE g.merchant_id = p_merchant_id FOR SHARE;
  RETURN crm.point_value(p_merchant_id, p_customer_id, p_currency);
END;
$$;

-- What all points of a customer pay of a purchase, in minor units. NULL: the customer can't pay with points.
CREATE FUNCTION crm.points_worth(p_merchant_id uuid, p_customer_id uuid, p_currency text)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT a.points * v.point_value
  FROM
    (SELECT crm.point_value(p_merchant_id, p_customer_id, p_currency) AS point_value) v
    JOIN crm.loyalty_account a ON a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id
  WHERE v.point_value IS NOT NULL;
$$;

-- The same, 0 in place of NULL, with the account locked: no other payment can spend the points.
CREATE FUNCTION crm.hold_points_worth(p_merchant_id uuid, p_customer_id uuid, p_currency text)
RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
  v_value bigint := crm.hold_point_value(p_merchant_id, p_customer_id, p_currency);
BEGIN
  IF v_value IS NULL THEN
    RETURN 0;
  END IF;
  RETURN (crm.hold_loyalty_account(p_merchant_id, p_customer_id)).points * v_value;
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

-- How many customers meet conditions that no segment has yet. p_conditions: by the columns of crm.segment; what is
-- absent or null asks nothing.
--
-- answers: counted {memberCount: integer} | unknown_tier {}
CREATE FUNCTION crm.count_customers_in(p_merchant_id uuid, p_conditions jsonb)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_segment crm.segment := jsonb_populate_record(NULL::crm.segment, p_conditions);
BEGIN
  v_segment.merchant_id := p_merchant_id;
  IF
    EXISTS (
      SELECT
      FROM unnest(v_segment.loyalty_tier_ids) AS w (id)
      WHERE NOT EXISTS (SELECT FROM crm.loyalty_tier t WHERE t.merchant_id = p_merchant_id AND t.id = w.id)
    )
  THEN
    RETURN jsonb_build_object('outcome', 'unknown_tier');
  END IF;
  RETURN (
    SELECT jsonb_build_object('outcome', 'counted', 'memberCount', count(*))
    FROM crm.customers_in(v_segment)
  );
END;
$$;
