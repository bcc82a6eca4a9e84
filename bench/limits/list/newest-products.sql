-- The 20 newest active products of a merchant ($1) with images, categories and stock, as the client gets them. One
-- look at each table for a product, by an index that has the order. Stock is that of what can be sold: the variants', or
-- the product's own if it has none, in warehouses that sell.
SELECT
  json_build_object(
    'edges',
    coalesce(
      json_agg(
        json_build_object(
          'node',
          json_build_object(
            'id',
            p.id,
            'name',
            p.name,
            'slug',
            p.slug,
            'price',
            p.price,
            'currency',
            p.currency,
            'images',
            g.images,
            'categories',
            c.categories,
            'inventory',
            s.inventory
          )
        )
        ORDER BY p.created_at DESC, p.id DESC
      ),
      '[]'
    )
  )
FROM
  (
    SELECT p.*
    FROM catalog.product p
    WHERE p.merchant_id = $1::uuid AND p.status = 'ACTIVE' AND p.deleted_at IS NULL
    ORDER BY p.created_at DESC, p.id DESC
    LIMIT 20
  ) p
  CROSS JOIN LATERAL (
    SELECT
      coalesce(
        json_agg(
          json_build_object('url', g.url, 'alt', g.alt, 'width', g.width, 'height', g.height)
          ORDER BY g.position, g.id
        ),
        '[]'
      ) AS images
    FROM catalog.product_image g
    WHERE g.merchant_id = p.merchant_id AND g.product_id = p.id
  ) g
  CROSS JOIN LATERAL (
    SELECT
      coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'slug', c.slug) ORDER BY c.name, c.id), '[]')
        AS categories
    FROM
      catalog.product_category l
      JOIN catalog.category c ON c.merchant_id = l.merchant_id AND c.id = l.category_id
    WHERE l.merchant_id = p.merchant_id AND l.product_id = p.id
  ) c
  CROSS JOIN LATERAL (
    SELECT
      json_build_object(
        'available',
        coalesce(sum(t.available), 0),
        'reserved',
        coalesce(sum(t.reserved), 0),
        'isLowStock',
        coalesce(bool_or(t.available <= t.threshold), TRUE)
      ) AS inventory
    FROM
      (
        SELECT
          coalesce(sum(l.available) FILTER (WHERE w.active), 0) AS available,
          coalesce(sum(l.reserved), 0) AS reserved,
          coalesce(
            i.low_stock_threshold,
            (SELECT m.low_stock_threshold FROM merchant.settings m WHERE m.merchant_id = $1::uuid),
            5
          ) AS threshold
        FROM
          inventory.stock_item i
          LEFT JOIN inventory.stock_level l ON l.merchant_id = i.merchant_id AND l.stock_item_id = i.id
          LEFT JOIN inventory.warehouse w ON w.merchant_id = l.merchant_id AND w.id = l.warehouse_id
        WHERE
          i.merchant_id = p.merchant_id
          AND i.product_id = p.id
          AND i.sku IS NOT NULL
          AND (
            i.variant_id IS NOT NULL
            OR NOT EXISTS (
              SELECT
              FROM catalog.product_variant v
              WHERE v.merchant_id = p.merchant_id AND v.product_id = p.id AND v.deleted_at IS NULL
            )
          )
        GROUP BY i.merchant_id, i.id
      ) t
  ) s
