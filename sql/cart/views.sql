CREATE VIEW cart.priced_cart_item AS
  SELECT
    l.merchant_id,
    l.id,
    l.cart_id,
    l.product_id,
    l.variant_id,
    l.quantity,
    l.created_at,
    l.external_id,
    l.metadata,
    l.private_metadata,
    l.properties,
    l.line_key,
    coalesce(v.price, p.price) AS price,
    p.currency,
    platform.as_money(coalesce(v.price, p.price)::numeric * l.quantity) AS subtotal,
    p.status = 'ACTIVE'
    -- A product's currency may change while it is in a cart.
    AND p.currency = c.currency
    AND p.deleted_at IS NULL
    AND v.deleted_at IS NULL
    AND coalesce(s.available, 0) - o.quantity >= l.quantity AS available,
    greatest(0, coalesce(s.available, 0) - o.quantity)::integer AS max_quantity
  FROM
    cart.cart_item l
    JOIN cart.cart c ON c.merchant_id = l.merchant_id AND c.id = l.cart_id
    JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
    LEFT JOIN catalog.product_variant v ON v.merchant_id = l.merchant_id AND v.id = l.variant_id
    LEFT JOIN LATERAL (
      SELECT i.available
      FROM inventory.sku_inventory i
      WHERE
        i.merchant_id = l.merchant_id
        AND i.product_id = l.product_id
        AND i.variant_id IS NOT DISTINCT FROM l.variant_id
    ) s
      ON TRUE
    -- The cart's other lines of the product, which take from the same stock.
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(x.quantity), 0) AS quantity
      FROM cart.cart_item x
      WHERE
        x.merchant_id = l.merchant_id
        AND x.cart_id = l.cart_id
        AND x.product_id = l.product_id
        AND x.variant_id IS NOT DISTINCT FROM l.variant_id
        AND x.id <> l.id
    ) o;

CREATE VIEW cart.shipping_option AS
  SELECT
    c.merchant_id,
    c.id AS cart_id,
    m.id AS shipping_method_id,
    m.name,
    m.price,
    m.id IS NOT DISTINCT FROM c.shipping_method_id AS chosen
  FROM
    cart.cart c
    JOIN cart.cart_address a ON a.merchant_id = c.merchant_id AND a.cart_id = c.id
    JOIN merchant.shipping_method m ON m.merchant_id = c.merchant_id
  WHERE ordering.shipping_refusal(c.merchant_id, m.id, a.country, c.currency) IS NULL;

CREATE VIEW cart.cart_total AS
  SELECT
    c.merchant_id,
    c.id AS cart_id,
    s.item_count,
    platform.as_money(s.subtotal) AS subtotal,
    t.tax,
    h.shipping,
    d.promotion_id,
    d.promotion_name,
    platform.as_money(d.lines + d.shipping) AS discount,
    -- The coupon's discount: all of it, or none where another promotion takes off more.
    platform.as_money(
      CASE
        WHEN d.promotion_id = c.promotion_id THEN d.lines + d.shipping
        ELSE 0
      END
    ) AS coupon_discount,
    platform.as_money(s.subtotal + t.tax + h.shipping - d.lines - d.shipping) AS total
  FROM
    cart.cart c
    JOIN merchant.settings m ON m.merchant_id = c.merchant_id
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(l.quantity), 0)::integer AS item_count,
        coalesce(
          sum(coalesce(v.price, p.price)::numeric * l.quantity) FILTER (WHERE p.currency = c.currency),
          0
        ) AS subtotal,
        array_agg(l.product_id ORDER BY l.created_at, l.id) FILTER (WHERE p.currency = c.currency) AS product_ids,
        array_agg(
          platform.as_money(coalesce(v.price, p.price)::numeric * l.quantity)
          ORDER BY l.created_at, l.id
        ) FILTER (WHERE p.currency = c.currency) AS subtotals
      FROM
        cart.cart_item l
        JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
        LEFT JOIN catalog.product_variant v ON v.merchant_id = l.merchant_id AND v.id = l.variant_id
      WHERE l.merchant_id = c.merchant_id AND l.cart_id = c.id
    ) s
    CROSS JOIN LATERAL (
      SELECT
        CASE
          WHEN c.shipping_method_id IS NULL THEN 0
          ELSE cart.shipping_price(c)
        END::bigint AS shipping
    ) h
    CROSS JOIN LATERAL (
      SELECT
        o.promotion_id,
        o.promotion_name,
        coalesce(o.shipping, 0) AS shipping,
        coalesce((SELECT sum(x) FROM unnest(o.lines) x), 0) AS lines
      FROM cart.choose_promotion(c, s.product_ids, s.subtotals, h.shipping) o
    ) d
    CROSS JOIN LATERAL (SELECT platform.as_money(round((s.subtotal - d.lines) * m.tax_rate)) AS tax) t;
