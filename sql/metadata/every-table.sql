DO $$
DECLARE
  v_table regclass;
BEGIN
  FOREACH v_table IN ARRAY ARRAY[
    'booking.appointment',
    'cart.cart',
    'cart.cart_item',
    'catalog.category',
    'catalog.product',
    'catalog.product_variant',
    'crm.customer',
    'inventory.warehouse',
    'ordering.order',
    'ordering.order_item'
  ]::regclass[]
  LOOP
    -- A row without metadata costs nothing more to insert.
    EXECUTE format(
      'CREATE TRIGGER metadata_inserted BEFORE INSERT ON %s FOR EACH ROW '
        'WHEN (NEW.metadata <> ''{}'' OR NEW.private_metadata <> ''{}'') EXECUTE FUNCTION metadata.keep()',
      v_table
    );
    EXECUTE format(
      'CREATE TRIGGER metadata_updated BEFORE UPDATE OF metadata, private_metadata ON %s FOR EACH ROW '
        'EXECUTE FUNCTION metadata.keep()',
      v_table
    );
  END LOOP;
END
$$;
