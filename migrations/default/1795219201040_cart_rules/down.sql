DROP FUNCTION cart.purge_expired(integer);
DROP FUNCTION cart.set_line_quantity(uuid, uuid, uuid, uuid, integer, interval);
DROP FUNCTION cart.add_line(uuid, uuid, uuid, jsonb, interval, integer);
DROP FUNCTION cart.create_cart(uuid, uuid, text, jsonb, interval, integer);
DROP FUNCTION cart.put_lines(uuid, uuid, text, jsonb, text, integer);
DROP FUNCTION cart.line_too_dear(uuid, uuid, catalog.sellable_line[]);
DROP FUNCTION cart.shortages(uuid, catalog.sellable_line[]);
DROP FUNCTION cart.renew(uuid, uuid, interval);
DROP FUNCTION cart.lock_open_cart(uuid, uuid, uuid);
