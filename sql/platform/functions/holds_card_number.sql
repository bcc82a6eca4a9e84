CREATE FUNCTION platform.holds_card_number(p_text text)
RETURNS boolean
LANGUAGE plpgsql
IMMUTABLE
PARALLEL SAFE
AS $$
DECLARE
  v_space CONSTANT text := '\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
  v_rare_dash CONSTANT text := '\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030\u30a0\ufe31\ufe32\U00010ead';
  v_dash CONSTANT text := '\u058a\u05be\u1400\u1806\u2010-\u2015\u2212-';
  v_gap CONSTANT text := '[' || v_space || v_rare_dash || v_dash || ']';
  v_plain text := CASE
    WHEN octet_length(p_text) = char_length(p_text) THEN p_text
    ELSE normalize(p_text, NFKC)
  END;
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
    RETURN FALSE;
  END IF;
  v_plain := platform.without_ibans(v_plain);
  -- URLs, UUIDs, dates, and numbers too long for a card, hexadecimal ones too, are none.
  v_plain := regexp_replace(
    v_plain,
    'https?://[^' || v_space || ']+' 
 '|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}' 
 '|(?<![0-9])(?:19|20)[0-9][0-9]-[01][0-9]-[0-3][0-9](?![0-9])' 
 '|(?<![0-9a-f])[0-9a-f]{24,}',
    ' . ',
    'gi'
  );
  FOR v_run IN SELECT m[1] FROM regexp_matches(v_plain, '([0-9]+(?:' || v_gap || '{1,3}[0-9]+)*)', 'g') m LOOP
    v_groups := ARRAY(SELECT m[1] FROM regexp_matches(v_run, '([0-9]+)', 'g') m);
    FOR v_first IN 1..cardinality(v_groups) LOOP
      v_length := 0;
      v_once := 0;
      v_twice := 0;
      v_zeros := TRUE;
      FOR v_group IN v_first..least(v_first + 18, cardinality(v_groups)) LOOP
        v_length := v_length + char_length(v_groups[v_group]);
        EXIT WHEN v_length > 19;
        FOR v_place IN 1..char_length(v_groups[v_group]) LOOP
          v_digit := substr(v_groups[v_group], v_place, 1)::integer;
          v_before := v_once;
          v_once := v_twice + v_digit;
          v_twice := v_before + v_digit * 2 - CASE
            WHEN v_digit > 4 THEN 9
            ELSE 0
          END;
          v_zeros := v_zeros AND v_digit = 0;
        END LOOP;
        IF
          v_length >= 12
          AND v_once % 10 = 0
          AND NOT v_zeros
          AND NOT (v_group = v_first AND platform.is_barcode(v_groups[v_group]))
        THEN
          RETURN TRUE;
        END IF;
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN FALSE;
END;
$$;
