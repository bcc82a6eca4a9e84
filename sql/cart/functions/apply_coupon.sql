-- answers: cart.stays | changed {cartId: uuid} | invalid {refusals: cart.refusal[]}
-- nullable: p_customer_id, p_secret_hash
CREATE FUNCTION cart.apply_coupon(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_code text,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
  v_cart cart.cart;
  v_promotion promotion.promotion;
  v_refusal text;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT *
  INTO v_promotion
  FROM promotion.promotion p
  WHERE p.merchant_id = p_merchant_id AND p.code = p_code::citext
  FOR KEY SHARE;
  SELECT * INTO v_cart FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  v_cart.promotion_id := v_promotion.id;
  v_cart.coupon_code := v_promotion.code;
  v_refusal := CASE
    WHEN v_promotion.id IS NULL THEN 'unknown_coupon'
    ELSE cart.coupon_refusal(v_cart)
  END;
  IF v_refusal IS NOT NULL THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(promotion.refusal('code', v_refusal, v_promotion))
    );
  END IF;
  UPDATE cart.cart c
  SET
    promotion_id = v_promotion.id,
    coupon_code = v_promotion.code,
    expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;
