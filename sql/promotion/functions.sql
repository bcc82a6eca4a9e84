CREATE FUNCTION promotion.promotion_status(p promotion.promotion)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p.disabled THEN 'DISABLED'
      WHEN now() < p.start_date THEN 'SCHEDULED'
      WHEN now() >= p.end_date THEN 'EXPIRED'
      ELSE 'ACTIVE'
    END;
$$;

CREATE FUNCTION promotion.use_refusal(p_promotion promotion.promotion, p_purchase promotion.purchase)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_promotion.id IS NULL THEN 'unknown_coupon'
      WHEN p_promotion.disabled THEN 'coupon_disabled'
      WHEN now() < p_promotion.start_date THEN 'coupon_not_yet_active'
      WHEN now() >= p_promotion.end_date THEN 'coupon_expired'
      WHEN p_promotion.usage_count >= p_promotion.usage_limit THEN 'coupon_used_up'
      WHEN p_promotion.customer_ids IS NOT NULL
      AND p_purchase.customer_id = ANY (p_promotion.customer_ids) IS NOT TRUE THEN 'coupon_not_for_customer'
      WHEN p_promotion.first_order_only
      AND EXISTS (
        SELECT
        FROM
          crm.same_person(p_promotion.merchant_id, p_purchase.customer_id) AS c (id)
          -- LIMIT, so that the orders are found by their customers, however many orders the merchant has.
          CROSS JOIN LATERAL (
            SELECT
            FROM ordering.order o
            WHERE
              o.merchant_id = p_promotion.merchant_id
              AND o.customer_id = c.id
              AND o.status <> 'CANCELLED'
              AND o.id IS DISTINCT FROM p_purchase.order_id
            LIMIT 1
          ) o
      ) THEN 'coupon_first_order_only'
      -- A promotion's amounts are in the merchant's own currency; a bare percentage fits any.
      WHEN (
        p_promotion.discount_type = 'FIXED_AMOUNT'
        OR p_promotion.min_purchase_amount IS NOT NULL
        OR p_promotion.max_discount_amount IS NOT NULL
      )
      AND p_purchase.currency <> (
        SELECT s.currency FROM merchant.settings s WHERE s.merchant_id = p_promotion.merchant_id
      ) THEN 'coupon_currency'
    END;
$$;

-- type promotion.coupon_refusal =
--   {
--   field: text,
--   reason: 'unknown_coupon' | 'coupon_disabled' | 'coupon_not_yet_active' | 'coupon_expired' | 'coupon_used_up'
--   | 'coupon_not_for_customer' | 'coupon_first_order_only' | 'coupon_currency' | 'coupon_minimum_not_met'
--   | 'coupon_not_for_products',
--   minimum?: bigint | null,
--   currency?: text | null
--   }
CREATE FUNCTION promotion.refusal(p_field text, p_reason text, p_promotion promotion.promotion)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'field',
      p_field,
      'reason',
      p_reason,
      'minimum',
      p_promotion.min_purchase_amount,
      'currency',
      (SELECT s.currency FROM merchant.settings s WHERE s.merchant_id = p_promotion.merchant_id)
    );
$$;

CREATE FUNCTION promotion.automatic(p_merchant_id uuid)
RETURNS promotion.promotion[]
LANGUAGE sql
STABLE
AS $$
  SELECT
    ARRAY(
      SELECT p
      FROM promotion.promotion p
      WHERE
        p.merchant_id = p_merchant_id
        AND p.code IS NULL
        AND NOT p.disabled
        AND p.start_date <= now()
        AND p.end_date > now()
      ORDER BY p.id
    );
$$;

-- What a purchase may use, as far as it is known without a lock: its coupon, the promotion that it has already, and
-- those without a code. Without a currency, those of any.
CREATE FUNCTION promotion.usable_ids(p_purchase promotion.purchase, p_code citext, p_kept_id uuid)
RETURNS uuid[]
LANGUAGE sql
STABLE
AS $$
  SELECT
    ARRAY(
      SELECT p.id
      FROM promotion.promotion p
      WHERE p.merchant_id = p_purchase.merchant_id AND (p.code = p_code OR p.id = p_kept_id)
      UNION
      SELECT p.id
      FROM unnest(promotion.automatic(p_purchase.merchant_id)) p
      WHERE promotion.use_refusal(p, p_purchase) IS NULL
    );
$$;

-- Locks all that a transaction uses, in the order of their ids: of two transactions, neither waits for one that the
-- other has while it has one that the other waits for.
CREATE FUNCTION promotion.lock(p_merchant_id uuid, p_ids uuid[])
RETURNS promotion.promotion[]
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_ids = '{}' THEN
    RETURN '{}';
  END IF;
  RETURN ARRAY(
    SELECT p
    FROM promotion.promotion p
    WHERE p.merchant_id = p_merchant_id AND p.id = ANY (p_ids)
    ORDER BY p.id
    FOR NO KEY UPDATE
  );
END;
$$;
