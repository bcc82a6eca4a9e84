-- The rules of orders. Which states allow what is the state machine's word (actions/src/ordering/SPEC.md): callers
-- pass the states that they start from, and a race is decided by the row's lock.

CREATE FUNCTION ordering.payment_window_is_over(p_merchant_id uuid, p_order_id uuid) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT NOT EXISTS (
    SELECT FROM inventory.reservation r
    WHERE r.merchant_id = p_merchant_id AND r.order_id = p_order_id AND r.status = 'ACTIVE' AND r.expires_at > now()
  )
$$;

CREATE FUNCTION ordering.next_order_number(p_merchant_id uuid) RETURNS text
LANGUAGE sql VOLATILE
AS $$
  INSERT INTO ordering.order_number_counter AS c (merchant_id, last_number) VALUES (p_merchant_id, 1001)
  ON CONFLICT (merchant_id) DO UPDATE SET last_number = c.last_number + 1
  -- Padded, because ORDER_NUMBER is a sort field and its column is text.
  RETURNING 'ORD-' || lpad(c.last_number::text, 8, '0')
$$;

-- Why a shipping method can't be used for this order: a refusal like catalog.line_refusals', or NULL.
CREATE FUNCTION ordering.shipping_refusal(p_merchant_id uuid, p_shipping_method_id uuid, p_country text, p_currency text)
RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_build_object('field', 'shippingMethodId', 'reason', x.reason, 'currency', x.currency)
  FROM (
    SELECT
      s.currency,
      CASE
        WHEN m.id IS NULL THEN 'unknown_shipping_method'
        WHEN cardinality(z.countries) > 0
          AND NOT EXISTS (SELECT FROM unnest(z.countries) c WHERE lower(c) = lower(p_country))
          THEN 'shipping_method_not_for_country'
        -- Shipping is priced in the merchant's own currency.
        WHEN s.currency <> p_currency THEN 'shipping_method_currency'
      END AS reason
    FROM (SELECT p_shipping_method_id AS id) asked
    LEFT JOIN merchant.shipping_method m ON m.merchant_id = p_merchant_id AND m.id = asked.id AND m.active
    LEFT JOIN merchant.shipping_zone z ON z.merchant_id = m.merchant_id AND z.id = m.shipping_zone_id
    LEFT JOIN merchant.settings s ON s.merchant_id = p_merchant_id
    WHERE asked.id IS NOT NULL
  ) x
  WHERE x.reason IS NOT NULL
$$;

-- Tax on the lines by the merchant's rate, rounded half away from zero, as cart.cart_total has it.
CREATE FUNCTION ordering.tax_on(p_merchant_id uuid, p_subtotal numeric) RETURNS numeric
LANGUAGE sql STABLE
AS $$
  SELECT round(p_subtotal * coalesce((SELECT s.tax_rate FROM merchant.settings s WHERE s.merchant_id = p_merchant_id), 0))
$$;

CREATE FUNCTION ordering.insert_address(p_merchant_id uuid, p_id uuid, p_order_id uuid, p_address jsonb) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  INSERT INTO ordering.order_address AS a
    (merchant_id, id, order_id, line1, line2, city, state, postal_code, country, phone)
  VALUES (
    p_merchant_id, p_id, p_order_id, p_address ->> 'line1', p_address ->> 'line2', p_address ->> 'city',
    p_address ->> 'state', p_address ->> 'postalCode', p_address ->> 'country', p_address ->> 'phone'
  )
  ON CONFLICT (merchant_id, id) DO UPDATE SET
    line1 = excluded.line1, line2 = excluded.line2, city = excluded.city, state = excluded.state,
    postal_code = excluded.postal_code, country = excluded.country, phone = excluded.phone
$$;

-- Shortages told by the place of the line in the request.
CREATE FUNCTION ordering.shortages_at(p_shortages jsonb, p_lines catalog.sellable_line[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $$
  SELECT jsonb_agg(s || jsonb_build_object('position', l.position) ORDER BY l.position)
  FROM jsonb_array_elements(p_shortages) s
  JOIN unnest(p_lines) l ON l.stock_item_id = (s ->> 'stockItemId')::uuid
$$;

-- The order is paid (payment.settle_payment), or costs nothing: its stock is its own, its units count for POPULARITY.
CREATE FUNCTION ordering.confirm_order(p_merchant_id uuid, p_order_id uuid, p_from text[], p_to text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order o SET status = p_to
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.status = ANY (p_from);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'order % is in no state to be confirmed, though it is paid or costs nothing', p_order_id;
  END IF;
  PERFORM inventory.commit_reservation(p_merchant_id, p_order_id);
  PERFORM FROM catalog.product p
  WHERE p.merchant_id = p_merchant_id
    AND p.id IN (
      SELECT i.product_id FROM ordering.order_item i WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id
    )
  ORDER BY p.id
  FOR NO KEY UPDATE;
  UPDATE catalog.product p SET popularity = p.popularity + s.quantity
  FROM (
    SELECT i.product_id, sum(i.quantity) AS quantity FROM ordering.order_item i
    WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id
    GROUP BY i.product_id
  ) s
  WHERE p.merchant_id = p_merchant_id AND p.id = s.product_id;
END
$$;

-- An order that costs nothing has no payment to wait for: it is confirmed as soon as that is what it costs.
-- p_pay: the machine's move {from, to} of an order that is paid.
CREATE FUNCTION ordering.confirm_if_free(p_merchant_id uuid, p_order_id uuid, p_pay jsonb) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF EXISTS (
    SELECT FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.total = 0
  ) THEN
    PERFORM ordering.confirm_order(
      p_merchant_id, p_order_id, ARRAY(SELECT jsonb_array_elements_text(p_pay -> 'from')), p_pay ->> 'to'
    );
  END IF;
END
$$;

-- Cancels unpaid orders whose payment window has ended, unless a payment for them is under way, and gives their
-- stock back. Returns how many; fewer than p_limit means that it is done.
CREATE FUNCTION ordering.lapse_unpaid_orders(p_merchant_id uuid, p_limit integer, p_from text[], p_to text) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_order_ids uuid[];
  v_reservation_ids uuid[];
BEGIN
  v_order_ids := ARRAY(
    SELECT o.id
    FROM inventory.reservation r
    JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
    WHERE r.merchant_id = p_merchant_id AND r.status = 'ACTIVE' AND r.expires_at <= now() AND o.status = ANY (p_from)
      AND (payment.open_payment(o.merchant_id, o.id)).id IS NULL
    ORDER BY r.expires_at
    LIMIT p_limit
    FOR UPDATE OF o SKIP LOCKED
  );
  -- Looked at once more now that the orders are locked: a payment may have begun or been settled meanwhile.
  v_order_ids := ARRAY(
    SELECT o.id FROM ordering.order o
    WHERE o.merchant_id = p_merchant_id AND o.id = ANY (v_order_ids) AND o.status = ANY (p_from)
      AND (payment.open_payment(o.merchant_id, o.id)).id IS NULL
  );
  -- Their coupons' uses go back with the orders' status (promotion.count_usage); several promotions are locked in one
  -- order, and before reservations and levels, as whoever places an order does.
  PERFORM FROM promotion.promotion p
  WHERE p.merchant_id = p_merchant_id
    AND p.id IN (
      SELECT o.promotion_id FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.id = ANY (v_order_ids)
    )
  ORDER BY p.id
  FOR NO KEY UPDATE;
  v_reservation_ids := ARRAY(
    SELECT r.id FROM inventory.reservation r
    WHERE r.merchant_id = p_merchant_id AND r.order_id = ANY (v_order_ids) AND r.status = 'ACTIVE'
    FOR UPDATE
  );
  PERFORM inventory.give_back(p_merchant_id, v_reservation_ids, 'EXPIRED');
  UPDATE ordering.order o
  SET status = p_to, cancelled_at = now(), cancel_reason = 'The payment window has ended'
  WHERE o.merchant_id = p_merchant_id AND o.id = ANY (v_order_ids);
  RETURN cardinality(v_order_ids);
END
$$;

-- Updates and removals of lines that the order doesn't have.
CREATE FUNCTION ordering.unknown_item_refusals(p_merchant_id uuid, p_order_id uuid, p_update jsonb, p_remove uuid[])
RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', x.field, 'reason', 'unknown_item') ORDER BY x.field), '[]')
  FROM (
    SELECT format('updateItems.%s.id', u.position - 1) AS field, (u.line ->> 'id')::uuid AS id
    FROM jsonb_array_elements(p_update) WITH ORDINALITY AS u(line, position)
    UNION ALL
    SELECT format('removeItemIds.%s', r.position - 1), r.id FROM unnest(p_remove) WITH ORDINALITY AS r(id, position)
  ) x
  WHERE NOT EXISTS (
    SELECT FROM ordering.order_item i WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = x.id
  )
$$;

-- The lines that an order is to have: its own, without the removed, with new quantities, then the added ones.
CREATE FUNCTION ordering.modified_lines(
  p_merchant_id uuid,
  p_order_id uuid,
  p_added catalog.sellable_line[],
  p_update jsonb,
  p_remove uuid[]
) RETURNS catalog.sellable_line[]
LANGUAGE sql STABLE
AS $$
  WITH kept AS (
    SELECT
      i.position, i.product_id, i.variant_id, i.sku, i.price, i.product_name, i.product_image,
      coalesce((SELECT (u ->> 'quantity')::bigint FROM jsonb_array_elements(p_update) u WHERE (u ->> 'id')::uuid = i.id), i.quantity)
        AS quantity
    FROM ordering.order_item i
    WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND NOT i.id = ANY (p_remove)
  ),
  line AS (
    SELECT
      coalesce(k.position, 1000 + a.position) AS position,
      coalesce(k.product_id, a.product_id) AS product_id,
      CASE WHEN k.product_id IS NOT NULL THEN k.variant_id ELSE a.variant_id END AS variant_id,
      coalesce(k.quantity, 0) + coalesce(a.quantity, 0) AS quantity,
      coalesce(k.sku, a.sku) AS sku,
      coalesce(k.price, a.price) AS price,
      a.currency,
      coalesce(k.product_name, a.name) AS name,
      CASE WHEN k.product_id IS NOT NULL THEN k.product_image ELSE a.image END AS image
    FROM kept k
    FULL JOIN unnest(p_added) a
      ON a.product_id = k.product_id
      AND coalesce(a.variant_id::text, '') = coalesce(k.variant_id::text, '')
  )
  SELECT coalesce(
    array_agg(
      (
        l.position, l.product_id, l.variant_id, l.quantity, NULL, s.id, l.sku, l.price, l.currency, l.name, l.image
      )::catalog.sellable_line
      ORDER BY l.position
    ),
    '{}'
  )
  FROM line l
  JOIN inventory.stock_item s
    ON s.merchant_id = p_merchant_id AND s.product_id = l.product_id AND s.variant_id IS NOT DISTINCT FROM l.variant_id
$$;
