-- Gives the products of a batch their pictures and stock.
CREATE FUNCTION catalog.link_imported_products(p_merchant_id uuid, p_batch jsonb, p_targets jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_targets uuid[] := ARRAY(
    SELECT t.target
    FROM jsonb_to_recordset(p_targets) AS t (target uuid, known boolean, written boolean)
    WHERE t.written AND t.known
  );
BEGIN
  DELETE FROM catalog.product_image i
  WHERE
    i.merchant_id = p_merchant_id
    AND i.product_id IN (
      SELECT t.target
      FROM
        jsonb_to_recordset(p_batch -> 'images') AS x (product uuid)
        JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, written boolean)
          ON t.id = x.product AND t.written
      WHERE t.target = ANY (v_targets)
    );
  INSERT INTO catalog.product_image (merchant_id, product_id, url, alt, width, height, position)
  SELECT p_merchant_id, t.target, i.url, i.alt, i.width, i.height, i.position
  FROM
    jsonb_to_recordset(p_batch -> 'images') AS i (
      product uuid,
      url text,
      alt text,
      width integer,
      height integer,
      position integer
    )
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, written boolean) ON t.id = i.product AND t.written;
  WITH
    warehouse AS MATERIALIZED (
      SELECT x.code, inventory.warehouse_of_import(p_merchant_id, x.code) AS id
      FROM (SELECT DISTINCT warehouse AS code FROM jsonb_to_recordset(p_batch -> 'stock') AS s (warehouse text)) x
    )
  INSERT INTO inventory.stock_level AS l (merchant_id, stock_item_id, warehouse_id, available)
  SELECT p_merchant_id, k.id, w.id, max(s.available)
  FROM
    warehouse w
    JOIN jsonb_to_recordset(p_batch -> 'stock') AS s (product uuid, sku text, warehouse text, available integer)
      ON s.warehouse IS NOT DISTINCT FROM w.code
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, written boolean) ON t.id = s.product AND t.written
    CROSS JOIN LATERAL (
      SELECT k.id
      FROM inventory.stock_item k
      WHERE k.merchant_id = p_merchant_id AND k.sku = s.sku AND k.product_id = t.target
      -- The table looks empty while rows are checked, and would be read whole.
      OFFSET 0
    ) k
  GROUP BY k.id, w.id
  ON CONFLICT (merchant_id, stock_item_id, warehouse_id) DO UPDATE SET available = excluded.available;
END;
$$;

-- Puts the products of a batch into their categories, and makes those that their paths lead to and aren't here.
CREATE FUNCTION catalog.put_imported_products(p_merchant_id uuid, p_import_id uuid, p_batch jsonb, p_targets jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
  SELECT DISTINCT p_merchant_id, t.target, p.category_id
  FROM
    (
      SELECT q.path, catalog.category_of_path(p_merchant_id, p_import_id, q.path) AS category_id
      FROM
        (
          SELECT DISTINCT c.path
          FROM
            jsonb_to_recordset(p_batch -> 'categories') AS c (product uuid, path text[])
            JOIN jsonb_to_recordset(p_targets) AS t (id uuid, written boolean) ON t.id = c.product AND t.written
        ) q
    ) p
    JOIN jsonb_to_recordset(p_batch -> 'categories') AS c (product uuid, path text[]) ON c.path = p.path
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, written boolean) ON t.id = c.product AND t.written
  ON CONFLICT DO NOTHING;
END;
$$;
