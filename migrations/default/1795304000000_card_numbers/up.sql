-- Card numbers are never stored, whichever API a text comes by: the rule of contract/README.md, once more for what is written through
-- Hasura's own API, which no service sees. A test holds the two to the same answers.

-- Whether a text holds a card's number: 12 to 19 digits that pass Luhn's test, in one group or several with up to three spaces or
-- dashes between them.
CREATE FUNCTION platform.holds_card_number(p_text text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  v_space constant text := '\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
  v_gap constant text := '[' || v_space || '\u058a\u05be\u1400\u1806\u2010-\u2015\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030\u30a0\ufe31\ufe32\U00010ead-]';
  v_plain text := CASE WHEN octet_length(p_text) = char_length(p_text) THEN p_text ELSE normalize(p_text, NFKC) END;
  v_run text;
  v_groups text[];
  v_digit integer;
  v_length integer;
  -- Luhn's sum of the digits so far, if the last one counts once, and if it counts twice.
  v_once integer;
  v_twice integer;
  v_before integer;
  v_zeros boolean;
BEGIN
  IF v_plain !~ ('[0-9](' || v_gap || '{0,3}[0-9]){11}') THEN
    RETURN false;
  END IF;
  -- URLs, UUIDs, dates, and numbers too long for a card, hexadecimal ones too, are none.
  v_plain := regexp_replace(
    v_plain,
    'https?://[^' || v_space || ']+'
    '|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
    '|(?<![0-9])(?:19|20)[0-9][0-9]-[01][0-9]-[0-3][0-9](?![0-9])'
    '|(?<![0-9a-f])[0-9a-f]{24,}',
    ' . ', 'gi'
  );
  FOR v_run IN SELECT m[1] FROM regexp_matches(v_plain, '([0-9]+(?:' || v_gap || '{1,3}[0-9]+)*)', 'g') m LOOP
    v_groups := ARRAY(SELECT m[1] FROM regexp_matches(v_run, '([0-9]+)', 'g') m);
    FOR v_first IN 1..cardinality(v_groups) LOOP
      v_length := 0;
      v_once := 0;
      v_twice := 0;
      v_zeros := true;
      FOR v_group IN v_first..least(v_first + 18, cardinality(v_groups)) LOOP
        v_length := v_length + char_length(v_groups[v_group]);
        EXIT WHEN v_length > 19;
        FOR v_place IN 1..char_length(v_groups[v_group]) LOOP
          v_digit := substr(v_groups[v_group], v_place, 1)::integer;
          v_before := v_once;
          v_once := v_twice + v_digit;
          v_twice := v_before + v_digit * 2 - CASE WHEN v_digit > 4 THEN 9 ELSE 0 END;
          v_zeros := v_zeros AND v_digit = 0;
        END LOOP;
        IF v_length >= 12 AND v_once % 10 = 0 AND NOT v_zeros
          AND NOT (v_group = v_first AND platform.is_barcode(v_groups[v_group])) THEN
          RETURN true;
        END IF;
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN false;
END
$$;

-- UPC-A and EAN-13: from the last digit on, every second one counts three times.
CREATE FUNCTION platform.is_barcode(p_digits text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT char_length(p_digits) IN (12, 13) AND (
    SELECT sum(substr(reverse(p_digits), i, 1)::integer * CASE i % 2 WHEN 1 THEN 1 ELSE 3 END) % 10 = 0
    FROM generate_series(1, char_length(p_digits)) i
  )
$$;

-- Of the columns named, those that are written.
CREATE FUNCTION platform.refuse_card_numbers() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_new jsonb := to_jsonb(NEW);
  v_old jsonb := CASE TG_OP WHEN 'UPDATE' THEN to_jsonb(OLD) END;
  v_column text;
  v_value jsonb;
BEGIN
  FOREACH v_column IN ARRAY TG_ARGV LOOP
    v_value := v_new -> v_column;
    CONTINUE WHEN v_value = v_old -> v_column;
    IF EXISTS (
      SELECT FROM jsonb_path_query(v_value, 'strict $.** ? (@.type() == "string")') x
      WHERE platform.holds_card_number(x #>> '{}')
    ) THEN
      PERFORM platform.violate(
        TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME, 'no_card_number',
        format('Field %s holds what looks like a card number, which is never stored', v_column)
      );
    END IF;
  END LOOP;
  RETURN NEW;
END
$$;

-- Every table that a role may write to through Hasura (those that the audit log watches), with all its texts but those of which long
-- numbers are the nature: contract/README.md says why. Triggers run in the order of their names: this one looks at what was sent, before
-- fill_slug makes a slug with the row's id in it.
DO $$
DECLARE
  v_table record;
BEGIN
  FOR v_table IN
    SELECT c.oid::regclass AS name, string_agg(quote_ident(a.attname), ', ') AS columns, string_agg(quote_literal(a.attname), ', ') AS arguments
    FROM (SELECT DISTINCT t.tgrelid FROM pg_trigger t WHERE t.tgfoid = 'audit.record_rows'::regproc) w
    JOIN pg_class c ON c.oid = w.tgrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE a.atttypid::regtype::text IN ('text', 'citext', 'text[]', 'jsonb')
      AND a.attname NOT IN ('sku', 'variant_skus', 'reference', 'tracking_number', 'phone', 'url', 'website', 'token')
    GROUP BY c.oid
  LOOP
    EXECUTE format(
      'CREATE TRIGGER card_numbers_refused BEFORE INSERT OR UPDATE OF %s ON %s FOR EACH ROW EXECUTE FUNCTION platform.refuse_card_numbers(%s)',
      v_table.columns, v_table.name, v_table.arguments
    );
  END LOOP;
END
$$;
