-- Locks a customer's method that is offered, or on its way out, with the customer before it.
CREATE FUNCTION payment.lock_saved_method(p_merchant_id uuid, p_id uuid, p_customer_id uuid)
RETURNS payment.saved_method
LANGUAGE plpgsql
AS $$
DECLARE
  v_method payment.saved_method;
BEGIN
  PERFORM
  FROM
    crm.customer c
    JOIN payment.saved_method s ON s.merchant_id = c.merchant_id AND s.customer_id = c.id
  WHERE s.merchant_id = p_merchant_id AND s.id = p_id
  FOR NO KEY UPDATE OF c;
  SELECT *
  INTO v_method
  FROM payment.saved_method s
  WHERE
    s.merchant_id = p_merchant_id
    AND s.id = p_id
    AND (p_customer_id IS NULL OR s.customer_id = p_customer_id)
    AND s.status IN ('ACTIVE', 'REMOVING')
  FOR UPDATE;
  RETURN v_method;
END;
$$;

-- From now on the method is not offered; its row stays until the processor has answered that it is gone there.
--
-- answers: begun {savedMethodId: uuid} | unknown_method {}
-- nullable: p_customer_id
CREATE FUNCTION payment.begin_method_removal(p_merchant_id uuid, p_id uuid, p_customer_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_method payment.saved_method := payment.lock_saved_method(p_merchant_id, p_id, p_customer_id);
BEGIN
  IF v_method.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_method');
  END IF;
  UPDATE payment.saved_method s
  SET
    status = 'REMOVING',
    is_default = FALSE
  WHERE s.merchant_id = p_merchant_id AND s.id = p_id;
  PERFORM payment.keep_default_method(p_merchant_id, v_method.customer_id);
  RETURN jsonb_build_object('outcome', 'begun', 'savedMethodId', p_id);
END;
$$;

-- answers: changed {savedMethodId: uuid} | unknown_method {}
-- nullable: p_customer_id
CREATE FUNCTION payment.set_default_method(p_merchant_id uuid, p_id uuid, p_customer_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_method payment.saved_method := payment.lock_saved_method(p_merchant_id, p_id, p_customer_id);
BEGIN
  IF
    NOT EXISTS (
      SELECT
      FROM payment.saved_payment_method s
      WHERE s.merchant_id = p_merchant_id AND s.id = v_method.id AND s.offered
    )
  THEN
    RETURN jsonb_build_object('outcome', 'unknown_method');
  END IF;
  PERFORM payment.put_default_method(p_merchant_id, v_method.customer_id, p_id);
  RETURN jsonb_build_object('outcome', 'changed', 'savedMethodId', p_id);
END;
$$;
