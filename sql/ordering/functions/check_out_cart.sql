-- answers: ordering.place_order() | unknown_cart {} | expired {} | empty {}
-- nullable:
--   p_owner_id, p_customer_id, p_shipping_address, p_billing_address, p_shipping_method_id, p_reservation_id,
--   p_coupon_code, p_expected_total, p_notes
CREATE FUNCTION ordering.check_out_cart(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_owner_id uuid,
  p_customer_id uuid,
  p_shipping_address jsonb,
  p_billing_address jsonb,
  p_shipping_method_id uuid,
  p_reservation_id uuid,
  p_coupon_code text,
  p_expected_total bigint,
  p_notes text,
  p_pay jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan -- as ordering.place_order
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_owner_id, NULL);
  v_cart cart.cart;
  v_customer_id uuid;
  v_address jsonb := p_shipping_address;
  v_refusals jsonb := '[]';
  v_lines jsonb;
  v_total bigint;
BEGIN
  IF v_outcome ->> 'outcome' = 'checked_out' THEN
    RETURN (
      SELECT jsonb_build_object('outcome', 'placed', 'orderId', o.id)
      FROM ordering.order o
      WHERE o.merchant_id = p_merchant_id AND o.cart_id = p_cart_id
    );
  END IF;
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_cart FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  v_customer_id := coalesce(v_cart.customer_id, p_customer_id);
  IF v_address IS NULL THEN
    SELECT
      jsonb_build_object(
        'line1',
        a.line1,
        'line2',
        a.line2,
        'city',
        a.city,
        'state',
        a.state,
        'postalCode',
        a.postal_code,
        'country',
        a.country,
        'phone',
        a.phone,
        'recipientName',
        a.recipient_name,
        'company',
        a.company
      )
    INTO v_address
    FROM cart.cart_address a
    WHERE a.merchant_id = p_merchant_id AND a.cart_id = p_cart_id;
  END IF;
  IF v_customer_id IS NULL OR v_customer_id <> coalesce(p_customer_id, v_customer_id) THEN
    v_refusals := v_refusals || jsonb_build_object(
      'field',
      'customerId',
      'reason',
      CASE
        WHEN v_customer_id IS NULL THEN 'customer_required'
        ELSE 'not_the_carts_customer'
      END
    );
    IF v_address IS NULL THEN
      v_refusals := v_refusals || jsonb_build_object('field', 'shippingAddress', 'reason', 'address_required');
    END IF;
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  SELECT
    jsonb_agg(cart.line(i) ORDER BY i.created_at, i.id)
  INTO v_lines
  FROM cart.cart_item i
  WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id;
  IF v_lines IS NULL THEN
    RETURN jsonb_build_object('outcome', 'empty');
  END IF;
  BEGIN
    -- What the merchant keeps with the lines was checked when it was written. A younger definition stops no checkout.
    PERFORM set_config('metadata.checked', 'on', TRUE);
    v_outcome := ordering.place_order(
      p_merchant_id,
      v_customer_id,
      v_lines,
      v_cart.currency,
      v_address,
      p_billing_address,
      coalesce(p_shipping_method_id, v_cart.shipping_method_id),
      p_reservation_id,
      coalesce(
        p_coupon_code,
        CASE
          WHEN v_cart.promotion_id IS NOT NULL THEN v_cart.coupon_code
        END
      ),
      p_notes,
      p_cart_id,
      NULL,
      p_owner_id IS NOT NULL,
      p_pay
    );
    PERFORM set_config('metadata.checked', '', TRUE);
    SELECT o.total
    INTO v_total
    FROM ordering.order o
    WHERE o.merchant_id = p_merchant_id AND o.id = (v_outcome ->> 'orderId')::uuid;
    IF v_total <> p_expected_total THEN
      RAISE EXCEPTION USING ERRCODE = 'CG001';
    END IF;
  EXCEPTION WHEN SQLSTATE 'CG001' THEN
    -- Nothing of the order stays.
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'expectedTotal', 'reason', 'other_total', 'total', v_total))
    );
  END;
  IF v_outcome ->> 'outcome' = 'placed' THEN
    UPDATE cart.cart c SET checked_out_at = now() WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  END IF;
  RETURN v_outcome;
END;
$$;
