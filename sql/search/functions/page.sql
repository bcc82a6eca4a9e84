CREATE FUNCTION search.page(
  p_request search.request,
  p_sort_by text,
  p_sort_order text,
  p_after_value text,
  p_after_id uuid,
  p_page_size integer,
  p_page_offset integer
)
RETURNS TABLE (id uuid, sort_value text)
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
ROWS 20
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_column text := CASE
    WHEN p_sort_by = 'RELEVANCE'
    AND p_request.words IS NOT NULL THEN 'rank'
    WHEN p_sort_by = 'PRICE' THEN 'lowest_price'
    WHEN p_sort_by = 'NAME' THEN 'shown_title'
    WHEN p_sort_by = 'BEST_SELLING' THEN 'popularity'
    ELSE 'created_at'
  END;
  v_type text := CASE v_column
    WHEN 'rank' THEN 'real'
    WHEN 'shown_title' THEN 'text'
    WHEN 'created_at' THEN 'timestamptz'
    ELSE 'bigint'
  END;
  v_ascending boolean := v_column <> 'rank'
  AND coalesce(p_sort_order = 'ASC', v_column IN ('lowest_price', 'shown_title'));
  v_direction text := CASE
    WHEN v_ascending THEN 'ASC'
    ELSE 'DESC'
  END;
  v_matches text := search.matches(p_request, TRUE);
  -- A page has up to 100, and one more says whether there is another.
  v_size integer := least(greatest(p_page_size, 0), 101);
  v_offset integer := least(greatest(p_page_offset, 0), 1000);
  v_after text := CASE
    WHEN p_after_id IS NULL THEN 'TRUE'
    ELSE format(
      '(d.%I, d.id) %s (%L::%s, %L::uuid)',
      v_column,
      CASE
        WHEN v_ascending THEN '>'
        ELSE '<'
      END,
      p_after_value,
      v_type,
      p_after_id
    )
  END;
  v_page text := format(
    'SELECT d.id, d.%1$I AS value FROM <source> d WHERE %2$s ORDER BY d.%1$I %3$s, d.id %3$s LIMIT %4$s OFFSET %5$s',
    v_column,
    v_after,
    v_direction,
    v_size,
    v_offset
  );
  v_found text;
BEGIN
  IF v_column = 'rank' THEN
    v_found := replace(v_page, '<source>', format('search.ranked($1, %L)', v_matches));
  ELSEIF num_nonnulls(p_request.words, p_request.keys, p_request.groups) = 0 THEN
    v_found := replace(v_page, '<source>', format('(SELECT d.* FROM search.document d WHERE %s)', v_matches));
  ELSE
    -- Of many matches some are among the first documents in the order of the sort, which an index has. Of few, all are
    -- found first, and sorted then: the index would be read until enough match, which may be all of it.
    v_found := format(
      $statement$
      WITH
        near AS MATERIALIZED (%s),
        far AS (%s)
      SELECT n.id, n.value
      FROM near n
      WHERE (SELECT count(*) FROM near) = %3$s
      UNION ALL
      SELECT f.id, f.value
      FROM far f
      WHERE (SELECT count(*) FROM near) < %3$s
      $statement$,
      replace(
        v_page,
        '<source>',
        format(
          '(SELECT d.* FROM (%s) d WHERE %s)',
          format(
            'SELECT d.* FROM search.document d WHERE d.merchant_id = (($1).scope).merchant_id AND %1$s AND %2$s
             ORDER BY d.merchant_id, d.%3$I %4$s, d.id %4$s LIMIT 2000',
            v_after,
            CASE
              WHEN p_request.products_only THEN 'd.product_id IS NOT NULL'
              ELSE 'TRUE'
            END,
            v_column,
            v_direction
          ),
          v_matches
        )
      ),
      replace(
        v_page,
        '<source>',
        format('(SELECT d.id, d.%I FROM search.document d WHERE %s OFFSET 0)', v_column, v_matches)
      ),
      v_size
    );
  END IF;
  RETURN QUERY EXECUTE
    format(
      'SELECT s.id, %s FROM (%s) s',
      CASE
        WHEN v_column = 'created_at' THEN format(
          'to_char(s.value AT TIME ZONE %L, %L)',
          'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'
        )
        ELSE 's.value::text'
      END,
      v_found
    )
    USING p_request;
END;
$$;
