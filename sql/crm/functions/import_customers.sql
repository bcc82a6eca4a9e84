-- Writes customers of another system with their addresses. A customer is here already when a row of the same external
-- id was imported, or else when an account has the row's address; p_update says whether it gets the row's fields. An
-- account with the external id of another row of the file isn't the one of a row that only has its address. p_import_id
-- is NULL while rows are checked: those of earlier batches have not been written.
--
-- answers: rows {id: uuid, outcome: 'imported' | 'unchanged' | 'refused', field: text | null, reason: text | null}
-- nullable: p_import_id
CREATE FUNCTION crm.import_customers(p_merchant_id uuid, p_import_id uuid, p_batch jsonb, p_update boolean)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_targets jsonb;
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id);
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
        w.reason IS NULL AND (w.known IS NULL OR p_update AND w.is_changed),
        'reason',
        w.reason
      )
    )
  INTO v_targets
  FROM
    (
      SELECT
        w.id,
        w.known,
        w.is_changed,
        CASE
          WHEN w.known IS NULL
          OR NOT p_update THEN NULL
          WHEN w.known <> w.has_email THEN 'email_taken'
          WHEN w.is_changed
          AND (
            NOT w.known_by_key
            AND w.email_is_of_another_row
            OR row_number() OVER (
              PARTITION BY w.known
              ORDER BY w.known_by_key DESC, w.id
            ) > 1
          ) THEN 'another_row'
        END AS reason
      FROM
        (
          SELECT
            w.id,
            a.id AS has_email,
            coalesce(r.record_id, e.id, a.id) AS known,
            coalesce(r.record_id, e.id) IS NOT NULL AS known_by_key,
            r.fingerprint IS DISTINCT FROM w.fingerprint AS is_changed,
            EXISTS (
              SELECT
              FROM bulk.import_key k
              WHERE
                k.merchant_id = p_merchant_id
                AND k.import_id = p_import_id
                AND k.kind = 'CUSTOMER'
                AND k.key = a.external_id
                AND k.key <> w.key
            ) AS email_is_of_another_row
          FROM
            jsonb_to_recordset(p_batch -> 'customers') AS w (
              id uuid,
              key text,
              external_id text,
              fingerprint text,
              email citext
            )
            LEFT JOIN crm.customer a ON a.merchant_id = p_merchant_id AND a.email = w.email AND a.has_account
            LEFT JOIN crm.customer e ON e.merchant_id = p_merchant_id AND e.external_id = w.external_id
            LEFT JOIN LATERAL (
              SELECT r.record_id, r.fingerprint
              FROM
                bulk.imported_record r
                JOIN crm.customer c ON c.merchant_id = r.merchant_id AND c.id = r.record_id AND c.anonymized_at IS NULL
              WHERE r.merchant_id = p_merchant_id AND r.record_type = 'CUSTOMER' AND r.external_id = w.key
            ) r
              ON TRUE
        ) w
    ) w;
  INSERT INTO crm.customer (merchant_id, id, external_id, email, name, phone, marketing_opt_in, tags, notes, created_at)
  SELECT
    p_merchant_id,
    t.target,
    c.external_id,
    c.email,
    c.name,
    c.phone,
    coalesce(c.marketing_opt_in, FALSE),
    coalesce(c.tags, '{}'),
    c.notes,
    coalesce(c.created_at, now())
  FROM
    jsonb_populate_recordset(NULL::crm.customer, p_batch -> 'customers') c
    JOIN jsonb_to_recordset(v_targets) AS t (id uuid, target uuid, known boolean, written boolean)
      ON t.id = c.id AND t.written AND NOT t.known;
  UPDATE crm.customer o
  SET
    external_id = coalesce(c.external_id, o.external_id),
    email = c.email,
    name = c.name,
    phone = coalesce(c.phone, o.phone),
    marketing_opt_in = coalesce(c.marketing_opt_in, o.marketing_opt_in),
    tags = coalesce(c.tags, o.tags),
    notes = coalesce(c.notes, o.notes)
  FROM
    jsonb_populate_recordset(NULL::crm.customer, p_batch -> 'customers') c
    JOIN jsonb_to_recordset(v_targets) AS t (id uuid, target uuid, known boolean, written boolean)
      ON t.id = c.id AND t.written AND t.known
  WHERE o.merchant_id = p_merchant_id AND o.id = t.target;
  INSERT INTO crm.address
    (
      merchant_id,
      customer_id,
      recipient_name,
      company,
      line1,
      line2,
      city,
      state,
      postal_code,
      country,
      phone,
      is_default
    )
  SELECT
    p_merchant_id,
    t.target,
    a.recipient_name,
    a.company,
    a.line1,
    a.line2,
    a.city,
    a.state,
    a.postal_code,
    a.country,
    a.phone,
    a.is_default
  FROM
    jsonb_populate_recordset(NULL::crm.address, p_batch -> 'addresses') a
    JOIN jsonb_to_recordset(v_targets) AS t (id uuid, target uuid, written boolean)
      ON t.id = a.customer_id AND t.written
  WHERE
    NOT EXISTS (
      SELECT
      FROM crm.address x
      WHERE
        x.merchant_id = p_merchant_id
        AND x.customer_id = t.target
        AND (x.line1, x.city, x.postal_code, x.country) = (a.line1, a.city, a.postal_code, a.country)
    )
  ORDER BY t.target, a.is_default DESC;
  INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
  SELECT p_merchant_id, 'CUSTOMER', c.key, t.target, c.fingerprint
  FROM
    jsonb_to_recordset(p_batch -> 'customers') AS c (id uuid, key text, fingerprint text)
    JOIN jsonb_to_recordset(v_targets) AS t (id uuid, target uuid, written boolean, reason text)
      ON t.id = c.id AND t.written AND t.reason IS NULL
  ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
    SET
      record_id = excluded.record_id,
      fingerprint = excluded.fingerprint,
      imported_at = now();
  RETURN QUERY SELECT
      t.id,
      CASE
        WHEN t.reason IS NOT NULL THEN 'refused'
        WHEN t.written THEN 'imported'
        ELSE 'unchanged'
      END,
      CASE
        WHEN t.reason IS NOT NULL THEN 'email'
      END,
      t.reason
    FROM jsonb_to_recordset(v_targets) AS t (id uuid, written boolean, reason text);
END;
$$;
