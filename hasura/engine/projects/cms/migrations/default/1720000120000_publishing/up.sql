CREATE FUNCTION publish_page(page_id int) RETURNS SETOF page LANGUAGE sql VOLATILE AS $$
  UPDATE page SET is_public = true WHERE id = page_id RETURNING *
$$;
