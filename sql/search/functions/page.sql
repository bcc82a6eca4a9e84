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
  v_matches text := search.matches(p_request, TRUE);
  v_source text := CASE
    WHEN v_column = 'rank' THEN format('SELECT r.id, r.rank FROM search.ranked($1, %L) r', v_matches)
    ELSE format('SELECT d.id, d.%I FROM search.document d WHERE %s', v_column, v_matches)
  END;
BEGIN
  -- What matches is found first, and sorted then. An index of the sorted column would be read until enough rows match,
  -- which may be all of it.
  IF num_nonnulls(p_request.words, p_request.keys, p_request.groups) > 0 THEN
    v_source := v_source || ' OFFSET 0';
  END IF;
  RETURN QUERY EXECUTE
    format(
      'SELECT s.id, %s FROM (%s) s WHERE %s ORDER BY s.%I %s, s.id %s LIMIT %s OFFSET %s',
      CASE
        WHEN v_column = 'created_at' THEN format(
          'to_char(s.created_at AT TIME ZONE %L, %L)',
          'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'
        )
        ELSE format('s.%I::text', v_column)
      END,
      v_source,
      CASE
        WHEN p_after_id IS NULL THEN 'TRUE'
        ELSE format(
          '(s.%I, s.id) %s (%L::%s, %L::uuid)',
          v_column,
          CASE
            WHEN v_ascending THEN '>'
            ELSE '<'
          END,
          p_after_value,
          v_type,
          p_after_id
        )
      END,
      v_column,
      CASE
        WHEN v_ascending THEN 'ASC'
        ELSE 'DESC'
      END,
      CASE
        WHEN v_ascending THEN 'ASC'
        ELSE 'DESC'
      END,
      -- A page has up to 100, and one more says whether there is another.
      least(greatest(p_page_size, 0), 101),
      least(greatest(p_page_offset, 0), 1000)
    )
    USING p_request;
END;
$$;
