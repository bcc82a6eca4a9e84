CREATE FUNCTION search.count_results(
  hasura_session json,
  query text DEFAULT NULL,
  types text[] DEFAULT NULL,
  category_id uuid DEFAULT NULL,
  tags text[] DEFAULT NULL,
  options jsonb DEFAULT NULL,
  attributes jsonb DEFAULT NULL,
  price_min bigint DEFAULT NULL,
  price_max bigint DEFAULT NULL,
  in_stock boolean DEFAULT NULL,
  status text DEFAULT NULL,
  sort_by text DEFAULT 'RELEVANCE',
  sort_order text DEFAULT NULL,
  after_value text DEFAULT NULL,
  after_id uuid DEFAULT NULL,
  page_size integer DEFAULT 20,
  page_offset integer DEFAULT 0
)
RETURNS SETOF search.total
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
ROWS 1
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_request search.request := search.request_of(
    hasura_session,
    query,
    types,
    category_id,
    tags,
    options,
    attributes,
    price_min,
    price_max,
    in_stock,
    status,
    sort_by
  );
  v_tallied_scope bigint := CASE
    WHEN v_request.groups IS NULL THEN search.tallied_scope_of(v_request, category_id)
  END;
BEGIN
  IF NOT ((v_request.scope).products OR (v_request.scope).articles) THEN
    RETURN;
  END IF;
  IF v_tallied_scope IS NOT NULL THEN
    RETURN QUERY EXECUTE
      format(
        $statement$
        WITH
          %s
          total AS (
            SELECT coalesce(sum(v.count), 0)::integer AS count
            FROM counted_value v
            WHERE v.kind = 'TYPE'
          )
        SELECT (($1).scope).merchant_id, t.count
        FROM total t
        $statement$,
        search.facet_counts(v_request, v_tallied_scope)
      )
      USING v_request;
    RETURN;
  END IF;
  RETURN QUERY EXECUTE
    'SELECT (($1).scope).merchant_id, count(*)::integer FROM search.document d WHERE ' || search.matches(
      v_request,
      TRUE
    )
    USING v_request;
END;
$$;
