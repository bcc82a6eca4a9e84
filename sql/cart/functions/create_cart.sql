-- answers:
--   changed {cartId: uuid}
--   | invalid {refusals: cart.refusal[]}
--   | insufficient {shortages: cart.shortage[]}
-- nullable: p_customer_id, p_secret_hash, p_currency
CREATE FUNCTION cart.create_cart(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_currency text,
  p_lines jsonb,
  p_lifetime interval,
  p_max_lines integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_cart_id uuid := platform.uuid_v7();
  v_currency text := coalesce(
    p_currency,
    (SELECT s.currency FROM merchant.settings s WHERE s.merchant_id = p_merchant_id)
  );
  v_outcome jsonb;
BEGIN
  IF
    p_customer_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id)
  THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer'))
    );
  END IF;
  IF v_currency IS NULL THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'currency', 'reason', 'currency_required'))
    );
  END IF;
  INSERT INTO cart.cart (merchant_id, id, customer_id, secret_hash, currency, expires_at)
  VALUES (p_merchant_id, v_cart_id, p_customer_id, p_secret_hash, v_currency, now() + p_lifetime);
  v_outcome := cart.put_lines(p_merchant_id, v_cart_id, v_currency, p_lines, 'items', p_max_lines);
  IF v_outcome ->> 'outcome' <> 'changed' THEN
    DELETE FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = v_cart_id;
  END IF;
  RETURN v_outcome;
END;
$$;
