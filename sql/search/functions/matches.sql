CREATE FUNCTION search.matches(p_request search.request, p_of_groups boolean)
RETURNS text
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_scope search.scope := p_request.scope;
  -- Only the conditions of the request, because Postgres plans a short statement better. $1 is the request.
  v_conditions text[] := ARRAY[
    'd.merchant_id = (($1).scope).merchant_id',
    CASE
      WHEN v_scope.public_only THEN 'd.public'
    END,
    CASE
      WHEN NOT v_scope.products THEN 'd.article_id IS NOT NULL'
    END,
    CASE
      WHEN NOT v_scope.articles THEN 'd.article_id IS NULL'
    END,
    CASE
      WHEN p_request.products_only THEN 'd.product_id IS NOT NULL'
    END,
    CASE
      WHEN p_request.types IS NOT NULL THEN 'search.type_of(d) = ANY (($1).types)'
    END,
    CASE
      WHEN p_request.words IS NOT NULL THEN 'd.words @@ ($1).words'
    END,
    CASE
      WHEN p_request.keys IS NOT NULL THEN 'd.facet_keys @> ($1).keys'
    END,
    CASE
      WHEN p_request.price_min IS NOT NULL THEN 'd.highest_price >= ($1).price_min'
    END,
    CASE
      WHEN p_request.price_max IS NOT NULL THEN 'd.lowest_price <= ($1).price_max'
    END,
    CASE
      WHEN p_request.status IS NOT NULL THEN 'd.status = ($1).status'
    END,
    CASE
      WHEN p_request.in_stock IS NOT NULL THEN search.in_stock_of(v_scope.merchant_id) || ' = ($1).in_stock'
    END
  ];
BEGIN
  IF p_of_groups THEN
    v_conditions := v_conditions || ARRAY(
      SELECT format('d.facet_keys && %L::bigint[]', g.keys)
      FROM unnest(p_request.groups) g
    );
  END IF;
  RETURN array_to_string(v_conditions, ' AND ');
END;
$$;
