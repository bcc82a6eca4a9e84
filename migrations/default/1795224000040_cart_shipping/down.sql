DROP FUNCTION ordering.check_out_cart(uuid, uuid, uuid, uuid, jsonb, jsonb, uuid, uuid, text, bigint, text, jsonb);
DROP FUNCTION cart.set_shipping_method(uuid, uuid, uuid, uuid, interval);
DROP FUNCTION cart.set_shipping_address(uuid, uuid, uuid, jsonb, interval);
DROP VIEW cart.cart_total;
DROP FUNCTION cart.shipping_price(cart.cart);
DROP VIEW cart.shipping_option;
ALTER TABLE cart.cart DROP COLUMN shipping_method_id;
DROP TABLE cart.cart_address;
