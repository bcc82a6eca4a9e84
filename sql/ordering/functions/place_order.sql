-- answers: ordering.placement_answer()
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
  v_request jsonb := jsonb_build_object(
    'customerId',
    p_customer_id,
    'lines',
    p_lines,
    'currency',
    p_currency,
    'shippingAddress',
    p_shipping_address,
    'billingAddress',
    p_billing_address,
    'shippingMethodId',
    p_shipping_method_id,
    'reservationId',
    p_reservation_id,
    'couponCode',
    p_coupon_code,
    'notes',
    p_notes,
    'cartId',
    p_cart_id,
    'kept',
    p_kept,
    'byShopper',
    p_by_shopper,
    'session',
    platform.current_session()
  );
  v_promotions promotion.promotion[];
  v_placements ordering.placement[];
BEGIN
  IF p_by_shopper THEN
    PERFORM ordering.lock_buyers(p_merchant_id, ARRAY[p_customer_id]);
  END IF;
  v_promotions := ordering.lock_named(p_merchant_id, ARRAY[v_request]);
  v_placements := ordering.place_prepared(
    p_merchant_id,
    ARRAY[
      ordering.prepare(
        p_merchant_id,
        v_request,
        ARRAY(SELECT l FROM catalog.sellable_lines(p_merchant_id, p_lines, p_currency) l ORDER BY l.position),
        v_promotions
      )
    ],
    p_pay
  );
  RETURN (SELECT ordering.placement_answer(p.order_id, p.refusals, p.shortages) FROM unnest(v_placements) p);
END;
$$;
