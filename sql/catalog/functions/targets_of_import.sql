-- For each product of a batch, the product that it is written to (`target`; `known` if it is here already), whether it
-- is `written`, and otherwise the `field` and `reason` of a refusal. A product that has the external id of another row
-- of the file isn't the one of a row that only has its SKU. p_import_id is NULL while rows are checked: those of
-- earlier batches have not been written, so a product may still have a SKU that it loses.
--
-- nullable: p_import_id
CREATE FUNCTION catalog.targets_of_import(p_merchant_id uuid, p_import_id uuid, p_batch jsonb, p_update boolean)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  WITH
    unknown_warehouse AS MATERIALIZED (
      SELECT x.code
      FROM (SELECT DISTINCT warehouse AS code FROM jsonb_to_recordset(p_batch -> 'stock') AS s (warehouse text)) x
      WHERE inventory.warehouse_of_import(p_merchant_id, x.code) IS NULL
    ),
    row AS MATERIALIZED (
      SELECT
        p.id,
        p.slug,
        p.fingerprint,
        r.fingerprint AS fingerprint_before,
        coalesce(r.record_id, e.id, s.id) AS known,
        coalesce(r.record_id, e.id) IS NOT NULL AS known_by_key,
        EXISTS (
          SELECT
          FROM bulk.import_key k
          WHERE
            k.merchant_id = p_merchant_id
            AND k.import_id = p_import_id
            AND k.kind = 'PRODUCT'
            AND k.key = s.external_id
            AND k.key <> p.key
        ) AS sku_is_of_another_row
      FROM
        jsonb_to_recordset(p_batch -> 'products') AS p (
          id uuid,
          key text,
          external_id text,
          fingerprint text,
          sku text,
          slug text
        )
        LEFT JOIN LATERAL (
          SELECT r.record_id, r.fingerprint
          FROM
            bulk.imported_record r
            JOIN catalog.product x ON x.merchant_id = r.merchant_id AND x.id = r.record_id AND x.deleted_at IS NULL
          WHERE r.merchant_id = p_merchant_id AND r.record_type = 'PRODUCT' AND r.external_id = p.key
        ) r
          ON TRUE
        LEFT JOIN catalog.product e
          ON e.merchant_id = p_merchant_id AND e.external_id = p.external_id AND e.deleted_at IS NULL
        LEFT JOIN catalog.product s ON s.merchant_id = p_merchant_id AND s.sku = p.sku AND s.deleted_at IS NULL
    ),
    fault AS MATERIALIZED (
      SELECT DISTINCT ON (f.id) f.id, f.field, f.reason
      FROM
        (
          SELECT w.id, s.field, 'sku_taken' AS reason
          FROM
            row w
            JOIN jsonb_to_recordset(p_batch -> 'skus') AS s (product uuid, sku text, field text) ON s.product = w.id
            JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.sku = s.sku
          WHERE i.product_id IS DISTINCT FROM w.known
          UNION ALL
          SELECT w.id, 'sku', 'another_row'
          FROM
            (
              SELECT
                w.id,
                NOT w.known_by_key
                AND w.sku_is_of_another_row
                OR row_number() OVER (
                  PARTITION BY w.known
                  ORDER BY w.known_by_key DESC, w.id
                ) > 1 AS is_of_another_row
              FROM row w
              WHERE w.known IS NOT NULL
            ) w
          WHERE w.is_of_another_row
          UNION ALL
          SELECT w.id, 'slug', 'slug_taken'
          FROM
            row w
            JOIN catalog.product o ON o.merchant_id = p_merchant_id AND o.slug = w.slug
          WHERE o.id IS DISTINCT FROM w.known
          UNION ALL
          SELECT w.id, s.field, 'unknown_warehouse'
          FROM
            row w
            JOIN jsonb_to_recordset(p_batch -> 'stock') AS s (product uuid, warehouse text, field text)
              ON s.product = w.id
            JOIN unknown_warehouse u ON u.code IS NOT DISTINCT FROM s.warehouse
        ) f
      ORDER BY f.id, f.field
    )
  SELECT
    jsonb_agg(
      jsonb_build_object(
        'id',
        w.id,
        'target',
        coalesce(w.known, w.id),
        'known',
        w.known IS NOT NULL,
        'written',
        f.reason IS NULL AND (w.known IS NULL OR p_update AND w.fingerprint_before IS DISTINCT FROM w.fingerprint),
        'field',
        f.field,
        'reason',
        CASE
          WHEN w.known IS NULL
          OR p_update
          AND w.fingerprint_before IS DISTINCT FROM w.fingerprint THEN f.reason
        END
      )
    )
  FROM
    row w
    LEFT JOIN fault f ON f.id = w.id;
$$;
