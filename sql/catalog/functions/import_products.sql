-- Writes products of another system, with pictures, variants, categories and stock. p_batch has a list for each; its
-- rows name the product's row by `product`. A product is here already when a row of the same external id was imported,
-- or else when it has the row's SKU; p_update says whether it gets the row's fields. Within a batch no SKU and no
-- external id comes twice. p_check_only: the caller rolls all of it back. What can refuse no product is then left out:
-- the search, the categories and the sums of variants.
--
-- answers: rows {id: uuid, outcome: 'imported' | 'unchanged' | 'refused', field: text | null, reason: text | null}
CREATE FUNCTION catalog.import_products(
  p_merchant_id uuid,
  p_import_id uuid,
  p_batch jsonb,
  p_update boolean,
  p_check_only boolean
)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_targets jsonb;
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id, p_check_only);
  PERFORM set_config('search.follows_later', 'on', TRUE);
  v_targets := catalog.targets_of_import(
    p_merchant_id,
    CASE
      WHEN NOT p_check_only THEN p_import_id
    END,
    p_batch,
    p_update
  );
  -- In the order of all of commerce: levels before products.
  PERFORM
    inventory.lock_stock_of_products(
      p_merchant_id,
      ARRAY(
        SELECT t.target
        FROM jsonb_to_recordset(v_targets) AS t (target uuid, known boolean, written boolean)
        WHERE t.known AND t.written
      )
    );
  PERFORM catalog.write_imported_products(p_merchant_id, p_batch, v_targets);
  PERFORM catalog.write_imported_variants(p_merchant_id, p_batch, v_targets, p_check_only);
  PERFORM catalog.link_imported_products(p_merchant_id, p_batch, v_targets);
  INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
  SELECT p_merchant_id, 'PRODUCT', p.key, t.target, p.fingerprint
  FROM
    jsonb_to_recordset(p_batch -> 'products') AS p (id uuid, key text, fingerprint text)
    JOIN jsonb_to_recordset(v_targets) AS t (id uuid, target uuid, written boolean) ON t.id = p.id AND t.written
  ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
    SET
      record_id = excluded.record_id,
      fingerprint = excluded.fingerprint,
      imported_at = now();
  IF NOT p_check_only THEN
    PERFORM catalog.put_imported_products(p_merchant_id, p_import_id, p_batch, v_targets);
    PERFORM
      inventory.keep_standing(
        p_merchant_id,
        ARRAY(
          SELECT i.id
          FROM
            jsonb_to_recordset(v_targets) AS t (target uuid, written boolean)
            JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.product_id = t.target
          WHERE t.written
        )
      );
    PERFORM
      search.follow_import(
        p_merchant_id,
        ARRAY(SELECT t.target FROM jsonb_to_recordset(v_targets) AS t (target uuid, written boolean) WHERE t.written)
      );
  END IF;
  RETURN QUERY SELECT
      t.id,
      CASE
        WHEN t.reason IS NOT NULL THEN 'refused'
        WHEN t.written THEN 'imported'
        ELSE 'unchanged'
      END,
      t.field,
      t.reason
    FROM jsonb_to_recordset(v_targets) AS t (id uuid, written boolean, field text, reason text);
END;
$$;
