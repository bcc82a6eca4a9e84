-- Writes reviews of another system. p_import_id names an import that is only checked: its rows may be about products of
-- rows before them.
--
-- answers: rows {id: uuid, outcome: 'imported' | 'unchanged' | 'refused', field: text | null, reason: text | null}
-- nullable: p_import_id
CREATE FUNCTION catalog.import_reviews(p_merchant_id uuid, p_batch jsonb, p_import_id uuid)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_reviews jsonb;
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id);
  SELECT
    jsonb_agg(
      r || jsonb_build_object(
        'product_id',
        p.product_id,
        'customer_id',
        (SELECT c.id FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.email = w.email AND c.has_account),
        'known',
        k.record_id IS NOT NULL,
        'unknown',
        k.record_id IS NULL
        AND p.product_id IS NULL
        AND NOT EXISTS (
          SELECT
          FROM bulk.import_key i
          WHERE i.merchant_id = p_merchant_id AND i.import_id = p_import_id AND i.kind = 'SKU' AND i.key = w.sku
        )
      )
    )
  INTO v_reviews
  FROM
    jsonb_array_elements(p_batch -> 'reviews') AS r
    CROSS JOIN LATERAL jsonb_to_record(r) AS w (key text, sku text, email citext)
    LEFT JOIN LATERAL catalog.product_of_history(p_merchant_id, w.sku, NULL) p ON TRUE
    LEFT JOIN LATERAL (
      SELECT k.record_id
      FROM
        bulk.imported_record k
        JOIN catalog.review x ON x.merchant_id = k.merchant_id AND x.id = k.record_id
      WHERE k.merchant_id = p_merchant_id AND k.record_type = 'REVIEW' AND k.external_id = w.key
    ) k
      ON TRUE;
  INSERT INTO catalog.review
    (merchant_id, id, product_id, customer_id, author_name, rating, title, body, status, created_at)
  SELECT
    p_merchant_id,
    r.id,
    r.product_id,
    r.customer_id,
    r.author_name,
    r.rating,
    r.title,
    r.body,
    coalesce(r.status, 'PENDING'),
    coalesce(r.created_at, now())
  FROM
    jsonb_populate_recordset(NULL::catalog.review, v_reviews) r
    JOIN jsonb_to_recordset(v_reviews) AS w (id uuid, known boolean) ON w.id = r.id AND NOT w.known
  WHERE r.product_id IS NOT NULL;
  INSERT INTO bulk.imported_record AS k (merchant_id, record_type, external_id, record_id, fingerprint)
  SELECT p_merchant_id, 'REVIEW', w.key, w.id, w.fingerprint
  FROM jsonb_to_recordset(v_reviews) AS w (id uuid, key text, fingerprint text, known boolean, product_id uuid)
  WHERE NOT w.known AND w.product_id IS NOT NULL
  ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
    SET
      record_id = excluded.record_id,
      fingerprint = excluded.fingerprint,
      imported_at = now();
  RETURN QUERY SELECT
      w.id,
      CASE
        WHEN w.unknown THEN 'refused'
        WHEN w.known THEN 'unchanged'
        ELSE 'imported'
      END,
      CASE
        WHEN w.unknown THEN 'sku'
      END,
      CASE
        WHEN w.unknown THEN 'unknown_product'
      END
    FROM jsonb_to_recordset(v_reviews) AS w (id uuid, known boolean, unknown boolean);
END;
$$;
