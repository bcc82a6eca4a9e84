-- Writes the variants of a batch, each to the variant that has its SKU already, if there is one.
CREATE FUNCTION catalog.write_imported_variants(
  p_merchant_id uuid,
  p_batch jsonb,
  p_targets jsonb,
  p_check_only boolean
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_variants jsonb;
  v_product_ids uuid[];
BEGIN
  SELECT
    jsonb_agg(v || jsonb_build_object('product', t.target, 'target', coalesce(o.id, w.id), 'known', o.id IS NOT NULL))
  INTO v_variants
  FROM
    jsonb_array_elements(p_batch -> 'variants') AS v
    CROSS JOIN LATERAL jsonb_to_record(v) AS w (id uuid, product uuid, sku text)
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, written boolean) ON t.id = w.product AND t.written
    LEFT JOIN catalog.product_variant o
      ON o.merchant_id = p_merchant_id AND o.product_id = t.target AND o.sku = w.sku AND o.deleted_at IS NULL;
  IF v_variants IS NULL THEN
    RETURN;
  END IF;
  UPDATE catalog.product_variant o
  SET
    price = w.price,
    compare_at_price = w.compare_at_price,
    position = w.position
  FROM
    jsonb_to_recordset(v_variants) AS w (
      target uuid,
      known boolean,
      price bigint,
      compare_at_price bigint,
      position integer
    )
  WHERE o.merchant_id = p_merchant_id AND o.id = w.target AND w.known;
  INSERT INTO catalog.product_variant (merchant_id, id, product_id, sku, price, compare_at_price, position)
  SELECT p_merchant_id, w.target, w.product, w.sku, w.price, w.compare_at_price, w.position
  FROM
    jsonb_to_recordset(v_variants) AS w (
      target uuid,
      product uuid,
      known boolean,
      sku text,
      price bigint,
      compare_at_price bigint,
      position integer
    )
  WHERE NOT w.known;
  DELETE FROM catalog.variant_option o
  USING jsonb_to_recordset(v_variants) AS w (target uuid, known boolean)
  WHERE o.merchant_id = p_merchant_id AND o.variant_id = w.target AND w.known;
  INSERT INTO catalog.variant_option (merchant_id, variant_id, name, value, position)
  SELECT p_merchant_id, w.target, o.name, o.value, o.position
  FROM
    jsonb_to_recordset(p_batch -> 'options') AS o (variant uuid, name text, value text, position integer)
    JOIN jsonb_to_recordset(v_variants) AS w (id uuid, target uuid) ON w.id = o.variant;
  v_product_ids := ARRAY(SELECT DISTINCT w.product FROM jsonb_to_recordset(v_variants) AS w (product uuid));
  PERFORM catalog.require_variant_options(p_merchant_id, v_product_ids);
  IF NOT p_check_only THEN
    PERFORM catalog.sum_up_variants(p_merchant_id, v_product_ids);
  END IF;
END;
$$;
