-- p_secret_hash: of the secret that a guest proves the cart to be its own by; NULL where the merchant's server says so.
--
-- answers: uuid | null
-- nullable: p_secret_hash
CREATE FUNCTION cart.merge(
  p_merchant_id uuid,
  p_guest_cart_id uuid,
  p_secret_hash bytea,
  p_customer_id uuid,
  p_lifetime interval,
  p_max_lines integer
)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_guest cart.cart;
  v_own cart.cart;
  v_lines jsonb;
  v_refusal text;
BEGIN
  -- One merge of a customer at a time: two that saw no cart would both make one.
  PERFORM pg_advisory_xact_lock(hashtextextended('cart.merge ' || p_merchant_id || p_customer_id, 0));
  -- Both carts in one order, so that merges and checkouts wait for each other and never in a circle.
  PERFORM
  FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND (
      c.id = p_guest_cart_id
      OR (c.customer_id = p_customer_id AND c.checked_out_at IS NULL AND c.expires_at > now())
    )
  ORDER BY c.id
  FOR UPDATE;
  SELECT *
  INTO v_guest
  FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.id = p_guest_cart_id
    AND c.customer_id IS NULL
    AND (p_secret_hash IS NULL OR c.secret_hash = p_secret_hash)
    AND c.checked_out_at IS NULL
    AND c.expires_at > now();
  IF v_guest.id IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT *
  INTO v_own
  FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.customer_id = p_customer_id
    AND c.checked_out_at IS NULL
    AND c.expires_at > now()
    AND c.currency = v_guest.currency
  ORDER BY c.created_at DESC, c.id DESC
  LIMIT 1;

  IF v_own.id IS NULL THEN
    v_own := v_guest;
    v_own.customer_id := p_customer_id;
  ELSE
    SELECT
      jsonb_agg(cart.line(i) ORDER BY i.created_at, i.id)
    INTO v_lines
    FROM cart.cart_item i
    WHERE i.merchant_id = p_merchant_id AND i.cart_id = v_guest.id;
    INSERT INTO cart.cart_item AS i (
      merchant_id,
      cart_id,
      product_id,
      variant_id,
      quantity,
      properties,
      line_key,
      metadata,
      private_metadata
    )
    SELECT
      p_merchant_id,
      v_own.id,
      w.product_id,
      w.variant_id,
      w.merged_quantity,
      w.properties,
      w.line_key,
      coalesce(w.kept -> 'metadata', '{}'),
      coalesce(w.kept -> 'privateMetadata', '{}')
    FROM
      (
        SELECT
          x.*,
          row_number() OVER (
            PARTITION BY x.is_new
            ORDER BY x.position
          ) AS place
        FROM
          (
            SELECT
              l.*,
              o.id IS NULL AS is_new,
              -- Lines of one stock item share what is there: those that stay as they are come first.
              least(
                coalesce(o.quantity, 0) + l.quantity,
                s.available - others.quantity - coalesce(
                  sum(coalesce(o.quantity, 0) + l.quantity) OVER (
                    PARTITION BY l.stock_item_id
                    ORDER BY l.position
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                  ),
                  0
                ),
                999999
              )::integer AS merged_quantity
            FROM
              catalog.sellable_lines(p_merchant_id, coalesce(v_lines, '[]'), v_own.currency) l
              JOIN inventory.sku_inventory s ON s.merchant_id = p_merchant_id AND s.stock_item_id = l.stock_item_id
              LEFT JOIN cart.cart_item o
                ON o.merchant_id = p_merchant_id
                AND o.cart_id = v_own.id
                AND o.product_id = l.product_id
                AND o.variant_id IS NOT DISTINCT FROM l.variant_id
                AND o.line_key = l.line_key
              CROSS JOIN LATERAL (
                SELECT coalesce(sum(x.quantity), 0) AS quantity
                FROM cart.cart_item x
                WHERE
                  x.merchant_id = p_merchant_id
                  AND x.cart_id = v_own.id
                  AND x.product_id = l.product_id
                  AND x.variant_id IS NOT DISTINCT FROM l.variant_id
                  AND NOT EXISTS (
                    SELECT
                    FROM cart.cart_item g
                    WHERE
                      g.merchant_id = p_merchant_id
                      AND g.cart_id = v_guest.id
                      AND g.product_id = x.product_id
                      AND g.variant_id IS NOT DISTINCT FROM x.variant_id
                      AND g.line_key = x.line_key
                  )
              ) others
            WHERE l.refusal IS NULL
          ) x
        WHERE x.merged_quantity > 0
      ) AS w
    WHERE
      NOT w.is_new
      OR w.place <= p_max_lines - (
        SELECT count(*) FROM cart.cart_item x WHERE x.merchant_id = p_merchant_id AND x.cart_id = v_own.id
      )
    ON CONFLICT ON CONSTRAINT cart_item_line_key DO UPDATE
      SET
        quantity = greatest(i.quantity, excluded.quantity),
        metadata = excluded.metadata,
        private_metadata = excluded.private_metadata;
    DELETE FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = v_guest.id;
  END IF;

  IF v_own.promotion_id IS NULL OR v_own.id = v_guest.id THEN
    v_own.promotion_id := v_guest.promotion_id;
    v_own.coupon_code := v_guest.coupon_code;
    v_refusal := cart.coupon_refusal(v_own);
    IF v_refusal IS NOT NULL THEN
      v_own.promotion_id := NULL;
      v_own.coupon_code := NULL;
    END IF;
  END IF;
  UPDATE cart.cart c
  SET
    customer_id = p_customer_id,
    secret_hash = NULL,
    promotion_id = v_own.promotion_id,
    coupon_code = v_own.coupon_code,
    expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = v_own.id;
  RETURN v_own.id;
END;
$$;
