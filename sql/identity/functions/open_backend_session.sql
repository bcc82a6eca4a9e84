-- answers: opened {id: uuid} | unknown_customer {} | anonymized {} | blocked {}
-- nullable: p_client, p_device, p_opened_by
CREATE FUNCTION identity.open_backend_session(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_client text,
  p_device text,
  p_opened_by jsonb,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_session_id uuid := platform.uuid_v7();
  v_customer crm.customer;
BEGIN
  SELECT * INTO v_customer FROM crm.customer x WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id FOR SHARE;
  IF v_customer.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  ELSEIF v_customer.anonymized_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'anonymized');
  ELSEIF v_customer.blocked_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'blocked');
  END IF;
  INSERT INTO identity.session
    (merchant_id, id, customer_id, origin, opened_by_kind, opened_by_id, device, network, expires_at)
  VALUES
    (
      p_merchant_id,
      v_session_id,
      p_customer_id,
      'BACKEND',
      p_opened_by ->> 'kind',
      (p_opened_by ->> 'id')::uuid,
      p_device,
      p_client,
      now() + p_lifetime
    );
  RETURN jsonb_build_object('outcome', 'opened', 'id', v_session_id);
END;
$$;
