-- The rules of orders. Which states allow what is the state machine's word (actions/src/ordering/SPEC.md): callers
-- pass the states that they start from, and a race is decided by the row's lock.

-- Minutes for which an order waits for money that comes this way; NULL: until it is cancelled.
CREATE FUNCTION ordering.payment_minutes(p_merchant_id uuid, p_method text) RETURNS integer
LANGUAGE sql STABLE
AS $$
  SELECT CASE p_method
    WHEN 'BANK_TRANSFER' THEN s.bank_transfer_payment_minutes
    WHEN 'CASH' THEN s.cash_payment_minutes
    ELSE s.card_payment_minutes
  END
  FROM merchant.settings s WHERE s.merchant_id = p_merchant_id
$$;

-- Why a shopper has to pay, or cancel, what it ordered before it orders so many units more: refusals like
-- catalog.line_refusals'. Holds until the transaction ends, so that of two orders at once the second counts the first.
CREATE FUNCTION ordering.unpaid_refusals(p_merchant_id uuid, p_customer_id uuid, p_units numeric) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_settings merchant.settings;
  v_orders bigint;
  v_units numeric;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(format('unpaid orders of %s %s', p_merchant_id, p_customer_id), 0));
  SELECT * INTO v_settings FROM merchant.settings s WHERE s.merchant_id = p_merchant_id;
  SELECT count(DISTINCT o.id), coalesce(sum(i.quantity), 0) INTO v_orders, v_units
  FROM ordering.order o
  JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
  WHERE o.merchant_id = p_merchant_id AND o.customer_id = p_customer_id AND o.status = 'PENDING';
  RETURN coalesce(
    (
      SELECT jsonb_agg(jsonb_build_object('field', x.field, 'reason', x.reason, 'left', x.remaining))
      FROM (VALUES
        ('customerId', 'too_many_unpaid_orders', v_settings.max_unpaid_orders, v_orders >= v_settings.max_unpaid_orders),
        ('items', 'too_many_unpaid_units', greatest(0, v_settings.max_unpaid_units - v_units),
          v_units + p_units > v_settings.max_unpaid_units)
      ) AS x(field, reason, remaining, refused)
      WHERE x.refused
    ),
    '[]'
  );
END
$$;

-- Until when an unpaid order is to be paid: as long as its stock is held. NULL: it is paid, is over, or waits without an end.
CREATE FUNCTION ordering.payment_due_at(p_order ordering.order) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
  SELECT r.expires_at FROM inventory.reservation r
  WHERE r.merchant_id = p_order.merchant_id AND r.order_id = p_order.id AND r.status = 'ACTIVE'
$$;

-- An unpaid order's stock that is COMMITTED, or has been sent, waits without an end.
CREATE FUNCTION ordering.payment_window_is_over(p_merchant_id uuid, p_order_id uuid) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT NOT EXISTS (
    SELECT FROM inventory.reservation r
    WHERE r.merchant_id = p_merchant_id AND r.order_id = p_order_id
      AND (r.status IN ('COMMITTED', 'CONSUMED') OR r.status = 'ACTIVE' AND r.expires_at > now())
  )
$$;

-- The order waits for money that comes outside of the platform: for the method's window from its placement on, and never
-- for less than it had. The caller has locked the order.
CREATE FUNCTION ordering.await_payment(p_merchant_id uuid, p_order_id uuid, p_method text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_minutes integer := ordering.payment_minutes(p_merchant_id, p_method);
BEGIN
  IF v_minutes IS NULL THEN
    PERFORM inventory.commit_reservation(p_merchant_id, p_order_id);
  ELSE
    UPDATE inventory.reservation r
    SET expires_at = greatest(r.expires_at, o.created_at + make_interval(mins => v_minutes))
    FROM ordering.order o
    WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
      AND r.merchant_id = o.merchant_id AND r.order_id = o.id AND r.status = 'ACTIVE';
  END IF;
END
$$;

-- It doesn't wait for that money any more: it can be paid by card from now on, for as long as any order, unless a part of
-- it has been packed.
CREATE FUNCTION ordering.end_awaiting(p_merchant_id uuid, p_order_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_until timestamptz := now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD'));
BEGIN
  UPDATE inventory.reservation r
  SET status = 'ACTIVE', expires_at = CASE r.status WHEN 'ACTIVE' THEN least(r.expires_at, v_until) ELSE v_until END
  WHERE r.merchant_id = p_merchant_id AND r.order_id = p_order_id AND r.status IN ('ACTIVE', 'COMMITTED')
    AND NOT EXISTS (
      SELECT FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.packed_quantity > 0
    );
END
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
        -- A zone that lists the country wins over one for the rest of the world.
        WHEN array_position(z.countries, p_country) IS NULL
          AND (
            cardinality(z.countries) > 0
            OR EXISTS (SELECT FROM merchant.shipping_zone o WHERE o.merchant_id = p_merchant_id AND p_country = ANY (o.countries))
          )
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

-- The order is paid (payment.settle_payment), or costs nothing: its stock is its own, its units count for POPULARITY. What was
-- sent before the money came moves it further along. p_moves: its transitions by event.
CREATE FUNCTION ordering.confirm_order(p_merchant_id uuid, p_order_id uuid, p_moves jsonb) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF NOT ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'pay') THEN
    RAISE EXCEPTION 'order % is in no state to be confirmed, though it is paid or costs nothing', p_order_id;
  END IF;
  PERFORM inventory.commit_reservation(p_merchant_id, p_order_id);
  IF EXISTS (SELECT FROM ordering.shipment s WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id) THEN
    PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  END IF;
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
    PERFORM ordering.confirm_order(p_merchant_id, p_order_id, jsonb_build_object('pay', p_pay));
  END IF;
END
$$;

-- Whether a payment may yet take money, or has asked for it: the order stays as it is until that is known. Money that the
-- merchant waits for takes nothing by itself.
CREATE FUNCTION ordering.payment_is_under_way(p_merchant_id uuid, p_order_id uuid) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT coalesce((SELECT NOT p.awaited FROM payment.open_payment(p_merchant_id, p_order_id) p WHERE p.id IS NOT NULL), false)
$$;

-- Cancels unpaid orders whose payment window has ended, unless a payment for them is under way, with what they waited for, and
-- gives their stock back. Returns how many; fewer than p_limit means that it is done.
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
      AND NOT ordering.payment_is_under_way(o.merchant_id, o.id)
    ORDER BY r.expires_at
    LIMIT p_limit
    FOR UPDATE OF o SKIP LOCKED
  );
  -- Looked at once more now that the orders are locked: a payment may have begun or been settled meanwhile.
  v_order_ids := ARRAY(
    SELECT o.id FROM ordering.order o
    WHERE o.merchant_id = p_merchant_id AND o.id = ANY (v_order_ids) AND o.status = ANY (p_from)
      AND NOT ordering.payment_is_under_way(o.merchant_id, o.id) AND ordering.payment_window_is_over(o.merchant_id, o.id)
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
  UPDATE payment.payment p SET status = 'CANCELLED'
  WHERE p.merchant_id = p_merchant_id AND p.order_id = ANY (v_order_ids) AND p.awaited AND p.status = 'PENDING';
  v_reservation_ids := ARRAY(
    SELECT r.id FROM inventory.reservation r
    WHERE r.merchant_id = p_merchant_id AND r.order_id = ANY (v_order_ids) AND r.status = 'ACTIVE'
    FOR UPDATE
  );
  PERFORM inventory.give_back(p_merchant_id, v_reservation_ids, 'EXPIRED');
  UPDATE ordering.order o
  SET status = p_to, cancelled_at = now(), cancel_reason = 'The payment window has ended', lapsed = true
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
