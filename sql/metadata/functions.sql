-- The largest text of a record's metadata, in bytes.
CREATE FUNCTION metadata.most_bytes()
RETURNS integer
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT 32768;
$$;

CREATE FUNCTION metadata.refuse(p_table text, p_field text, p_fault jsonb)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    platform.violate(
      p_table,
      'metadata_kept',
      format(
        'Field %s: %s',
        p_field,
        coalesce(
          'expected ' || (p_fault ->> 'expected'),
          p_fault ->> 'message',
          format('%s is not between %s and %s', p_fault ->> 'value', p_fault ->> 'min', p_fault ->> 'max')
        )
      ),
      jsonb_build_object('field', p_field, 'fault', p_fault)::text
    );
$$;

-- The first fault of metadata as it was given: its field and the fault, as the contract's `Fault`. NULL: none.
CREATE FUNCTION metadata.form_fault(p_given jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT jsonb_build_object('path', x.path, 'fault', jsonb_build_object('kind', 'format', 'expected', x.expected))
  FROM
    (
      SELECT '' AS path, 'object of namespaces' AS expected, 1 AS rank WHERE jsonb_typeof(p_given) <> 'object'
      UNION ALL
      SELECT
        '.' || left(n.key, 64),
        CASE
          WHEN n.key !~ '^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$' THEN 'namespace of 1 to 64 letters, digits, _ and -'
          ELSE 'object of keys and values, or null'
        END,
        2
      FROM
        jsonb_each(
          CASE jsonb_typeof(p_given)
            WHEN 'object' THEN p_given
            ELSE '{}'
          END
        ) n
      WHERE n.key !~ '^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$' OR jsonb_typeof(n.value) NOT IN ('object', 'null')
      UNION ALL
      SELECT format('.%s.%s', n.key, left(k.key, 64)), 'key of 1 to 64 letters, digits, _ and -', 3
      FROM
        jsonb_each(
          CASE jsonb_typeof(p_given)
            WHEN 'object' THEN p_given
            ELSE '{}'
          END
        ) n,
        jsonb_object_keys(
          CASE jsonb_typeof(n.value)
            WHEN 'object' THEN n.value
            ELSE '{}'
          END
        ) AS k (key)
      WHERE k.key !~ '^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$'
    ) x
  ORDER BY x.rank, x.path
  LIMIT 1;
$$;

-- The given keys take the place of those that are there; a null removes its key, or its namespace.
CREATE FUNCTION metadata.merged(p_old jsonb, p_given jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT coalesce(jsonb_object_agg(n.name, n.keys) FILTER (WHERE n.keys <> '{}'), '{}')
  FROM
    (
      SELECT
        coalesce(o.key, g.key) AS name,
        CASE
          WHEN g.key IS NULL THEN o.value
          WHEN g.value = 'null' THEN '{}'
          ELSE (
            SELECT coalesce(jsonb_object_agg(k.key, k.value), '{}')
            FROM jsonb_each(coalesce(o.value, '{}') || g.value) k
            WHERE k.value <> 'null'
          )
        END AS keys
      FROM
        jsonb_each(p_old) o
        FULL JOIN jsonb_each(p_given) g ON g.key = o.key
    ) n;
$$;

-- What empties metadata when it is written to it.
CREATE FUNCTION metadata.emptied(p_metadata jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT coalesce(jsonb_object_agg(n.name, NULL), '{}') FROM jsonb_object_keys(p_metadata) AS n (name);
$$;

-- What a record keeps of metadata that is written to it. Raises `metadata_kept` where it can't be kept.
CREATE FUNCTION metadata.kept(p_table text, p_field text, p_old jsonb, p_given jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_fault jsonb;
  v_kept jsonb;
BEGIN
  -- The column's own NOT NULL refuses a NULL.
  IF p_given = p_old OR p_given IS NULL THEN
    RETURN p_given;
  END IF;
  v_fault := metadata.form_fault(p_given);
  IF v_fault IS NOT NULL THEN
    PERFORM metadata.refuse(p_table, p_field || (v_fault ->> 'path'), v_fault -> 'fault');
  END IF;
  v_kept := metadata.merged(p_old, p_given);
  IF octet_length(v_kept::text) > metadata.most_bytes() THEN
    PERFORM
      metadata.refuse(
        p_table,
        p_field,
        jsonb_build_object(
          'kind',
          'range',
          'value',
          format('of %s bytes', octet_length(v_kept::text)),
          'min',
          0,
          'max',
          metadata.most_bytes()
        )
      );
  END IF;
  RETURN v_kept;
END;
$$;
