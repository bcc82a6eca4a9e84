-- answers: cart.stays | changed {cartId: uuid} | invalid {refusals: cart.refusal[]}
-- nullable: p_customer_id, p_secret_hash, p_shipping_method_id
CREATE FUNCTION cart.set_shipping_method(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_shipping_method_id uuid,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
  v_country text;
  v_refusal jsonb;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT a.country
  INTO v_country
  FROM cart.cart_address a
  WHERE a.merchant_id = p_merchant_id AND a.cart_id = p_cart_id;
  IF p_shipping_method_id IS NOT NULL THEN
    v_refusal := CASE
      WHEN NOT FOUND THEN jsonb_build_object('field', 'shippingMethodId', 'reason', 'address_required')
      ELSE (
        SELECT ordering.shipping_refusal(p_merchant_id, p_shipping_method_id, v_country, c.currency)
        FROM cart.cart c
        WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id
      )
    END;
  END IF;
  IF v_refusal IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(v_refusal));
  END IF;
  UPDATE cart.cart c
  SET
    shipping_method_id = p_shipping_method_id,
    expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;
