-- Deletes rows of a merchant whose deletion is due, about as many as the limit and what belongs to them, from whichever
-- tables of any schema have the column merchant_id. It runs as the owner, who sees every
-- merchant's rows in every schema; of the roles, only the worker's may call it. It is called again and
-- again, in a transaction each, until it answers `deleted`; then the merchant's own row is gone, and
-- operator.deleted_merchant has the rest. An interrupted deletion goes on where it was.
--
-- A row that others still refer to, or that goes only together with its record, stays for a later round.
--
-- answers: more {rows: integer} | deleted {} | not_due {}
CREATE FUNCTION merchant.delete_rows(p_merchant_id uuid, p_limit integer)
RETURNS jsonb
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  v_merchant merchant.merchant;
  v_table record;
  v_gone integer;
  v_rows integer := 0;
BEGIN
  SELECT * INTO v_merchant FROM merchant.merchant m WHERE m.id = p_merchant_id FOR UPDATE;
  IF NOT merchant.deletion_is_due(p_merchant_id) THEN
    RETURN jsonb_build_object('outcome', 'not_due');
  END IF;
  -- A rule that is checked at the end of a transaction is to refuse its own statement, not all of them.
  EXECUTE 'SET CONSTRAINTS ALL IMMEDIATE';
  FOR v_table IN SELECT
    c.oid::regclass AS name,
    -- Rows that refer to rows of the same table go in one statement.
    CASE
      WHEN EXISTS (
        SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.confrelid = c.oid AND k.contype = 'f'
      ) THEN NULL
      ELSE p_limit
    END AS rows
  FROM
    pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'merchant_id' AND NOT a.attisdropped
  WHERE
    c.relkind = 'r'
    AND c.oid <> 'merchant.merchant'::regclass
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  -- Tables that no other refers to first: the others are free then.
  ORDER BY
    (SELECT count(*) FROM pg_constraint k WHERE k.confrelid = c.oid AND k.contype = 'f' AND k.confdeltype = 'a'),
    c.oid LOOP
    EXIT WHEN v_rows >= p_limit;
    BEGIN
      EXECUTE
        format(
          'WITH gone AS (
           DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT t.ctid FROM %1$s t WHERE t.merchant_id = $1 LIMIT $2))
           RETURNING 1
         )
         SELECT count(*) FROM gone',
          v_table.name
        )
      INTO v_gone
      USING p_merchant_id, v_table.rows;
      v_rows := v_rows + v_gone;
    EXCEPTION WHEN foreign_key_violation OR restrict_violation OR check_violation OR raise_exception THEN
      NULL;
    END;
  END LOOP;
  IF v_rows > 0 THEN
    RETURN jsonb_build_object('outcome', 'more', 'rows', v_rows);
  END IF;
  -- The next round of the job finds the merchant again, without its twin.
  IF EXISTS (SELECT FROM merchant.merchant m WHERE m.twin_of = p_merchant_id) THEN
    RETURN jsonb_build_object('outcome', 'more', 'rows', 0);
  END IF;
  IF v_merchant.id IS NOT NULL THEN
    INSERT INTO operator.deleted_merchant (id, name, created_at, closed_at)
    VALUES (v_merchant.id, v_merchant.name, v_merchant.created_at, v_merchant.status_since);
    DELETE FROM merchant.merchant m WHERE m.id = p_merchant_id;
  END IF;
  RETURN jsonb_build_object('outcome', 'deleted');
END;
$$;

REVOKE EXECUTE ON FUNCTION merchant.delete_rows(uuid, integer) FROM PUBLIC;
