CREATE FUNCTION promotion.discount_on(p_promotion promotion.promotion, p_purchase promotion.purchase)
RETURNS promotion.discount
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_purchase numeric;
  v_covered numeric;
  v_weights bigint[];
  v_amount numeric;
BEGIN
  SELECT
    sum(l.subtotal),
    sum(l.subtotal) FILTER (WHERE l.covered),
    array_agg(
      CASE
        WHEN l.covered THEN l.subtotal
        ELSE 0
      END
      ORDER BY l.position
    )
  INTO v_purchase, v_covered, v_weights
  FROM
    (
      SELECT
        x.subtotal,
        x.position,
        (p_promotion.product_ids IS NULL OR x.product_id = ANY (p_promotion.product_ids))
        AND (
          p_promotion.category_ids IS NULL
          OR EXISTS (
            SELECT
            FROM catalog.product_category c
            WHERE
              c.merchant_id = p_promotion.merchant_id
              AND c.product_id = x.product_id
              AND c.category_id = ANY (p_promotion.category_ids)
          )
        ) AS covered
      FROM unnest(p_purchase.product_ids, p_purchase.subtotals) WITH ORDINALITY AS x (product_id, subtotal, position)
    ) l;
  IF v_covered IS NULL THEN
    RETURN ROW('coupon_not_for_products', NULL, NULL)::promotion.discount;
  END IF;
  IF v_purchase < p_promotion.min_purchase_amount THEN
    RETURN ROW('coupon_minimum_not_met', NULL, NULL)::promotion.discount;
  END IF;
  -- least() passes over NULL: no maximum.
  v_amount := least(
    p_promotion.max_discount_amount,
    CASE p_promotion.discount_type
      WHEN 'PERCENTAGE' THEN round(v_covered * p_promotion.discount_value / 100)
      WHEN 'FIXED_AMOUNT' THEN least(p_promotion.discount_value, v_covered)
      WHEN 'FREE_SHIPPING' THEN p_purchase.shipping
    END
  );
  IF p_promotion.discount_type = 'FREE_SHIPPING' THEN
    RETURN ROW(NULL, array_fill(0::bigint, ARRAY[cardinality(v_weights)]), v_amount)::promotion.discount;
  END IF;
  RETURN ROW(NULL, platform.allocate(v_amount, v_weights), 0)::promotion.discount;
END;
$$;
