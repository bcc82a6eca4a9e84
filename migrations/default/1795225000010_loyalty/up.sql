-- Loyalty: points that paid orders earn, what they are spent on, and the tiers that customers reach.
--
-- Points are entries of a ledger that only grows. A customer's balance is their sum, kept beside it in an account, whose row is
-- the lock that everything about a customer's points goes through, and whose constraint lets none of it go below zero.

-- Every merchant has one, which does nothing until it is enabled.
CREATE TABLE crm.loyalty_program (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant ON DELETE CASCADE,
  enabled boolean NOT NULL DEFAULT false,
  -- A payment earns so many points for each full earn_amount (minor units, the merchant's currency) that it takes: in proportion,
  -- rounded down to whole points.
  earn_points integer NOT NULL DEFAULT 1 CHECK (earn_points BETWEEN 1 AND 1000000),
  earn_amount bigint NOT NULL DEFAULT 100 CHECK (earn_amount > 0 AND earn_amount < 9007199254740992),
  -- Days after which points that were not spent are gone; NULL: never. Points keep the day that they got when they came.
  points_expire_after_days integer CHECK (points_expire_after_days BETWEEN 1 AND 36500),
  -- What the thresholds of tiers count: points that orders earned, less what refunds took back, or what was spent.
  tier_basis text NOT NULL DEFAULT 'POINTS_EARNED' CHECK (tier_basis IN ('POINTS_EARNED', 'TOTAL_SPENT')),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON crm.loyalty_program
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION crm.give_loyalty_program() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO crm.loyalty_program (merchant_id) VALUES (NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER give_loyalty_program AFTER INSERT ON merchant.merchant
  FOR EACH ROW EXECUTE FUNCTION crm.give_loyalty_program();
INSERT INTO crm.loyalty_program (merchant_id) SELECT id FROM merchant.merchant;

CREATE TABLE crm.loyalty_tier (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  threshold bigint NOT NULL CHECK (threshold >= 0 AND threshold < 9007199254740992),
  benefits text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT loyalty_tier_name_key UNIQUE (merchant_id, name),
  CONSTRAINT loyalty_tier_threshold_key UNIQUE (merchant_id, threshold)
);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON crm.loyalty_tier
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- What points buy: a coupon of a fixed amount for one order of this customer.
CREATE TABLE crm.loyalty_reward (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  points integer NOT NULL CHECK (points > 0),
  discount_amount integer NOT NULL CHECK (discount_amount > 0),
  min_purchase_amount bigint CHECK (min_purchase_amount >= 0 AND min_purchase_amount < 9007199254740992),
  -- Days for which a coupon is good.
  valid_days integer NOT NULL DEFAULT 90 CHECK (valid_days BETWEEN 1 AND 3650),
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT loyalty_reward_name_key UNIQUE (merchant_id, name)
);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON crm.loyalty_reward
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE crm.loyalty_account (
  merchant_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  points integer NOT NULL DEFAULT 0 CONSTRAINT loyalty_points_not_negative CHECK (points >= 0),
  -- Of these, what orders earned and no refund took back; spending doesn't lower it.
  points_earned bigint NOT NULL DEFAULT 0 CHECK (points_earned >= 0),
  -- When points may expire next; NULL when none ever will.
  next_expiry timestamptz,
  PRIMARY KEY (merchant_id, customer_id),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);
CREATE INDEX loyalty_account_next_expiry ON crm.loyalty_account (next_expiry);

CREATE TABLE crm.loyalty_entry (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('EARNED', 'TAKEN_BACK', 'REDEEMED', 'ADJUSTED', 'EXPIRED')),
  points integer NOT NULL,
  -- The sum of all entries up to this one; filled in by trigger.
  balance integer NOT NULL CHECK (balance >= 0),
  -- Why somebody adjusted it.
  reason text CHECK (reason <> ''),
  -- What earned them, or was refunded.
  payment_id uuid,
  -- What they were redeemed for. The code stays when the promotion is deleted.
  promotion_id uuid,
  coupon_code text,
  expires_at timestamptz,
  -- Not now(), which is when the transaction began: entries are in the order in which the account was locked.
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT loyalty_entry_sign CHECK (
    CASE type WHEN 'EARNED' THEN points > 0 WHEN 'ADJUSTED' THEN points <> 0 AND reason IS NOT NULL ELSE points < 0 END
  ),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.loyalty_account ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, payment_id) REFERENCES payment.payment,
  FOREIGN KEY (merchant_id, promotion_id) REFERENCES promotion.promotion ON DELETE SET NULL (promotion_id)
);
CREATE INDEX loyalty_entry_customer ON crm.loyalty_entry (merchant_id, customer_id, created_at, id);
-- A payment earns once.
CREATE UNIQUE INDEX loyalty_entry_one_earning_per_payment ON crm.loyalty_entry (merchant_id, payment_id) WHERE type = 'EARNED';
CREATE INDEX loyalty_entry_payment ON crm.loyalty_entry (merchant_id, payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX loyalty_entry_promotion ON crm.loyalty_entry (merchant_id, promotion_id) WHERE promotion_id IS NOT NULL;

-- The account moves with the ledger, whoever writes to it.
CREATE FUNCTION crm.post_loyalty_entry() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE crm.loyalty_account a
  SET
    points = a.points + NEW.points,
    points_earned = a.points_earned + CASE WHEN NEW.type IN ('EARNED', 'TAKEN_BACK') THEN NEW.points ELSE 0 END,
    next_expiry = least(a.next_expiry, NEW.expires_at)
  WHERE a.merchant_id = NEW.merchant_id AND a.customer_id = NEW.customer_id
  RETURNING a.points INTO NEW.balance;
  RETURN NEW;
END
$$;
CREATE TRIGGER post BEFORE INSERT ON crm.loyalty_entry FOR EACH ROW EXECUTE FUNCTION crm.post_loyalty_entry();

CREATE FUNCTION crm.refuse_rewriting() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  RAISE EXCEPTION 'the ledger of points only grows: write an adjustment instead';
END
$$;
-- What foreign keys do on their own, when a customer or promotion is deleted, they do from inside a trigger.
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON crm.loyalty_entry
  FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION crm.refuse_rewriting();

-- When points that come now are gone.
CREATE FUNCTION crm.points_expire_at(p_merchant_id uuid) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
  SELECT now() + make_interval(days => g.points_expire_after_days) FROM crm.loyalty_program g WHERE g.merchant_id = p_merchant_id
$$;

-- What is left of a customer's points that have expired by now, and when the next do. The ledger is played through: what went was what
-- expired soonest of what had come by then.
CREATE FUNCTION crm.unspent_expired_points(p_merchant_id uuid, p_customer_id uuid, OUT expired bigint, OUT next_expiry timestamptz)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_entry record;
  v_lot integer;
  v_due bigint;
  v_taken bigint;
  -- Of each time that points came: how many are left, and when they expire.
  v_left bigint[] := '{}';
  v_expiry timestamptz[] := '{}';
BEGIN
  FOR v_entry IN
    SELECT e.points, coalesce(e.expires_at, 'infinity') AS expires_at FROM crm.loyalty_entry e
    WHERE e.merchant_id = p_merchant_id AND e.customer_id = p_customer_id ORDER BY e.created_at, e.id
  LOOP
    IF v_entry.points > 0 THEN
      v_left := v_left || v_entry.points::bigint;
      v_expiry := v_expiry || v_entry.expires_at;
      CONTINUE;
    END IF;
    v_due := -v_entry.points;
    FOR v_lot IN SELECT l.n FROM unnest(v_expiry) WITH ORDINALITY AS l (expiry, n) WHERE v_left[l.n] > 0 ORDER BY l.expiry, l.n LOOP
      EXIT WHEN v_due = 0;
      v_taken := least(v_left[v_lot], v_due);
      v_left[v_lot] := v_left[v_lot] - v_taken;
      v_due := v_due - v_taken;
    END LOOP;
  END LOOP;
  SELECT
    coalesce(sum(l.points) FILTER (WHERE l.expiry <= now()), 0),
    min(l.expiry) FILTER (WHERE l.expiry > now() AND l.expiry < 'infinity' AND l.points > 0)
  INTO expired, next_expiry
  FROM unnest(v_left, v_expiry) AS l (points, expiry);
END
$$;

-- Takes hold of a customer's account, makes it if there is none, and takes points off that have expired by now: whoever holds it
-- sees what can be spent.
CREATE FUNCTION crm.hold_loyalty_account(p_merchant_id uuid, p_customer_id uuid) RETURNS crm.loyalty_account
LANGUAGE plpgsql
AS $$
DECLARE
  v_account crm.loyalty_account;
  v_expired bigint;
  v_next timestamptz;
BEGIN
  INSERT INTO crm.loyalty_account (merchant_id, customer_id) VALUES (p_merchant_id, p_customer_id) ON CONFLICT DO NOTHING;
  SELECT * INTO v_account FROM crm.loyalty_account a
  WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id FOR NO KEY UPDATE;
  IF (v_account.next_expiry > now()) IS NOT FALSE THEN
    RETURN v_account;
  END IF;
  SELECT u.expired, u.next_expiry INTO v_expired, v_next FROM crm.unspent_expired_points(p_merchant_id, p_customer_id) u;
  IF v_expired > 0 THEN
    INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points) VALUES (p_merchant_id, p_customer_id, 'EXPIRED', -v_expired);
  END IF;
  UPDATE crm.loyalty_account a SET next_expiry = v_next
  WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id RETURNING a.* INTO v_account;
  RETURN v_account;
END
$$;

-- Takes expired points off up to p_limit accounts. Returns how many; fewer than p_limit means that it is done.
CREATE FUNCTION crm.expire_points(p_limit integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_account crm.loyalty_account;
  v_accounts integer := 0;
BEGIN
  FOR v_account IN
    SELECT a.* FROM crm.loyalty_account a WHERE a.next_expiry <= now() ORDER BY a.next_expiry LIMIT p_limit
    FOR NO KEY UPDATE SKIP LOCKED
  LOOP
    PERFORM crm.hold_loyalty_account(v_account.merchant_id, v_account.customer_id);
    v_accounts := v_accounts + 1;
  END LOOP;
  RETURN v_accounts;
END
$$;

-- What a payment earns a customer by the money that was taken, in the transaction in which it succeeds; and what its refunds take back, in theirs. It follows
-- the payment's row, whoever writes it, so nothing is earned twice or lost, whatever crashes between.
-- It never stands in a payment's way: what doesn't fit into an account isn't earned, and points that were spent before their order
-- was refunded can't be taken back; the next refund of the payment takes what this one couldn't.
CREATE FUNCTION crm.keep_points_of_payment() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer_id uuid;
  v_program crm.loyalty_program;
  v_account crm.loyalty_account;
  v_earned integer;
  v_points bigint;
BEGIN
  SELECT o.customer_id INTO v_customer_id FROM ordering.order o WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id;
  SELECT e.points INTO v_earned FROM crm.loyalty_entry e
  WHERE e.merchant_id = NEW.merchant_id AND e.payment_id = NEW.id AND e.type = 'EARNED';
  IF v_earned IS NULL AND (TG_OP = 'INSERT' OR OLD.status NOT IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED')) THEN
    SELECT g.* INTO v_program FROM crm.loyalty_program g
    JOIN merchant.settings s ON s.merchant_id = g.merchant_id AND s.currency = NEW.currency
    WHERE g.merchant_id = NEW.merchant_id AND g.enabled;
    IF FOUND AND v_customer_id IS NOT NULL THEN
      v_account := crm.hold_loyalty_account(NEW.merchant_id, v_customer_id);
      v_earned := least(div(NEW.captured_amount::numeric * v_program.earn_points, v_program.earn_amount), 2147483647 - v_account.points);
      IF v_earned > 0 THEN
        INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, payment_id, expires_at)
        VALUES (NEW.merchant_id, v_customer_id, 'EARNED', v_earned, NEW.id, crm.points_expire_at(NEW.merchant_id));
      END IF;
    END IF;
  END IF;
  IF v_earned > 0 AND NEW.refunded_amount > 0 THEN
    v_account := crm.hold_loyalty_account(NEW.merchant_id, v_customer_id);
    -- Of all that it earned, the part of all that was given back: so refunds in parts take back as much as one of the whole.
    SELECT (platform.allocate(v_earned, ARRAY[NEW.refunded_amount, NEW.captured_amount - NEW.refunded_amount]))[1] + coalesce(sum(e.points), 0)
    INTO v_points
    FROM crm.loyalty_entry e WHERE e.merchant_id = NEW.merchant_id AND e.payment_id = NEW.id AND e.type = 'TAKEN_BACK';
    v_points := least(v_points, v_account.points);
    IF v_points > 0 THEN
      INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, payment_id)
      VALUES (NEW.merchant_id, v_customer_id, 'TAKEN_BACK', -v_points, NEW.id);
    END IF;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER keep_points AFTER INSERT OR UPDATE OF status, refunded_amount ON payment.payment
  FOR EACH ROW WHEN (NEW.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED'))
  EXECUTE FUNCTION crm.keep_points_of_payment();

-- Gives or takes points for a reason of the merchant's.
-- {outcome: 'changed', entryId} | {outcome: 'unknown_customer'} | {outcome: 'not_enough_points', points} | {outcome: 'too_many_points'}
CREATE FUNCTION crm.adjust_points(p_merchant_id uuid, p_customer_id uuid, p_points integer, p_reason text) RETURNS jsonb
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
  VALUES (
    p_merchant_id, v_entry_id, p_customer_id, 'ADJUSTED', p_points, p_reason,
    CASE WHEN p_points > 0 THEN crm.points_expire_at(p_merchant_id) END
  );
  RETURN jsonb_build_object('outcome', 'changed', 'entryId', v_entry_id);
END
$$;

-- Spends a customer's points on a reward: a promotion that nobody else can use, and once.
-- {outcome: 'changed', entryId} | {outcome: 'unknown_customer' | 'unknown_reward' | 'reward_not_active' | 'program_not_enabled'}
--   | {outcome: 'not_enough_points', points}
CREATE FUNCTION crm.redeem_reward(p_merchant_id uuid, p_customer_id uuid, p_reward_id uuid) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_reward crm.loyalty_reward;
  v_account crm.loyalty_account;
  v_entry_id uuid := platform.uuid_v7();
  v_promotion_id uuid := platform.uuid_v7();
  -- 64 random bits: nobody guesses another customer's, who couldn't use it anyway.
  v_code text := 'REWARD-' || upper(right(replace(gen_random_uuid()::text, '-', ''), 16));
BEGIN
  IF NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id) THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  SELECT * INTO v_reward FROM crm.loyalty_reward r WHERE r.merchant_id = p_merchant_id AND r.id = p_reward_id;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_reward');
  END IF;
  IF NOT v_reward.active THEN
    RETURN jsonb_build_object('outcome', 'reward_not_active');
  END IF;
  IF NOT EXISTS (SELECT FROM crm.loyalty_program g WHERE g.merchant_id = p_merchant_id AND g.enabled) THEN
    RETURN jsonb_build_object('outcome', 'program_not_enabled');
  END IF;
  v_account := crm.hold_loyalty_account(p_merchant_id, p_customer_id);
  IF v_account.points < v_reward.points THEN
    RETURN jsonb_build_object('outcome', 'not_enough_points', 'points', v_account.points);
  END IF;
  INSERT INTO promotion.promotion
    (merchant_id, id, name, code, discount_type, discount_value, start_date, end_date, usage_limit, min_purchase_amount, customer_ids)
  VALUES
    (p_merchant_id, v_promotion_id, v_reward.name, v_code, 'FIXED_AMOUNT', v_reward.discount_amount, now(),
     now() + make_interval(days => v_reward.valid_days), 1, v_reward.min_purchase_amount, ARRAY[p_customer_id]);
  INSERT INTO crm.loyalty_entry (merchant_id, id, customer_id, type, points, promotion_id, coupon_code)
  VALUES (p_merchant_id, v_entry_id, p_customer_id, 'REDEEMED', -v_reward.points, v_promotion_id, v_code);
  RETURN jsonb_build_object('outcome', 'changed', 'entryId', v_entry_id);
END
$$;

-- Where a customer stands. The tier is the highest whose threshold is reached; it follows the rows and can't be stale.
CREATE VIEW crm.customer_loyalty AS
SELECT
  c.merchant_id,
  c.id AS customer_id,
  coalesce(a.points, 0) AS points,
  coalesce(a.points_earned, 0) AS points_earned,
  t.id AS tier_id,
  t.name AS tier_name
FROM crm.customer c
LEFT JOIN crm.loyalty_account a ON a.merchant_id = c.merchant_id AND a.customer_id = c.id
LEFT JOIN LATERAL (
  SELECT x.id, x.name FROM crm.loyalty_tier x
  WHERE x.merchant_id = c.merchant_id AND x.threshold <= (
    SELECT CASE g.tier_basis
      WHEN 'POINTS_EARNED' THEN coalesce(a.points_earned, 0)
      WHEN 'TOTAL_SPENT' THEN (
        SELECT s.total_spent FROM crm.customer_total s WHERE s.merchant_id = c.merchant_id AND s.customer_id = c.id
      )
    END
    FROM crm.loyalty_program g WHERE g.merchant_id = c.merchant_id
  )
  ORDER BY x.threshold DESC
  LIMIT 1
) t ON true;
