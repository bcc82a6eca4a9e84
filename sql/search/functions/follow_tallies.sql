-- Takes up some of the changes of one merchant's tallies, or counts some of its documents for the first time. Returns
-- how many, and 0 when there is nothing left.
--
-- answers: integer
CREATE FUNCTION search.follow_tallies(p_limit integer)
RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_tallied search.tallied_scope;
  v_done integer;
BEGIN
  -- The row of scope 0 is held by all that write a merchant's tallies.
  SELECT t.*
  INTO v_tallied
  FROM search.tallied_scope t
  WHERE
    t.scope = 0
    AND CASE
      WHEN t.counted THEN EXISTS (SELECT FROM search.tally_change c WHERE c.merchant_id = t.merchant_id)
      OR EXISTS (
        SELECT
        FROM search.tallied_scope w
        WHERE w.merchant_id = t.merchant_id AND w.scope <> 0 AND search.can_be_counted(w)
      )
      ELSE search.can_be_counted(t)
    END
  -- Changes first: each makes reading a little slower until it is taken up.
  ORDER BY
    t.counted AND EXISTS (SELECT FROM search.tally_change c WHERE c.merchant_id = t.merchant_id) DESC,
    t.counted DESC,
    t.merchant_id
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  IF v_tallied.counted THEN
    v_done := search.take_tally_changes(v_tallied.merchant_id, p_limit);
    IF v_done > 0 THEN
      RETURN v_done;
    END IF;
    SELECT w.*
    INTO v_tallied
    FROM search.tallied_scope w
    WHERE w.merchant_id = v_tallied.merchant_id AND w.scope <> 0 AND search.can_be_counted(w)
    ORDER BY w.after_document_id NULLS FIRST
    LIMIT 1;
    IF NOT FOUND THEN
      RETURN 0;
    END IF;
  END IF;
  IF v_tallied.waits_for IS NOT NULL THEN
    RETURN search.count_documents(v_tallied, p_limit);
  END IF;
  IF v_tallied.scope = 0 THEN
    -- Of an earlier time, if the row was deleted so that everything is counted anew.
    DELETE FROM search.tally t WHERE t.merchant_id = v_tallied.merchant_id;
    DELETE FROM search.tallied_scope t WHERE t.merchant_id = v_tallied.merchant_id AND t.scope <> 0;
  END IF;
  UPDATE search.tallied_scope t
  SET waits_for = pg_snapshot_xmax(pg_current_snapshot())
  WHERE t.merchant_id = v_tallied.merchant_id AND NOT t.counted AND t.waits_for IS NULL;
  RETURN 1;
END;
$$;

CREATE FUNCTION search.can_be_counted(p_tallied search.tallied_scope)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    NOT p_tallied.counted
    AND (p_tallied.waits_for IS NULL OR p_tallied.waits_for <= pg_snapshot_xmin(pg_current_snapshot()));
$$;

CREATE FUNCTION search.take_tally_changes(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_taken integer;
BEGIN
  WITH
    taken AS (
      DELETE FROM search.tally_change c
      WHERE
        c.merchant_id = p_merchant_id
        AND c.id IN (
          SELECT w.id
          FROM search.tally_change w
          WHERE w.merchant_id = p_merchant_id
          ORDER BY w.id
          LIMIT p_limit
        )
      RETURNING c.*
    ),
    written AS (
      INSERT INTO search.tally AS t (merchant_id, scope, public, kind, value, count)
      SELECT p_merchant_id, s.scope, c.public, v.kind, v.value, sum(c.sign)
      FROM
        taken c
        CROSS JOIN LATERAL search.scopes_of_change(c::search.tally_change) s
        CROSS JOIN LATERAL search.tallied_values(
          c.type,
          c.status,
          c.lowest_price,
          c.highest_price,
          c.in_stock,
          c.facet_keys
        ) v
      GROUP BY s.scope, c.public, v.kind, v.value
      HAVING sum(c.sign) <> 0
      ORDER BY s.scope
      ON CONFLICT (merchant_id, scope, public, kind, value) DO UPDATE SET count = t.count + excluded.count
    )
  SELECT count(*)
  INTO v_taken
  FROM taken;
  RETURN v_taken;
END;
$$;

-- Counts the next documents of a scope that is not counted yet, and of all words that are as far. One statement, so one
-- snapshot: of the documents that it counts it drops the changes that it has seen, and all others come after it.
CREATE FUNCTION search.count_documents(p_tallied search.tallied_scope, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_scopes bigint[] := ARRAY(
    SELECT t.scope
    FROM search.tallied_scope t
    WHERE
      t.merchant_id = p_tallied.merchant_id
      AND t.waits_for IS NOT NULL
      AND search.can_be_counted(t)
      AND t.after_document_id IS NOT DISTINCT FROM p_tallied.after_document_id
      AND (t.scope = 0) = (p_tallied.scope = 0)
  );
  v_done integer;
BEGIN
  WITH
    part AS MATERIALIZED (
      SELECT d.*
      FROM search.document d
      WHERE
        d.merchant_id = p_tallied.merchant_id
        AND (p_tallied.after_document_id IS NULL OR d.id > p_tallied.after_document_id)
      ORDER BY d.id
      LIMIT p_limit
    ),
    -- The last part has no end, so that it has the changes of all documents that are no more.
    bound AS (
      SELECT
        CASE
          WHEN count(*) = p_limit THEN (array_agg(p.id ORDER BY p.id DESC))[1]
        END AS last_id
      FROM part p
    ),
    seen AS MATERIALIZED (
      SELECT c.id
      FROM
        search.tally_change c,
        bound b
      WHERE
        c.merchant_id = p_tallied.merchant_id
        AND (p_tallied.after_document_id IS NULL OR c.document_id > p_tallied.after_document_id)
        AND (b.last_id IS NULL OR c.document_id <= b.last_id)
    ),
    dropped AS (
      DELETE FROM search.tally_change c
      USING seen s
      WHERE p_tallied.scope = 0 AND c.merchant_id = p_tallied.merchant_id AND c.id = s.id
    ),
    -- The other counts still need the changes.
    dropped_of_words AS (
      UPDATE search.tally_change c
      SET word_scopes = ARRAY(SELECT w.scope FROM unnest(c.word_scopes) AS w (scope) WHERE w.scope <> ALL (v_scopes))
      FROM seen s
      WHERE p_tallied.scope <> 0 AND c.merchant_id = p_tallied.merchant_id AND c.id = s.id AND c.word_scopes && v_scopes
    ),
    written AS (
      INSERT INTO search.tally AS t (merchant_id, scope, public, kind, value, count)
      SELECT p_tallied.merchant_id, s.scope, p.public, v.kind, v.value, count(*)
      FROM
        part p
        CROSS JOIN LATERAL (
          SELECT x.scope
          FROM search.scopes_of(p.merchant_id, p.facet_keys) x
          WHERE p_tallied.scope = 0
          UNION ALL
          SELECT x.scope
          FROM unnest(search.word_scopes_of(p.merchant_id, p.words)) AS x (scope)
          WHERE p_tallied.scope <> 0 AND x.scope = ANY (v_scopes)
        ) s
        CROSS JOIN LATERAL search.tallied_values(
          search.type_of(p::search.document),
          p.status,
          p.lowest_price,
          p.highest_price,
          p.in_stock,
          p.facet_keys
        ) v
      GROUP BY s.scope, p.public, v.kind, v.value
      ORDER BY s.scope
      ON CONFLICT (merchant_id, scope, public, kind, value) DO UPDATE SET count = t.count + excluded.count
    ),
    noted AS (
      UPDATE search.tallied_scope t
      SET
        after_document_id = b.last_id,
        counted = b.last_id IS NULL
      FROM bound b
      WHERE t.merchant_id = p_tallied.merchant_id AND t.scope = ANY (v_scopes)
    )
  SELECT greatest(count(*), 1)
  INTO v_done
  FROM part;
  RETURN v_done;
END;
$$;
