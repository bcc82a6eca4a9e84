-- Checks and prices an order. It writes and locks nothing: the caller has locked what must not change until the order
-- is written, which are the buyer (ordering.lock_buyers) and what the order names (ordering.lock_named).
--
-- p_request: customerId, lines, currency (NULL: that of the first line), shippingAddress, billingAddress,
-- shippingMethodId, reservationId, couponCode, notes, cartId, kept (externalId, metadata, privateMetadata), byShopper,
-- expectedTotal, and session (who orders, as platform.current_session has it). p_lines: what catalog.sellable_lines
-- says of its lines. p_promotions: those that were locked for it, and for others that are placed with it.
CREATE FUNCTION ordering.prepare(
  p_merchant_id uuid,
  p_request jsonb,
  p_lines catalog.sellable_line[],
  p_promotions promotion.promotion[]
)
RETURNS ordering.placement
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer_id uuid := p_request ->> 'customerId';
  v_shipping_method_id uuid := p_request ->> 'shippingMethodId';
  v_coupon_code citext := p_request ->> 'couponCode';
  v_placement ordering.placement;
  v_currency text;
  v_shipping bigint := 0;
  v_pricing ordering.pricing;
  v_refusals jsonb;
  v_is_blocked boolean;
  v_subtotal numeric;
  v_purchase promotion.purchase;
  v_coupon promotion.promotion;
  v_coupon_refusal text;
BEGIN
  v_placement.request := p_request;
  v_placement.order_id := platform.uuid_v7();
  v_refusals := catalog.line_refusals(p_lines, 'items');
  v_currency := p_lines[1].currency;
  SELECT c.blocked_at IS NOT NULL
  INTO v_is_blocked
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = v_customer_id;
  IF v_is_blocked IS NULL THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer');
  ELSEIF v_is_blocked THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'customer_blocked');
  END IF;
  IF p_request ->> 'shippingAddress' IS NULL THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'shippingAddress', 'reason', 'address_required');
  END IF;
  IF v_shipping_method_id IS NOT NULL THEN
    v_refusals := v_refusals || coalesce(
      ordering.shipping_refusal(
        p_merchant_id,
        v_shipping_method_id,
        p_request -> 'shippingAddress' ->> 'country',
        v_currency
      ),
      '[]'
    );
    SELECT m.price
    INTO v_shipping
    FROM merchant.shipping_method m
    WHERE m.merchant_id = p_merchant_id AND m.id = v_shipping_method_id;
  END IF;
  IF p_request ->> 'reservationId' IS NOT NULL THEN
    PERFORM
    FROM inventory.reservation r
    WHERE
      r.merchant_id = p_merchant_id
      AND r.id = (p_request ->> 'reservationId')::uuid
      AND r.status = 'ACTIVE'
      AND r.order_id IS NULL
      AND r.expires_at > now();
    IF NOT FOUND THEN
      v_refusals := v_refusals || jsonb_build_object('field', 'reservationId', 'reason', 'reservation_not_active');
    END IF;
  END IF;
  IF (p_request -> 'byShopper')::boolean AND v_refusals = '[]' THEN
    v_refusals := ordering.unpaid_refusals(
      p_merchant_id,
      v_customer_id,
      (SELECT sum(l.quantity) FROM unnest(p_lines) l)
    );
  END IF;
  v_purchase.merchant_id := p_merchant_id;
  v_purchase.customer_id := v_customer_id;
  v_purchase.currency := v_currency;
  IF v_coupon_code IS NOT NULL THEN
    SELECT * INTO v_coupon FROM unnest(p_promotions) p WHERE p.code = v_coupon_code;
    v_coupon_refusal := promotion.use_refusal(v_coupon, v_purchase);
  END IF;
  -- Only lines that can be sold have a price.
  IF v_refusals = '[]' THEN
    SELECT sum(l.price::numeric * l.quantity) INTO v_subtotal FROM unnest(p_lines) l;
    IF v_subtotal + ordering.tax_on(p_merchant_id, v_subtotal) + v_shipping > platform.most_money() THEN
      v_refusals := jsonb_build_array(jsonb_build_object('field', 'items', 'reason', 'total_too_large'));
    ELSE
      v_purchase := ordering.with_lines(v_purchase, p_lines, v_shipping);
      v_pricing := ordering.price(v_purchase, promotion.choose(v_purchase, v_coupon, v_coupon_refusal, p_promotions));
      v_coupon_refusal := v_pricing.coupon_refusal;
      IF v_pricing.promotion_id = v_coupon.id THEN
        v_placement.coupon_code := v_coupon.code;
      END IF;
    END IF;
  END IF;
  IF v_coupon_refusal IS NOT NULL THEN
    v_refusals := v_refusals || promotion.refusal('couponCode', v_coupon_refusal, v_coupon);
  END IF;
  IF v_refusals = '[]' AND v_pricing.total <> (p_request ->> 'expectedTotal')::bigint THEN
    v_refusals := jsonb_build_array(
      jsonb_build_object('field', 'expectedTotal', 'reason', 'other_total', 'total', v_pricing.total)
    );
  END IF;
  v_placement.refusals := v_refusals;
  v_placement.lines := p_lines;
  v_placement.currency := v_currency;
  v_placement.shipping := v_shipping;
  v_placement.pricing := v_pricing;
  RETURN v_placement;
END;
$$;
