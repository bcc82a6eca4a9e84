CREATE FUNCTION search.request_of(
  hasura_session json,
  p_query text,
  p_types text[],
  p_category_id uuid,
  p_tags text[],
  p_options jsonb,
  p_attributes jsonb,
  p_price_min bigint,
  p_price_max bigint,
  p_in_stock boolean,
  p_status text,
  p_sort_by text
)
RETURNS search.request
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_request search.request;
BEGIN
  v_request.scope := search.scope_of(hasura_session);
  IF p_query IS NOT NULL THEN
    v_request.title := search.normalized(p_query);
    -- A text without a word finds nothing: no document's word has a space.
    v_request.words := coalesce(search.words_query((v_request.scope).merchant_id, p_query), '''no word'''::tsquery);
  END IF;
  v_request.types := p_types;
  v_request.price_min := p_price_min;
  v_request.price_max := p_price_max;
  v_request.in_stock := p_in_stock;
  v_request.status := p_status;
  v_request.keys := (
    SELECT array_agg(k.key)
    FROM
      (
        SELECT search.facet_key('TAG', '', tag) AS key
        FROM unnest(p_tags) AS tag
        UNION
        SELECT search.facet_key('CATEGORY', '', p_category_id::text)
        WHERE p_category_id IS NOT NULL
      ) k
  );
  v_request.groups := (
    SELECT array_agg(ROW(g.name, g.keys)::search.key_group ORDER BY g.name)
    FROM
      (
        SELECT
          search.group_name('OPTION', o ->> 'name') AS name,
          array_agg(DISTINCT search.option_key(o ->> 'name', x.value)) AS keys
        FROM
          jsonb_array_elements(p_options) AS o
          CROSS JOIN LATERAL jsonb_array_elements_text(o -> 'values') AS x (value)
        GROUP BY 1
        UNION ALL
        SELECT
          search.group_name('ATTRIBUTE', concat(a ->> 'namespace', '.', a ->> 'key')),
          search.attribute_keys((v_request.scope).merchant_id, a)
        FROM jsonb_array_elements(p_attributes) AS a
      ) g
  );
  v_request.products_only := p_sort_by IN ('PRICE', 'BEST_SELLING')
  OR num_nonnulls(p_tags, p_category_id, p_price_min, p_price_max, p_in_stock, p_status, v_request.groups) > 0;
  RETURN v_request;
END;
$$;
