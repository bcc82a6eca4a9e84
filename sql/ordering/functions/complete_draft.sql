-- answers: ordering.place_order() | unknown_draft {} | draft_refused {status: 'EXPIRED'}
CREATE FUNCTION ordering.complete_draft(p_merchant_id uuid, p_draft_id uuid, p_pay jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_draft ordering.draft_order;
  v_lines jsonb;
  v_refusals jsonb;
  v_outcome jsonb;
BEGIN
  SELECT *
  INTO v_draft
  FROM ordering.draft_order d
  WHERE d.merchant_id = p_merchant_id AND d.id = p_draft_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_draft');
  END IF;
  IF v_draft.order_id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'placed', 'orderId', v_draft.order_id);
  END IF;
  IF v_draft.expires_at <= now() THEN
    RETURN jsonb_build_object('outcome', 'draft_refused', 'status', 'EXPIRED');
  END IF;
  v_lines := ordering.draft_lines(p_merchant_id, p_draft_id);
  SELECT jsonb_agg(jsonb_build_object('field', x.field, 'reason', 'missing'))
  INTO v_refusals
  FROM
    (
      VALUES
        ('customerId', v_draft.customer_id IS NULL),
        ('shippingAddress', v_draft.line1 IS NULL),
        ('items', v_lines = '[]')
    ) AS x (field, missing)
  WHERE x.missing;
  IF v_refusals IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_outcome := ordering.place_order(
    p_merchant_id,
    v_draft.customer_id,
    v_lines,
    NULL,
    jsonb_build_object(
      'line1',
      v_draft.line1,
      'line2',
      v_draft.line2,
      'city',
      v_draft.city,
      'state',
      v_draft.state,
      'postalCode',
      v_draft.postal_code,
      'country',
      v_draft.country,
      'phone',
      v_draft.phone,
      'recipientName',
      v_draft.recipient_name,
      'company',
      v_draft.company
    ),
    NULL,
    v_draft.shipping_method_id,
    NULL,
    v_draft.coupon_code::text,
    v_draft.notes,
    NULL,
    NULL,
    FALSE,
    p_pay
  );
  IF v_outcome ->> 'outcome' = 'placed' THEN
    UPDATE ordering.draft_order d
    SET order_id = (v_outcome ->> 'orderId')::uuid
    WHERE d.merchant_id = p_merchant_id AND d.id = p_draft_id;
    UPDATE ordering.order o
    SET tags = v_draft.tags
    WHERE o.merchant_id = p_merchant_id AND o.id = (v_outcome ->> 'orderId')::uuid AND v_draft.tags <> '{}';
  END IF;
  RETURN v_outcome;
END;
$$;
