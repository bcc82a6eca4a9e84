-- type cart.refusal =
--   catalog.line_refusal | promotion.coupon_refusal | {
--   field: text,
--   reason: 'unknown_customer' | 'currency_required' | 'address_required' | 'unknown_shipping_method'
--   | 'shipping_method_not_for_country' | 'shipping_method_currency',
--   currency?: text | null
--   }
-- type cart.shortage = {sku: text, available: integer, requested: integer, position: integer}
-- type cart.stays = unknown_cart {} | checked_out {} | expired {}
-- A caller who is neither the customer nor a guest with the cart's secret gives neither, and is the merchant.
CREATE FUNCTION cart.lock_open_cart(p_merchant_id uuid, p_cart_id uuid, p_customer_id uuid, p_secret_hash bytea)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_cart cart.cart;
BEGIN
  SELECT *
  INTO v_cart
  FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.id = p_cart_id
    AND (p_customer_id IS NULL OR c.customer_id = p_customer_id)
    AND (p_secret_hash IS NULL OR (c.customer_id IS NULL AND c.secret_hash = p_secret_hash))
  FOR UPDATE;
  RETURN CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'unknown_cart')
    WHEN v_cart.checked_out_at IS NOT NULL THEN jsonb_build_object('outcome', 'checked_out')
    WHEN v_cart.expires_at <= now() THEN jsonb_build_object('outcome', 'expired')
  END;
END;
$$;

-- A line as catalog.sellable_lines takes it. Its external id is the cart's line's, and stays there.
CREATE FUNCTION cart.line(p_item cart.cart_item)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'productId',
      p_item.product_id,
      'variantId',
      p_item.variant_id,
      'quantity',
      p_item.quantity,
      'properties',
      p_item.properties,
      'metadata',
      p_item.metadata,
      'privateMetadata',
      p_item.private_metadata
    );
$$;

CREATE FUNCTION cart.renew(p_merchant_id uuid, p_cart_id uuid, p_lifetime interval)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE cart.cart c SET expires_at = now() + p_lifetime WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
$$;

-- Of the lines that a cart is to have. Lines of one stock item take from the same stock, also those that stay as they
-- are.
CREATE FUNCTION cart.shortages(p_merchant_id uuid, p_cart_id uuid, p_lines catalog.sellable_line[])
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_agg(
      jsonb_build_object('sku', l.sku, 'available', s.available, 'requested', w.quantity, 'position', l.position)
      ORDER BY l.position
    )
  FROM
    unnest(p_lines) l
    JOIN inventory.sku_inventory s ON s.merchant_id = p_merchant_id AND s.stock_item_id = l.stock_item_id
    CROSS JOIN LATERAL (
      SELECT
        (SELECT sum(o.quantity) FROM unnest(p_lines) o WHERE o.stock_item_id = l.stock_item_id) + coalesce(
          sum(i.quantity),
          0
        ) AS quantity
      FROM cart.cart_item i
      WHERE
        i.merchant_id = p_merchant_id
        AND i.cart_id = p_cart_id
        AND i.product_id = l.product_id
        AND i.variant_id IS NOT DISTINCT FROM l.variant_id
        AND NOT EXISTS (
          SELECT
          FROM unnest(p_lines) o
          WHERE
            o.product_id = i.product_id
            AND o.variant_id IS NOT DISTINCT FROM i.variant_id
            AND o.line_key = i.line_key
        )
    ) w
  WHERE s.available < w.quantity;
$$;

CREATE FUNCTION cart.line_too_dear(p_merchant_id uuid, p_cart_id uuid, p_lines catalog.sellable_line[])
RETURNS integer
LANGUAGE sql
STABLE
AS $$
  WITH
    goods AS (
      SELECT l.price::numeric * l.quantity AS cost, l.position FROM unnest(p_lines) l
      UNION ALL
      SELECT i.subtotal, NULL
      FROM
        cart.priced_cart_item i
        JOIN cart.cart c ON c.merchant_id = i.merchant_id AND c.id = i.cart_id AND c.currency = i.currency
      WHERE
        i.merchant_id = p_merchant_id
        AND i.cart_id = p_cart_id
        AND NOT EXISTS (
          SELECT
          FROM unnest(p_lines) l
          WHERE
            l.product_id = i.product_id
            AND l.variant_id IS NOT DISTINCT FROM i.variant_id
            AND l.line_key = i.line_key
        )
    )
  SELECT (array_agg(g.position ORDER BY g.cost DESC) FILTER (WHERE g.position IS NOT NULL))[1]
  FROM goods g
  HAVING sum(g.cost) + ordering.tax_on(p_merchant_id, sum(g.cost)) > platform.most_money();
$$;

-- answers: cart.stays | cart.create_cart()
-- nullable: p_customer_id, p_secret_hash
CREATE FUNCTION cart.add_line(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_line jsonb,
  p_lifetime interval,
  p_max_lines integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  v_outcome := cart.put_lines(
    p_merchant_id,
    p_cart_id,
    (SELECT c.currency FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id),
    jsonb_build_array(p_line),
    'items',
    p_max_lines
  );
  IF v_outcome ->> 'outcome' = 'changed' THEN
    PERFORM cart.renew(p_merchant_id, p_cart_id, p_lifetime);
  END IF;
  RETURN v_outcome;
END;
$$;

-- Marks carts with items that nothing has changed for as long as p_idle. Those that have lain for two days are left
-- alone: they were marked before, or are older than the rule.
--
-- answers: integer
CREATE FUNCTION cart.mark_abandoned(p_merchant_id uuid, p_idle interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    marked AS (
      UPDATE cart.cart c
      SET abandoned_at = now()
      WHERE
        (c.merchant_id, c.id) IN (
          SELECT x.merchant_id, x.id
          FROM cart.cart x
          WHERE
            x.merchant_id = p_merchant_id
            AND x.checked_out_at IS NULL
            AND x.abandoned_at IS NULL
            AND x.updated_at < now() - p_idle
            AND x.updated_at > now() - INTERVAL '2 days'
            AND x.expires_at > now()
            AND EXISTS (SELECT FROM cart.cart_item i WHERE i.merchant_id = x.merchant_id AND i.cart_id = x.id)
          ORDER BY x.updated_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM marked;
$$;

-- answers: integer
CREATE FUNCTION cart.purge_expired(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM cart.cart c
      WHERE
        (c.merchant_id, c.id) IN (
          SELECT x.merchant_id, x.id
          FROM cart.cart x
          WHERE x.merchant_id = p_merchant_id AND x.checked_out_at IS NULL AND x.expires_at <= now()
          ORDER BY x.expires_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

CREATE FUNCTION cart.choose_promotion(p_cart cart.cart, p_product_ids uuid[], p_subtotals bigint[], p_shipping bigint)
RETURNS promotion.choice
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_purchase promotion.purchase := ROW(
    p_cart.merchant_id,
    p_cart.customer_id,
    p_cart.currency,
    NULL,
    p_product_ids,
    p_subtotals,
    p_shipping
  );
  v_coupon promotion.promotion;
  v_refusal text;
BEGIN
  IF p_cart.promotion_id IS NOT NULL THEN
    SELECT *
    INTO v_coupon
    FROM promotion.promotion p
    WHERE p.merchant_id = p_cart.merchant_id AND p.id = p_cart.promotion_id AND p.code = p_cart.coupon_code;
    v_refusal := promotion.use_refusal(v_coupon, v_purchase);
  END IF;
  RETURN promotion.choose(v_purchase, v_coupon, v_refusal, promotion.automatic(p_cart.merchant_id));
END;
$$;

CREATE FUNCTION cart.coupon_refusal(p_cart cart.cart)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT (cart.choose_promotion(p_cart, array_agg(l.product_id), array_agg(l.subtotal), 0::bigint)).own_refusal
  FROM cart.priced_cart_item l
  WHERE l.merchant_id = p_cart.merchant_id AND l.cart_id = p_cart.id AND l.currency = p_cart.currency;
$$;

-- answers: cart.stays | changed {cartId: uuid}
-- nullable: p_customer_id, p_secret_hash
CREATE FUNCTION cart.remove_coupon(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  UPDATE cart.cart c
  SET
    promotion_id = NULL,
    coupon_code = NULL,
    expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;

CREATE FUNCTION cart.shipping_price(p_cart cart.cart)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      (
        SELECT m.price
        FROM
          merchant.shipping_method m
          JOIN cart.cart_address a ON a.merchant_id = m.merchant_id AND a.cart_id = p_cart.id
        WHERE
          m.merchant_id = p_cart.merchant_id
          AND m.id = p_cart.shipping_method_id
          AND ordering.shipping_refusal(m.merchant_id, m.id, a.country, p_cart.currency) IS NULL
      ),
      0
    );
$$;
