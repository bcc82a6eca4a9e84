-- The category at the end of a path of names from a root; those of the path that are missing are made.
CREATE FUNCTION catalog.category_of_path(p_merchant_id uuid, p_path text[])
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid;
  v_parent uuid;
  v_name text;
BEGIN
  FOREACH v_name IN ARRAY p_path LOOP
    SELECT c.id
    INTO v_id
    FROM catalog.category c
    WHERE c.merchant_id = p_merchant_id AND c.parent_id IS NOT DISTINCT FROM v_parent AND c.name = v_name
    ORDER BY c.created_at, c.id
    LIMIT 1;
    IF NOT FOUND THEN
      INSERT INTO catalog.category (merchant_id, parent_id, name)
      VALUES (p_merchant_id, v_parent, v_name)
      RETURNING id
      INTO v_id;
    END IF;
    v_parent := v_id;
  END LOOP;
  RETURN v_id;
END;
$$;
