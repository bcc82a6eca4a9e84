-- The rules of carts. A cart promises nothing: it is checked against the stock of the moment, and only an order
-- reserves.

-- What more than one function answers: {outcome: 'unknown_cart' | 'checked_out' | 'expired'}, or NULL for a cart that
-- can be changed, which is then locked. p_customer_id: only this customer's carts exist.
CREATE FUNCTION cart.lock_open_cart(p_merchant_id uuid, p_cart_id uuid, p_customer_id uuid) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_cart cart.cart;
BEGIN
  SELECT * INTO v_cart FROM cart.cart c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id AND (p_customer_id IS NULL OR c.customer_id = p_customer_id)
  FOR UPDATE;
  RETURN CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'unknown_cart')
    WHEN v_cart.checked_out_at IS NOT NULL THEN jsonb_build_object('outcome', 'checked_out')
    WHEN v_cart.expires_at <= now() THEN jsonb_build_object('outcome', 'expired')
  END;
END
$$;

-- A cart that is used lives on.
CREATE FUNCTION cart.renew(p_merchant_id uuid, p_cart_id uuid, p_lifetime interval) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  UPDATE cart.cart c SET expires_at = now() + p_lifetime WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id
$$;

-- Lines that ask for more than there is: [{sku, available, requested, position}], or NULL.
CREATE FUNCTION cart.shortages(p_merchant_id uuid, p_lines catalog.sellable_line[]) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_agg(
    jsonb_build_object('sku', l.sku, 'available', s.available, 'requested', l.quantity, 'position', l.position)
    ORDER BY l.position
  )
  FROM unnest(p_lines) l
  JOIN inventory.sku_inventory s ON s.merchant_id = p_merchant_id AND s.stock_item_id = l.stock_item_id
  WHERE s.available < l.quantity
$$;

-- With these lines in the place of the cart's own for the same products, would its goods cost more, with tax, than money can say? Then: which of
-- the lines costs most. NULL: they would not.
CREATE FUNCTION cart.line_too_dear(p_merchant_id uuid, p_cart_id uuid, p_lines catalog.sellable_line[]) RETURNS integer
LANGUAGE sql STABLE
AS $$
  WITH goods AS (
    SELECT l.price::numeric * l.quantity AS cost, l.position FROM unnest(p_lines) l
    UNION ALL
    SELECT i.subtotal, NULL FROM cart.priced_cart_item i
    WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id AND NOT EXISTS (
      SELECT FROM unnest(p_lines) l
      WHERE l.product_id = i.product_id AND l.variant_id IS NOT DISTINCT FROM i.variant_id
    )
  )
  SELECT (array_agg(g.position ORDER BY g.cost DESC) FILTER (WHERE g.position IS NOT NULL))[1]
  FROM goods g
  HAVING sum(g.cost) + ordering.tax_on(p_merchant_id, sum(g.cost)) > platform.most_money()
$$;

-- Adds lines to a cart that the caller has locked; what is already in it grows.
-- {outcome: 'changed', cartId} | {outcome: 'invalid', refusals} | {outcome: 'insufficient', shortages}; all lines or none.
CREATE FUNCTION cart.put_lines(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_currency text,
  p_lines jsonb,
  p_list text,
  p_max_lines integer
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
  v_shortages jsonb;
BEGIN
  SELECT coalesce(array_agg(l ORDER BY l.position), '{}') INTO v_lines
  FROM catalog.sellable_lines(p_merchant_id, p_lines, p_currency) l;
  v_refusals := catalog.line_refusals(v_lines, p_list);
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  -- The quantities that the cart would have.
  SELECT coalesce(
    array_agg(
      (
        l.position, l.product_id, l.variant_id, l.quantity + coalesce(i.quantity, 0), NULL, l.stock_item_id, l.sku, l.price,
        l.currency, l.name, l.image
      )::catalog.sellable_line
      ORDER BY l.position
    ),
    '{}'
  ) INTO v_lines
  FROM unnest(v_lines) l
  LEFT JOIN cart.cart_item i
    ON i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id AND i.product_id = l.product_id
    AND i.variant_id IS NOT DISTINCT FROM l.variant_id;
  v_shortages := cart.shortages(p_merchant_id, v_lines);
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;
  SELECT coalesce(jsonb_agg(r), '[]') INTO v_refusals FROM (
    SELECT format('%s.%s.quantity', p_list, l.position) AS field, 'quantity_too_large' AS reason
    FROM unnest(v_lines) l WHERE l.quantity > 999999
    UNION ALL
    SELECT format('%s.%s.quantity', p_list, d.position), 'total_too_large'
    FROM cart.line_too_dear(p_merchant_id, p_cart_id, v_lines) AS d(position) WHERE d.position IS NOT NULL
    UNION ALL
    SELECT p_list, 'too_many_lines' WHERE p_max_lines < (
      SELECT count(*) FROM (
        SELECT i.product_id, i.variant_id FROM cart.cart_item i WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id
        UNION
        SELECT l.product_id, l.variant_id FROM unnest(v_lines) l
      ) u
    )
  ) r;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  INSERT INTO cart.cart_item AS i (merchant_id, cart_id, product_id, variant_id, quantity)
  SELECT p_merchant_id, p_cart_id, l.product_id, l.variant_id, l.quantity FROM unnest(v_lines) l
  ON CONFLICT ON CONSTRAINT cart_item_line_key DO UPDATE SET quantity = excluded.quantity;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END
$$;

-- A new cart with lines. p_currency NULL: the merchant's own.
-- What put_lines answers, or 'invalid' with unknown_customer or currency_required.
CREATE FUNCTION cart.create_cart(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_currency text,
  p_lines jsonb,
  p_lifetime interval,
  p_max_lines integer
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_cart_id uuid := platform.uuid_v7();
  v_currency text := coalesce(p_currency, (SELECT s.currency FROM merchant.settings s WHERE s.merchant_id = p_merchant_id));
  v_outcome jsonb;
BEGIN
  IF p_customer_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id)
  THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(
      jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer')
    ));
  END IF;
  IF v_currency IS NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(
      jsonb_build_object('field', 'currency', 'reason', 'currency_required')
    ));
  END IF;
  INSERT INTO cart.cart (merchant_id, id, customer_id, currency, expires_at)
  VALUES (p_merchant_id, v_cart_id, p_customer_id, v_currency, now() + p_lifetime);
  v_outcome := cart.put_lines(p_merchant_id, v_cart_id, v_currency, p_lines, 'items', p_max_lines);
  IF v_outcome ->> 'outcome' <> 'changed' THEN
    DELETE FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = v_cart_id;
  END IF;
  RETURN v_outcome;
END
$$;

-- p_line: {productId, variantId?, quantity}. What lock_open_cart or put_lines answers.
CREATE FUNCTION cart.add_line(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_line jsonb,
  p_lifetime interval,
  p_max_lines integer
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  v_outcome := cart.put_lines(
    p_merchant_id, p_cart_id,
    (SELECT c.currency FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id),
    jsonb_build_array(p_line), 'items', p_max_lines
  );
  IF v_outcome ->> 'outcome' = 'changed' THEN
    PERFORM cart.renew(p_merchant_id, p_cart_id, p_lifetime);
  END IF;
  RETURN v_outcome;
END
$$;

-- Sets a line's quantity; 0 removes it, which is possible whatever has become of the product.
-- What lock_open_cart answers, 'unknown_item', 'insufficient', 'invalid' or 'changed'.
CREATE FUNCTION cart.set_line_quantity(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_item_id uuid,
  p_quantity integer,
  p_lifetime interval
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id);
  v_item cart.cart_item;
  v_lines catalog.sellable_line[];
  v_shortages jsonb;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_item FROM cart.cart_item i
  WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id AND i.id = p_item_id;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_item');
  END IF;
  IF p_quantity = 0 THEN
    DELETE FROM cart.cart_item i WHERE i.merchant_id = p_merchant_id AND i.id = p_item_id;
  ELSE
    SELECT array_agg(l) INTO v_lines FROM cart.cart c, catalog.sellable_lines(
      p_merchant_id,
      jsonb_build_array(jsonb_build_object(
        'productId', v_item.product_id, 'variantId', v_item.variant_id, 'quantity', p_quantity
      )),
      c.currency
    ) l
    WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
    IF v_lines[1].refusal IS NOT NULL THEN
      RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(jsonb_build_object(
        'field', 'itemId', 'reason', v_lines[1].refusal, 'currency', v_lines[1].currency
      )));
    END IF;
    v_shortages := cart.shortages(p_merchant_id, v_lines);
    IF v_shortages IS NOT NULL THEN
      RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
    END IF;
    IF cart.line_too_dear(p_merchant_id, p_cart_id, v_lines) IS NOT NULL THEN
      RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(
        jsonb_build_object('field', 'quantity', 'reason', 'total_too_large')
      ));
    END IF;
    UPDATE cart.cart_item i SET quantity = p_quantity WHERE i.merchant_id = p_merchant_id AND i.id = p_item_id;
  END IF;
  PERFORM cart.renew(p_merchant_id, p_cart_id, p_lifetime);
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END
$$;

-- Deletes carts that expired without becoming an order. Returns how many; fewer than p_limit means that it is done.
CREATE FUNCTION cart.purge_expired(p_limit integer) RETURNS integer
LANGUAGE sql VOLATILE
AS $$
  WITH gone AS (
    DELETE FROM cart.cart c
    WHERE (c.merchant_id, c.id) IN (
      SELECT x.merchant_id, x.id FROM cart.cart x
      WHERE x.checked_out_at IS NULL AND x.expires_at <= now()
      ORDER BY x.expires_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
    RETURNING 1
  )
  SELECT count(*)::integer FROM gone
$$;
