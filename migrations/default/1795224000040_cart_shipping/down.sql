DROP FUNCTION ordering.check_out_cart(uuid, uuid, uuid, uuid, jsonb, jsonb, uuid, uuid, text, bigint, text, interval);
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
    p_reservation_id, coalesce(p_coupon_code, CASE WHEN v_cart.promotion_id IS NOT NULL THEN v_cart.coupon_code END), p_notes,
    p_cart_id, p_payment_window
  );
  IF v_outcome ->> 'outcome' = 'placed' THEN
    UPDATE cart.cart c SET checked_out_at = now() WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  END IF;
  RETURN v_outcome;
END
$$;
DROP FUNCTION cart.set_shipping_method(uuid, uuid, uuid, uuid, interval);
DROP FUNCTION cart.set_shipping_address(uuid, uuid, uuid, jsonb, interval);
CREATE OR REPLACE FUNCTION cart.coupon_discount(p_cart cart.cart, p_product_ids uuid[], p_subtotals bigint[]) RETURNS promotion.discount
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_promotion promotion.promotion;
  v_refusal text;
BEGIN
  SELECT * INTO v_promotion FROM promotion.promotion p
  WHERE p.merchant_id = p_cart.merchant_id AND p.id = p_cart.promotion_id AND p.code = p_cart.coupon_code;
  v_refusal := promotion.coupon_refusal(v_promotion, p_cart.customer_id, p_cart.currency);
  IF v_refusal IS NOT NULL OR p_product_ids IS NULL THEN
    RETURN ROW(v_refusal, NULL, NULL)::promotion.discount;
  END IF;
  RETURN promotion.discount_on(v_promotion, p_product_ids, p_subtotals, 0);
END
$$;
CREATE OR REPLACE VIEW cart.cart_total AS
SELECT
  c.merchant_id,
  c.id AS cart_id,
  s.item_count,
  s.subtotal,
  t.tax,
  0::bigint AS shipping,
  d.discount,
  s.subtotal + t.tax - d.discount AS total
FROM cart.cart c
JOIN merchant.settings m ON m.merchant_id = c.merchant_id
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(l.quantity), 0)::integer AS item_count,
    coalesce(sum(coalesce(v.price, p.price) * l.quantity), 0)::bigint AS subtotal,
    array_agg(l.product_id ORDER BY l.created_at, l.id) AS product_ids,
    array_agg(coalesce(v.price, p.price) * l.quantity ORDER BY l.created_at, l.id) AS subtotals
  FROM cart.cart_item l
  JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
  LEFT JOIN catalog.product_variant v ON v.merchant_id = l.merchant_id AND v.id = l.variant_id
  WHERE l.merchant_id = c.merchant_id AND l.cart_id = c.id
) s
CROSS JOIN LATERAL (
  SELECT CASE WHEN c.promotion_id IS NULL THEN 0 ELSE coalesce(
    (SELECT sum(x) FROM unnest((cart.coupon_discount(c, s.product_ids, s.subtotals)).lines) x), 0
  ) END::bigint AS discount
) d
CROSS JOIN LATERAL (SELECT round((s.subtotal - d.discount) * m.tax_rate)::bigint AS tax) t;
DROP FUNCTION cart.coupon_discount(cart.cart, uuid[], bigint[], bigint);
DROP FUNCTION cart.shipping_price(cart.cart);
DROP VIEW cart.shipping_option;
ALTER TABLE cart.cart DROP COLUMN shipping_method_id;
DROP TABLE cart.cart_address;
