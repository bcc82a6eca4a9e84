-- The tables that the limits of orders write to. Those of the promised limit have the columns, checks and indexes of the
-- platform's own and hold what an order promises; they have no triggers and no foreign keys, which the limit therefore
-- does not pay for.
CREATE SCHEMA order_limit;

CREATE TABLE order_limit.bare_stock (
  merchant_id uuid NOT NULL,
  product_id uuid NOT NULL,
  price bigint NOT NULL,
  available integer NOT NULL CHECK (available >= 0),
  PRIMARY KEY (merchant_id, product_id)
);

CREATE TABLE order_limit.bare_order (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  total bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);

CREATE TABLE order_limit.bare_line (
  merchant_id uuid NOT NULL,
  order_id uuid NOT NULL,
  product_id uuid NOT NULL,
  quantity integer NOT NULL,
  price bigint NOT NULL,
  PRIMARY KEY (merchant_id, order_id, product_id)
);

CREATE TABLE order_limit.counter (LIKE ordering.order_number_counter INCLUDING ALL);
CREATE TABLE order_limit.order (LIKE ordering.order INCLUDING ALL);
CREATE TABLE order_limit.order_address (LIKE ordering.order_address INCLUDING ALL);
CREATE TABLE order_limit.order_item (LIKE ordering.order_item INCLUDING ALL);
CREATE TABLE order_limit.fulfillment (LIKE ordering.fulfillment INCLUDING ALL);
CREATE TABLE order_limit.history_entry (LIKE ordering.history_entry INCLUDING ALL);
CREATE TABLE order_limit.stock_level (LIKE inventory.stock_level INCLUDING ALL);
CREATE TABLE order_limit.stock_movement (LIKE inventory.stock_movement INCLUDING ALL);
CREATE TABLE order_limit.reservation (LIKE inventory.reservation INCLUDING ALL);
CREATE TABLE order_limit.reservation_line (LIKE inventory.reservation_line INCLUDING ALL);
CREATE TABLE order_limit.audit_entry (LIKE audit.entry INCLUDING ALL);
CREATE TABLE order_limit.change (LIKE events.change INCLUDING ALL);
CREATE TABLE order_limit.idempotency_record (LIKE platform.idempotency_record INCLUDING ALL);

INSERT INTO order_limit.bare_stock (merchant_id, product_id, price, available)
SELECT p.merchant_id, p.id, p.price, 1000000000
FROM catalog.product p;

INSERT INTO order_limit.stock_level (merchant_id, stock_item_id, warehouse_id, available)
SELECT l.merchant_id, l.stock_item_id, l.warehouse_id, l.available
FROM inventory.stock_level l;

INSERT INTO order_limit.counter (merchant_id)
SELECT m.id
FROM merchant.merchant m;

ANALYZE order_limit.bare_stock, order_limit.stock_level, order_limit.counter;
