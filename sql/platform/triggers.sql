CREATE FUNCTION platform.touch_updated_at()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.updated_at := clock_timestamp();
  RETURN NEW;
END;
$$;

CREATE FUNCTION platform.touch_parent()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_part jsonb := to_jsonb(coalesce(NEW, OLD));
BEGIN
  -- A parent that this transaction has made or changed has its time.
  EXECUTE
    format(
      'UPDATE %s SET updated_at = clock_timestamp() WHERE merchant_id = $1 AND id = $2 AND updated_at < now()',
      TG_ARGV[0]
    )
  USING (v_part ->> 'merchant_id')::uuid, (v_part ->> TG_ARGV[1])::uuid;
  RETURN NULL;
END;
$$;

CREATE FUNCTION platform.refuse_card_numbers()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_new jsonb := to_jsonb(NEW);
  v_old jsonb := CASE TG_OP
    WHEN 'UPDATE' THEN to_jsonb(OLD)
  END;
  -- platform.holds_card_number finds none in fewer.
  c_fewest_digits CONSTANT integer := 12;
  v_column text;
  v_value jsonb;
  v_text text;
BEGIN
  IF platform.importing() THEN
    -- Rows of imports are checked before they come here.
    RETURN NEW;
  END IF;
  FOREACH v_column IN ARRAY TG_ARGV LOOP
    v_value := v_new -> v_column;
    CONTINUE WHEN v_value = v_old -> v_column;
    -- Most texts have too few digits. One that isn't ASCII may write them in other ways.
    v_text := v_value #>> '{}';
    CONTINUE WHEN
      v_text IS NULL
      OR octet_length(v_text) = char_length(v_text)
      AND char_length(v_text) - char_length(translate(v_text, '0123456789', '')) < c_fewest_digits;
    IF
      EXISTS (
        SELECT
        FROM jsonb_path_query(v_value, 'strict $.** ? (@.type() == "string")') x
        WHERE platform.holds_card_number(x #>> '{}')
      )
    THEN
      PERFORM
        platform.violate(
          TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME,
          'no_card_number',
          format('Field %s holds what looks like a card number, which is never stored', v_column)
        );
    END IF;
  END LOOP;
  RETURN NEW;
END;
$$;
