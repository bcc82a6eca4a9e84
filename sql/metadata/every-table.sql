DO $$
DECLARE
  v_table record;
BEGIN
  FOR v_table IN
    SELECT t.name, t.owner
    FROM
      (
        VALUES
          ('booking.appointment'::regclass, 'APPOINTMENT'),
          ('cart.cart', 'CART'),
          ('cart.cart_item', 'CART_ITEM'),
          ('catalog.category', 'CATEGORY'),
          ('catalog.product', 'PRODUCT'),
          ('catalog.product_variant', 'PRODUCT_VARIANT'),
          ('crm.customer', 'CUSTOMER'),
          ('inventory.warehouse', 'WAREHOUSE'),
          ('ordering.order', 'ORDER'),
          ('ordering.order_item', 'ORDER_ITEM')
      ) AS t (name, owner)
  LOOP
    -- A row without metadata costs nothing more to insert.
    EXECUTE format(
      'CREATE TRIGGER metadata_inserted BEFORE INSERT ON %s FOR EACH ROW '
        'WHEN (NEW.metadata <> ''{}'' OR NEW.private_metadata <> ''{}'') EXECUTE FUNCTION metadata.keep(%L)',
      v_table.name,
      v_table.owner
    );
    EXECUTE format(
      'CREATE TRIGGER metadata_updated BEFORE UPDATE OF metadata, private_metadata ON %s FOR EACH ROW '
        'EXECUTE FUNCTION metadata.keep(%L)',
      v_table.name,
      v_table.owner
    );
  END LOOP;
END
$$;
