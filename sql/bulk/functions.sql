-- Begins a transaction that writes rows of another system. Imports of one merchant write one after the other: each sees
-- the stand-ins of the one before. With p_shared it runs beside others of its kind, and not beside one that writes.
CREATE FUNCTION bulk.begin_batch(p_merchant_id uuid, p_shared boolean DEFAULT FALSE)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_shared THEN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(format('import of %s', p_merchant_id), 0));
    -- Of tables that look empty, an inverted index seems as good as a key, and has all rows of the merchant in a list.
    -- Only bitmaps read it.
    PERFORM set_config('enable_bitmapscan', 'off', TRUE);
  ELSE
    PERFORM pg_advisory_xact_lock(hashtextextended(format('import of %s', p_merchant_id), 0));
    -- The next batch doesn't wait for the disk. A crash takes the last batches together with the note that they were
    -- written, and the commit that ends the import waits for all of them.
    PERFORM set_config('synchronous_commit', 'off', TRUE);
  END IF;
  PERFORM set_config('platform.importing', 'on', TRUE);
  -- The tables grow faster than Postgres learns of it, and while rows are checked they look empty: without this, plans
  -- read them whole for each row.
  PERFORM set_config('enable_seqscan', 'off', TRUE);
  PERFORM set_config('enable_mergejoin', 'off', TRUE);
  -- Triggers run for each row, and with the values of the row in view Postgres would plan their statements each time.
  PERFORM set_config('plan_cache_mode', 'force_generic_plan', TRUE);
END;
$$;

-- Has Postgres look at a table anew, because an import has made it much larger.
--
-- answers: void
CREATE FUNCTION bulk.refresh_statistics(p_table text)
RETURNS void
LANGUAGE plpgsql
-- Only the owner of a table may do so.
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  EXECUTE format('ANALYZE %s', p_table::regclass);
END;
$$;

REVOKE EXECUTE ON FUNCTION bulk.refresh_statistics(text) FROM PUBLIC;

-- type bulk.claimed = {
--   status: bulk.import.status,
--   format: bulk.import.format,
--   recordType: text | null,
--   dryRun: boolean,
--   onExisting: bulk.import.on_existing,
--   onRefused: bulk.import.on_refused,
--   checked: integer,
--   written: integer,
--   attempts: integer
--   }
--
-- Takes the import that has waited longest, never begun or given back after its turn, or was left by a worker that
-- died. One import of a merchant is under way at a time.
--
-- answers: rows {merchant_id: uuid, id: uuid, claimed: bulk.claimed}
CREATE FUNCTION bulk.claim_import(p_lease interval)
RETURNS TABLE (merchant_id uuid, id uuid, claimed jsonb)
LANGUAGE sql
VOLATILE
AS $$
  UPDATE bulk.import i
  SET
    status = CASE i.status
      WHEN 'QUEUED' THEN 'CHECKING'
      ELSE i.status
    END,
    started_at = coalesce(i.started_at, now()),
    claimed_until = now() + p_lease,
    attempts = i.attempts + 1
  FROM
    (
      SELECT w.merchant_id, w.id
      FROM bulk.import w
      WHERE
        w.finished_at IS NULL
        AND w.status IN ('QUEUED', 'CHECKING', 'WRITING')
        AND (w.claimed_until IS NULL OR w.claimed_until < now())
        AND NOT EXISTS (
          SELECT
          FROM bulk.import o
          WHERE
            o.merchant_id = w.merchant_id
            AND o.id <> w.id
            AND o.finished_at IS NULL
            AND (o.claimed_until >= now() OR o.status IN ('CHECKING', 'WRITING') AND o.created_at < w.created_at)
        )
      ORDER BY w.claimed_until NULLS FIRST, w.created_at
      LIMIT 1
      FOR UPDATE SKIP LOCKED
    ) n
  WHERE i.merchant_id = n.merchant_id AND i.id = n.id
  RETURNING
    i.merchant_id,
    i.id,
    jsonb_build_object(
      'status',
      i.status,
      'format',
      i.format,
      'recordType',
      i.record_type,
      'dryRun',
      i.dry_run,
      'onExisting',
      i.on_existing,
      'onRefused',
      i.on_refused,
      'checked',
      i.checked,
      'written',
      i.written,
      'attempts',
      i.attempts
    );
$$;

-- answers: created {importId: uuid} | too_many {}
CREATE FUNCTION bulk.create_import(p_merchant_id uuid, p_import jsonb, p_max integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(format('imports of %s', p_merchant_id), 0));
  IF (SELECT count(*) FROM bulk.import i WHERE i.merchant_id = p_merchant_id AND i.finished_at IS NULL) >= p_max THEN
    RETURN jsonb_build_object('outcome', 'too_many');
  END IF;
  INSERT INTO bulk.import
    (merchant_id, id, format, record_type, file_name, dry_run, on_existing, on_refused)
  SELECT
    p_merchant_id,
    v_id,
    i.format,
    i.record_type,
    i.file_name,
    coalesce(i.dry_run, FALSE),
    coalesce(i.on_existing, 'SKIP'),
    coalesce(i.on_refused, 'SKIP')
  FROM jsonb_populate_record(NULL::bulk.import, p_import) i;
  RETURN jsonb_build_object('outcome', 'created', 'importId', v_id);
END;
$$;

-- answers: queued {importId: uuid} | unknown_import {} | import_refused {status: bulk.import.status}
CREATE FUNCTION bulk.queue_import(p_merchant_id uuid, p_import_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_status text;
BEGIN
  SELECT i.status
  INTO v_status
  FROM bulk.import i
  WHERE i.merchant_id = p_merchant_id AND i.id = p_import_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_import');
  END IF;
  IF v_status <> 'AWAITING_UPLOAD' THEN
    RETURN jsonb_build_object('outcome', 'import_refused', 'status', v_status);
  END IF;
  UPDATE bulk.import i
  SET status = 'QUEUED'
  WHERE i.merchant_id = p_merchant_id AND i.id = p_import_id;
  RETURN jsonb_build_object('outcome', 'queued', 'importId', p_import_id);
END;
$$;

-- answers: cancelled {importId: uuid} | unknown_import {} | import_refused {status: bulk.import.status}
CREATE FUNCTION bulk.cancel_import(p_merchant_id uuid, p_import_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_import bulk.import;
BEGIN
  SELECT *
  INTO v_import
  FROM bulk.import i
  WHERE i.merchant_id = p_merchant_id AND i.id = p_import_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_import');
  END IF;
  IF v_import.finished_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'import_refused', 'status', v_import.status);
  END IF;
  PERFORM bulk.finish_import(p_merchant_id, p_import_id, 'CANCELLED', NULL);
  RETURN jsonb_build_object('outcome', 'cancelled', 'importId', p_import_id);
END;
$$;

-- Ends an import that has not ended yet.
--
-- answers: void
-- nullable: p_failure
CREATE FUNCTION bulk.finish_import(p_merchant_id uuid, p_import_id uuid, p_status text, p_failure text)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  DELETE FROM bulk.import_key k WHERE k.merchant_id = p_merchant_id AND k.import_id = p_import_id;
  UPDATE bulk.import i
  SET
    status = p_status,
    failure = p_failure,
    finished_at = now(),
    claimed_until = NULL
  WHERE i.merchant_id = p_merchant_id AND i.id = p_import_id AND i.finished_at IS NULL;
$$;

-- Ends the check of an import whose file has so many rows. Its rows are counted again as they are written.
--
-- answers: boolean
CREATE FUNCTION bulk.begin_writing(p_merchant_id uuid, p_import_id uuid, p_rows integer)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE bulk.import i
  SET
    status = 'WRITING',
    rows = p_rows,
    imported = 0,
    unchanged = 0,
    refused = 0,
    attempts = 0
  WHERE i.merchant_id = p_merchant_id AND i.id = p_import_id AND i.status = 'CHECKING' AND i.checked = p_rows;
  RETURN FOUND;
END;
$$;

-- Moves an import on by some rows, if it is where the worker left it: else it was cancelled, or another worker has it.
-- Keeps the errors of its first 100,000 refused rows.
--
-- answers: boolean
CREATE FUNCTION bulk.record_progress(
  p_merchant_id uuid,
  p_import_id uuid,
  p_phase text,
  p_from integer,
  p_batch jsonb,
  p_lease interval
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  c_most_errors CONSTANT integer := 100000;
  v_rows integer := (p_batch ->> 'rows')::integer;
  v_refused integer;
BEGIN
  UPDATE bulk.import i
  SET
    checked = i.checked + CASE p_phase
      WHEN 'CHECKING' THEN v_rows
      ELSE 0
    END,
    written = i.written + CASE p_phase
      WHEN 'WRITING' THEN v_rows
      ELSE 0
    END,
    imported = i.imported + (p_batch ->> 'imported')::integer,
    unchanged = i.unchanged + (p_batch ->> 'unchanged')::integer,
    refused = i.refused + (p_batch ->> 'refused')::integer,
    claimed_until = now() + p_lease,
    attempts = 0
  WHERE
    i.merchant_id = p_merchant_id
    AND i.id = p_import_id
    AND i.status = p_phase
    AND CASE p_phase
      WHEN 'CHECKING' THEN i.checked
      ELSE i.written
    END = p_from
  RETURNING i.refused
  INTO v_refused;
  IF NOT FOUND THEN
    RETURN FALSE;
  END IF;
  INSERT INTO bulk.import_key (merchant_id, import_id, kind, key)
  SELECT DISTINCT p_merchant_id, p_import_id, k.kind, k.key
  FROM jsonb_to_recordset(p_batch -> 'keys') AS k (kind text, key text)
  ON CONFLICT DO NOTHING;
  IF v_refused <= c_most_errors THEN
    INSERT INTO bulk.import_error (merchant_id, import_id, line, record_type, key, field, code, message)
    SELECT p_merchant_id, p_import_id, e.line, e.record_type, e.key, e.field, e.code, e.message
    FROM jsonb_populate_recordset(NULL::bulk.import_error, p_batch -> 'errors') e
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN TRUE;
END;
$$;

-- Imports that ended long ago, or whose file never came, for their files to be deleted.
--
-- answers: rows {id: uuid}
CREATE FUNCTION bulk.purge_imports(p_merchant_id uuid, p_limit integer)
RETURNS TABLE (id uuid)
LANGUAGE sql
VOLATILE
AS $$
  DELETE FROM bulk.import i
  USING
    (
      SELECT o.merchant_id, o.id
      FROM bulk.import o
      WHERE
        o.merchant_id = p_merchant_id
        AND (
          o.finished_at < now() - INTERVAL '30 days'
          OR o.status = 'AWAITING_UPLOAD'
          AND o.finished_at IS NULL
          AND o.created_at < now() - INTERVAL '2 days'
        )
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    ) gone
  WHERE i.merchant_id = gone.merchant_id AND i.id = gone.id
  RETURNING i.id;
$$;

-- Of a merchant's keys and users, `p_max` exports may be under way at a time. A shopper has three within a day.
--
-- answers: created {exportId: uuid} | too_many {} | unknown_customer {}
CREATE FUNCTION bulk.create_export(p_merchant_id uuid, p_export jsonb, p_max integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
  v_new bulk.export := jsonb_populate_record(NULL::bulk.export, p_export);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(format('exports of %s', p_merchant_id), 0));
  IF
    v_new.customer_id IS NOT NULL
    AND NOT EXISTS (
      SELECT
      FROM crm.customer c
      WHERE c.merchant_id = p_merchant_id AND c.id = v_new.customer_id AND c.anonymized_at IS NULL
    )
  THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  IF v_new.holder_kind = 'CUSTOMER' THEN
    IF
      (
        SELECT count(*)
        FROM bulk.export e
        WHERE
          e.merchant_id = p_merchant_id
          AND e.customer_id = v_new.customer_id
          AND e.holder_kind = 'CUSTOMER'
          AND e.created_at > now() - INTERVAL '1 day'
      ) >= 3
    THEN
      RETURN jsonb_build_object('outcome', 'too_many');
    END IF;
  ELSEIF
    (
      SELECT count(*)
      FROM bulk.export e
      WHERE e.merchant_id = p_merchant_id AND e.finished_at IS NULL AND e.holder_kind <> 'CUSTOMER'
    ) >= p_max
  THEN
    RETURN jsonb_build_object('outcome', 'too_many');
  END IF;
  INSERT INTO bulk.export
    (merchant_id, id, kind, format, compressed, query, page_size, customer_id, holder_kind, holder_id, permissions)
  VALUES
    (
      p_merchant_id,
      v_id,
      v_new.kind,
      v_new.format,
      v_new.compressed,
      v_new.query,
      v_new.page_size,
      v_new.customer_id,
      v_new.holder_kind,
      v_new.holder_id,
      v_new.permissions
    );
  RETURN jsonb_build_object('outcome', 'created', 'exportId', v_id);
END;
$$;

-- Takes the export that waits longest. Each is worked on for a while, then given back: a long one doesn't keep others
-- waiting. One of a merchant is worked on at a time.
--
-- answers:
--   rows {
--   merchant_id: uuid, id: uuid, claim: uuid, kind: bulk.export.kind, format: bulk.export.format, compressed: boolean,
--   query: text | null, page_size: integer | null, customer_id: uuid | null, holder_kind: bulk.export.holder_kind,
--   holder_id: uuid, permissions: text[], rows: integer, bytes: integer, position: text | null, parts: integer,
--   created_at: timestamptz
--   }
CREATE FUNCTION bulk.claim_export(p_lease interval)
RETURNS TABLE (
  merchant_id uuid,
  id uuid,
  claim uuid,
  kind text,
  format text,
  compressed boolean,
  query text,
  page_size integer,
  customer_id uuid,
  holder_kind text,
  holder_id uuid,
  permissions text[],
  rows integer,
  bytes integer,
  "position" text,
  parts integer,
  created_at timestamptz
)
LANGUAGE sql
VOLATILE
AS $$
  UPDATE bulk.export e
  SET
    status = 'RUNNING',
    started_at = coalesce(e.started_at, now()),
    claim = gen_random_uuid(),
    claimed_until = now() + p_lease
  FROM
    (
      SELECT w.merchant_id, w.id
      FROM bulk.export w
      WHERE
        w.finished_at IS NULL
        AND (w.claimed_until IS NULL OR w.claimed_until <= now())
        AND merchant.is_active(w.merchant_id)
        AND NOT EXISTS (
          SELECT
          FROM bulk.export o
          WHERE
            o.merchant_id = w.merchant_id
            AND o.id <> w.id
            AND o.finished_at IS NULL
            AND o.claim IS NOT NULL
            AND o.claimed_until > now()
        )
      ORDER BY w.claimed_until NULLS FIRST, w.created_at
      LIMIT 1
      FOR UPDATE SKIP LOCKED
    ) n
  WHERE e.merchant_id = n.merchant_id AND e.id = n.id
  RETURNING
    e.merchant_id,
    e.id,
    e.claim,
    e.kind,
    e.format,
    e.compressed,
    e.query,
    e.page_size,
    e.customer_id,
    e.holder_kind,
    e.holder_id,
    e.permissions,
    e.rows,
    e.bytes,
    e.position,
    e.parts,
    e.created_at;
$$;

-- Keeps a part that is stored. False: the export was cancelled, or another worker has it.
--
-- answers: boolean
-- nullable: p_position, p_total_rows
CREATE FUNCTION bulk.keep_export_part(
  p_merchant_id uuid,
  p_export_id uuid,
  p_claim uuid,
  p_part jsonb,
  p_position text,
  p_total_rows integer,
  p_lease interval
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_part bulk.export_part := jsonb_populate_record(NULL::bulk.export_part, p_part);
BEGIN
  UPDATE bulk.export e
  SET
    rows = e.rows + v_part.rows,
    bytes = e.bytes + v_part.bytes,
    position = p_position,
    total_rows = coalesce(p_total_rows, e.total_rows),
    parts = v_part.number,
    attempts = 0,
    claimed_until = now() + p_lease
  WHERE
    e.merchant_id = p_merchant_id
    AND e.id = p_export_id
    AND e.claim = p_claim
    AND e.finished_at IS NULL
    AND e.parts = v_part.number - 1;
  IF NOT FOUND THEN
    RETURN FALSE;
  END IF;
  INSERT INTO bulk.export_part (merchant_id, export_id, number, file_key, bytes, rows)
  VALUES (p_merchant_id, p_export_id, v_part.number, v_part.file_key, v_part.bytes, v_part.rows);
  RETURN TRUE;
END;
$$;

-- Gives an export back, for the next turn or, later, for a further try. After the last try it has failed.
--
-- answers: void
-- nullable: p_failure
CREATE FUNCTION bulk.give_export_back(
  p_merchant_id uuid,
  p_export_id uuid,
  p_claim uuid,
  p_failure text,
  p_max_attempts integer
)
RETURNS void
LANGUAGE sql
AS $$
  UPDATE bulk.export e
  SET
    claim = NULL,
    attempts = CASE
      WHEN p_failure IS NULL THEN e.attempts
      ELSE e.attempts + 1
    END,
    claimed_until = now() + CASE
      WHEN p_failure IS NULL THEN INTERVAL '0'
      -- 1, 2, 4 … seconds, at most a minute.
      ELSE least(INTERVAL '1 minute', INTERVAL '1 second' * power(2, least(e.attempts, 10)))
    END,
    status = CASE
      WHEN p_failure IS NOT NULL
      AND e.attempts + 1 >= p_max_attempts THEN 'FAILED'
      ELSE e.status
    END,
    failure = CASE
      WHEN p_failure IS NOT NULL
      AND e.attempts + 1 >= p_max_attempts THEN p_failure
    END,
    finished_at = CASE
      WHEN p_failure IS NOT NULL
      AND e.attempts + 1 >= p_max_attempts THEN now()
    END,
    expires_at = CASE
      WHEN p_failure IS NOT NULL
      AND e.attempts + 1 >= p_max_attempts THEN now() + INTERVAL '7 days'
    END
  WHERE e.merchant_id = p_merchant_id AND e.id = p_export_id AND e.claim = p_claim AND e.finished_at IS NULL;
$$;

-- Ends an export: with the link to its file, or with why there is none. False: it was cancelled, or another worker has
-- it.
--
-- answers: boolean
-- nullable: p_url, p_failure
CREATE FUNCTION bulk.finish_export(
  p_merchant_id uuid,
  p_export_id uuid,
  p_claim uuid,
  p_rows integer,
  p_bytes integer,
  p_url text,
  p_failure text,
  p_kept interval
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE bulk.export e
  SET
    status = CASE
      WHEN p_failure IS NULL THEN 'SUCCEEDED'
      ELSE 'FAILED'
    END,
    failure = p_failure,
    url = p_url,
    rows = p_rows,
    total_rows = coalesce(e.total_rows, p_rows),
    bytes = p_bytes,
    claim = NULL,
    claimed_until = NULL,
    finished_at = now(),
    expires_at = now() + p_kept
  WHERE e.merchant_id = p_merchant_id AND e.id = p_export_id AND e.claim = p_claim AND e.finished_at IS NULL;
  RETURN FOUND;
END;
$$;

-- An export is there for callers who have all permissions that it was begun with, and a shopper's for that shopper.
--
-- answers: cancelled {exportId: uuid} | unknown_export {} | export_refused {status: bulk.export.status}
-- nullable: p_customer_id
CREATE FUNCTION bulk.cancel_export(p_merchant_id uuid, p_export_id uuid, p_permissions text[], p_customer_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_status text;
BEGIN
  SELECT e.status
  INTO v_status
  FROM bulk.export e
  WHERE
    e.merchant_id = p_merchant_id
    AND e.id = p_export_id
    AND CASE
      WHEN p_customer_id IS NULL THEN e.holder_kind <> 'CUSTOMER'
      AND e.permissions <@ p_permissions
      ELSE e.holder_kind = 'CUSTOMER'
      AND e.holder_id = p_customer_id
    END
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_export');
  END IF;
  IF v_status NOT IN ('QUEUED', 'RUNNING') THEN
    RETURN jsonb_build_object('outcome', 'export_refused', 'status', v_status);
  END IF;
  UPDATE bulk.export e
  SET
    status = 'CANCELLED',
    claim = NULL,
    claimed_until = NULL,
    finished_at = now(),
    expires_at = now() + INTERVAL '1 day'
  WHERE e.merchant_id = p_merchant_id AND e.id = p_export_id;
  RETURN jsonb_build_object('outcome', 'cancelled', 'exportId', p_export_id);
END;
$$;
