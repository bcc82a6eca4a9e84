DO $$
DECLARE
  v_table record;
BEGIN
  FOR v_table IN
    SELECT
      c.oid::regclass AS name,
      string_agg(quote_ident(a.attname), ', ') AS columns,
      string_agg(quote_literal(a.attname), ', ') AS arguments
    FROM
      (SELECT DISTINCT t.tgrelid FROM pg_trigger t WHERE t.tgfoid = 'audit.record_rows'::regproc) w
      JOIN pg_class c ON c.oid = w.tgrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE
      a.atttypid::regtype::text IN ('text', 'citext', 'text[]', 'jsonb')
      AND a.attname NOT IN (
        'external_id',
        'sku',
        'variant_skus',
        'reference',
        'tracking_number',
        'phone',
        'url',
        'website',
        'token'
      )
    GROUP BY c.oid
  LOOP
    EXECUTE format(
      'CREATE TRIGGER card_numbers_refused BEFORE INSERT OR UPDATE OF %s ON %s '
        'FOR EACH ROW EXECUTE FUNCTION platform.refuse_card_numbers(%s)',
      v_table.columns,
      v_table.name,
      v_table.arguments
    );
  END LOOP;
END
$$;
