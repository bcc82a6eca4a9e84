-- answers:
--   modified {orderId: uuid}
--   | unknown_order {}
--   | order_refused {status: ordering.order.status, reason?: 'partly_shipped'}
--   | payment_open {paymentId: uuid, status: payment.payment.status}
--   | invalid {refusals: ordering.refusal[]}
--   | insufficient {shortages: inventory.shortage[]}
-- nullable: p_shipping_address, p_billing_address, p_notes
CREATE FUNCTION ordering.modify_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_add jsonb,
  p_update jsonb,
  p_remove uuid[],
  p_shipping_address jsonb,
  p_billing_address jsonb,
  p_notes text,
  p_from text[],
  p_pay jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_open payment.payment;
  v_reservation inventory.reservation;
  v_added catalog.sellable_line[];
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
  v_subtotal numeric;
  v_purchase promotion.purchase;
  v_promotions promotion.promotion[];
  v_own promotion.promotion;
  v_pricing ordering.pricing;
  v_shortages jsonb;
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF NOT v_order.status = ANY (p_from) OR ordering.payment_window_is_over(p_merchant_id, p_order_id) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF
    EXISTS (
      SELECT
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.packed_quantity > 0
    )
  THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status, 'reason', 'partly_shipped');
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  IF v_open.id IS NULL THEN
    -- A part that is paid already.
    SELECT *
    INTO v_open
    FROM payment.payment p
    WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED')
    LIMIT 1;
  END IF;
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open.id, 'status', v_open.status);
  END IF;

  SELECT coalesce(array_agg(l ORDER BY l.position), '{}')
  INTO v_added
  FROM catalog.sellable_lines(p_merchant_id, p_add, v_order.currency) l;
  v_refusals := catalog.line_refusals(v_added, 'addItems') || ordering.unknown_item_refusals(
    p_merchant_id,
    p_order_id,
    p_update,
    p_remove
  ) || coalesce(
    CASE
      WHEN (
        SELECT a.country
        FROM ordering.order_address a
        WHERE a.merchant_id = p_merchant_id AND a.id = v_order.shipping_address_id
      ) <> p_shipping_address ->> 'country' THEN ordering.shipping_refusal(
        p_merchant_id,
        v_order.shipping_method_id,
        p_shipping_address ->> 'country',
        v_order.currency,
        TRUE
      ) || jsonb_build_object('field', 'shippingAddress.country')
    END,
    '[]'
  );
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  v_lines := ordering.modified_lines(p_merchant_id, p_order_id, v_added, p_update, p_remove);
  SELECT sum(l.price::numeric * l.quantity) INTO v_subtotal FROM unnest(v_lines) l;
  SELECT coalesce(jsonb_agg(r), '[]')
  INTO v_refusals
  FROM
    (
      SELECT 'removeItemIds' AS field, 'no_lines_left' AS reason WHERE cardinality(v_lines) = 0
      UNION ALL
      SELECT 'addItems', 'quantity_too_large' FROM unnest(v_lines) l WHERE l.quantity > 999999
      UNION ALL
      SELECT 'addItems', 'total_too_large'
      WHERE v_subtotal + ordering.tax_on(p_merchant_id, v_subtotal) + v_order.shipping > platform.most_money()
      UNION ALL
      SELECT 'addItems', 'too_many_lines' WHERE cardinality(v_lines) > 200
    ) r;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  v_purchase.merchant_id := p_merchant_id;
  v_purchase.customer_id := v_order.customer_id;
  v_purchase.currency := v_order.currency;
  v_purchase.order_id := p_order_id;
  v_purchase := ordering.with_lines(v_purchase, v_lines, v_order.shipping);
  v_promotions := promotion.lock(p_merchant_id, promotion.usable_ids(v_purchase, NULL, v_order.promotion_id));
  SELECT * INTO v_own FROM unnest(v_promotions) p WHERE p.id = v_order.promotion_id;
  v_pricing := ordering.price(v_purchase, promotion.choose(v_purchase, v_own, NULL, v_promotions));
  IF v_pricing.promotion_id IS NULL AND v_order.coupon_code IS NOT NULL THEN
    v_pricing.promotion_id := v_order.promotion_id;
  END IF;

  v_reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
  SELECT
    inventory.hold(
      p_merchant_id,
      ARRAY[
        ROW(
          v_reservation.id,
          p_order_id,
          v_reservation.expires_at,
          inventory.principal_of(platform.current_session()),
          array_agg(l.stock_item_id ORDER BY l.position),
          array_agg(l.quantity::integer ORDER BY l.position)
        )::inventory.claim
      ]
    )
  INTO v_shortages
  FROM unnest(v_lines) l;
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;

  PERFORM ordering.replace_lines(p_merchant_id, p_order_id, v_lines, v_pricing);
  IF p_shipping_address IS NOT NULL THEN
    PERFORM ordering.insert_address(p_merchant_id, v_order.shipping_address_id, p_order_id, p_shipping_address);
  END IF;
  IF p_billing_address IS NOT NULL THEN
    v_order.billing_address_id := coalesce(v_order.billing_address_id, platform.uuid_v7());
    PERFORM ordering.insert_address(p_merchant_id, v_order.billing_address_id, p_order_id, p_billing_address);
  END IF;
  UPDATE ordering.order o
  SET
    subtotal = v_pricing.subtotal,
    tax = v_pricing.tax,
    discount = v_pricing.discount,
    shipping_discount = v_pricing.shipping_discount,
    total = v_pricing.total,
    promotion_id = v_pricing.promotion_id,
    coupon_code = CASE
      WHEN v_pricing.promotion_id = o.promotion_id THEN o.coupon_code
    END,
    billing_address_id = v_order.billing_address_id,
    notes = coalesce(p_notes, o.notes)
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
  PERFORM ordering.record(p_merchant_id, p_order_id, 'MODIFIED', p_amount => v_pricing.total);
  PERFORM ordering.confirm_if_free(p_merchant_id, p_order_id, p_pay);
  RETURN jsonb_build_object('outcome', 'modified', 'orderId', p_order_id);
END;
$$;
