-- Writes promotions of another system. One that was imported, or has the row's code, is here already and stays.
--
-- answers: rows {id: uuid, outcome: 'imported' | 'unchanged' | 'refused', field: text | null, reason: text | null}
CREATE FUNCTION promotion.import_promotions(p_merchant_id uuid, p_batch jsonb)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_new uuid[];
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id);
  v_new := ARRAY(
    SELECT w.id
    FROM jsonb_to_recordset(p_batch -> 'promotions') AS w (id uuid, key text, code citext)
    WHERE
      NOT EXISTS (SELECT FROM promotion.promotion p WHERE p.merchant_id = p_merchant_id AND p.code = w.code)
      AND NOT EXISTS (
        SELECT
        FROM
          bulk.imported_record r
          JOIN promotion.promotion p ON p.merchant_id = r.merchant_id AND p.id = r.record_id
        WHERE r.merchant_id = p_merchant_id AND r.record_type = 'PROMOTION' AND r.external_id = w.key
      )
  );
  INSERT INTO promotion.promotion
    (
      merchant_id,
      id,
      name,
      description,
      code,
      discount_type,
      discount_value,
      start_date,
      end_date,
      disabled,
      usage_limit
    )
  SELECT
    p_merchant_id,
    p.id,
    p.name,
    p.description,
    p.code,
    p.discount_type,
    coalesce(p.discount_value, 0),
    p.start_date,
    p.end_date,
    coalesce(p.disabled, FALSE),
    p.usage_limit
  FROM jsonb_populate_recordset(NULL::promotion.promotion, p_batch -> 'promotions') p
  WHERE p.id = ANY (v_new);
  INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
  SELECT p_merchant_id, 'PROMOTION', w.key, w.id, w.fingerprint
  FROM jsonb_to_recordset(p_batch -> 'promotions') AS w (id uuid, key text, fingerprint text)
  WHERE w.id = ANY (v_new)
  ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
    SET
      record_id = excluded.record_id,
      fingerprint = excluded.fingerprint,
      imported_at = now();
  RETURN QUERY SELECT
      w.id,
      CASE
        WHEN w.id = ANY (v_new) THEN 'imported'
        ELSE 'unchanged'
      END,
      NULL::text,
      NULL::text
    FROM jsonb_to_recordset(p_batch -> 'promotions') AS w (id uuid);
END;
$$;
