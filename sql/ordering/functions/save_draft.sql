-- answers:
--   saved {draftOrderId: uuid}
--   | unknown_draft {}
--   | draft_refused {status: 'COMPLETED'}
--   | invalid {refusals: ordering.refusal[]}
-- nullable: p_draft_id
CREATE FUNCTION ordering.save_draft(p_merchant_id uuid, p_draft_id uuid, p_input jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_draft ordering.draft_order;
  v_items jsonb := nullif(p_input -> 'items', 'null');
  v_address jsonb := nullif(p_input -> 'shippingAddress', 'null');
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
BEGIN
  IF p_draft_id IS NOT NULL THEN
    SELECT *
    INTO v_draft
    FROM ordering.draft_order d
    WHERE d.merchant_id = p_merchant_id AND d.id = p_draft_id
    FOR UPDATE;
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'unknown_draft');
    END IF;
  END IF;
  SELECT coalesce(array_agg(l ORDER BY l.position), '{}')
  INTO v_lines
  FROM catalog.sellable_lines(p_merchant_id, coalesce(v_items, '[]'), NULL) l;
  v_refusals := catalog.line_refusals(v_lines, 'items');
  IF
    NOT EXISTS (
      SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = (p_input ->> 'customerId')::uuid
    )
    AND p_input ->> 'customerId' IS NOT NULL
  THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer');
  END IF;
  IF
    NOT EXISTS (
      SELECT
      FROM merchant.shipping_method m
      WHERE m.merchant_id = p_merchant_id AND m.id = (p_input ->> 'shippingMethodId')::uuid AND m.active
    )
    AND p_input ->> 'shippingMethodId' IS NOT NULL
  THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'shippingMethodId', 'reason', 'unknown_shipping_method');
  END IF;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  IF v_draft.order_id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'draft_refused', 'status', 'COMPLETED');
  END IF;

  IF p_draft_id IS NULL THEN
    v_draft.id := platform.uuid_v7();
    INSERT INTO ordering.draft_order (merchant_id, id) VALUES (p_merchant_id, v_draft.id);
  END IF;
  UPDATE ordering.draft_order d
  SET
    customer_id = coalesce((p_input ->> 'customerId')::uuid, d.customer_id),
    shipping_method_id = coalesce((p_input ->> 'shippingMethodId')::uuid, d.shipping_method_id),
    coupon_code = coalesce((p_input ->> 'couponCode')::citext, d.coupon_code),
    notes = coalesce(p_input ->> 'notes', d.notes),
    tags = CASE
      WHEN jsonb_typeof(p_input -> 'tags') = 'array' THEN ARRAY(SELECT jsonb_array_elements_text(p_input -> 'tags'))
      ELSE d.tags
    END,
    expires_at = coalesce((p_input ->> 'expiresAt')::timestamptz, d.expires_at),
    line1 = CASE
      WHEN v_address IS NULL THEN d.line1
      ELSE v_address ->> 'line1'
    END,
    line2 = CASE
      WHEN v_address IS NULL THEN d.line2
      ELSE v_address ->> 'line2'
    END,
    city = CASE
      WHEN v_address IS NULL THEN d.city
      ELSE v_address ->> 'city'
    END,
    state = CASE
      WHEN v_address IS NULL THEN d.state
      ELSE v_address ->> 'state'
    END,
    postal_code = CASE
      WHEN v_address IS NULL THEN d.postal_code
      ELSE v_address ->> 'postalCode'
    END,
    country = CASE
      WHEN v_address IS NULL THEN d.country
      ELSE v_address ->> 'country'
    END,
    phone = CASE
      WHEN v_address IS NULL THEN d.phone
      ELSE v_address ->> 'phone'
    END,
    recipient_name = CASE
      WHEN v_address IS NULL THEN d.recipient_name
      ELSE v_address ->> 'recipientName'
    END,
    company = CASE
      WHEN v_address IS NULL THEN d.company
      ELSE v_address ->> 'company'
    END
  WHERE d.merchant_id = p_merchant_id AND d.id = v_draft.id;
  IF v_items IS NOT NULL THEN
    DELETE FROM ordering.draft_order_item i WHERE i.merchant_id = p_merchant_id AND i.draft_order_id = v_draft.id;
    INSERT INTO ordering.draft_order_item
      (merchant_id, draft_order_id, position, product_id, variant_id, quantity, properties, line_key)
    SELECT
      p_merchant_id,
      v_draft.id,
      l.position,
      l.product_id,
      l.variant_id,
      l.quantity,
      l.properties,
      l.line_key
    FROM unnest(v_lines) l;
  END IF;
  RETURN jsonb_build_object('outcome', 'saved', 'draftOrderId', v_draft.id);
END;
$$;
