-- Bytes of files that a plan includes.
CREATE FUNCTION files.quota(p_plan text)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE p_plan
      WHEN 'FREE' THEN 1::bigint
      WHEN 'STARTER' THEN 10
      WHEN 'PRO' THEN 100
      ELSE 1000
    END * 1000000000;
$$;

-- Records an upload that is to come, within the quota of the merchant's plan.
-- answers:
--   created {fileId: uuid}
--   | over_quota {left: bigint, quota: bigint}
CREATE FUNCTION files.create_upload(
  p_merchant_id uuid,
  p_purpose text,
  p_file_name text,
  p_content_type text,
  p_size bigint,
  p_token text,
  p_expires_at timestamptz
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_used bigint;
  v_quota bigint;
  v_id uuid;
BEGIN
  INSERT INTO files.usage (merchant_id)
  VALUES (p_merchant_id)
  ON CONFLICT DO NOTHING;
  SELECT u.bytes INTO v_used FROM files.usage u WHERE u.merchant_id = p_merchant_id FOR UPDATE;
  SELECT files.quota(coalesce(max(s.plan), 'FREE'))
  INTO v_quota
  FROM merchant.subscription s
  WHERE s.merchant_id = p_merchant_id;
  IF v_used + p_size > v_quota THEN
    RETURN jsonb_build_object('outcome', 'over_quota', 'left', greatest(v_quota - v_used, 0), 'quota', v_quota);
  END IF;
  INSERT INTO files.file
    (merchant_id, purpose, file_name, content_type, size, stored_bytes, token, upload_expires_at)
  VALUES (p_merchant_id, p_purpose, p_file_name, p_content_type, p_size, p_size, p_token, p_expires_at)
  RETURNING id
  INTO v_id;
  RETURN jsonb_build_object('outcome', 'created', 'fileId', v_id);
END;
$$;

-- Notes that the content has arrived: an image waits for its sizes, any other file is ready. A repetition changes
-- nothing.
-- answers: boolean
CREATE FUNCTION files.complete_upload(p_merchant_id uuid, p_file_id uuid, p_content_type text)
RETURNS boolean
LANGUAGE sql
AS $$
  WITH
    completed AS (
      UPDATE files.file f
      SET
        status = CASE f.purpose
          WHEN 'IMAGE' THEN 'PROCESSING'
          ELSE 'READY'
        END,
        content_type = p_content_type,
        released_at = now(),
        next_attempt_at = now()
      WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id AND f.status = 'UPLOADING'
      RETURNING f.id
    )
  SELECT EXISTS (SELECT FROM completed);
$$;

-- Deletes the row of a file. Its contents are deleted from the storage by a job.
-- answers: boolean
CREATE FUNCTION files.discard(p_merchant_id uuid, p_file_id uuid)
RETURNS boolean
LANGUAGE sql
AS $$
  WITH
    gone AS (
      DELETE FROM files.file f
      WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id
      RETURNING f.merchant_id, f.token, f.upload_expires_at
    ),
    noted AS (
      INSERT INTO files.deleted_folder (merchant_id, token, due_at)
      SELECT g.merchant_id, g.token, greatest(now(), g.upload_expires_at + INTERVAL '1 minute')
      FROM gone g
      RETURNING token
    )
  SELECT EXISTS (SELECT FROM noted);
$$;

-- answers:
--   deleted {}
--   | unknown_file {}
--   | in_use {products: bigint, categories: bigint}
CREATE FUNCTION files.delete_file(p_merchant_id uuid, p_file_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_products bigint;
  v_categories bigint;
BEGIN
  -- Who begins to show the image waits for this transaction.
  PERFORM FROM files.file f WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_file');
  END IF;
  SELECT count(DISTINCT i.product_id)
  INTO v_products
  FROM catalog.product_image i
  WHERE i.merchant_id = p_merchant_id AND i.file_id = p_file_id;
  SELECT count(*)
  INTO v_categories
  FROM catalog.category c
  WHERE c.merchant_id = p_merchant_id AND c.image_file_id = p_file_id;
  IF v_products + v_categories > 0 THEN
    RETURN jsonb_build_object('outcome', 'in_use', 'products', v_products, 'categories', v_categories);
  END IF;
  PERFORM files.discard(p_merchant_id, p_file_id);
  RETURN jsonb_build_object('outcome', 'deleted');
END;
$$;

-- The next image that waits for its sizes, if there is one. Another worker gets it two minutes later, if this one
-- dies. An image that three workers have not ended is rejected: it may be what ends them.
-- answers: rows {merchant_id: uuid, file_id: uuid, token: text}
CREATE FUNCTION files.claim_image()
RETURNS TABLE (merchant_id uuid, file_id uuid, token text)
LANGUAGE sql
AS $$
  WITH
    next AS (
      SELECT n.merchant_id, n.id, n.attempts
      FROM files.file n
      WHERE n.status = 'PROCESSING' AND n.next_attempt_at <= now()
      ORDER BY n.next_attempt_at
      LIMIT 1
      FOR UPDATE SKIP LOCKED
    ),
    claimed AS (
      UPDATE files.file f
      SET
        attempts = f.attempts + 1,
        next_attempt_at = now() + INTERVAL '2 minutes',
        status = CASE
          WHEN f.attempts < 3 THEN f.status
          ELSE 'REJECTED'
        END,
        rejection = CASE
          WHEN f.attempts >= 3 THEN 'The image could not be processed'
        END
      FROM next n
      WHERE f.merchant_id = n.merchant_id AND f.id = n.id
      RETURNING f.merchant_id, f.id, f.token, f.status
    )
  SELECT c.merchant_id, c.id, c.token
  FROM claimed c
  WHERE c.status = 'PROCESSING';
$$;

-- Gives an image back whose sizes could not be made for no fault of its own, as when the storage is away. That was no
-- attempt.
-- answers: boolean
CREATE FUNCTION files.release_image(p_merchant_id uuid, p_file_id uuid)
RETURNS boolean
LANGUAGE sql
AS $$
  WITH
    released AS (
      UPDATE files.file f
      SET
        attempts = f.attempts - 1,
        next_attempt_at = now() + INTERVAL '1 minute'
      WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id AND f.status = 'PROCESSING' AND f.attempts > 0
      RETURNING f.id
    )
  SELECT EXISTS (SELECT FROM released);
$$;

-- Records what was made of an image: p_sizes has {width, height, url} of each size, p_bytes are those of all together.
-- answers: boolean
CREATE FUNCTION files.record_image(
  p_merchant_id uuid,
  p_file_id uuid,
  p_url text,
  p_width integer,
  p_height integer,
  p_bytes bigint,
  p_sizes jsonb
)
RETURNS boolean
LANGUAGE sql
AS $$
  WITH
    ready AS (
      UPDATE files.file f
      SET
        status = 'READY',
        url = p_url,
        width = p_width,
        height = p_height,
        stored_bytes = p_bytes,
        released_at = now()
      WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id AND f.status = 'PROCESSING'
      RETURNING f.merchant_id, f.id
    ),
    sized AS (
      INSERT INTO files.image_size (merchant_id, file_id, width, height, url)
      SELECT r.merchant_id, r.id, s.width, s.height, s.url
      FROM
        ready r
        CROSS JOIN jsonb_to_recordset(p_sizes) AS s (width integer, height integer, url text)
    )
  SELECT EXISTS (SELECT FROM ready);
$$;

-- Notes that a file is no image that can be shown.
-- answers: boolean
CREATE FUNCTION files.reject_image(p_merchant_id uuid, p_file_id uuid, p_reason text)
RETURNS boolean
LANGUAGE sql
AS $$
  WITH
    rejected AS (
      UPDATE files.file f
      SET
        status = 'REJECTED',
        rejection = p_reason
      WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id AND f.status = 'PROCESSING'
      RETURNING f.id
    )
  SELECT EXISTS (SELECT FROM rejected);
$$;

-- Deletes files that nobody needs: uploads that were not completed in an hour, rejected files after a week, and images
-- that nothing has shown for 30 days. Returns how many.
-- answers: integer
CREATE FUNCTION files.discard_orphans(p_limit integer)
RETURNS integer
LANGUAGE sql
AS $$
  WITH
    orphans AS (
      (
        SELECT f.merchant_id, f.id
        FROM files.file f
        WHERE
          f.status IN ('UPLOADING', 'REJECTED')
          AND f.upload_expires_at < now() - CASE f.status
            WHEN 'UPLOADING' THEN INTERVAL '1 hour'
            ELSE INTERVAL '7 days'
          END
        ORDER BY f.upload_expires_at
        LIMIT p_limit
      )
      UNION ALL
      (
        SELECT f.merchant_id, f.id
        FROM files.file f
        WHERE
          f.status = 'READY'
          AND f.purpose = 'IMAGE'
          AND f.released_at < now() - INTERVAL '30 days'
          AND NOT EXISTS (
            SELECT
            FROM catalog.product_image i
            WHERE i.merchant_id = f.merchant_id AND i.file_id = f.id
          )
          AND NOT EXISTS (
            SELECT
            FROM catalog.category c
            WHERE c.merchant_id = f.merchant_id AND c.image_file_id = f.id
          )
        ORDER BY f.released_at
        LIMIT p_limit
      )
    ),
    deleted AS (SELECT files.delete_file(o.merchant_id, o.id) ->> 'outcome' AS outcome FROM orphans o)
  SELECT count(*) FILTER (WHERE d.outcome = 'deleted')::integer
  FROM deleted d;
$$;

-- Notes where clients reach the files, and corrects the URLs of images if that has changed. Returns how many.
-- answers: integer
CREATE FUNCTION files.settle_url(p_url text)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_before text;
  v_changed integer;
BEGIN
  INSERT INTO files.own_url (url)
  VALUES (p_url)
  ON CONFLICT DO NOTHING;
  SELECT o.url INTO v_before FROM files.own_url o FOR UPDATE;
  IF v_before = p_url THEN
    RETURN 0;
  END IF;
  UPDATE files.own_url SET url = p_url;
  UPDATE files.image_size s
  SET url = p_url || substr(s.url, length(v_before) + 1)
  WHERE starts_with(s.url, v_before || '/');
  UPDATE catalog.category c
  SET image_url = p_url || substr(c.image_url, length(v_before) + 1)
  WHERE c.image_file_id IS NOT NULL AND starts_with(c.image_url, v_before || '/');
  UPDATE catalog.product_image i
  SET url = p_url || substr(i.url, length(v_before) + 1)
  WHERE i.file_id IS NOT NULL AND starts_with(i.url, v_before || '/');
  WITH
    moved AS (
      UPDATE files.file f
      SET url = p_url || substr(f.url, length(v_before) + 1)
      WHERE starts_with(f.url, v_before || '/')
      RETURNING f.id
    )
  SELECT count(*)
  INTO v_changed
  FROM moved;
  RETURN v_changed;
END;
$$;
