-- Retries what was given up, with all its attempts, or drops it for good. Nothing is done where an id is unknown; what
-- another caller has settled meanwhile is left out of `count`.
--
-- answers: settled {count: integer} | unknown {index: integer}
CREATE FUNCTION operator.settle_dead_letters(p_ids uuid[], p_retry boolean)
RETURNS jsonb
LANGUAGE plpgsql
-- The parts have no rights in the tables of the queues and of Hasura, or in some.
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  v_letters operator.dead_letter[];
  v_letter operator.dead_letter;
  v_unknown integer;
  v_count integer := 0;
BEGIN
  SELECT coalesce(array_agg(d), '{}') INTO v_letters FROM operator.dead_letter d WHERE d.id = ANY (p_ids);
  SELECT n.number - 1
  INTO v_unknown
  FROM unnest(p_ids) WITH ORDINALITY AS n (id, number)
  WHERE NOT EXISTS (SELECT FROM unnest(v_letters) l WHERE l.id = n.id)
  ORDER BY n.number
  LIMIT 1;
  IF FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown', 'index', v_unknown);
  END IF;
  FOREACH v_letter IN ARRAY v_letters LOOP
    IF operator.settle_dead_letter(v_letter, p_retry) THEN
      v_count := v_count + 1;
    END IF;
  END LOOP;
  RETURN jsonb_build_object('outcome', 'settled', 'count', v_count);
END;
$$;

REVOKE EXECUTE ON FUNCTION operator.settle_dead_letters(uuid[], boolean) FROM PUBLIC;
