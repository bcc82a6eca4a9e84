-- The order, its lines and their stock, as one statement. Stock is taken in the order of the products' ids, so that
-- orders of the same products wait for each other instead of ending in a deadlock. Without enough stock, the check of
-- `available` refuses the whole statement.
CREATE FUNCTION order_limit.place_bare(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_product_ids uuid[],
  p_quantities integer[],
  p_key text
)
RETURNS uuid
LANGUAGE sql
AS $$
  WITH
    wanted AS (
      SELECT s.product_id, s.price, w.quantity
      FROM
        unnest(p_product_ids, p_quantities) AS w (product_id, quantity)
        JOIN order_limit.bare_stock s ON s.merchant_id = p_merchant_id AND s.product_id = w.product_id
      ORDER BY s.product_id
      FOR NO KEY UPDATE OF s
    ),
    taken AS (
      UPDATE order_limit.bare_stock s
      SET available = s.available - w.quantity
      FROM wanted w
      WHERE s.merchant_id = p_merchant_id AND s.product_id = w.product_id
      RETURNING w.product_id, w.quantity, w.price
    ),
    placed AS (
      INSERT INTO order_limit.bare_order (merchant_id, id, customer_id, total)
      SELECT p_merchant_id, platform.uuid_v7(), p_customer_id, sum(t.quantity * t.price)
      FROM taken t
      RETURNING id
    ),
    lines AS (
      INSERT INTO order_limit.bare_line (merchant_id, order_id, product_id, quantity, price)
      SELECT p_merchant_id, o.id, t.product_id, t.quantity, t.price
      FROM placed o, taken t
    )
  SELECT o.id
  FROM placed o;
$$;
