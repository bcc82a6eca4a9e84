-- answers: cart.stays | changed {cartId: uuid}
-- nullable: p_customer_id, p_secret_hash
CREATE FUNCTION cart.set_shipping_address(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_address jsonb,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  INSERT INTO cart.cart_address
    (merchant_id, cart_id, line1, line2, city, state, postal_code, country, phone, recipient_name, company)
  VALUES
    (
      p_merchant_id,
      p_cart_id,
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
  ON CONFLICT (merchant_id, cart_id) DO UPDATE
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
  UPDATE cart.cart c
  SET
    expires_at = now() + p_lifetime,
    shipping_method_id = CASE
      WHEN ordering.shipping_refusal(
        p_merchant_id,
        c.shipping_method_id,
        p_address ->> 'country',
        c.currency
      ) IS NULL THEN c.shipping_method_id
    END
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;
