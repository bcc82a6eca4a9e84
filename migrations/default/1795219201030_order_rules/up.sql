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

-- Places an order: checks everything, reserves the stock until the payment window ends, fixes prices, tax and names.
-- p_lines: [{productId, variantId?, quantity}]. p_currency: the cart's, or NULL for the products' own.
-- p_reservation_id: an ACTIVE reservation to take over; what it holds and the order doesn't want goes back.
-- {outcome: 'placed', orderId} | {outcome: 'insufficient', shortages: [{sku, available, requested, position}]} |
-- {outcome: 'invalid', refusals: [{field, reason, …}]}, all at once.
CREATE FUNCTION ordering.place_order(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_lines jsonb,
  p_currency text,
  p_shipping_address jsonb,
  p_billing_address jsonb,
  p_shipping_method_id uuid,
  p_reservation_id uuid,
  p_notes text,
  p_cart_id uuid,
  p_payment_window interval
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  c_money_bound CONSTANT numeric := 9007199254740992;
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
  v_currency text;
  v_subtotal numeric;
  v_tax numeric;
  v_shipping numeric;
  v_shortages jsonb;
  v_order_id uuid := platform.uuid_v7();
  v_shipping_address_id uuid := platform.uuid_v7();
  v_billing_address_id uuid := CASE WHEN p_billing_address IS NOT NULL THEN platform.uuid_v7() END;
BEGIN
  SELECT array_agg(l ORDER BY l.position) INTO v_lines FROM catalog.sellable_lines(p_merchant_id, p_lines, p_currency) l;
  v_refusals := catalog.line_refusals(v_lines, 'items');
  v_currency := v_lines[1].currency;
  IF NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id) THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer');
  END IF;
  v_refusals := v_refusals || coalesce(
    ordering.shipping_refusal(p_merchant_id, p_shipping_method_id, p_shipping_address ->> 'country', v_currency), '[]'
  );
  IF p_reservation_id IS NOT NULL THEN
    PERFORM FROM inventory.reservation r
    WHERE r.merchant_id = p_merchant_id AND r.id = p_reservation_id
      AND r.status = 'ACTIVE' AND r.order_id IS NULL AND r.expires_at > now()
    FOR UPDATE;
    IF NOT FOUND THEN
      v_refusals := v_refusals || jsonb_build_object('field', 'reservationId', 'reason', 'reservation_not_active');
    END IF;
  END IF;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  SELECT sum(l.price::numeric * l.quantity) INTO v_subtotal FROM unnest(v_lines) l;
  v_tax := ordering.tax_on(p_merchant_id, v_subtotal);
  SELECT coalesce(max(m.price), 0) INTO v_shipping FROM merchant.shipping_method m
  WHERE m.merchant_id = p_merchant_id AND m.id = p_shipping_method_id;
  IF v_subtotal + v_tax + v_shipping >= c_money_bound THEN
    RETURN jsonb_build_object(
      'outcome', 'invalid', 'refusals', jsonb_build_array(jsonb_build_object('field', 'items', 'reason', 'total_too_large'))
    );
  END IF;

  SELECT inventory.hold(
    p_merchant_id, coalesce(p_reservation_id, platform.uuid_v7()), v_order_id, now() + p_payment_window,
    array_agg(l.stock_item_id ORDER BY l.position), array_agg(l.quantity::integer ORDER BY l.position)
  ) INTO v_shortages FROM unnest(v_lines) l;
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', ordering.shortages_at(v_shortages, v_lines));
  END IF;

  PERFORM ordering.insert_address(p_merchant_id, v_shipping_address_id, v_order_id, p_shipping_address);
  IF p_billing_address IS NOT NULL THEN
    PERFORM ordering.insert_address(p_merchant_id, v_billing_address_id, v_order_id, p_billing_address);
  END IF;
  INSERT INTO ordering.order
    (merchant_id, id, order_number, customer_id, currency, subtotal, tax, shipping, discount, total,
     shipping_address_id, billing_address_id, shipping_method_id, cart_id, notes)
  VALUES
    (p_merchant_id, v_order_id, ordering.next_order_number(p_merchant_id), p_customer_id, v_currency, v_subtotal, v_tax,
     v_shipping, 0, v_subtotal + v_tax + v_shipping, v_shipping_address_id, v_billing_address_id, p_shipping_method_id,
     p_cart_id, p_notes);
  INSERT INTO ordering.order_item
    (merchant_id, order_id, position, product_id, variant_id, quantity, price, subtotal, sku, product_name, product_image)
  SELECT
    p_merchant_id, v_order_id, l.position, l.product_id, l.variant_id, l.quantity, l.price, l.price * l.quantity, l.sku,
    l.name, l.image
  FROM unnest(v_lines) l;
  INSERT INTO ordering.fulfillment (merchant_id, order_id) VALUES (p_merchant_id, v_order_id);
  RETURN jsonb_build_object('outcome', 'placed', 'orderId', v_order_id);
END
$$;

-- Shortages told by the place of the line in the request.
CREATE FUNCTION ordering.shortages_at(p_shortages jsonb, p_lines catalog.sellable_line[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $$
  SELECT jsonb_agg(s || jsonb_build_object('position', l.position) ORDER BY l.position)
  FROM jsonb_array_elements(p_shortages) s
  JOIN unnest(p_lines) l ON l.stock_item_id = (s ->> 'stockItemId')::uuid
$$;

-- The order is paid (payment.settle_payment): its stock is its own, its units count for POPULARITY.
CREATE FUNCTION ordering.confirm_order(p_merchant_id uuid, p_order_id uuid, p_from text[], p_to text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order o SET status = p_to
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.status = ANY (p_from);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'order % is in no state to be paid, though a payment for it was under way', p_order_id;
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

-- Changes an unpaid order: lines, addresses, notes. Lines keep the price they were bought at; new ones get today's.
-- p_add: [{productId, variantId?, quantity}], p_update: [{id, quantity}]. A product that is added again adds to its
-- line. NULL addresses and notes stay as they are.
-- {outcome: 'modified', orderId} | 'unknown_order' | {'order_refused', status} | {'payment_open', …} |
-- {'invalid', refusals} | {'insufficient', shortages}
CREATE FUNCTION ordering.modify_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_add jsonb,
  p_update jsonb,
  p_remove uuid[],
  p_shipping_address jsonb,
  p_billing_address jsonb,
  p_notes text,
  p_from text[]
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  c_money_bound CONSTANT numeric := 9007199254740992;
  v_order ordering.order;
  v_open payment.payment;
  v_reservation inventory.reservation;
  v_added catalog.sellable_line[];
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
  v_subtotal numeric;
  v_tax numeric;
  v_shortages jsonb;
BEGIN
  SELECT * INTO v_order FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF NOT v_order.status = ANY (p_from) OR ordering.payment_window_is_over(p_merchant_id, p_order_id) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open.id, 'status', v_open.status);
  END IF;

  SELECT coalesce(array_agg(l ORDER BY l.position), '{}') INTO v_added
  FROM catalog.sellable_lines(p_merchant_id, p_add, v_order.currency) l;
  v_refusals := catalog.line_refusals(v_added, 'addItems')
    || ordering.unknown_item_refusals(p_merchant_id, p_order_id, p_update, p_remove)
    || coalesce(
      CASE WHEN p_shipping_address IS NOT NULL THEN
        ordering.shipping_refusal(p_merchant_id, v_order.shipping_method_id, p_shipping_address ->> 'country', v_order.currency)
          || jsonb_build_object('field', 'shippingAddress.country')
      END,
      '[]'
    );
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  v_lines := ordering.modified_lines(p_merchant_id, p_order_id, v_added, p_update, p_remove);
  SELECT sum(l.price::numeric * l.quantity) INTO v_subtotal FROM unnest(v_lines) l;
  v_tax := ordering.tax_on(p_merchant_id, v_subtotal);
  SELECT coalesce(jsonb_agg(r), '[]') INTO v_refusals FROM (
    SELECT 'removeItemIds' AS field, 'no_lines_left' AS reason WHERE cardinality(v_lines) = 0
    UNION ALL
    SELECT 'addItems', 'quantity_too_large' FROM unnest(v_lines) l WHERE l.quantity > 999999
    UNION ALL
    SELECT 'addItems', 'total_too_large' WHERE v_subtotal + v_tax + v_order.shipping >= c_money_bound
    UNION ALL
    SELECT 'addItems', 'too_many_lines' WHERE cardinality(v_lines) > 200
  ) r;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  v_reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
  SELECT inventory.hold(
    p_merchant_id, v_reservation.id, p_order_id, v_reservation.expires_at,
    array_agg(l.stock_item_id ORDER BY l.position), array_agg(l.quantity::integer ORDER BY l.position)
  ) INTO v_shortages FROM unnest(v_lines) l;
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;

  PERFORM ordering.replace_lines(p_merchant_id, p_order_id, v_lines);
  IF p_shipping_address IS NOT NULL THEN
    PERFORM ordering.insert_address(p_merchant_id, v_order.shipping_address_id, p_order_id, p_shipping_address);
  END IF;
  IF p_billing_address IS NOT NULL THEN
    v_order.billing_address_id := coalesce(v_order.billing_address_id, platform.uuid_v7());
    PERFORM ordering.insert_address(p_merchant_id, v_order.billing_address_id, p_order_id, p_billing_address);
  END IF;
  UPDATE ordering.order o
  SET
    subtotal = v_subtotal, tax = v_tax, total = v_subtotal + v_tax + o.shipping - o.discount,
    billing_address_id = v_order.billing_address_id, notes = coalesce(p_notes, o.notes)
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
  RETURN jsonb_build_object('outcome', 'modified', 'orderId', p_order_id);
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

-- Writes lines over an order's own. A line that stays keeps its id.
CREATE FUNCTION ordering.replace_lines(p_merchant_id uuid, p_order_id uuid, p_lines catalog.sellable_line[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM ordering.order_item i
  WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id
    AND NOT EXISTS (
      SELECT FROM unnest(p_lines) l WHERE l.product_id = i.product_id AND l.variant_id IS NOT DISTINCT FROM i.variant_id
    );
  INSERT INTO ordering.order_item AS i
    (merchant_id, order_id, position, product_id, variant_id, quantity, price, subtotal, sku, product_name, product_image)
  SELECT
    p_merchant_id, p_order_id, row_number() OVER (ORDER BY l.position) - 1, l.product_id, l.variant_id, l.quantity,
    l.price, l.price * l.quantity, l.sku, l.name, l.image
  FROM unnest(p_lines) l
  ON CONFLICT ON CONSTRAINT order_item_line_key DO UPDATE
  SET position = excluded.position, quantity = excluded.quantity, subtotal = excluded.subtotal;
END
$$;
