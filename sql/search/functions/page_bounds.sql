CREATE FUNCTION search.page_bounds(
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
RETURNS SETOF search.page_info
LANGUAGE sql
STABLE
ROWS 1
AS $$
  SELECT
    (hasura_session ->> 'x-hasura-merchant-id')::uuid,
    (array_agg(p.sort_value ORDER BY p.position))[1],
    (array_agg(p.id ORDER BY p.position))[1],
    (array_agg(p.sort_value ORDER BY p.position))[least(count(*), page_size)],
    (array_agg(p.id ORDER BY p.position))[least(count(*), page_size)],
    count(*) > page_size,
    after_id IS NOT NULL OR page_offset > 0,
    sort_by
  FROM
    search.page(
      search.request_of(
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
      ),
      sort_by,
      sort_order,
      after_value,
      after_id,
      page_size + 1,
      page_offset
    ) WITH ORDINALITY AS p (id, sort_value, position)
  HAVING (search.scope_of(hasura_session)).products OR (search.scope_of(hasura_session)).articles;
$$;
