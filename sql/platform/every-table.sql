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

-- Parts that no list of their own shows: who copies records learns of their changes by the parent's updated_at.
-- An order's lines come with it, so their making costs nothing.
SELECT platform.touch_parent_of(t.part, t.parent, t.parent_id, t.events)
FROM
  (
    VALUES
      ('analytics.widget'::regclass, 'analytics.dashboard'::regclass, 'dashboard_id', 'INSERT OR UPDATE OR DELETE'),
      ('booking.resource_requirement', 'booking.service', 'service_id', 'INSERT OR UPDATE OR DELETE'),
      ('booking.schedule', 'booking.staff_member', 'staff_id', 'INSERT OR UPDATE OR DELETE'),
      ('booking.staff_service', 'booking.staff_member', 'staff_id', 'INSERT OR UPDATE OR DELETE'),
      ('catalog.product_category', 'catalog.product', 'product_id', 'INSERT OR UPDATE OR DELETE'),
      ('catalog.product_image', 'catalog.product', 'product_id', 'INSERT OR UPDATE OR DELETE'),
      ('catalog.product_variant', 'catalog.product', 'product_id', 'INSERT OR UPDATE OR DELETE'),
      ('catalog.variant_option', 'catalog.product_variant', 'variant_id', 'INSERT OR UPDATE OR DELETE'),
      ('crm.address', 'crm.customer', 'customer_id', 'INSERT OR UPDATE OR DELETE'),
      ('identity.user_role', 'identity.user', 'user_id', 'INSERT OR UPDATE OR DELETE'),
      ('inventory.warehouse_address', 'inventory.warehouse', 'warehouse_id', 'INSERT OR UPDATE OR DELETE'),
      ('ordering.order_item', 'ordering.order', 'order_id', 'UPDATE OR DELETE')
  ) AS t (part, parent, parent_id, events);

SELECT platform.grant_rights();
