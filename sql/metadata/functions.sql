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

-- Whether a text is a date, or a time with its zone. PostgreSQL 15 has no function that says so without an error.
CREATE FUNCTION metadata.is_time(p_text text, p_type text)
RETURNS boolean
LANGUAGE plpgsql
STABLE
AS $$
BEGIN
  IF p_type = 'date' THEN
    PERFORM p_text::date;
  ELSE
    PERFORM p_text::timestamptz;
  END IF;
  RETURN TRUE;
EXCEPTION WHEN data_exception THEN
  RETURN FALSE;
END;
$$;

-- The fault of a defined key's value, as the contract's `Fault`. NULL: none.
CREATE FUNCTION metadata.value_fault(p_definition metadata.definition, p_value jsonb)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_type text := jsonb_typeof(p_value);
  v_text text := p_value #>> '{}';
  v_expected text;
  v_size numeric;
  v_unknown text;
BEGIN
  v_expected := CASE p_definition.type
    WHEN 'TEXT' THEN CASE
      WHEN v_type <> 'string' THEN 'text'
    END
    WHEN 'INTEGER' THEN CASE
      WHEN v_type <> 'number' THEN 'whole number'
      WHEN v_text::numeric <> trunc(v_text::numeric) THEN 'whole number'
    END
    WHEN 'DECIMAL' THEN CASE
      WHEN v_type <> 'number' THEN 'number'
    END
    WHEN 'BOOLEAN' THEN CASE
      WHEN v_type <> 'boolean' THEN 'true or false'
    END
    WHEN 'DATE' THEN CASE
      WHEN v_type <> 'string'
      OR v_text !~ '^\d{4}-\d{2}-\d{2}$'
      OR NOT metadata.is_time(v_text, 'date') THEN 'ISO 8601 date YYYY-MM-DD'
    END
    WHEN 'DATE_TIME' THEN CASE
      WHEN v_type <> 'string'
      OR v_text !~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$'
      OR NOT metadata.is_time(v_text, 'timestamptz') THEN 'ISO 8601 timestamp with time zone, e.g. 2026-01-31T09:30:00Z'
    END
    WHEN 'URL' THEN CASE
      WHEN v_type <> 'string'
      OR v_text !~ '^https?://[^[:space:]/?#@]+([/?#][^[:space:]]*)?$'
      OR char_length(v_text) > 2048 THEN 'http or https URL'
    END
    WHEN 'LIST_OF_TEXT' THEN CASE
      WHEN v_type <> 'array' THEN 'list of texts'
      WHEN jsonb_path_exists(p_value, 'strict $[*] ? (@.type() != "string")') THEN 'list of texts'
    END
  END;
  IF v_expected IS NOT NULL THEN
    RETURN jsonb_build_object('kind', 'format', 'expected', v_expected);
  END IF;
  IF p_definition.choices IS NOT NULL THEN
    SELECT c
    INTO v_unknown
    FROM
      jsonb_array_elements_text(
        CASE v_type
          WHEN 'array' THEN p_value
          ELSE jsonb_build_array(p_value)
        END
      ) c
    WHERE c <> ALL (p_definition.choices)
    LIMIT 1;
    IF FOUND THEN
      RETURN jsonb_build_object(
        'kind',
        'format',
        'expected',
        left('one of ' || array_to_string(p_definition.choices, ', '), 500)
      );
    END IF;
  END IF;
  v_size := CASE
    WHEN p_definition.type = 'TEXT' THEN char_length(v_text)
    WHEN p_definition.type = 'LIST_OF_TEXT' THEN jsonb_array_length(p_value)
    WHEN p_definition.type IN ('INTEGER', 'DECIMAL') THEN v_text::numeric
  END;
  IF v_size < p_definition.min OR v_size > p_definition.max THEN
    RETURN jsonb_build_object(
      'kind',
      'value',
      'message',
      format(
        '%s has to be %s',
        CASE p_definition.type
          WHEN 'TEXT' THEN 'The number of characters'
          WHEN 'LIST_OF_TEXT' THEN 'The number of entries'
          ELSE 'The value'
        END,
        concat_ws(' and ', 'at least ' || p_definition.min, 'at most ' || p_definition.max)
      )
    );
  END IF;
  RETURN NULL;
END;
$$;

-- Whose keys the rows of a table have.
CREATE FUNCTION metadata.owner_type(p_table text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE p_table
      WHEN 'cart.cart_item' THEN 'LINE'
      WHEN 'ordering.order_item' THEN 'LINE'
      ELSE upper(split_part(p_table, '.', 2))
    END;
$$;

-- What a record keeps of metadata that is written to it. Raises `metadata_kept` where it can't be kept.
CREATE FUNCTION metadata.kept(p_merchant_id uuid, p_table text, p_private boolean, p_old jsonb, p_given jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_field text := CASE
    WHEN p_private THEN 'privateMetadata'
    ELSE 'metadata'
  END;
  v_fault jsonb;
  v_kept jsonb;
BEGIN
  -- The column's own NOT NULL refuses a NULL.
  IF p_given = p_old OR p_given IS NULL THEN
    RETURN p_given;
  END IF;
  v_fault := metadata.form_fault(p_given);
  IF v_fault IS NOT NULL THEN
    PERFORM metadata.refuse(p_table, v_field || (v_fault ->> 'path'), v_fault -> 'fault');
  END IF;
  v_kept := metadata.merged(p_old, p_given);
  IF octet_length(v_kept::text) > metadata.most_bytes() THEN
    PERFORM
      metadata.refuse(
        p_table,
        v_field,
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
  -- A value that stays is not looked at again: its definition may be younger.
  SELECT jsonb_build_object('path', format('.%s.%s', d.namespace, d.key), 'fault', x.fault)
  INTO v_fault
  FROM
    metadata.definition d
    CROSS JOIN LATERAL (SELECT v_kept -> d.namespace -> d.key AS value) k
    CROSS JOIN LATERAL (SELECT metadata.value_fault(d, k.value) AS fault) x
  WHERE
    d.merchant_id = p_merchant_id
    AND d.owner_type = metadata.owner_type(p_table)
    AND d.private = p_private
    AND k.value IS NOT NULL
    AND k.value IS DISTINCT FROM p_old -> d.namespace -> d.key
    AND x.fault IS NOT NULL
    AND current_setting('metadata.checked', TRUE) IS DISTINCT FROM 'on'
  ORDER BY d.namespace, d.key
  LIMIT 1;
  IF v_fault IS NOT NULL THEN
    PERFORM metadata.refuse(p_table, v_field || (v_fault ->> 'path'), v_fault -> 'fault');
  END IF;
  RETURN v_kept;
END;
$$;

-- What the merchant keeps with a record that was just made: externalId, metadata, privateMetadata.
--
-- answers: void
CREATE FUNCTION metadata.keep_with(p_merchant_id uuid, p_owner_type text, p_id uuid, p_kept jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_external_id text := p_kept ->> 'externalId';
  v_metadata jsonb := coalesce(nullif(p_kept -> 'metadata', 'null'), '{}');
  v_private jsonb := coalesce(nullif(p_kept -> 'privateMetadata', 'null'), '{}');
BEGIN
  CASE p_owner_type
    WHEN 'CART' THEN
      UPDATE cart.cart r
      SET
        external_id = v_external_id,
        metadata = v_metadata,
        private_metadata = v_private
      WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
    WHEN 'APPOINTMENT' THEN
      UPDATE booking.appointment r
      SET
        external_id = v_external_id,
        metadata = v_metadata,
        private_metadata = v_private
      WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
  END CASE;
END;
$$;
