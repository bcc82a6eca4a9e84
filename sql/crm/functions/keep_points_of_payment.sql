CREATE FUNCTION crm.keep_points_of_payment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer_id uuid;
  v_program crm.loyalty_program;
  v_account crm.loyalty_account;
  -- The amount that was taken before.
  v_before bigint := CASE TG_OP
    WHEN 'INSERT' THEN 0
    ELSE OLD.captured_amount
  END;
  v_earned bigint;
  v_points bigint;
BEGIN
  SELECT o.customer_id
  INTO v_customer_id
  FROM ordering.order o
  WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id;
  IF NEW.captured_amount > v_before THEN
    SELECT g.*
    INTO v_program
    FROM
      crm.loyalty_program g
      JOIN merchant.settings s ON s.merchant_id = g.merchant_id AND s.currency = NEW.currency
    WHERE g.merchant_id = NEW.merchant_id AND g.enabled;
    -- Points are of accounts.
    IF
      FOUND
      AND EXISTS (
        SELECT FROM crm.customer c WHERE c.merchant_id = NEW.merchant_id AND c.id = v_customer_id AND c.has_account
      )
    THEN
      v_account := crm.hold_loyalty_account(NEW.merchant_id, v_customer_id);
      -- Money that is taken in parts earns as many points as at once.
      v_points := least(
        div(NEW.captured_amount::numeric * v_program.earn_points, v_program.earn_amount) - div(
          v_before::numeric * v_program.earn_points,
          v_program.earn_amount
        ),
        2147483647 - v_account.points
      );
      IF v_points > 0 THEN
        INSERT INTO crm.loyalty_entry
          (merchant_id, customer_id, type, points, payment_id, captured_amount, expires_at)
        VALUES
          (
            NEW.merchant_id,
            v_customer_id,
            'EARNED',
            v_points,
            NEW.id,
            NEW.captured_amount,
            crm.points_expire_at(NEW.merchant_id)
          );
      END IF;
    END IF;
  END IF;
  SELECT sum(e.points)
  INTO v_earned
  FROM crm.loyalty_entry e
  WHERE e.merchant_id = NEW.merchant_id AND e.payment_id = NEW.id AND e.type = 'EARNED';
  IF v_earned > 0 AND NEW.refunded_amount > 0 THEN
    v_account := crm.hold_loyalty_account(NEW.merchant_id, v_customer_id);
    SELECT crm.points_due(v_earned, NEW.refunded_amount, NEW.captured_amount) + coalesce(sum(e.points), 0)
    INTO v_points
    FROM crm.loyalty_entry e
    WHERE e.merchant_id = NEW.merchant_id AND e.payment_id = NEW.id AND e.type = 'TAKEN_BACK';
    v_points := least(v_points, v_account.points);
    IF v_points > 0 THEN
      INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, payment_id)
      VALUES (NEW.merchant_id, v_customer_id, 'TAKEN_BACK', -v_points, NEW.id);
    END IF;
  END IF;
  RETURN NULL;
END;
$$;
