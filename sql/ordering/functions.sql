CREATE FUNCTION ordering.payment_minutes(p_merchant_id uuid, p_method text)
RETURNS integer
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE p_method
      WHEN 'BANK_TRANSFER' THEN s.bank_transfer_payment_minutes
      WHEN 'CASH' THEN s.cash_payment_minutes
      WHEN 'INVOICE' THEN (
        SELECT o.payment_minutes
        FROM payment.payment_option o
        WHERE o.merchant_id = s.merchant_id AND o.method = p_method
      )
      WHEN 'CASH_ON_DELIVERY' THEN (
        SELECT o.payment_minutes
        FROM payment.payment_option o
        WHERE o.merchant_id = s.merchant_id AND o.method = p_method
      )
      ELSE s.card_payment_minutes
    END
  FROM merchant.settings s
  WHERE s.merchant_id = p_merchant_id;
$$;

-- Of two orders that the bounds of unpaid orders count together, the later one sees the other. Without a bound, guests
-- of a busy network need not wait for each other.
CREATE FUNCTION ordering.lock_buyers(p_merchant_id uuid, p_customer_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (
      SELECT
      FROM merchant.settings s
      WHERE s.merchant_id = p_merchant_id AND num_nonnulls(s.max_unpaid_orders, s.max_unpaid_units) > 0
    )
  THEN
    PERFORM identity.lock_buyers(p_merchant_id, p_customer_ids, 'unpaid orders');
  END IF;
END;
$$;

-- The caller has locked the buyer.
CREATE FUNCTION ordering.unpaid_refusals(p_merchant_id uuid, p_customer_id uuid, p_units numeric)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_settings merchant.settings;
  v_orders bigint;
  v_units numeric;
BEGIN
  SELECT * INTO v_settings FROM merchant.settings s WHERE s.merchant_id = p_merchant_id;
  SELECT count(DISTINCT o.id), coalesce(sum(i.quantity), 0)
  INTO v_orders, v_units
  FROM
    ordering.order o
    JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
  WHERE
    o.merchant_id = p_merchant_id
    AND o.customer_id IN (SELECT identity.same_buyer(p_merchant_id, p_customer_id))
    AND o.status = 'PENDING';
  RETURN coalesce(
    (
      SELECT jsonb_agg(jsonb_build_object('field', x.field, 'reason', x.reason, 'left', x.remaining))
      FROM
        (
          VALUES
            (
              'customerId',
              'too_many_unpaid_orders',
              v_settings.max_unpaid_orders,
              v_orders >= v_settings.max_unpaid_orders
            ),
            (
              'items',
              'too_many_unpaid_units',
              greatest(0, v_settings.max_unpaid_units - v_units),
              v_units + p_units > v_settings.max_unpaid_units
            )
        ) AS x (field, reason, remaining, refused)
      WHERE x.refused
    ),
    '[]'
  );
END;
$$;

CREATE FUNCTION ordering.payment_due_at(p_order ordering.order)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT r.expires_at
  FROM inventory.reservation r
  WHERE r.merchant_id = p_order.merchant_id AND r.order_id = p_order.id AND r.status = 'ACTIVE';
$$;

CREATE FUNCTION ordering.payment_window_is_over(p_merchant_id uuid, p_order_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    NOT EXISTS (
      SELECT
      FROM inventory.reservation r
      WHERE
        r.merchant_id = p_merchant_id
        AND r.order_id = p_order_id
        AND (r.status IN ('COMMITTED', 'CONSUMED') OR r.status = 'ACTIVE' AND r.expires_at > now())
    );
$$;

CREATE FUNCTION ordering.await_payment(p_merchant_id uuid, p_order_id uuid, p_method text)
RETURNS void
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
    WHERE
      o.merchant_id = p_merchant_id
      AND o.id = p_order_id
      AND r.merchant_id = o.merchant_id
      AND r.order_id = o.id
      AND r.status = 'ACTIVE';
  END IF;
END;
$$;

CREATE FUNCTION ordering.end_awaiting(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_until timestamptz := now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD'));
BEGIN
  UPDATE inventory.reservation r
  SET
    status = 'ACTIVE',
    expires_at = CASE r.status
      WHEN 'ACTIVE' THEN least(r.expires_at, v_until)
      ELSE v_until
    END
  WHERE
    r.merchant_id = p_merchant_id
    AND r.order_id = p_order_id
    AND r.status IN ('ACTIVE', 'COMMITTED')
    AND NOT EXISTS (
      SELECT
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.packed_quantity > 0
    );
END;
$$;

-- Nothing of an order is packed any more: if it isn't paid, it holds its stock for the window of what it awaits, and
-- for that of a card at least, from now.
CREATE FUNCTION ordering.await_after_unpacking(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_minutes integer;
  v_has_no_window boolean;
BEGIN
  SELECT max(m.minutes), coalesce(bool_or(m.minutes IS NULL), FALSE)
  INTO v_minutes, v_has_no_window
  FROM
    payment.payment p
    CROSS JOIN LATERAL (SELECT ordering.payment_minutes(p_merchant_id, p.method) AS minutes) m
  WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.awaited AND p.status = 'PENDING';
  UPDATE inventory.reservation r
  SET
    status = 'ACTIVE',
    expires_at = greatest(
      o.created_at + make_interval(mins => v_minutes),
      now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD'))
    )
  FROM ordering.order o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = p_order_id
    AND o.status = 'PENDING'
    AND NOT v_has_no_window
    AND r.merchant_id = o.merchant_id
    AND r.order_id = o.id
    AND r.status = 'COMMITTED'
    AND NOT EXISTS (
      SELECT
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.packed_quantity > 0
    );
END;
$$;

-- Whether this order, or any without one, is being written by `ordering.write_orders`, which does what triggers do for
-- other orders and lines. In PL/pgSQL as `platform.importing`.
CREATE FUNCTION ordering.placing(p_order_id uuid DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_order_ids text := coalesce(current_setting('ordering.placing', TRUE), '');
BEGIN
  RETURN v_order_ids <> '' AND (p_order_id IS NULL OR strpos(v_order_ids, p_order_id::text) > 0);
END;
$$;

-- Takes so many order numbers, and returns the one before them.
CREATE FUNCTION ordering.take_order_numbers(p_merchant_id uuid, p_count integer)
RETURNS bigint
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO ordering.order_number_counter AS c (merchant_id, last_number)
  VALUES (p_merchant_id, 1000 + p_count)
  ON CONFLICT (merchant_id) DO UPDATE SET last_number = c.last_number + p_count
  RETURNING c.last_number - p_count;
$$;

-- Padded, because ORDER_NUMBER is a sort field and its column is text.
CREATE FUNCTION ordering.order_number(p_number bigint)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT 'ORD-' || lpad(p_number::text, 8, '0');
$$;

-- The orders of the requests of a list, as ordering.prepare takes them, or the answers of checkouts that become none;
-- NULL for a request that is not to be placed now. Locks the carts, and the buyers whose unpaid orders are bounded,
-- before anything else is locked, and in one order.
CREATE FUNCTION ordering.lock_orders(p_merchant_id uuid, p_requests jsonb, p_are_new boolean[])
RETURNS jsonb[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_orders jsonb[];
BEGIN
  SELECT array_agg(x.asked ORDER BY x.position)
  INTO v_orders
  FROM
    (
      SELECT
        r.position,
        CASE
          WHEN p_are_new[r.position] THEN coalesce(
            r.request -> 'order',
            ordering.order_of_cart(p_merchant_id, r.request -> 'checkout')
          )
        END AS asked
      FROM
        (
          SELECT r.value AS request, r.ordinality AS position
          FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS r
          ORDER BY r.value -> 'checkout' ->> 'cartId'
          OFFSET 0
        ) r
    ) x;
  PERFORM
    ordering.lock_buyers(
      p_merchant_id,
      ARRAY(SELECT (o ->> 'customerId')::uuid FROM unnest(v_orders) o WHERE (o -> 'byShopper')::boolean)
    );
  RETURN v_orders;
END;
$$;

-- Locks the promotions that orders may use, and returns them, and then the reservations that they take over: those of
-- all orders that are placed together, each kind by its ids. p_orders: as ordering.lock_orders returns them.
CREATE FUNCTION ordering.lock_named(p_merchant_id uuid, p_orders jsonb[])
RETURNS promotion.promotion[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_promotions promotion.promotion[] := promotion.lock(
    p_merchant_id,
    ARRAY(
      SELECT DISTINCT p.id
      FROM
        unnest(p_orders) o
        CROSS JOIN LATERAL unnest(
          promotion.usable_ids(
            ROW(p_merchant_id, (o ->> 'customerId')::uuid, NULL, NULL, NULL, NULL, NULL)::promotion.purchase,
            (o ->> 'couponCode')::citext,
            NULL
          )
        ) AS p (id)
      WHERE NOT o ? 'outcome'
    )
  );
  v_reservation_ids uuid[] := ARRAY(
    SELECT (o ->> 'reservationId')::uuid FROM unnest(p_orders) o WHERE o ->> 'reservationId' IS NOT NULL
  );
BEGIN
  IF v_reservation_ids <> '{}' THEN
    PERFORM
    FROM inventory.reservation r
    WHERE r.merchant_id = p_merchant_id AND r.id = ANY (v_reservation_ids)
    ORDER BY r.id
    FOR UPDATE;
  END IF;
  RETURN v_promotions;
END;
$$;

-- What the orders are to hold that can be placed.
CREATE FUNCTION ordering.claims_of(p_merchant_id uuid, p_placements ordering.placement[])
RETURNS inventory.claim[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_until timestamptz := now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD'));
BEGIN
  RETURN ARRAY(
    SELECT
      ROW(
        coalesce((p.request ->> 'reservationId')::uuid, platform.uuid_v7()),
        p.order_id,
        v_until,
        inventory.principal_of(p.request -> 'session'),
        l.stock_item_ids,
        l.quantities
      )::inventory.claim
    FROM
      unnest(p_placements) WITH ORDINALITY AS p
      CROSS JOIN LATERAL (
        SELECT
          array_agg(l.stock_item_id ORDER BY l.position) AS stock_item_ids,
          array_agg(l.quantity::integer ORDER BY l.position) AS quantities
        FROM unnest(p.lines) l
      ) l
    WHERE p.refusals = '[]'
    ORDER BY p.ordinality
  );
END;
$$;

-- What an order is of that no other one may be of that is placed with it (ordering.place_orders).
CREATE FUNCTION ordering.affects(p_order jsonb)
RETURNS text[]
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT array_remove(ARRAY[p_order ->> 'customerId', p_order ->> 'cartId', p_order ->> 'reservationId'], NULL);
$$;

-- The same with those whose orders count as its customer's: of one person, one order is the first, and for a shopper,
-- unpaid orders are bounded.
CREATE FUNCTION ordering.affected_by(p_merchant_id uuid, p_order jsonb)
RETURNS text[]
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_customer_id uuid := p_order ->> 'customerId';
BEGIN
  RETURN ordering.affects(p_order) || CASE
    WHEN (p_order -> 'byShopper')::boolean THEN ARRAY(
      SELECT b::text FROM identity.same_buyer(p_merchant_id, v_customer_id) b
    )
    ELSE ARRAY(SELECT c::text FROM crm.same_person(p_merchant_id, v_customer_id) c)
  END;
END;
$$;

-- answers:
--   placed {orderId: uuid}
--   | invalid {refusals: ordering.refusal[]}
--   | insufficient {shortages: ordering.shortage[]}
-- nullable: p_shortages
CREATE FUNCTION ordering.placement_answer(p_order_id uuid, p_refusals jsonb, p_shortages jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE
      WHEN p_refusals <> '[]' THEN jsonb_build_object('outcome', 'invalid', 'refusals', p_refusals)
      WHEN p_shortages IS NOT NULL THEN jsonb_build_object('outcome', 'insufficient', 'shortages', p_shortages)
      ELSE jsonb_build_object('outcome', 'placed', 'orderId', p_order_id)
    END;
$$;

-- Why a shipping method can't be used; NULL if it can. An order keeps its own when that is switched off.
CREATE FUNCTION ordering.shipping_refusal(
  p_merchant_id uuid,
  p_shipping_method_id uuid,
  p_country text,
  p_currency text,
  p_is_own boolean DEFAULT FALSE
)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT jsonb_build_object('field', 'shippingMethodId', 'reason', x.reason, 'currency', x.currency)
  FROM
    (
      SELECT
        s.currency,
        CASE
          WHEN m.id IS NULL THEN 'unknown_shipping_method'
          -- A zone that lists the country wins over one for the rest of the world.
          WHEN array_position(z.countries, p_country) IS NULL
          AND (
            cardinality(z.countries) > 0
            OR EXISTS (
              SELECT FROM merchant.shipping_zone o WHERE o.merchant_id = p_merchant_id AND p_country = ANY (o.countries)
            )
          ) THEN 'shipping_method_not_for_country'
          -- Shipping is priced in the merchant's own currency.
          WHEN s.currency <> p_currency THEN 'shipping_method_currency'
        END AS reason
      FROM
        (SELECT p_shipping_method_id AS id) asked
        LEFT JOIN merchant.shipping_method m
          ON m.merchant_id = p_merchant_id AND m.id = asked.id AND (m.active OR p_is_own)
        LEFT JOIN merchant.shipping_zone z ON z.merchant_id = m.merchant_id AND z.id = m.shipping_zone_id
        LEFT JOIN merchant.settings s ON s.merchant_id = p_merchant_id
      WHERE asked.id IS NOT NULL
    ) x
  WHERE x.reason IS NOT NULL;
$$;

CREATE FUNCTION ordering.tax_on(p_merchant_id uuid, p_subtotal numeric)
RETURNS numeric
LANGUAGE sql
STABLE
AS $$
  SELECT
    round(p_subtotal * coalesce((SELECT s.tax_rate FROM merchant.settings s WHERE s.merchant_id = p_merchant_id), 0));
$$;

CREATE FUNCTION ordering.insert_address(p_merchant_id uuid, p_id uuid, p_order_id uuid, p_address jsonb)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO ordering.order_address AS a (
    merchant_id,
    id,
    order_id,
    line1,
    line2,
    city,
    state,
    postal_code,
    country,
    phone,
    recipient_name,
    company
  )
  VALUES
    (
      p_merchant_id,
      p_id,
      p_order_id,
      p_address ->> 'line1',
      p_address ->> 'line2',
      p_address ->> 'city',
      p_address ->> 'state',
      p_address ->> 'postalCode',
      p_address ->> 'country',
      p_address ->> 'phone',
      p_address ->> 'recipientName',
      p_address ->> 'company'
    )
  ON CONFLICT (merchant_id, id) DO UPDATE
    SET
      line1 = excluded.line1,
      line2 = excluded.line2,
      city = excluded.city,
      state = excluded.state,
      postal_code = excluded.postal_code,
      country = excluded.country,
      phone = excluded.phone,
      recipient_name = excluded.recipient_name,
      company = excluded.company;
$$;

-- type ordering.shortage = {stockItemId: uuid, sku: text, available: integer, requested: integer, position: integer}
CREATE FUNCTION ordering.shortages_at(p_shortages jsonb, p_lines catalog.sellable_line[])
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT jsonb_agg(s || jsonb_build_object('position', l.position) ORDER BY l.position)
  FROM
    jsonb_array_elements(p_shortages) s
    JOIN unnest(p_lines) l ON l.stock_item_id = (s ->> 'stockItemId')::uuid;
$$;

CREATE FUNCTION ordering.confirm_order(p_merchant_id uuid, p_order_id uuid, p_moves jsonb)
RETURNS void
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
  PERFORM
  FROM catalog.product p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.id IN (
      SELECT i.product_id FROM ordering.order_item i WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id
    )
  ORDER BY p.id
  FOR NO KEY UPDATE;
  UPDATE catalog.product p
  SET popularity = p.popularity + s.quantity
  FROM
    (
      SELECT i.product_id, sum(i.quantity) AS quantity
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id
      GROUP BY i.product_id
    ) s
  WHERE p.merchant_id = p_merchant_id AND p.id = s.product_id;
END;
$$;

CREATE FUNCTION ordering.confirm_if_free(p_merchant_id uuid, p_order_id uuid, p_pay jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.total = 0)
  THEN
    PERFORM ordering.confirm_order(p_merchant_id, p_order_id, jsonb_build_object('pay', p_pay));
  END IF;
END;
$$;

CREATE FUNCTION ordering.payment_is_under_way(p_merchant_id uuid, p_order_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      (SELECT NOT p.awaited FROM payment.open_payment(p_merchant_id, p_order_id) p WHERE p.id IS NOT NULL),
      FALSE
    );
$$;

CREATE FUNCTION ordering.unknown_item_refusals(p_merchant_id uuid, p_order_id uuid, p_update jsonb, p_remove uuid[])
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', x.field, 'reason', 'unknown_item') ORDER BY x.field), '[]')
  FROM
    (
      SELECT format('updateItems.%s.id', u.position - 1) AS field, (u.line ->> 'id')::uuid AS id
      FROM jsonb_array_elements(p_update) WITH ORDINALITY AS u (line, position)
      UNION ALL
      SELECT format('removeItemIds.%s', r.position - 1), r.id FROM unnest(p_remove) WITH ORDINALITY AS r (id, position)
    ) x
  WHERE
    NOT EXISTS (
      SELECT FROM ordering.order_item i WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = x.id
    );
$$;

CREATE FUNCTION ordering.with_lines(p_purchase promotion.purchase, p_lines catalog.sellable_line[], p_shipping bigint)
RETURNS promotion.purchase
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    ROW(
      p_purchase.merchant_id,
      p_purchase.customer_id,
      p_purchase.currency,
      p_purchase.order_id,
      array_agg(l.product_id ORDER BY l.ordinality),
      array_agg(l.price * l.quantity ORDER BY l.ordinality),
      p_shipping
    )::promotion.purchase
  FROM unnest(p_lines) WITH ORDINALITY AS l;
$$;

CREATE FUNCTION ordering.price(p_purchase promotion.purchase, p_choice promotion.choice)
RETURNS ordering.pricing
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_pricing ordering.pricing;
  v_goods_discount bigint;
BEGIN
  v_pricing.coupon_refusal := p_choice.own_refusal;
  v_pricing.promotion_id := p_choice.promotion_id;
  v_pricing.promotion_name := p_choice.promotion_name;
  v_pricing.line_discounts := coalesce(p_choice.lines, array_fill(0::bigint, ARRAY[cardinality(p_purchase.subtotals)]));
  v_pricing.shipping_discount := coalesce(p_choice.shipping, 0);
  v_pricing.subtotal := (SELECT sum(s) FROM unnest(p_purchase.subtotals) s);
  v_goods_discount := (SELECT sum(d) FROM unnest(v_pricing.line_discounts) d);
  v_pricing.discount := v_goods_discount + v_pricing.shipping_discount;
  v_pricing.tax := ordering.tax_on(p_purchase.merchant_id, v_pricing.subtotal - v_goods_discount);
  v_pricing.line_taxes := platform.allocate(
    v_pricing.tax,
    ARRAY(
      SELECT l.subtotal - l.discount
      FROM unnest(p_purchase.subtotals, v_pricing.line_discounts) WITH ORDINALITY AS l (subtotal, discount, position)
      ORDER BY l.position
    )
  );
  v_pricing.total := v_pricing.subtotal + v_pricing.tax + p_purchase.shipping - v_pricing.discount;
  RETURN v_pricing;
END;
$$;

CREATE FUNCTION ordering.replace_lines(
  p_merchant_id uuid,
  p_order_id uuid,
  p_lines catalog.sellable_line[],
  p_pricing ordering.pricing
)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM ordering.order_item i
  WHERE
    i.merchant_id = p_merchant_id
    AND i.order_id = p_order_id
    AND NOT EXISTS (
      SELECT
      FROM unnest(p_lines) l
      WHERE l.product_id = i.product_id AND l.variant_id IS NOT DISTINCT FROM i.variant_id AND l.line_key = i.line_key
    );
  INSERT INTO ordering.order_item AS i (
    merchant_id,
    order_id,
    position,
    product_id,
    variant_id,
    quantity,
    price,
    subtotal,
    discount,
    tax,
    sku,
    product_name,
    product_image,
    properties,
    line_key,
    external_id,
    metadata,
    private_metadata
  )
  SELECT
    p_merchant_id,
    p_order_id,
    l.ordinality - 1,
    l.product_id,
    l.variant_id,
    l.quantity,
    l.price,
    l.price * l.quantity,
    p_pricing.line_discounts[l.ordinality],
    p_pricing.line_taxes[l.ordinality],
    l.sku,
    l.name,
    l.image,
    l.properties,
    l.line_key,
    l.kept ->> 'externalId',
    coalesce(l.kept -> 'metadata', '{}'),
    coalesce(l.kept -> 'privateMetadata', '{}')
  FROM unnest(p_lines) WITH ORDINALITY AS l
  ON CONFLICT ON CONSTRAINT order_item_line_key DO UPDATE
    SET
      position = excluded.position,
      quantity = excluded.quantity,
      subtotal = excluded.subtotal,
      discount = excluded.discount,
      tax = excluded.tax,
      external_id = coalesce(excluded.external_id, i.external_id),
      metadata = excluded.metadata,
      private_metadata = excluded.private_metadata;
END;
$$;

CREATE FUNCTION ordering.record(
  p_merchant_id uuid,
  p_order_id uuid,
  p_type text,
  p_from_status text DEFAULT NULL,
  p_to_status text DEFAULT NULL,
  p_amount bigint DEFAULT NULL,
  p_note text DEFAULT NULL,
  p_subject_id uuid DEFAULT NULL,
  p_staff_only boolean DEFAULT FALSE,
  p_at timestamptz DEFAULT clock_timestamp()
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_actor platform.actor := platform.current_actor();
BEGIN
  INSERT INTO ordering.history_entry
    (
      merchant_id,
      order_id,
      type,
      from_status,
      to_status,
      amount,
      note,
      subject_id,
      staff_only,
      actor,
      actor_id,
      created_at
    )
  VALUES
    (
      p_merchant_id,
      p_order_id,
      p_type,
      p_from_status,
      p_to_status,
      p_amount,
      p_note,
      p_subject_id,
      p_staff_only,
      v_actor.kind,
      v_actor.id,
      p_at
    );
END;
$$;

-- answers: noted {orderId: uuid} | unknown_order {}
CREATE FUNCTION ordering.add_note(p_merchant_id uuid, p_order_id uuid, p_text text, p_staff_only boolean)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  PERFORM ordering.record(p_merchant_id, p_order_id, 'NOTE_ADDED', p_note => p_text, p_staff_only => p_staff_only);
  RETURN jsonb_build_object('outcome', 'noted', 'orderId', p_order_id);
END;
$$;

CREATE FUNCTION ordering.move_order(p_merchant_id uuid, p_order_id uuid, p_move jsonb)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order o
  SET status = p_move ->> 'to'
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = p_order_id
    AND p_move -> 'from' ? o.status
    AND o.status <> p_move ->> 'to';
  RETURN FOUND;
END;
$$;

CREATE FUNCTION ordering.send(p_merchant_id uuid, p_order_id uuid, p_shipment_id uuid, p_to text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_stock_item_ids uuid[];
  v_quantities integer[];
BEGIN
  UPDATE ordering.shipment s
  SET
    status = p_to,
    shipped_at = now()
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id;
  UPDATE ordering.order_item i
  SET fulfilled_quantity = i.fulfilled_quantity + l.quantity
  FROM ordering.shipment_line l
  WHERE
    l.merchant_id = p_merchant_id
    AND l.shipment_id = p_shipment_id
    AND i.merchant_id = l.merchant_id
    AND i.id = l.order_item_id;
  SELECT array_agg(k.id), array_agg(l.quantity)
  INTO v_stock_item_ids, v_quantities
  FROM
    ordering.shipment_line l
    JOIN ordering.order_item i ON i.merchant_id = l.merchant_id AND i.id = l.order_item_id
    JOIN inventory.stock_item k
      ON k.merchant_id = i.merchant_id
      AND k.product_id = i.product_id
      AND k.variant_id IS NOT DISTINCT FROM i.variant_id
  WHERE l.merchant_id = p_merchant_id AND l.shipment_id = p_shipment_id;
  PERFORM inventory.end_part_of_reservation(p_merchant_id, p_order_id, v_stock_item_ids, v_quantities, 'CONSUMED');
END;
$$;

CREATE FUNCTION ordering.unpack(p_merchant_id uuid, p_shipment_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order_item i
  SET packed_quantity = i.packed_quantity - l.quantity
  FROM
    (
      SELECT x.order_item_id, sum(x.quantity) AS quantity
      FROM ordering.shipment_line x
      WHERE x.merchant_id = p_merchant_id AND x.shipment_id = ANY (p_shipment_ids)
      GROUP BY x.order_item_id
    ) l
  WHERE i.merchant_id = p_merchant_id AND i.id = l.order_item_id;
  UPDATE ordering.shipment s
  SET status = 'CANCELLED'
  WHERE s.merchant_id = p_merchant_id AND s.id = ANY (p_shipment_ids);
END;
$$;

CREATE FUNCTION ordering.packed_shipments(p_merchant_id uuid, p_order_id uuid)
RETURNS uuid[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(s.id), '{}')
  FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND s.status = 'PACKED';
$$;

-- answers: advanced {orderId: uuid} | unknown_order {} | order_refused {status: ordering.order.status}
CREATE FUNCTION ordering.deliver_order(p_merchant_id uuid, p_order_id uuid, p_deliver jsonb, p_moves jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  -- Goods that were sent before they were paid arrive before they are paid, too.
  IF
    NOT (
      p_moves #> '{deliver,from}' ? v_order.status
      OR v_order.status = 'PENDING'
      AND EXISTS (
        SELECT
        FROM ordering.shipment s
        WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND p_deliver -> 'from' ? s.status
      )
    )
  THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  UPDATE ordering.shipment s
  SET
    status = p_deliver ->> 'to',
    delivered_at = now()
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND p_deliver -> 'from' ? s.status;
  PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', p_order_id);
END;
$$;

-- answers: advanced {orderId: uuid} | unknown_order {} | order_refused {status: ordering.order.status}
CREATE FUNCTION ordering.process_order(p_merchant_id uuid, p_order_id uuid, p_moves jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF NOT ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'process') THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', p_order_id);
END;
$$;

CREATE FUNCTION ordering.give_up_unsent(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.unpack(p_merchant_id, ordering.packed_shipments(p_merchant_id, p_order_id));
  UPDATE ordering.order_item i
  SET
    cancelled_quantity = i.quantity - i.fulfilled_quantity,
    refunded_quantity = greatest(
      i.refunded_quantity,
      i.refunded_quantity - i.cancelled_quantity + i.quantity - i.fulfilled_quantity
    )
  WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id;
  PERFORM inventory.release_reservation_of_order(p_merchant_id, p_order_id, 'RELEASED');
END;
$$;

CREATE FUNCTION ordering.refund_parts(p_merchant_id uuid, p_order_id uuid, p_lines jsonb, p_sent_only boolean)
RETURNS SETOF ordering.refund_part
LANGUAGE sql
STABLE
AS $$
  SELECT
    i.id,
    w.quantity,
    -- What was paid for the units and those before them, less what earlier refunds took of it. More may have been
    -- captured since then.
    greatest(0, round(p.paid * (i.refunded_quantity + w.quantity) / i.quantity) - p.refunded)::bigint,
    u.unsent,
    w.quantity - u.unsent,
    w.restock
  FROM
    ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer, restock boolean)) WITH ORDINALITY AS w (
      id,
      quantity,
      restock,
      position
    )
    JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
    CROSS JOIN LATERAL (
      SELECT
        (i.subtotal - i.discount - i.uncaptured + i.tax - i.uncaptured_tax)::numeric AS paid,
        (
          SELECT coalesce(sum(l.paid), 0)
          FROM payment.refund_line l
          WHERE l.merchant_id = i.merchant_id AND l.order_item_id = i.id
        ) AS refunded
    ) p
    CROSS JOIN LATERAL (
      SELECT
        CASE
          WHEN p_sent_only THEN 0
          ELSE least(w.quantity, i.quantity - i.packed_quantity - i.cancelled_quantity)
        END AS unsent
    ) u
  ORDER BY w.position;
$$;

-- How many sent units of a line are neither refunded nor in a return that is to be refunded. Each of them is refunded,
-- and comes back into stock, in one way: with `refundOrder` or with a return.
CREATE FUNCTION ordering.sent_units_left(p_item ordering.order_item)
RETURNS integer
LANGUAGE sql
STABLE
AS $$
  SELECT
    p_item.fulfilled_quantity - (p_item.refunded_quantity - p_item.cancelled_quantity) - coalesce(
      sum(l.quantity),
      0
    )::integer
  FROM
    ordering.return_line l
    JOIN ordering.order_return r ON r.merchant_id = l.merchant_id AND r.id = l.return_id
  WHERE
    l.merchant_id = p_item.merchant_id
    AND l.order_item_id = p_item.id
    AND r.status NOT IN ('REJECTED', 'CANCELLED')
    AND r.refund_id IS NULL;
$$;

CREATE FUNCTION ordering.refund_refusals(p_merchant_id uuid, p_order_id uuid, p_lines jsonb, p_sent_only boolean)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'field',
          format(
            'items.%s.%s',
            w.position - 1,
            CASE
              WHEN i.id IS NULL THEN 'orderItemId'
              ELSE 'quantity'
            END
          ),
          'reason',
          CASE
            WHEN i.id IS NULL THEN 'unknown_item'
            ELSE 'more_than_left'
          END,
          'left',
          l.left
        )
        ORDER BY w.position
      ),
      '[]'
    )
  FROM
    ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer)) WITH ORDINALITY AS w (id, quantity, position)
    LEFT JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
    -- Units that are packed are neither: they are sent first, or unpacked.
    CROSS JOIN LATERAL (
      SELECT
        CASE
          -- Those of its return are in a return themselves.
          WHEN p_sent_only THEN i.fulfilled_quantity - (i.refunded_quantity - i.cancelled_quantity)
          ELSE ordering.sent_units_left(i) + i.quantity - i.packed_quantity - i.cancelled_quantity
        END AS left
    ) l
  WHERE i.id IS NULL OR w.quantity > l.left;
$$;

CREATE FUNCTION ordering.stock_units(p_merchant_id uuid, p_item_ids uuid[], p_quantities integer[])
RETURNS ordering.stock_units
LANGUAGE sql
STABLE
AS $$
  SELECT ROW(coalesce(array_agg(k.id), '{}'), coalesce(array_agg(x.quantity), '{}'))::ordering.stock_units
  FROM
    unnest(p_item_ids, p_quantities) AS x (id, quantity)
    JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.id = x.id
    JOIN inventory.stock_item k
      ON k.merchant_id = i.merchant_id
      AND k.product_id = i.product_id
      AND k.variant_id IS NOT DISTINCT FROM i.variant_id
  WHERE x.quantity > 0;
$$;

-- What was taken for an order, without parts that went back before it was paid.
CREATE FUNCTION ordering.paid_amount(p_merchant_id uuid, p_order_id uuid)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      sum(
        p.captured_amount - (
          SELECT coalesce(sum(r.amount), 0)
          FROM payment.refund r
          WHERE r.merchant_id = p.merchant_id AND r.payment_id = p.id AND r.before_paid
        )
      ),
      0
    )::bigint
  FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id;
$$;

CREATE FUNCTION ordering.unrefunded_shipping(p_order ordering.order)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT
    p_order.shipping - p_order.shipping_discount - p_order.uncaptured_shipping - coalesce(
      sum(r.shipping_amount),
      0
    )::bigint
  FROM
    payment.refund r
    JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
  WHERE p.merchant_id = p_order.merchant_id AND p.order_id = p_order.id;
$$;

-- Says which lines a refund is of, and divides what it gives back for lines among them.
CREATE FUNCTION ordering.write_refund_lines(
  p_merchant_id uuid,
  p_refund_id uuid,
  p_parts ordering.refund_part[],
  p_amount bigint
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_shares bigint[] := platform.allocate(
    p_amount,
    ARRAY(SELECT x.amount FROM unnest(p_parts) WITH ORDINALITY x ORDER BY x.ordinality)
  );
BEGIN
  INSERT INTO payment.refund_line
    (merchant_id, refund_id, order_item_id, quantity, amount, paid, restocked_quantity)
  SELECT
    p_merchant_id,
    p_refund_id,
    x.order_item_id,
    x.quantity,
    v_shares[x.ordinality],
    x.amount,
    CASE
      WHEN x.restock THEN x.sent
      ELSE 0
    END
  FROM unnest(p_parts) WITH ORDINALITY x;
END;
$$;

-- The amount that the payments of an order still hold.
CREATE FUNCTION ordering.refundable(p_merchant_id uuid, p_order_id uuid, p_payment_from text[])
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(sum(p.captured_amount - p.refund_requested_amount), 0)::bigint
  FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status = ANY (p_payment_from);
$$;

-- Gives money back from the payments of an order, from as few as possible. The lines are those of the first refund, as
-- a unit can't be divided between payments. What is given back for lines comes before what is for shipping.
CREATE FUNCTION ordering.insert_refunds(
  p_merchant_id uuid,
  p_order_id uuid,
  p_parts ordering.refund_part[],
  p_shipping bigint,
  p_amount bigint,
  p_reason text
)
RETURNS uuid[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
  v_worth bigint := (SELECT coalesce(sum(x.amount), 0) FROM unnest(p_parts) x);
  v_left bigint := p_amount;
  -- Of it, for lines.
  v_left_for_lines bigint := CASE
    WHEN v_worth + p_shipping = 0 THEN p_amount
    ELSE (platform.allocate(p_amount, ARRAY[v_worth, p_shipping]))[1]
  END;
  v_part bigint;
  v_for_lines bigint;
  v_ids uuid[] := '{}';
BEGIN
  FOR v_payment IN SELECT *
  FROM payment.payment p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.order_id = p_order_id
    AND p.captured_amount > p.refund_requested_amount
    AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED')
  ORDER BY p.captured_amount - p.refund_requested_amount DESC, p.id
  FOR UPDATE LOOP
    v_part := least(v_left, v_payment.captured_amount - v_payment.refund_requested_amount);
    EXIT WHEN v_part = 0;
    v_for_lines := least(v_part, v_left_for_lines);
    v_ids := v_ids || payment.insert_refund(p_merchant_id, v_payment.id, v_part, v_part - v_for_lines, p_reason);
    IF cardinality(v_ids) = 1 AND p_parts <> '{}' THEN
      PERFORM ordering.write_refund_lines(p_merchant_id, v_ids[1], p_parts, v_for_lines);
    END IF;
    v_left := v_left - v_part;
    v_left_for_lines := v_left_for_lines - v_for_lines;
  END LOOP;
  RETURN v_ids;
END;
$$;

CREATE FUNCTION ordering.lock_return(p_merchant_id uuid, p_return_id uuid, p_customer_id uuid)
RETURNS ordering.order_return
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return;
BEGIN
  PERFORM
  FROM ordering.order o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = (
      SELECT r.order_id FROM ordering.order_return r WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id
    )
    AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF FOUND THEN
    SELECT *
    INTO v_return
    FROM ordering.order_return r
    WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id
    FOR UPDATE;
  END IF;
  RETURN v_return;
END;
$$;

-- answers: advanced {returnId: uuid} | unknown_return {} | return_refused {status: ordering.order_return.status}
-- nullable: p_customer_id, p_reason
CREATE FUNCTION ordering.decide_return(
  p_merchant_id uuid,
  p_return_id uuid,
  p_customer_id uuid,
  p_move jsonb,
  p_reason text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return := ordering.lock_return(p_merchant_id, p_return_id, p_customer_id);
BEGIN
  IF v_return.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_return');
  END IF;
  IF NOT p_move -> 'from' ? v_return.status THEN
    RETURN jsonb_build_object('outcome', 'return_refused', 'status', v_return.status);
  END IF;
  IF p_move ->> 'to' IN ('REJECTED', 'CANCELLED') THEN
    UPDATE ordering.order_item i
    SET returning_quantity = i.returning_quantity - l.quantity
    FROM ordering.return_line l
    WHERE
      l.merchant_id = p_merchant_id
      AND l.return_id = p_return_id
      AND i.merchant_id = l.merchant_id
      AND i.id = l.order_item_id;
  END IF;
  UPDATE ordering.order_return r
  SET
    status = p_move ->> 'to',
    rejection_reason = p_reason
  WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id;
  RETURN jsonb_build_object('outcome', 'advanced', 'returnId', p_return_id);
END;
$$;

CREATE FUNCTION ordering.follow_refund(
  p_merchant_id uuid,
  p_order_id uuid,
  p_refund_id uuid,
  p_all boolean,
  p_moves jsonb
)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order_return r
  SET status = 'REFUNDED'
  WHERE r.merchant_id = p_merchant_id AND r.refund_id = p_refund_id AND r.status = 'RECEIVED';
  IF p_all AND ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'refund') THEN
    PERFORM ordering.give_up_unsent(p_merchant_id, p_order_id);
    PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  END IF;
END;
$$;

CREATE FUNCTION ordering.draft_lines(p_merchant_id uuid, p_draft_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'productId',
          i.product_id,
          'variantId',
          i.variant_id,
          'quantity',
          i.quantity,
          'properties',
          i.properties
        )
        ORDER BY i.position, i.id
      ),
      '[]'
    )
  FROM ordering.draft_order_item i
  WHERE i.merchant_id = p_merchant_id AND i.draft_order_id = p_draft_id;
$$;

-- answers: integer
CREATE FUNCTION ordering.purge_expired_drafts(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM ordering.draft_order d
      WHERE
        (d.merchant_id, d.id) IN (
          SELECT x.merchant_id, x.id
          FROM ordering.draft_order x
          WHERE x.merchant_id = p_merchant_id AND x.order_id IS NULL AND x.expires_at <= now() - INTERVAL '30 days'
          ORDER BY x.expires_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

-- A method that is offered no more keeps its row, and its orders keep its name.
CREATE FUNCTION ordering.shipping_method_name(p_order ordering.order)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT m.name
  FROM merchant.shipping_method m
  WHERE m.merchant_id = p_order.merchant_id AND m.id = p_order.shipping_method_id;
$$;

CREATE FUNCTION ordering.draft_shipping_method_name(p_draft ordering.draft_order)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT m.name
  FROM merchant.shipping_method m
  WHERE m.merchant_id = p_draft.merchant_id AND m.id = p_draft.shipping_method_id;
$$;

-- Writes down what the orders are found by: number, the customer's name and e-mail address, tags, SKUs, external id.
CREATE FUNCTION ordering.index_for_search(p_merchant_ids uuid[], p_order_ids uuid[])
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO ordering.order_search AS s (merchant_id, order_id, text)
  SELECT
    o.merchant_id,
    o.id,
    concat_ws(
      E'\n',
      o.order_number,
      c.email,
      c.name,
      o.external_id,
      array_to_string(o.tags, E'\n'),
      (
        SELECT string_agg(DISTINCT i.sku, E'\n')
        FROM ordering.order_item i
        WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
      )
    )
  FROM
    (SELECT DISTINCT x.merchant_id, x.order_id FROM unnest(p_merchant_ids, p_order_ids) x (merchant_id, order_id)) w
    JOIN ordering.order o ON o.merchant_id = w.merchant_id AND o.id = w.order_id
    JOIN crm.customer c ON c.merchant_id = o.merchant_id AND c.id = o.customer_id
  ORDER BY o.merchant_id, o.id
  ON CONFLICT (merchant_id, order_id) DO UPDATE SET text = excluded.text WHERE s.text <> excluded.text;
$$;
