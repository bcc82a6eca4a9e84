CREATE FUNCTION cart.put_lines(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_currency text,
  p_lines jsonb,
  p_list text,
  p_max_lines integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
  v_shortages jsonb;
BEGIN
  SELECT coalesce(array_agg(l ORDER BY l.position), '{}')
  INTO v_lines
  FROM catalog.sellable_lines(p_merchant_id, p_lines, p_currency) l;
  v_refusals := catalog.line_refusals(v_lines, p_list);
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  -- The quantities that the cart would have.
  SELECT
    coalesce(
      array_agg(
        (
          l.position,
          l.product_id,
          l.variant_id,
          l.quantity + coalesce(i.quantity, 0),
          NULL,
          l.stock_item_id,
          l.sku,
          l.price,
          l.currency,
          l.name,
          l.image,
          l.properties,
          l.line_key,
          l.kept
        )::catalog.sellable_line
        ORDER BY l.position
      ),
      '{}'
    )
  INTO v_lines
  FROM
    unnest(v_lines) l
    LEFT JOIN cart.cart_item i
      ON i.merchant_id = p_merchant_id
      AND i.cart_id = p_cart_id
      AND i.product_id = l.product_id
      AND i.variant_id IS NOT DISTINCT FROM l.variant_id
      AND i.line_key = l.line_key;
  v_shortages := cart.shortages(p_merchant_id, p_cart_id, v_lines);
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;
  SELECT coalesce(jsonb_agg(r), '[]')
  INTO v_refusals
  FROM
    (
      SELECT format('%s.%s.quantity', p_list, l.position) AS field, 'quantity_too_large' AS reason
      FROM unnest(v_lines) l
      WHERE l.quantity > 999999
      UNION ALL
      SELECT format('%s.%s.quantity', p_list, d.position), 'total_too_large'
      FROM cart.line_too_dear(p_merchant_id, p_cart_id, v_lines) AS d (position)
      WHERE d.position IS NOT NULL
      UNION ALL
      SELECT p_list, 'too_many_lines'
      WHERE
        p_max_lines < (
          SELECT count(*)
          FROM
            (
              SELECT i.product_id, i.variant_id, i.line_key
              FROM cart.cart_item i
              WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id
              UNION
              SELECT l.product_id, l.variant_id, l.line_key FROM unnest(v_lines) l
            ) u
        )
    ) r;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  INSERT INTO cart.cart_item AS i (
    merchant_id,
    cart_id,
    product_id,
    variant_id,
    quantity,
    properties,
    line_key,
    external_id,
    metadata,
    private_metadata
  )
  SELECT
    p_merchant_id,
    p_cart_id,
    l.product_id,
    l.variant_id,
    l.quantity,
    l.properties,
    l.line_key,
    l.kept ->> 'externalId',
    coalesce(l.kept -> 'metadata', '{}'),
    coalesce(l.kept -> 'privateMetadata', '{}')
  FROM unnest(v_lines) l
  ON CONFLICT ON CONSTRAINT cart_item_line_key DO UPDATE
    SET
      quantity = excluded.quantity,
      external_id = coalesce(excluded.external_id, i.external_id),
      metadata = excluded.metadata,
      private_metadata = excluded.private_metadata;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;
