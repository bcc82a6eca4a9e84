-- Writes orders of another system with everything that has happened to them. p_batch has a list for each table, whose
-- rows have the ids that they get, and the order's as `order_id`; and the lists `customers` and `products`, to whose
-- numbers orders and lines refer (crm.customers_of_history, catalog.products_of_history). Within a batch, no number and
-- no external id comes twice. Nothing is reserved, sent or earned. p_check_only: the caller rolls all of it back. The
-- search, which can refuse no order, then doesn't learn of the products.
--
-- answers: rows {id: uuid, outcome: 'imported' | 'unchanged' | 'refused', field: text | null, reason: text | null}
CREATE FUNCTION ordering.import_orders(p_merchant_id uuid, p_batch jsonb, p_check_only boolean)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_new uuid[];
  v_outcomes jsonb;
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id, p_check_only);
  IF p_check_only THEN
    PERFORM set_config('search.follows_later', 'on', TRUE);
  END IF;
  SELECT
    jsonb_agg(
      jsonb_build_object(
        'id',
        o.id,
        'reason',
        CASE
          WHEN r.record_id IS NULL
          AND n.id IS NOT NULL THEN 'number_taken'
          WHEN r.record_id IS NULL
          AND e.id IS NOT NULL THEN 'external_id_taken'
          WHEN r.fingerprint <> o.fingerprint THEN 'imported_differently'
        END,
        'known',
        r.record_id IS NOT NULL
      )
    )
  INTO v_outcomes
  FROM
    jsonb_to_recordset(p_batch -> 'orders') AS o (
      id uuid,
      key text,
      external_id text,
      fingerprint text,
      order_number text
    )
    LEFT JOIN bulk.imported_record r
      ON r.merchant_id = p_merchant_id
      AND r.record_type = 'ORDER'
      AND r.external_id = o.key
      AND EXISTS (SELECT FROM ordering.order x WHERE x.merchant_id = p_merchant_id AND x.id = r.record_id)
    LEFT JOIN ordering.order n ON n.merchant_id = p_merchant_id AND n.order_number = o.order_number
    LEFT JOIN ordering.order e ON e.merchant_id = p_merchant_id AND e.external_id = o.external_id;
  v_new := ARRAY(
    SELECT x.id
    FROM jsonb_to_recordset(v_outcomes) AS x (id uuid, reason text, known boolean)
    WHERE x.reason IS NULL AND NOT x.known
  );
  PERFORM ordering.write_imported_orders(p_merchant_id, p_batch, v_new);
  PERFORM ordering.write_imported_events(p_merchant_id, p_batch, v_new);
  PERFORM ordering.note_imported_orders(p_merchant_id, p_batch, v_new);
  RETURN QUERY SELECT
      x.id,
      CASE
        WHEN x.reason IS NOT NULL THEN 'refused'
        WHEN x.known THEN 'unchanged'
        ELSE 'imported'
      END,
      NULL::text,
      x.reason
    FROM jsonb_to_recordset(v_outcomes) AS x (id uuid, reason text, known boolean);
END;
$$;
