-- Whether all conditions hold for a record's fields and what has changed of them. A field that the record doesn't have
-- is null. Numbers are compared as numbers, and times as texts of ISO 8601, which sort.
CREATE FUNCTION events.matches(p_filter jsonb, p_record jsonb, p_changes jsonb)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT
    coalesce(
      bool_and(
        CASE
          WHEN (c ->> 'changed')::boolean THEN p_changes ? (c ->> 'field')
          ELSE TRUE
        END
        AND CASE
          WHEN c ->> 'equals' IS NOT NULL THEN coalesce(v.value = c ->> 'equals', FALSE)
          ELSE TRUE
        END
        AND CASE
          WHEN jsonb_typeof(c -> 'oneOf') = 'array' THEN coalesce((c -> 'oneOf') ? v.value, FALSE)
          ELSE TRUE
        END
        AND CASE
          WHEN c ->> 'atLeast' IS NULL THEN TRUE
          WHEN jsonb_typeof(p_record -> (c ->> 'field')) = 'number' THEN v.value::numeric >= (c ->> 'atLeast')::numeric
          ELSE FALSE
        END
        AND CASE
          WHEN c ->> 'atMost' IS NULL THEN TRUE
          WHEN jsonb_typeof(p_record -> (c ->> 'field')) = 'number' THEN v.value::numeric <= (c ->> 'atMost')::numeric
          ELSE FALSE
        END
      ),
      TRUE
    )
  FROM
    jsonb_array_elements(p_filter) c
    CROSS JOIN LATERAL (SELECT p_record ->> (c ->> 'field') AS value) v;
$$;
