CREATE FUNCTION ordering.quote_draft(p_draft ordering.draft_order)
RETURNS ordering.pricing
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_lines catalog.sellable_line[];
  v_shipping bigint;
  v_subtotal numeric;
  v_purchase promotion.purchase;
  v_coupon promotion.promotion;
  v_refusal text;
BEGIN
  SELECT coalesce(array_agg(l ORDER BY l.position), '{}')
  INTO v_lines
  FROM catalog.sellable_lines(p_draft.merchant_id, ordering.draft_lines(p_draft.merchant_id, p_draft.id), NULL) l
  WHERE l.refusal IS NULL;
  SELECT coalesce(max(m.price), 0)
  INTO v_shipping
  FROM merchant.shipping_method m
  WHERE m.merchant_id = p_draft.merchant_id AND m.id = p_draft.shipping_method_id;
  IF cardinality(v_lines) = 0 THEN
    RETURN ROW(NULL, NULL, NULL, 0, 0, 0, 0, v_shipping, '{}', '{}')::ordering.pricing;
  END IF;
  SELECT sum(l.price::numeric * l.quantity) INTO v_subtotal FROM unnest(v_lines) l;
  IF v_subtotal + ordering.tax_on(p_draft.merchant_id, v_subtotal) + v_shipping > platform.most_money() THEN
    RETURN NULL;
  END IF;
  v_purchase.merchant_id := p_draft.merchant_id;
  v_purchase.customer_id := p_draft.customer_id;
  v_purchase.currency := v_lines[1].currency;
  v_purchase := ordering.with_lines(v_purchase, v_lines, v_shipping);
  SELECT *
  INTO v_coupon
  FROM promotion.promotion p
  WHERE p.merchant_id = p_draft.merchant_id AND p.code = p_draft.coupon_code;
  v_refusal := promotion.use_refusal(v_coupon, v_purchase);
  RETURN ordering.price(
    v_purchase,
    promotion.choose(v_purchase, v_coupon, v_refusal, promotion.automatic(p_draft.merchant_id))
  );
END;
$$;
