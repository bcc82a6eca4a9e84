-- The text without the numbers of bank accounts: IBANs (ISO 13616) whose check digits are right (ISO 7064, MOD 97-10).
-- withoutIbans in contract/src/input/iban.ts is the same rule.
CREATE FUNCTION platform.without_ibans(p_text text)
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
PARALLEL SAFE
AS $$
DECLARE
  v_rest text := p_text;
  v_groups text[];
  v_compact text;
  v_number numeric;
BEGIN
  FOR v_groups IN SELECT string_to_array(m[1], ' ')
  FROM
    regexp_matches(
      p_text,
      '((?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}' 
 '(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)(?![A-Za-z0-9]))',
      'g'
    ) m LOOP
    -- A word may follow an IBAN, so the longest row of groups with the right check digits is one.
    FOR v_last IN REVERSE cardinality(v_groups)..1 LOOP
      v_compact := array_to_string(v_groups[1:v_last], '');
      EXIT WHEN char_length(v_compact) < 15;
      SELECT
        string_agg(
          CASE
            WHEN c.letter >= 'A' COLLATE "C" THEN (ascii(c.letter) - 55)::text
            ELSE c.letter
          END,
          ''
          ORDER BY c.place
        )::numeric
      INTO v_number
      FROM regexp_split_to_table(substr(v_compact, 5) || left(v_compact, 4), '') WITH ORDINALITY c (letter, place);
      IF char_length(v_compact) <= 34 AND v_number % 97 = 1 THEN
        v_rest := replace(v_rest, array_to_string(v_groups[1:v_last], ' '), ' . ');
        EXIT;
      END IF;
    END LOOP;
  END LOOP;
  RETURN v_rest;
END;
$$;
