CREATE FUNCTION search.search(
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
RETURNS SETOF search.hit
LANGUAGE sql
STABLE
ROWS 20
AS $$
  SELECT
    d.merchant_id,
    d.id,
    d.product_id,
    d.category_id,
    d.article_id,
    page_offset + p.position::integer,
    sort_by,
    p.sort_value
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
      page_size,
      page_offset
    ) WITH ORDINALITY AS p (id, sort_value, position)
    JOIN search.document d ON d.merchant_id = (hasura_session ->> 'x-hasura-merchant-id')::uuid AND d.id = p.id;
$$;
