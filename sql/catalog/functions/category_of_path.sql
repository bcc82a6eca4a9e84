CREATE FUNCTION catalog.subcategory_named(p_merchant_id uuid, p_parent_id uuid, p_name text)
RETURNS uuid
LANGUAGE sql
STABLE
AS $$
  SELECT c.id
  FROM catalog.category c
  WHERE c.merchant_id = p_merchant_id AND c.parent_id IS NOT DISTINCT FROM p_parent_id AND c.name = p_name
  ORDER BY c.created_at, c.id
  LIMIT 1;
$$;

-- The category at the end of a path of names from a root; NULL if one of the path is missing.
CREATE FUNCTION catalog.category_at_path(p_merchant_id uuid, p_path text[])
RETURNS uuid
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_id uuid;
  v_name text;
BEGIN
  FOREACH v_name IN ARRAY p_path LOOP
    v_id := catalog.subcategory_named(p_merchant_id, v_id, v_name);
    IF v_id IS NULL THEN
      RETURN NULL;
    END IF;
  END LOOP;
  RETURN v_id;
END;
$$;

-- The category at the end of a path of names from a root; those of the path that are missing are made. The import keeps
-- their ids: it fills them when it comes to their rows.
CREATE FUNCTION catalog.category_of_path(p_merchant_id uuid, p_import_id uuid, p_path text[])
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid;
  v_parent uuid;
  v_name text;
BEGIN
  FOREACH v_name IN ARRAY p_path LOOP
    v_id := catalog.subcategory_named(p_merchant_id, v_parent, v_name);
    IF v_id IS NULL THEN
      INSERT INTO catalog.category (merchant_id, parent_id, name)
      VALUES (p_merchant_id, v_parent, v_name)
      RETURNING id
      INTO v_id;
      INSERT INTO bulk.import_key (merchant_id, import_id, kind, key)
      VALUES (p_merchant_id, p_import_id, 'EMPTY_CATEGORY', v_id::text);
    END IF;
    v_parent := v_id;
  END LOOP;
  RETURN v_id;
END;
$$;
