CREATE VIEW public_page AS SELECT id, site_id, title FROM page WHERE is_public;

CREATE MATERIALIZED VIEW page_count AS SELECT site_id, count(*)::int AS pages FROM page GROUP BY site_id;

CREATE FUNCTION my_pages(hasura_session json) RETURNS SETOF page LANGUAGE sql STABLE AS $$
  SELECT page.* FROM page JOIN site_member USING (site_id)
  WHERE user_id = (hasura_session ->> 'x-hasura-user-id')::int
$$;

CREATE FUNCTION long_pages(min_words int DEFAULT 0) RETURNS SETOF page LANGUAGE sql STABLE AS $$
  SELECT * FROM page WHERE words >= min_words
$$;

CREATE FUNCTION page_document(page page) RETURNS tsvector LANGUAGE sql STABLE AS $$
  SELECT to_tsvector('english', page.title || ' ' || coalesce(string_agg(title, ' '), ''))
  FROM translation WHERE page_id = page.id
$$;

CREATE FUNCTION search_pages(search text) RETURNS SETOF page LANGUAGE sql STABLE AS $$
  SELECT * FROM page WHERE page_document(page) @@ websearch_to_tsquery('english', search)
  ORDER BY ts_rank(page_document(page), websearch_to_tsquery('english', search)) DESC, id
$$;
