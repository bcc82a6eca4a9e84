-- A customer who is offered methods has one of them as the default: the newest, unless the customer has chosen.
-- The caller has locked the customer.
CREATE FUNCTION payment.keep_default_method(p_merchant_id uuid, p_customer_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT s.id
  INTO v_id
  FROM payment.saved_payment_method s
  WHERE s.merchant_id = p_merchant_id AND s.customer_id = p_customer_id AND s.offered
  ORDER BY s.is_default DESC, s.created_at DESC, s.id DESC
  LIMIT 1;
  IF FOUND THEN
    PERFORM payment.put_default_method(p_merchant_id, p_customer_id, v_id);
  END IF;
END;
$$;

CREATE FUNCTION payment.put_default_method(p_merchant_id uuid, p_customer_id uuid, p_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE payment.saved_method s
  SET is_default = FALSE
  WHERE s.merchant_id = p_merchant_id AND s.customer_id = p_customer_id AND s.is_default AND s.id <> p_id;
  UPDATE payment.saved_method s
  SET is_default = TRUE
  WHERE s.merchant_id = p_merchant_id AND s.id = p_id AND NOT s.is_default;
END;
$$;
