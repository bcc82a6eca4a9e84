-- Puts on record that a method is about to be saved, within the bound of methods that a customer has. Failed attempts
-- of the last day count too, so that stolen cards can't be tried out.
--
-- answers:
--   begun {savedMethodId: uuid}
--   | unknown_customer {}
--   | no_account {}
--   | too_many {most: integer}
--   | method_not_accepted {}
-- nullable: p_account_id, p_return_url, p_payment_id
CREATE FUNCTION payment.begin_saved_method(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_processor text,
  p_account_id uuid,
  p_method_id text,
  p_return_url text,
  p_payment_id uuid
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer crm.customer;
  v_most integer := 20;
  v_processor_customer_id uuid;
  v_id uuid := platform.uuid_v7();
BEGIN
  -- Methods that are saved at the same time are counted one after the other.
  SELECT *
  INTO v_customer
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  IF NOT v_customer.has_account OR v_customer.anonymized_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'no_account');
  END IF;
  IF
    (
      SELECT count(*)
      FROM payment.saved_method s
      WHERE s.merchant_id = p_merchant_id AND s.customer_id = p_customer_id
    ) >= v_most
  THEN
    RETURN jsonb_build_object('outcome', 'too_many', 'most', v_most);
  END IF;
  -- Locked against the merchant, who may be disabling it.
  IF p_account_id IS NOT NULL THEN
    PERFORM
    FROM payment.account a
    WHERE a.merchant_id = p_merchant_id AND a.id = p_account_id AND a.status = 'ACTIVE'
    FOR SHARE;
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'method_not_accepted');
    END IF;
  END IF;
  INSERT INTO payment.processor_customer (merchant_id, customer_id, processor, account_id)
  VALUES (p_merchant_id, p_customer_id, p_processor, p_account_id)
  ON CONFLICT DO NOTHING;
  SELECT h.id
  INTO v_processor_customer_id
  FROM payment.processor_customer h
  WHERE
    h.merchant_id = p_merchant_id
    AND h.customer_id = p_customer_id
    AND h.processor = p_processor
    AND h.account_id IS NOT DISTINCT FROM p_account_id;
  INSERT INTO payment.saved_method
    (merchant_id, id, customer_id, processor_customer_id, requested_method_id, return_url, payment_id)
  VALUES
    (p_merchant_id, v_id, p_customer_id, v_processor_customer_id, p_method_id, p_return_url, p_payment_id);
  UPDATE payment.payment p
  SET saved_method = 'KEPT'
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  RETURN jsonb_build_object('outcome', 'begun', 'savedMethodId', v_id);
END;
$$;
