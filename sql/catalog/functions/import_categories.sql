-- Gives a category the name and the parent of a path, whose other categories are made if they are missing. Answers
-- whether it could: there may be another category at the path.
CREATE FUNCTION catalog.move_to_path(p_merchant_id uuid, p_import_id uuid, p_category_id uuid, p_path text[])
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_parent uuid;
BEGIN
  IF
    p_path = (
      SELECT array_agg(c.name ORDER BY c.level)
      FROM
        catalog.category_path(p_merchant_id, p_category_id) AS a (id)
        JOIN catalog.category c ON c.merchant_id = p_merchant_id AND c.id = a.id
    )
  THEN
    RETURN TRUE;
  END IF;
  IF catalog.category_at_path(p_merchant_id, p_path) IS NOT NULL THEN
    RETURN FALSE;
  END IF;
  v_parent := catalog.category_of_path(p_merchant_id, p_import_id, trim_array(p_path, 1));
  UPDATE catalog.category c
  SET
    name = p_path[cardinality(p_path)],
    parent_id = v_parent
  WHERE c.merchant_id = p_merchant_id AND c.id = p_category_id;
  RETURN TRUE;
END;
$$;

-- Writes categories of another system. One is here already when a row of the same external id was imported, or else
-- when there is one at the row's path; p_update says whether it gets the row's fields. One that a path of this import
-- has made gets them in any case.
--
-- answers: rows {id: uuid, outcome: 'imported' | 'unchanged' | 'refused', field: text | null, reason: text | null}
CREATE FUNCTION catalog.import_categories(p_merchant_id uuid, p_import_id uuid, p_batch jsonb, p_update boolean)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_row record;
  v_before text;
  v_target uuid;
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id);
  FOR v_row IN SELECT *
  FROM
    jsonb_to_recordset(p_batch -> 'categories') AS c (
      id uuid,
      key text,
      external_id text,
      fingerprint text,
      path text[],
      slug text,
      description text,
      position integer,
      seo_title text,
      seo_description text
    ) LOOP
    SELECT c.id, r.fingerprint
    INTO v_target, v_before
    FROM
      bulk.imported_record r
      JOIN catalog.category c ON c.merchant_id = r.merchant_id AND c.id = r.record_id
    WHERE r.merchant_id = p_merchant_id AND r.record_type = 'CATEGORY' AND r.external_id = v_row.key;
    v_target := coalesce(v_target, catalog.category_at_path(p_merchant_id, v_row.path));
    IF
      v_target IS NOT NULL
      AND NOT (p_update AND v_before IS DISTINCT FROM v_row.fingerprint)
      AND NOT EXISTS (
        SELECT
        FROM bulk.import_key k
        WHERE
          k.merchant_id = p_merchant_id
          AND k.import_id = p_import_id
          AND k.kind = 'EMPTY_CATEGORY'
          AND k.key = v_target::text
      )
    THEN
      RETURN QUERY SELECT v_row.id, 'unchanged', NULL::text, NULL::text;
      CONTINUE;
    END IF;
    IF
      EXISTS (
        SELECT
        FROM catalog.category c
        WHERE c.merchant_id = p_merchant_id AND c.slug = v_row.slug AND c.id IS DISTINCT FROM v_target
      )
    THEN
      RETURN QUERY SELECT v_row.id, 'refused', 'slug', 'slug_taken';
      CONTINUE;
    END IF;
    IF v_target IS NULL THEN
      v_target := catalog.category_of_path(p_merchant_id, p_import_id, v_row.path);
    END IF;
    IF NOT catalog.move_to_path(p_merchant_id, p_import_id, v_target, v_row.path) THEN
      RETURN QUERY SELECT v_row.id, 'refused', 'path', 'path_taken';
      CONTINUE;
    END IF;
    UPDATE catalog.category c
    SET
      external_id = coalesce(v_row.external_id, c.external_id),
      slug = coalesce(v_row.slug, c.slug),
      description = coalesce(v_row.description, c.description),
      position = coalesce(v_row.position, c.position),
      seo_title = coalesce(v_row.seo_title, c.seo_title),
      seo_description = coalesce(v_row.seo_description, c.seo_description)
    WHERE c.merchant_id = p_merchant_id AND c.id = v_target;
    DELETE FROM bulk.import_key k
    WHERE
      k.merchant_id = p_merchant_id
      AND k.import_id = p_import_id
      AND k.kind = 'EMPTY_CATEGORY'
      AND k.key = v_target::text;
    INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
    VALUES (p_merchant_id, 'CATEGORY', v_row.key, v_target, v_row.fingerprint)
    ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
      SET
        record_id = excluded.record_id,
        fingerprint = excluded.fingerprint,
        imported_at = now();
    RETURN QUERY SELECT v_row.id, 'imported', NULL::text, NULL::text;
  END LOOP;
END;
$$;
