CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.customer
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION crm.doubt_new_email()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.email_verified := FALSE;
  RETURN NEW;
END;
$$;

CREATE TRIGGER doubt_new_email
BEFORE UPDATE OF email ON crm.customer
FOR EACH ROW
WHEN (NEW.email <> OLD.email)
EXECUTE FUNCTION crm.doubt_new_email();

CREATE FUNCTION crm.keep_one_default_address()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM crm.customer c WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.customer_id FOR NO KEY UPDATE;
  IF
    NOT NEW.is_default
    AND TG_OP = 'INSERT'
    AND NOT EXISTS (
      SELECT
      FROM crm.address a
      WHERE a.merchant_id = NEW.merchant_id AND a.customer_id = NEW.customer_id AND a.is_default
    )
  THEN
    NEW.is_default := TRUE;
  END IF;
  IF NEW.is_default THEN
    UPDATE crm.address a
    SET is_default = FALSE
    WHERE a.merchant_id = NEW.merchant_id AND a.customer_id = NEW.customer_id AND a.is_default AND a.id <> NEW.id;
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER keep_one_default
BEFORE INSERT OR UPDATE OF is_default ON crm.address
FOR EACH ROW
EXECUTE FUNCTION crm.keep_one_default_address();

CREATE FUNCTION crm.refuse_no_default_address()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM platform.violate('crm.address', 'address_needs_default');
END;
$$;

CREATE TRIGGER default_stays
BEFORE UPDATE OF is_default ON crm.address
FOR EACH ROW
WHEN (OLD.is_default AND NOT NEW.is_default AND pg_trigger_depth() = 0)
EXECUTE FUNCTION crm.refuse_no_default_address();

CREATE FUNCTION crm.pass_on_default_address()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM crm.customer c WHERE c.merchant_id = OLD.merchant_id AND c.id = OLD.customer_id FOR NO KEY UPDATE;
  UPDATE crm.address a
  SET is_default = TRUE
  WHERE
    a.merchant_id = OLD.merchant_id
    AND a.id = (
      SELECT x.id
      FROM crm.address x
      WHERE x.merchant_id = OLD.merchant_id AND x.customer_id = OLD.customer_id
      ORDER BY x.created_at, x.id
      LIMIT 1
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER pass_on_default
AFTER DELETE ON crm.address
FOR EACH ROW
WHEN (OLD.is_default)
EXECUTE FUNCTION crm.pass_on_default_address();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.contact
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.interaction
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.loyalty_program
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION crm.give_loyalty_program()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO crm.loyalty_program (merchant_id) VALUES (NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER give_loyalty_program
AFTER INSERT ON merchant.merchant
FOR EACH ROW
EXECUTE FUNCTION crm.give_loyalty_program();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.loyalty_tier
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.loyalty_reward
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION crm.post_loyalty_entry()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_balance integer;
BEGIN
  UPDATE crm.loyalty_account a
  SET
    points = a.points + NEW.points,
    points_earned = a.points_earned + CASE
      WHEN NEW.type IN ('EARNED', 'TAKEN_BACK') THEN NEW.points
      ELSE 0
    END,
    next_expiry = least(a.next_expiry, NEW.expires_at)
  WHERE a.merchant_id = NEW.merchant_id AND a.customer_id = NEW.customer_id
  RETURNING a.points
  INTO v_balance;
  NEW.balance := v_balance;
  RETURN NEW;
END;
$$;

CREATE TRIGGER post
BEFORE INSERT ON crm.loyalty_entry
FOR EACH ROW
EXECUTE FUNCTION crm.post_loyalty_entry();

-- Points that staff give are no purchase's: nothing is taken of them.
CREATE TRIGGER take_back_owed
AFTER INSERT ON crm.loyalty_entry
FOR EACH ROW
WHEN (NEW.type IN ('EARNED', 'RETURNED'))
EXECUTE FUNCTION crm.take_back_owed_points();

CREATE FUNCTION crm.refuse_rewriting()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' AND merchant.deletion_is_due(OLD.merchant_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the ledger of points only grows: write an adjustment instead';
END;
$$;

CREATE TRIGGER append_only
BEFORE UPDATE OR DELETE ON crm.loyalty_entry
FOR EACH ROW
WHEN (pg_trigger_depth() = 0)
EXECUTE FUNCTION crm.refuse_rewriting();

CREATE TRIGGER keep_points
AFTER INSERT OR UPDATE OF status, captured_amount, refunded_amount ON payment.payment
FOR EACH ROW
WHEN
  (
    NEW.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED')
    AND NEW.method <> 'LOYALTY_POINTS'
    AND NOT platform.importing()
  )
EXECUTE FUNCTION crm.keep_points_of_payment();

CREATE FUNCTION crm.spend_points()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer_id uuid := (
    SELECT o.customer_id FROM ordering.order o WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id
  );
  v_value bigint := crm.hold_point_value(NEW.merchant_id, v_customer_id, NEW.currency);
BEGIN
  IF v_value IS NULL THEN
    RAISE EXCEPTION 'payment % can not be made with points', NEW.id;
  END IF;
  PERFORM crm.hold_loyalty_account(NEW.merchant_id, v_customer_id);
  -- The constraint of the account keeps the balance from going below zero.
  INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, payment_id)
  VALUES (NEW.merchant_id, v_customer_id, 'SPENT', -div(NEW.amount + v_value - 1, v_value), NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER spend_points
AFTER INSERT ON payment.payment
FOR EACH ROW
WHEN (NEW.method = 'LOYALTY_POINTS' AND NEW.status NOT IN ('FAILED', 'CANCELLED'))
EXECUTE FUNCTION crm.spend_points();

-- Gives points back: of all that a payment cost, the part of its amount that was given back. So refunds in parts return
-- as many as one of the whole.
CREATE FUNCTION crm.return_points()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_spent crm.loyalty_entry;
  v_account crm.loyalty_account;
  v_points bigint;
BEGIN
  SELECT *
  INTO v_spent
  FROM crm.loyalty_entry e
  WHERE e.merchant_id = NEW.merchant_id AND e.payment_id = NEW.id AND e.type = 'SPENT';
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  v_account := crm.hold_loyalty_account(NEW.merchant_id, v_spent.customer_id);
  SELECT
    CASE
      WHEN NEW.status IN ('FAILED', 'CANCELLED') THEN -v_spent.points
      ELSE (platform.allocate(-v_spent.points, ARRAY[NEW.refunded_amount, NEW.captured_amount - NEW.refunded_amount]))[
        1
      ]
    END - coalesce(sum(e.points), 0)
  INTO v_points
  FROM crm.loyalty_entry e
  WHERE e.merchant_id = NEW.merchant_id AND e.payment_id = NEW.id AND e.type = 'RETURNED';
  v_points := least(v_points, 2147483647 - v_account.points);
  IF v_points > 0 THEN
    INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, payment_id, expires_at)
    VALUES
      (NEW.merchant_id, v_spent.customer_id, 'RETURNED', v_points, NEW.id, crm.points_expire_at(NEW.merchant_id));
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER return_points
AFTER UPDATE OF status, refunded_amount ON payment.payment
FOR EACH ROW
WHEN (NEW.method = 'LOYALTY_POINTS' AND NEW.status IN ('FAILED', 'CANCELLED', 'PARTIALLY_REFUNDED', 'REFUNDED'))
EXECUTE FUNCTION crm.return_points();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.segment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION crm.check_segment_tiers()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (
      SELECT
      FROM unnest(NEW.loyalty_tier_ids) x
      WHERE NOT EXISTS (SELECT FROM crm.loyalty_tier t WHERE t.merchant_id = NEW.merchant_id AND t.id = x)
    )
  THEN
    PERFORM platform.violate('crm.segment', 'segment_loyalty_tiers_exist');
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER check_tiers
BEFORE INSERT OR UPDATE OF loyalty_tier_ids ON crm.segment
FOR EACH ROW
EXECUTE FUNCTION crm.check_segment_tiers();
