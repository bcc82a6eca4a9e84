-- answers: cart.stays | cart.create_cart() | unknown_item {}
-- nullable: p_customer_id, p_secret_hash
CREATE FUNCTION cart.set_line_quantity(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_item_id uuid,
  p_quantity integer,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
  v_item cart.cart_item;
  v_lines catalog.sellable_line[];
  v_shortages jsonb;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT *
  INTO v_item
  FROM cart.cart_item i
  WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id AND i.id = p_item_id;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_item');
  END IF;
  IF p_quantity = 0 THEN
    DELETE FROM cart.cart_item i WHERE i.merchant_id = p_merchant_id AND i.id = p_item_id;
  ELSE
    SELECT array_agg(l)
    INTO v_lines
    FROM
      cart.cart c,
      catalog.sellable_lines(
        p_merchant_id,
        jsonb_build_array(
          jsonb_build_object(
            'productId',
            v_item.product_id,
            'variantId',
            v_item.variant_id,
            'quantity',
            p_quantity,
            'properties',
            v_item.properties
          )
        ),
        c.currency
      ) l
    WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
    IF v_lines[1].refusal IS NOT NULL THEN
      RETURN jsonb_build_object(
        'outcome',
        'invalid',
        'refusals',
        jsonb_build_array(
          jsonb_build_object('field', 'itemId', 'reason', v_lines[1].refusal, 'currency', v_lines[1].currency)
        )
      );
    END IF;
    v_shortages := cart.shortages(p_merchant_id, p_cart_id, v_lines);
    IF v_shortages IS NOT NULL THEN
      RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
    END IF;
    IF cart.line_too_dear(p_merchant_id, p_cart_id, v_lines) IS NOT NULL THEN
      RETURN jsonb_build_object(
        'outcome',
        'invalid',
        'refusals',
        jsonb_build_array(jsonb_build_object('field', 'quantity', 'reason', 'total_too_large'))
      );
    END IF;
    UPDATE cart.cart_item i SET quantity = p_quantity WHERE i.merchant_id = p_merchant_id AND i.id = p_item_id;
  END IF;
  PERFORM cart.renew(p_merchant_id, p_cart_id, p_lifetime);
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;
