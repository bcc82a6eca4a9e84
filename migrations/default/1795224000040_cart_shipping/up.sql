-- Where a cart goes and how it is shipped, so that its totals are those of the order that it becomes.

-- Where a cart is to be shipped.
CREATE TABLE cart.cart_address (
  merchant_id uuid NOT NULL,
  cart_id uuid NOT NULL,
  line1 text NOT NULL CHECK (line1 <> ''),
  line2 text,
  city text NOT NULL CHECK (city <> ''),
  state text NOT NULL,
  postal_code text NOT NULL,
  country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  phone text,
  PRIMARY KEY (merchant_id, cart_id),
  FOREIGN KEY (merchant_id, cart_id) REFERENCES cart.cart ON DELETE CASCADE
);

ALTER TABLE cart.cart
  ADD COLUMN shipping_method_id uuid,
  ADD CONSTRAINT cart_shipping_method_fkey FOREIGN KEY (merchant_id, shipping_method_id) REFERENCES merchant.shipping_method
    ON DELETE SET NULL (shipping_method_id);
CREATE INDEX cart_shipping_method ON cart.cart (merchant_id, shipping_method_id) WHERE shipping_method_id IS NOT NULL;

-- The ways to ship a cart to its address, by the rule that orders go by; none without an address.
CREATE VIEW cart.shipping_option AS
SELECT c.merchant_id, c.id AS cart_id, m.id AS shipping_method_id, m.name, m.price, m.id IS NOT DISTINCT FROM c.shipping_method_id AS chosen
FROM cart.cart c
JOIN cart.cart_address a ON a.merchant_id = c.merchant_id AND a.cart_id = c.id
JOIN merchant.shipping_method m ON m.merchant_id = c.merchant_id
WHERE ordering.shipping_refusal(c.merchant_id, m.id, a.country, c.currency) IS NULL;

-- What shipping costs a cart now: nothing until there is an address and a method that ships there.
CREATE FUNCTION cart.shipping_price(p_cart cart.cart) RETURNS bigint
LANGUAGE sql STABLE
AS $$
  SELECT coalesce((
    SELECT m.price
    FROM merchant.shipping_method m
    JOIN cart.cart_address a ON a.merchant_id = m.merchant_id AND a.cart_id = p_cart.id
    WHERE m.merchant_id = p_cart.merchant_id AND m.id = p_cart.shipping_method_id
      AND ordering.shipping_refusal(m.merchant_id, m.id, a.country, p_cart.currency) IS NULL
  ), 0)
$$;

-- A cart's sums, which are those of the order that it would become: tax by the merchant's rate on what is paid for the lines,
-- rounded half away from zero to a whole minor unit.
CREATE VIEW cart.cart_total AS
SELECT
  c.merchant_id,
  c.id AS cart_id,
  s.item_count,
  platform.as_money(s.subtotal) AS subtotal,
  t.tax,
  h.shipping,
  d.promotion_id,
  d.promotion_name,
  platform.as_money(d.lines + d.shipping) AS discount,
  -- The coupon's discount: all of it, or none where another promotion takes off more.
  platform.as_money(CASE WHEN d.promotion_id = c.promotion_id THEN d.lines + d.shipping ELSE 0 END) AS coupon_discount,
  platform.as_money(s.subtotal + t.tax + h.shipping - d.lines - d.shipping) AS total
FROM cart.cart c
JOIN merchant.settings m ON m.merchant_id = c.merchant_id
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(l.quantity), 0)::integer AS item_count,
    coalesce(sum(coalesce(v.price, p.price)::numeric * l.quantity), 0) AS subtotal,
    array_agg(l.product_id ORDER BY l.created_at, l.id) AS product_ids,
    array_agg(platform.as_money(coalesce(v.price, p.price)::numeric * l.quantity) ORDER BY l.created_at, l.id) AS subtotals
  FROM cart.cart_item l
  JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
  LEFT JOIN catalog.product_variant v ON v.merchant_id = l.merchant_id AND v.id = l.variant_id
  WHERE l.merchant_id = c.merchant_id AND l.cart_id = c.id
) s
CROSS JOIN LATERAL (
  SELECT CASE WHEN c.shipping_method_id IS NULL THEN 0 ELSE cart.shipping_price(c) END::bigint AS shipping
) h
CROSS JOIN LATERAL (
  SELECT
    o.promotion_id, o.promotion_name, coalesce(o.shipping, 0) AS shipping,
    coalesce((SELECT sum(x) FROM unnest(o.lines) x), 0) AS lines
  FROM cart.choose_promotion(c, s.product_ids, s.subtotals, h.shipping) o
) d
CROSS JOIN LATERAL (SELECT platform.as_money(round((s.subtotal - d.lines) * m.tax_rate)) AS tax) t;

-- Says where a cart goes. A method that doesn't ship there is taken off.
-- What lock_open_cart answers, or {outcome: 'changed', cartId}
CREATE FUNCTION cart.set_shipping_address(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_address jsonb,
  p_lifetime interval
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  INSERT INTO cart.cart_address (merchant_id, cart_id, line1, line2, city, state, postal_code, country, phone)
  VALUES (
    p_merchant_id, p_cart_id, p_address ->> 'line1', p_address ->> 'line2', p_address ->> 'city', p_address ->> 'state',
    p_address ->> 'postalCode', p_address ->> 'country', p_address ->> 'phone'
  )
  ON CONFLICT (merchant_id, cart_id) DO UPDATE SET
    line1 = excluded.line1, line2 = excluded.line2, city = excluded.city, state = excluded.state,
    postal_code = excluded.postal_code, country = excluded.country, phone = excluded.phone;
  UPDATE cart.cart c
  SET
    expires_at = now() + p_lifetime,
    shipping_method_id = CASE
      WHEN ordering.shipping_refusal(p_merchant_id, c.shipping_method_id, p_address ->> 'country', c.currency) IS NULL
        THEN c.shipping_method_id
    END
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END
$$;

-- Says how a cart is shipped; NULL takes the method off.
-- What lock_open_cart answers, or {outcome: 'changed', cartId} | {outcome: 'invalid', refusals: [{field, reason, currency?}]}
CREATE FUNCTION cart.set_shipping_method(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_shipping_method_id uuid,
  p_lifetime interval
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id);
  v_country text;
  v_refusal jsonb;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT a.country INTO v_country FROM cart.cart_address a WHERE a.merchant_id = p_merchant_id AND a.cart_id = p_cart_id;
  IF p_shipping_method_id IS NOT NULL THEN
    v_refusal := CASE
      WHEN NOT FOUND THEN jsonb_build_object('field', 'shippingMethodId', 'reason', 'address_required')
      ELSE (
        SELECT ordering.shipping_refusal(p_merchant_id, p_shipping_method_id, v_country, c.currency)
        FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id
      )
    END;
  END IF;
  IF v_refusal IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(v_refusal));
  END IF;
  UPDATE cart.cart c SET shipping_method_id = p_shipping_method_id, expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END
$$;

-- Turns a cart into an order, once: asked again it answers with the same order.
-- p_customer_id: whose order it is to be, for a guest's cart; it must be the cart's own customer otherwise.
-- p_shipping_address, p_shipping_method_id, p_coupon_code: NULL for those of the cart.
-- p_expected_total: what the customer was shown; an order that costs anything else isn't placed.
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
  p_coupon_code text,
  p_expected_total bigint,
  p_notes text,
  p_pay jsonb
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_owner_id);
  v_cart cart.cart;
  v_customer_id uuid;
  v_address jsonb := p_shipping_address;
  v_refusals jsonb := '[]';
  v_lines jsonb;
  v_total bigint;
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
  IF v_address IS NULL THEN
    SELECT jsonb_build_object(
      'line1', a.line1, 'line2', a.line2, 'city', a.city, 'state', a.state, 'postalCode', a.postal_code,
      'country', a.country, 'phone', a.phone
    ) INTO v_address
    FROM cart.cart_address a WHERE a.merchant_id = p_merchant_id AND a.cart_id = p_cart_id;
  END IF;
  IF v_customer_id IS NULL OR v_customer_id <> coalesce(p_customer_id, v_customer_id) THEN
    v_refusals := v_refusals || jsonb_build_object(
      'field', 'customerId', 'reason', CASE WHEN v_customer_id IS NULL THEN 'customer_required' ELSE 'not_the_carts_customer' END
    );
    IF v_address IS NULL THEN
      v_refusals := v_refusals || jsonb_build_object('field', 'shippingAddress', 'reason', 'address_required');
    END IF;
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  SELECT jsonb_agg(
    jsonb_build_object('productId', i.product_id, 'variantId', i.variant_id, 'quantity', i.quantity)
    ORDER BY i.created_at, i.id
  ) INTO v_lines
  FROM cart.cart_item i WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id;
  IF v_lines IS NULL THEN
    RETURN jsonb_build_object('outcome', 'empty');
  END IF;
  BEGIN
    v_outcome := ordering.place_order(
      p_merchant_id, v_customer_id, v_lines, v_cart.currency, v_address, p_billing_address,
      coalesce(p_shipping_method_id, v_cart.shipping_method_id), p_reservation_id,
      coalesce(p_coupon_code, CASE WHEN v_cart.promotion_id IS NOT NULL THEN v_cart.coupon_code END), p_notes, p_cart_id,
      p_owner_id IS NOT NULL, p_pay
    );
    SELECT o.total INTO v_total FROM ordering.order o
    WHERE o.merchant_id = p_merchant_id AND o.id = (v_outcome ->> 'orderId')::uuid;
    IF v_total <> p_expected_total THEN
      RAISE EXCEPTION USING ERRCODE = 'CG001';
    END IF;
  EXCEPTION WHEN SQLSTATE 'CG001' THEN
    -- Nothing of the order stays.
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(jsonb_build_object(
      'field', 'expectedTotal', 'reason', 'other_total', 'total', v_total
    )));
  END;
  IF v_outcome ->> 'outcome' = 'placed' THEN
    UPDATE cart.cart c SET checked_out_at = now() WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  END IF;
  RETURN v_outcome;
END
$$;
