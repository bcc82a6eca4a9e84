-- Puts the processor's answer on record. What was settled before stays as it is.
--
-- answers: void
CREATE FUNCTION payment.settle_saved_method(p_merchant_id uuid, p_id uuid, p_status text, p_answer jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer_id uuid := (
    SELECT s.customer_id FROM payment.saved_method s WHERE s.merchant_id = p_merchant_id AND s.id = p_id
  );
BEGIN
  PERFORM FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = v_customer_id FOR NO KEY UPDATE;
  UPDATE payment.saved_method s
  SET
    status = p_status,
    processor_setup_id = coalesce(p_answer ->> 'setupId', s.processor_setup_id),
    processor_method_id = coalesce(p_answer ->> 'methodId', s.processor_method_id),
    last4 = p_answer ->> 'last4',
    brand = p_answer ->> 'brand',
    expiry_month = (p_answer ->> 'expiryMonth')::integer,
    expiry_year = (p_answer ->> 'expiryYear')::integer,
    failure_reason = p_answer ->> 'failureReason',
    failure_code = p_answer ->> 'failureCode',
    decline_code = p_answer ->> 'declineCode',
    unanswered_calls = 0
  WHERE s.merchant_id = p_merchant_id AND s.id = p_id AND s.status = 'PENDING';
  PERFORM payment.keep_default_method(p_merchant_id, v_customer_id);
END;
$$;
