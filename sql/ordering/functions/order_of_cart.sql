-- The order that a cart becomes, as ordering.prepare takes it, or the answer of a checkout that becomes none. Locks the
-- cart.
--
-- p_checkout: cartId, ownerId (NULL: the cart may be anybody's), customerId (whose order a guest's cart becomes),
-- session, and of the order expectedTotal and what overrides the cart's: shippingAddress, billingAddress,
-- shippingMethodId, reservationId, couponCode, notes.
CREATE FUNCTION ordering.order_of_cart(p_merchant_id uuid, p_checkout jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_cart_id uuid := p_checkout ->> 'cartId';
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, v_cart_id, (p_checkout ->> 'ownerId')::uuid, NULL);
  v_asked_customer_id uuid := p_checkout ->> 'customerId';
  v_cart cart.cart;
  v_customer_id uuid;
  v_address jsonb := nullif(p_checkout -> 'shippingAddress', 'null');
  v_refusals jsonb;
  v_lines jsonb;
BEGIN
  IF v_outcome ->> 'outcome' = 'checked_out' THEN
    RETURN (
      SELECT jsonb_build_object('outcome', 'placed', 'orderId', o.id)
      FROM ordering.order o
      WHERE o.merchant_id = p_merchant_id AND o.cart_id = v_cart_id
    );
  END IF;
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_cart FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = v_cart_id;
  v_customer_id := coalesce(v_cart.customer_id, v_asked_customer_id);
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
    WHERE a.merchant_id = p_merchant_id AND a.cart_id = v_cart_id;
  END IF;
  IF v_customer_id IS NULL OR v_customer_id <> coalesce(v_asked_customer_id, v_customer_id) THEN
    v_refusals := jsonb_build_array(
      jsonb_build_object(
        'field',
        'customerId',
        'reason',
        CASE
          WHEN v_customer_id IS NULL THEN 'customer_required'
          ELSE 'not_the_carts_customer'
        END
      )
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
  WHERE i.merchant_id = p_merchant_id AND i.cart_id = v_cart_id;
  IF v_lines IS NULL THEN
    RETURN jsonb_build_object('outcome', 'empty');
  END IF;
  RETURN p_checkout || jsonb_build_object(
    'customerId',
    v_customer_id,
    'lines',
    v_lines,
    'currency',
    v_cart.currency,
    'shippingAddress',
    v_address,
    'shippingMethodId',
    coalesce((p_checkout ->> 'shippingMethodId')::uuid, v_cart.shipping_method_id),
    'couponCode',
    coalesce(
      p_checkout ->> 'couponCode',
      CASE
        WHEN v_cart.promotion_id IS NOT NULL THEN v_cart.coupon_code
      END
    ),
    'byShopper',
    p_checkout ->> 'ownerId' IS NOT NULL
  );
END;
$$;
