-- Notes the orders of a batch that have these ids: what they are known by, their times and customers for the
-- reports, and their numbers, which the counter does not give again.
CREATE FUNCTION ordering.note_imported_orders(p_merchant_id uuid, p_batch jsonb, p_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_largest bigint;
BEGIN
  INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
  SELECT p_merchant_id, 'ORDER', o.key, o.id, o.fingerprint
  FROM jsonb_to_recordset(p_batch -> 'orders') AS o (id uuid, key text, fingerprint text)
  WHERE o.id = ANY (p_ids)
  ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
    SET
      record_id = excluded.record_id,
      fingerprint = excluded.fingerprint,
      imported_at = now();
  PERFORM
    analytics.mark_stale(
      p_merchant_id,
      ARRAY(
        SELECT t.at
        FROM
          ordering.order o
          CROSS JOIN LATERAL (
            VALUES
              (o.created_at),
              (o.paid_at),
              (o.cancelled_at)
          ) AS t (at)
        WHERE o.merchant_id = p_merchant_id AND o.id = ANY (p_ids)
        UNION
        SELECT r.created_at
        FROM jsonb_to_recordset(p_batch -> 'refunds') AS r (order_id uuid, created_at timestamptz)
        WHERE r.order_id = ANY (p_ids)
      )
    );
  SELECT max(substring(o.order_number, '^ORD-([0-9]{1,15})$')::bigint)
  INTO v_largest
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = ANY (p_ids);
  IF v_largest IS NOT NULL THEN
    INSERT INTO ordering.order_number_counter AS c (merchant_id, last_number)
    VALUES (p_merchant_id, greatest(v_largest, 1000))
    ON CONFLICT (merchant_id) DO UPDATE SET last_number = greatest(c.last_number, excluded.last_number);
  END IF;
  PERFORM analytics.note_purchases(p_merchant_id, p_ids);
END;
$$;
