-- answers:
--   placed {orderId: uuid}
--   | invalid {refusals: ordering.refusal[]}
--   | insufficient {shortages: ordering.shortage[]}
-- nullable: p_currency, p_shipping_address, p_billing_address, p_shipping_method_id, p_reservation_id, p_coupon_code,
--   p_notes, p_cart_id, p_kept
CREATE FUNCTION ordering.place_order(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_lines jsonb,
  p_currency text,
  p_shipping_address jsonb,
  p_billing_address jsonb,
  p_shipping_method_id uuid,
  p_reservation_id uuid,
  p_coupon_code text,
  p_notes text,
  p_cart_id uuid,
  p_kept jsonb,
  p_by_shopper boolean,
  p_pay jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
-- Its statements find rows by their keys, and so do those of triggers: the plan is the same whatever the values are.
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
  v_currency text;
  v_is_blocked boolean;
  v_subtotal numeric;
  v_shipping bigint;
  v_purchase promotion.purchase;
  v_promotions promotion.promotion[];
  v_coupon promotion.promotion;
  v_coupon_refusal text;
  v_pricing ordering.pricing;
  v_shortages jsonb;
  v_order_id uuid := platform.uuid_v7();
  v_shipping_address_id uuid := platform.uuid_v7();
  v_billing_address_id uuid := CASE
    WHEN p_billing_address IS NOT NULL THEN platform.uuid_v7()
  END;
BEGIN
  SELECT array_agg(l ORDER BY l.position)
  INTO v_lines
  FROM catalog.sellable_lines(p_merchant_id, p_lines, p_currency) l;
  v_refusals := catalog.line_refusals(v_lines, 'items');
  v_currency := v_lines[1].currency;
  SELECT c.blocked_at IS NOT NULL
  INTO v_is_blocked
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id;
  IF v_is_blocked IS NULL THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer');
  ELSEIF v_is_blocked THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'customer_blocked');
  END IF;
  IF p_shipping_address IS NULL THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'shippingAddress', 'reason', 'address_required');
  END IF;
  IF p_shipping_method_id IS NOT NULL THEN
    v_refusals := v_refusals || coalesce(
      ordering.shipping_refusal(p_merchant_id, p_shipping_method_id, p_shipping_address ->> 'country', v_currency),
      '[]'
    );
  END IF;
  IF p_reservation_id IS NOT NULL THEN
    PERFORM
    FROM inventory.reservation r
    WHERE
      r.merchant_id = p_merchant_id
      AND r.id = p_reservation_id
      AND r.status = 'ACTIVE'
      AND r.order_id IS NULL
      AND r.expires_at > now()
    FOR UPDATE;
    IF NOT FOUND THEN
      v_refusals := v_refusals || jsonb_build_object('field', 'reservationId', 'reason', 'reservation_not_active');
    END IF;
  END IF;
  IF p_by_shopper AND v_refusals = '[]' THEN
    v_refusals := ordering.unpaid_refusals(
      p_merchant_id,
      p_customer_id,
      (SELECT sum(l.quantity) FROM unnest(v_lines) l)
    );
  END IF;
  v_purchase.merchant_id := p_merchant_id;
  v_purchase.customer_id := p_customer_id;
  v_purchase.currency := v_currency;
  v_promotions := promotion.lock_usable(v_purchase, p_coupon_code::citext, NULL);
  IF p_coupon_code IS NOT NULL THEN
    SELECT * INTO v_coupon FROM unnest(v_promotions) p WHERE p.code = p_coupon_code::citext;
    v_coupon_refusal := promotion.use_refusal(v_coupon, v_purchase);
  END IF;
  -- Only lines that can be sold have a price.
  IF v_refusals = '[]' THEN
    SELECT sum(l.price::numeric * l.quantity) INTO v_subtotal FROM unnest(v_lines) l;
    SELECT coalesce(max(m.price), 0)
    INTO v_shipping
    FROM merchant.shipping_method m
    WHERE m.merchant_id = p_merchant_id AND m.id = p_shipping_method_id;
    IF v_subtotal + ordering.tax_on(p_merchant_id, v_subtotal) + v_shipping > platform.most_money() THEN
      v_refusals := jsonb_build_array(jsonb_build_object('field', 'items', 'reason', 'total_too_large'));
    ELSE
      v_purchase := ordering.with_lines(v_purchase, v_lines, v_shipping);
      v_pricing := ordering.price(v_purchase, promotion.choose(v_purchase, v_coupon, v_coupon_refusal, v_promotions));
      v_coupon_refusal := v_pricing.coupon_refusal;
    END IF;
  END IF;
  IF v_coupon_refusal IS NOT NULL THEN
    v_refusals := v_refusals || promotion.refusal('couponCode', v_coupon_refusal, v_coupon);
  END IF;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  SELECT
    inventory.hold(
      p_merchant_id,
      coalesce(p_reservation_id, platform.uuid_v7()),
      v_order_id,
      now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD')),
      array_agg(l.stock_item_id ORDER BY l.position),
      array_agg(l.quantity::integer ORDER BY l.position)
    )
  INTO v_shortages
  FROM unnest(v_lines) l;
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', ordering.shortages_at(v_shortages, v_lines));
  END IF;

  PERFORM ordering.insert_address(p_merchant_id, v_shipping_address_id, v_order_id, p_shipping_address);
  IF p_billing_address IS NOT NULL THEN
    PERFORM ordering.insert_address(p_merchant_id, v_billing_address_id, v_order_id, p_billing_address);
  END IF;
  INSERT INTO ordering.order
    (
      merchant_id,
      id,
      order_number,
      customer_id,
      currency,
      subtotal,
      tax,
      shipping,
      discount,
      shipping_discount,
      total,
      shipping_address_id,
      billing_address_id,
      shipping_method_id,
      promotion_id,
      coupon_code,
      cart_id,
      notes,
      external_id,
      metadata,
      private_metadata
    )
  VALUES
    (
      p_merchant_id,
      v_order_id,
      ordering.next_order_number(p_merchant_id),
      p_customer_id,
      v_currency,
      v_pricing.subtotal,
      v_pricing.tax,
      v_shipping,
      v_pricing.discount,
      v_pricing.shipping_discount,
      v_pricing.total,
      v_shipping_address_id,
      v_billing_address_id,
      p_shipping_method_id,
      v_pricing.promotion_id,
      CASE
        WHEN v_pricing.promotion_id = v_coupon.id THEN v_coupon.code
      END,
      p_cart_id,
      p_notes,
      p_kept ->> 'externalId',
      coalesce(nullif(p_kept -> 'metadata', 'null'), '{}'),
      coalesce(nullif(p_kept -> 'privateMetadata', 'null'), '{}')
    );
  PERFORM set_config('ordering.placing', v_order_id::text, TRUE);
  INSERT INTO ordering.order_item
    (
      merchant_id,
      order_id,
      position,
      product_id,
      variant_id,
      quantity,
      price,
      subtotal,
      discount,
      tax,
      sku,
      product_name,
      product_image,
      properties,
      line_key,
      external_id,
      metadata,
      private_metadata
    )
  SELECT
    p_merchant_id,
    v_order_id,
    l.position,
    l.product_id,
    l.variant_id,
    l.quantity,
    l.price,
    l.price * l.quantity,
    v_pricing.line_discounts[l.ordinality],
    v_pricing.line_taxes[l.ordinality],
    l.sku,
    l.name,
    l.image,
    l.properties,
    l.line_key,
    l.kept ->> 'externalId',
    coalesce(l.kept -> 'metadata', '{}'),
    coalesce(l.kept -> 'privateMetadata', '{}')
  FROM unnest(v_lines) WITH ORDINALITY AS l;
  PERFORM set_config('ordering.placing', '', TRUE);
  INSERT INTO ordering.fulfillment (merchant_id, order_id) VALUES (p_merchant_id, v_order_id);
  PERFORM ordering.confirm_if_free(p_merchant_id, v_order_id, p_pay);
  RETURN jsonb_build_object('outcome', 'placed', 'orderId', v_order_id);
END;
$$;
