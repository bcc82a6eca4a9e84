-- Gives a guest's cart to a new customer without an account. Whether the address has an account is not looked at, so
-- neither the answer nor its time tells.
--
-- answers: cart.stays | started {customerId: uuid}
-- nullable: p_secret_hash, p_phone
CREATE FUNCTION identity.start_guest_checkout(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_secret_hash bytea,
  p_email text,
  p_name text,
  p_phone text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, NULL, p_secret_hash);
  v_customer_id uuid := platform.uuid_v7();
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  PERFORM
  FROM cart.cart c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id AND c.customer_id IS NULL;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_cart');
  END IF;
  INSERT INTO crm.customer (merchant_id, id, email, name, phone, has_account)
  VALUES (p_merchant_id, v_customer_id, p_email, p_name, p_phone, FALSE);
  INSERT INTO identity.guest_check (merchant_id, customer_id) VALUES (p_merchant_id, v_customer_id);
  UPDATE cart.cart c
  SET
    customer_id = v_customer_id,
    secret_hash = NULL
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'started', 'customerId', v_customer_id);
END;
$$;
