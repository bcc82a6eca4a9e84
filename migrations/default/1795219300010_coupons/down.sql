DROP FUNCTION ordering.check_out_cart(uuid, uuid, uuid, uuid, jsonb, jsonb, uuid, uuid, text, text, interval);
DROP FUNCTION cart.remove_coupon(uuid, uuid, uuid, interval);
DROP FUNCTION cart.apply_coupon(uuid, uuid, uuid, text, interval);
DROP VIEW cart.cart_total;
DROP FUNCTION cart.coupon_discount(cart.cart, uuid[], bigint[]);
ALTER TABLE cart.cart DROP COLUMN coupon_code, DROP COLUMN promotion_id;
DROP FUNCTION ordering.replace_lines(uuid, uuid, catalog.sellable_line[], ordering.pricing);
DROP FUNCTION ordering.place_order(uuid, uuid, jsonb, text, jsonb, jsonb, uuid, uuid, text, text, uuid, interval);
DROP FUNCTION ordering.price(uuid, catalog.sellable_line[], bigint, promotion.promotion);
DROP TYPE ordering.pricing;
DROP TRIGGER order_lines_add_up ON ordering.order;
CREATE CONSTRAINT TRIGGER order_lines_add_up AFTER INSERT OR UPDATE OF subtotal ON ordering.order
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ordering.check_lines_add_up();
ALTER TABLE ordering.order_item DROP COLUMN tax, DROP COLUMN discount;
ALTER TABLE ordering.order DROP COLUMN shipping_discount;

-- What the migrations before have, word for word.

-- An order's lines add up to its subtotal. Deferred: a transaction may pass through states in which they don't.
CREATE OR REPLACE FUNCTION ordering.check_lines_add_up() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  changed record := coalesce(NEW, OLD);
  order_key uuid := CASE TG_TABLE_NAME WHEN 'order' THEN (to_jsonb(changed) ->> 'id')::uuid ELSE (to_jsonb(changed) ->> 'order_id')::uuid END;
  order_merchant uuid := (to_jsonb(changed) ->> 'merchant_id')::uuid;
BEGIN
  IF EXISTS (
    SELECT FROM ordering.order o
    WHERE o.merchant_id = order_merchant AND o.id = order_key
      AND o.subtotal <> (
        SELECT coalesce(sum(i.subtotal), 0) FROM ordering.order_item i WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
      )
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'order_lines_add_up', SCHEMA = 'ordering', TABLE = 'order',
      MESSAGE = format('the lines of order %s do not add up to its subtotal', order_key);
  END IF;
  RETURN NULL;
END
$$;

-- A cart's sums, tax by the merchant's rate, rounded half away from zero to a whole minor unit. Shipping is chosen
-- at checkout.
CREATE VIEW cart.cart_total AS
SELECT
  c.merchant_id,
  c.id AS cart_id,
  s.item_count,
  s.subtotal,
  t.tax,
  0::bigint AS shipping,
  0::bigint AS discount,
  s.subtotal + t.tax AS total
FROM cart.cart c
JOIN merchant.settings m ON m.merchant_id = c.merchant_id
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(l.quantity), 0)::integer AS item_count,
    coalesce(sum(coalesce(v.price, p.price) * l.quantity), 0)::bigint AS subtotal
  FROM cart.cart_item l
  JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
  LEFT JOIN catalog.product_variant v ON v.merchant_id = l.merchant_id AND v.id = l.variant_id
  WHERE l.merchant_id = c.merchant_id AND l.cart_id = c.id
) s
CROSS JOIN LATERAL (SELECT round(s.subtotal * m.tax_rate)::bigint AS tax) t;

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

-- Cancels unpaid orders whose payment window has ended, unless a payment for them is under way, and gives their
-- stock back. Returns how many; fewer than p_limit means that it is done.
CREATE OR REPLACE FUNCTION ordering.lapse_unpaid_orders(p_merchant_id uuid, p_limit integer, p_from text[], p_to text) RETURNS integer
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

-- Changes an unpaid order: lines, addresses, notes. Lines keep the price they were bought at; new ones get today's.
-- p_add: [{productId, variantId?, quantity}], p_update: [{id, quantity}]. A product that is added again adds to its
-- line. NULL addresses and notes stay as they are.
-- {outcome: 'modified', orderId} | 'unknown_order' | {'order_refused', status} | {'payment_open', …} |
-- {'invalid', refusals} | {'insufficient', shortages}
CREATE OR REPLACE FUNCTION ordering.modify_order(
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

-- Turns a cart into an order, once: asked again it answers with the same order.
-- p_customer_id: whose order it is to be, for a guest's cart; it must be the cart's own customer otherwise.
-- p_owner_id: only this customer's carts exist.
-- What lock_open_cart or ordering.place_order answers, or {outcome: 'empty'}.
CREATE FUNCTION ordering.check_out_cart(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_owner_id uuid,
  p_customer_id uuid,
  p_shipping_address jsonb,
  p_billing_address jsonb,
  p_shipping_method_id uuid,
  p_reservation_id uuid,
  p_notes text,
  p_payment_window interval
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_owner_id);
  v_cart cart.cart;
  v_customer_id uuid;
  v_lines jsonb;
BEGIN
  IF v_outcome ->> 'outcome' = 'checked_out' THEN
    RETURN (
      SELECT jsonb_build_object('outcome', 'placed', 'orderId', o.id)
      FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.cart_id = p_cart_id
    );
  END IF;
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_cart FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  v_customer_id := coalesce(v_cart.customer_id, p_customer_id);
  IF v_customer_id IS NULL OR v_customer_id <> coalesce(p_customer_id, v_customer_id) THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(jsonb_build_object(
      'field', 'customerId', 'reason', CASE WHEN v_customer_id IS NULL THEN 'customer_required' ELSE 'not_the_carts_customer' END
    )));
  END IF;
  SELECT jsonb_agg(
    jsonb_build_object('productId', i.product_id, 'variantId', i.variant_id, 'quantity', i.quantity)
    ORDER BY i.created_at, i.id
  ) INTO v_lines
  FROM cart.cart_item i WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id;
  IF v_lines IS NULL THEN
    RETURN jsonb_build_object('outcome', 'empty');
  END IF;
  v_outcome := ordering.place_order(
    p_merchant_id, v_customer_id, v_lines, v_cart.currency, p_shipping_address, p_billing_address, p_shipping_method_id,
    p_reservation_id, p_notes, p_cart_id, p_payment_window
  );
  IF v_outcome ->> 'outcome' = 'placed' THEN
    UPDATE cart.cart c SET checked_out_at = now() WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  END IF;
  RETURN v_outcome;
END
$$;
