-- Writes categories of another system. One that its path leads to is here already; p_update says whether it gets the
-- row's fields.
--
-- answers: rows {id: uuid, outcome: 'imported' | 'unchanged' | 'refused', field: text | null, reason: text | null}
CREATE FUNCTION catalog.import_categories(p_merchant_id uuid, p_batch jsonb, p_update boolean)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_row record;
  v_outcome text;

  v_before text;
  v_target uuid;
  v_is_new boolean;
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
    v_is_new := v_target IS NULL;
    IF v_is_new THEN
      v_target := catalog.category_of_path(p_merchant_id, v_row.path);
    END IF;
    IF
      EXISTS (
        SELECT
        FROM catalog.category c
        WHERE c.merchant_id = p_merchant_id AND c.slug = v_row.slug AND c.id <> v_target
      )
    THEN
      RETURN QUERY SELECT v_row.id, 'refused', 'slug', 'slug_taken';
      CONTINUE;
    END IF;
    IF v_is_new OR p_update AND v_before <> v_row.fingerprint THEN
      UPDATE catalog.category c
      SET
        external_id = coalesce(v_row.external_id, c.external_id),
        slug = coalesce(v_row.slug, c.slug),
        description = coalesce(v_row.description, c.description),
        position = coalesce(v_row.position, c.position),
        seo_title = coalesce(v_row.seo_title, c.seo_title),
        seo_description = coalesce(v_row.seo_description, c.seo_description)
      WHERE c.merchant_id = p_merchant_id AND c.id = v_target;
      INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
      VALUES (p_merchant_id, 'CATEGORY', v_row.key, v_target, v_row.fingerprint)
      ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
        SET
          record_id = excluded.record_id,
          fingerprint = excluded.fingerprint,
          imported_at = now();
      v_outcome := 'imported';
    ELSE
      v_outcome := 'unchanged';
    END IF;
    RETURN QUERY SELECT v_row.id, v_outcome, NULL::text, NULL::text;
  END LOOP;
END;
$$;
