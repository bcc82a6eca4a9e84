-- Promotions that take something off: what they cover, how much it is, who may use them, and how often they were used.

INSERT INTO merchant.permission (name, description) VALUES
  ('promotions:write', 'Create, change and delete promotions and their campaigns');

CREATE TABLE promotion.campaign (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT campaign_name_key UNIQUE (merchant_id, name)
);
CREATE INDEX campaign_created_at ON promotion.campaign (merchant_id, created_at, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON promotion.campaign
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

ALTER TABLE promotion.promotion
  ADD COLUMN campaign_id uuid,
  ADD CONSTRAINT promotion_campaign_fkey FOREIGN KEY (merchant_id, campaign_id) REFERENCES promotion.campaign
    ON DELETE SET NULL (campaign_id),
  -- An empty list would be a promotion that nothing and nobody meets; NULL is everything and everybody.
  ADD CONSTRAINT promotion_product_ids_some CHECK (cardinality(product_ids) > 0),
  ADD CONSTRAINT promotion_category_ids_some CHECK (cardinality(category_ids) > 0),
  ADD CONSTRAINT promotion_customer_ids_some CHECK (cardinality(customer_ids) > 0);
CREATE INDEX promotion_created_at ON promotion.promotion (merchant_id, created_at, id);
CREATE INDEX promotion_campaign ON promotion.promotion (merchant_id, campaign_id, created_at, id);

-- The ids in a promotion's conditions are arrays and no link tables on purpose: deleting the only category of a link
-- table would leave a promotion for everything. So a trigger does what a composite key would: an id is one of the
-- same merchant, or the row isn't written.
CREATE FUNCTION promotion.check_conditions() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF EXISTS (
    SELECT FROM unnest(NEW.product_ids) x WHERE NOT EXISTS (
      SELECT FROM catalog.product p WHERE p.merchant_id = NEW.merchant_id AND p.id = x AND p.deleted_at IS NULL
    )
  ) THEN
    PERFORM platform.violate('promotion.promotion', 'promotion_products_exist');
  END IF;
  IF EXISTS (
    SELECT FROM unnest(NEW.category_ids) x WHERE NOT EXISTS (
      SELECT FROM catalog.category c WHERE c.merchant_id = NEW.merchant_id AND c.id = x
    )
  ) THEN
    PERFORM platform.violate('promotion.promotion', 'promotion_categories_exist');
  END IF;
  IF EXISTS (
    SELECT FROM unnest(NEW.customer_ids) x WHERE NOT EXISTS (
      SELECT FROM crm.customer c WHERE c.merchant_id = NEW.merchant_id AND c.id = x
    )
  ) THEN
    PERFORM platform.violate('promotion.promotion', 'promotion_customers_exist');
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER check_conditions BEFORE INSERT OR UPDATE OF product_ids, category_ids, customer_ids ON promotion.promotion
  FOR EACH ROW EXECUTE FUNCTION promotion.check_conditions();

-- A promotion without a code applies by itself. Each of them is looked at for every price, so a merchant has a bounded number of
-- them that are switched on and not over.
CREATE INDEX promotion_automatic ON promotion.promotion (merchant_id, end_date) WHERE code IS NULL AND NOT disabled;
CREATE FUNCTION promotion.check_automatic() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.code IS NULL AND NOT NEW.disabled AND NEW.end_date > now() THEN
    -- One at a time, so that of two at once the second counts the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('automatic promotions ' || NEW.merchant_id, 0));
    IF (
      SELECT count(*) FROM promotion.promotion p
      WHERE p.merchant_id = NEW.merchant_id AND p.code IS NULL AND NOT p.disabled AND p.end_date > now()
    ) > 50 THEN
      PERFORM platform.violate('promotion.promotion', 'promotion_automatic_limit');
    END IF;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER check_automatic AFTER INSERT OR UPDATE OF code, disabled, end_date ON promotion.promotion
  FOR EACH ROW EXECUTE FUNCTION promotion.check_automatic();

-- Splits an amount over weights in whole minor units, so that the parts add up to it: everybody gets the part rounded
-- down, and what is left goes to the largest remainders, one unit each; of equal ones the first. No part is larger than
-- its weight when the amount is no larger than all weights together. Without any weight there is nothing to split.
CREATE FUNCTION platform.allocate(p_amount numeric, p_weights bigint[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE
AS $$
  WITH part AS (
    SELECT w.position, div(p_amount * w.weight, t.total) AS whole, mod(p_amount * w.weight, t.total) AS remainder
    FROM unnest(p_weights) WITH ORDINALITY AS w(weight, position)
    CROSS JOIN (SELECT nullif(sum(x), 0) AS total FROM unnest(p_weights) x) t
  ),
  ranked AS (
    SELECT
      p.position, p.whole, row_number() OVER (ORDER BY p.remainder DESC, p.position) AS rank, sum(p.whole) OVER () AS given
    FROM part p
  )
  SELECT coalesce(
    array_agg((coalesce(r.whole, 0) + CASE WHEN r.rank <= p_amount - r.given THEN 1 ELSE 0 END)::bigint ORDER BY r.position),
    '{}'
  )
  FROM ranked r
$$;

-- What somebody is about to buy, as promotions look at it.
CREATE TYPE promotion.purchase AS (
  merchant_id uuid,
  -- NULL: a guest.
  customer_id uuid,
  currency text,
  -- The order that is changed; NULL: there is none yet.
  order_id uuid,
  -- One entry for each line; NULL: no lines.
  product_ids uuid[],
  subtotals bigint[],
  shipping bigint
);

-- Why nobody, or not this customer, can use a promotion now; NULL: it can be used, as far as the lines allow.
-- A guest is asked for a first order only when it becomes somebody's.
CREATE FUNCTION promotion.use_refusal(p_promotion promotion.promotion, p_purchase promotion.purchase) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT CASE
    WHEN p_promotion.id IS NULL THEN 'unknown_coupon'
    WHEN p_promotion.disabled THEN 'coupon_disabled'
    WHEN now() < p_promotion.start_date THEN 'coupon_not_yet_active'
    WHEN now() >= p_promotion.end_date THEN 'coupon_expired'
    WHEN p_promotion.usage_count >= p_promotion.usage_limit THEN 'coupon_used_up'
    WHEN p_promotion.customer_ids IS NOT NULL AND p_purchase.customer_id = ANY (p_promotion.customer_ids) IS NOT TRUE
      THEN 'coupon_not_for_customer'
    WHEN p_promotion.first_order_only AND EXISTS (
      SELECT FROM ordering.order o
      WHERE o.merchant_id = p_promotion.merchant_id AND o.customer_id = p_purchase.customer_id AND o.status <> 'CANCELLED'
        AND o.id IS DISTINCT FROM p_purchase.order_id
    ) THEN 'coupon_first_order_only'
    -- A promotion's amounts are in the merchant's own currency; a bare percentage fits any.
    WHEN (
        p_promotion.discount_type = 'FIXED_AMOUNT'
        OR p_promotion.min_purchase_amount IS NOT NULL OR p_promotion.max_discount_amount IS NOT NULL
      )
      AND p_purchase.currency <> (SELECT s.currency FROM merchant.settings s WHERE s.merchant_id = p_promotion.merchant_id)
      THEN 'coupon_currency'
  END
$$;

-- A refusal as catalog.line_refusals has them, with what its message needs.
CREATE FUNCTION promotion.refusal(p_field text, p_reason text, p_promotion promotion.promotion) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_build_object(
    'field', p_field,
    'reason', p_reason,
    'minimum', p_promotion.min_purchase_amount,
    'currency', (SELECT s.currency FROM merchant.settings s WHERE s.merchant_id = p_promotion.merchant_id)
  )
$$;

CREATE TYPE promotion.discount AS (
  -- coupon_minimum_not_met, coupon_not_for_products; NULL: it applies.
  refusal text,
  -- What it takes off each line, in the order given, and off shipping; NULL when it is refused.
  lines bigint[],
  shipping bigint
);

-- What a promotion takes off these lines. The smallest purchase is measured by all lines, the discount by those that the
-- promotion covers; all of its conditions must hold. Percentages are rounded half away from zero.
CREATE FUNCTION promotion.discount_on(p_promotion promotion.promotion, p_purchase promotion.purchase) RETURNS promotion.discount
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_purchase numeric;
  v_covered numeric;
  v_weights bigint[];
  v_amount numeric;
BEGIN
  SELECT
    sum(l.subtotal),
    sum(l.subtotal) FILTER (WHERE l.covered),
    array_agg(CASE WHEN l.covered THEN l.subtotal ELSE 0 END ORDER BY l.position)
  INTO v_purchase, v_covered, v_weights
  FROM (
    SELECT
      x.subtotal,
      x.position,
      (p_promotion.product_ids IS NULL OR x.product_id = ANY (p_promotion.product_ids))
      AND (
        p_promotion.category_ids IS NULL
        OR EXISTS (
          SELECT FROM catalog.product_category c
          WHERE c.merchant_id = p_promotion.merchant_id AND c.product_id = x.product_id
            AND c.category_id = ANY (p_promotion.category_ids)
        )
      ) AS covered
    FROM unnest(p_purchase.product_ids, p_purchase.subtotals) WITH ORDINALITY AS x(product_id, subtotal, position)
  ) l;
  IF v_covered IS NULL THEN
    RETURN ROW('coupon_not_for_products', NULL, NULL)::promotion.discount;
  END IF;
  IF v_purchase < p_promotion.min_purchase_amount THEN
    RETURN ROW('coupon_minimum_not_met', NULL, NULL)::promotion.discount;
  END IF;
  -- least() passes over NULL: no maximum.
  v_amount := least(
    p_promotion.max_discount_amount,
    CASE p_promotion.discount_type
      WHEN 'PERCENTAGE' THEN round(v_covered * p_promotion.discount_value / 100)
      WHEN 'FIXED_AMOUNT' THEN least(p_promotion.discount_value, v_covered)
      WHEN 'FREE_SHIPPING' THEN p_purchase.shipping
    END
  );
  IF p_promotion.discount_type = 'FREE_SHIPPING' THEN
    RETURN ROW(NULL, array_fill(0::bigint, ARRAY[cardinality(v_weights)]), v_amount)::promotion.discount;
  END IF;
  RETURN ROW(NULL, platform.allocate(v_amount, v_weights), 0)::promotion.discount;
END
$$;

-- The promotions that apply by themselves, as far as the clock allows.
CREATE FUNCTION promotion.automatic(p_merchant_id uuid) RETURNS promotion.promotion[]
LANGUAGE sql STABLE
AS $$
  SELECT ARRAY(
    SELECT p FROM promotion.promotion p
    WHERE p.merchant_id = p_merchant_id AND p.code IS NULL AND NOT p.disabled
      AND p.start_date <= now() AND p.end_date > now()
    ORDER BY p.id
  )
$$;

-- Locks the promotions that a purchase may use, in one order whoever asks, and answers them as they are then: the one with this
-- code, the one that its order has already, and those that apply by themselves.
CREATE FUNCTION promotion.lock_usable(p_purchase promotion.purchase, p_code citext, p_kept_id uuid) RETURNS promotion.promotion[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_automatic_ids uuid[] := ARRAY(
    SELECT p.id FROM unnest(promotion.automatic(p_purchase.merchant_id)) p WHERE promotion.use_refusal(p, p_purchase) IS NULL
  );
BEGIN
  RETURN ARRAY(
    SELECT p FROM promotion.promotion p
    WHERE p.merchant_id = p_purchase.merchant_id AND (p.code = p_code OR p.id = p_kept_id OR p.id = ANY (v_automatic_ids))
    ORDER BY p.id
    FOR NO KEY UPDATE
  );
END
$$;

CREATE TYPE promotion.choice AS (
  -- Why the purchase's own promotion takes nothing off, as use_refusal and discount have it; NULL: it could, or there is none.
  own_refusal text,
  -- The promotion that applies, and what it takes off as promotion.discount has it; NULL: none does.
  promotion_id uuid,
  promotion_name text,
  lines bigint[],
  shipping bigint
);

-- The one promotion that a purchase gets: its own (its coupon's, or the one its order has already) or, of those that apply by
-- themselves, the one that takes off most, whichever of the two takes off more; its own if they are equal.
-- p_own_refusal: why its own can't be used; NULL: it can, as far as the lines allow. p_others: which may apply by themselves, and
-- any others, which don't.
CREATE FUNCTION promotion.choose(
  p_purchase promotion.purchase,
  p_own promotion.promotion,
  p_own_refusal text,
  p_others promotion.promotion[]
) RETURNS promotion.choice
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_choice promotion.choice;
  v_other promotion.promotion;
  v_discount promotion.discount;
  v_amount numeric;
  v_most numeric := 0;
BEGIN
  v_choice.own_refusal := p_own_refusal;
  IF p_purchase.product_ids IS NULL THEN
    RETURN v_choice;
  END IF;
  IF p_own.id IS NOT NULL AND p_own_refusal IS NULL THEN
    v_discount := promotion.discount_on(p_own, p_purchase);
    v_choice.own_refusal := v_discount.refusal;
    IF v_discount.refusal IS NULL THEN
      v_most := v_discount.shipping + (SELECT sum(x) FROM unnest(v_discount.lines) x);
      v_choice := ROW(NULL, p_own.id, p_own.name, v_discount.lines, v_discount.shipping)::promotion.choice;
    END IF;
  END IF;
  FOREACH v_other IN ARRAY p_others LOOP
    CONTINUE WHEN v_other.code IS NOT NULL OR v_other.id = p_own.id OR promotion.use_refusal(v_other, p_purchase) IS NOT NULL;
    v_discount := promotion.discount_on(v_other, p_purchase);
    v_amount := v_discount.shipping + (SELECT sum(x) FROM unnest(v_discount.lines) x);
    IF v_amount > v_most THEN
      v_most := v_amount;
      v_choice := ROW(v_choice.own_refusal, v_other.id, v_other.name, v_discount.lines, v_discount.shipping)::promotion.choice;
    END IF;
  END LOOP;
  RETURN v_choice;
END
$$;

-- A promotion's usage is the number of orders with it that weren't cancelled, whoever writes them. Placing an order has
-- locked the promotion before and looked at the limit; should anything ever pass that by, promotion_usage_within_limit
-- refuses it.
CREATE FUNCTION promotion.count_usage() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_before uuid := CASE WHEN OLD.status <> 'CANCELLED' THEN OLD.promotion_id END;
  v_after uuid := CASE WHEN NEW.status <> 'CANCELLED' THEN NEW.promotion_id END;
  v_merchant_id uuid := coalesce(NEW.merchant_id, OLD.merchant_id);
BEGIN
  IF v_before IS DISTINCT FROM v_after THEN
    UPDATE promotion.promotion p SET usage_count = p.usage_count - 1
    WHERE p.merchant_id = v_merchant_id AND p.id = v_before;
    UPDATE promotion.promotion p SET usage_count = p.usage_count + 1
    WHERE p.merchant_id = v_merchant_id AND p.id = v_after;
  END IF;
  RETURN NULL;
END
$$;
UPDATE promotion.promotion p SET usage_count = u.orders
FROM (
  SELECT o.merchant_id, o.promotion_id, count(*) AS orders FROM ordering.order o
  WHERE o.status <> 'CANCELLED' AND o.promotion_id IS NOT NULL
  GROUP BY o.merchant_id, o.promotion_id
) u
WHERE p.merchant_id = u.merchant_id AND p.id = u.promotion_id AND p.usage_count <> u.orders;
CREATE TRIGGER count_usage AFTER INSERT OR DELETE OR UPDATE OF status, promotion_id ON ordering.order
  FOR EACH ROW EXECUTE FUNCTION promotion.count_usage();
CREATE INDEX order_promotion ON ordering.order (merchant_id, promotion_id, created_at, id) WHERE promotion_id IS NOT NULL;

-- The promotion's name as it was when the order got it.
ALTER TABLE ordering.order ADD COLUMN promotion_name text;
CREATE FUNCTION promotion.name_on_order() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.promotion_name := (
    SELECT p.name FROM promotion.promotion p WHERE p.merchant_id = NEW.merchant_id AND p.id = NEW.promotion_id
  );
  RETURN NEW;
END
$$;
CREATE TRIGGER name_promotion BEFORE INSERT OR UPDATE OF promotion_id ON ordering.order
  FOR EACH ROW EXECUTE FUNCTION promotion.name_on_order();
