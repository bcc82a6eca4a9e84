-- Writes the products of a batch to their targets: new ones whole, and of those that are here the given fields. A new
-- one gets the sums of its variants at once: catalog.sum_up_variants then finds nothing to change, and the indexes of
-- the product are written once.
CREATE FUNCTION catalog.write_imported_products(p_merchant_id uuid, p_batch jsonb, p_targets jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO catalog.product
    (
      merchant_id,
      id,
      external_id,
      name,
      description,
      sku,
      variant_skus,
      price,
      lowest_price,
      highest_price,
      currency,
      compare_at_price,
      cost_per_item,
      status,
      featured,
      slug,
      tags,
      seo_title,
      seo_description,
      created_at
    )
  SELECT
    p_merchant_id,
    t.target,
    p.external_id,
    p.name,
    p.description,
    p.sku,
    coalesce(v.skus, ''),
    p.price,
    coalesce(v.lowest, p.price),
    coalesce(v.highest, p.price),
    p.currency,
    p.compare_at_price,
    p.cost_per_item,
    coalesce(p.status, 'DRAFT'),
    coalesce(p.featured, FALSE),
    p.slug,
    coalesce(p.tags, '{}'),
    p.seo_title,
    p.seo_description,
    coalesce(p.created_at, now())
  FROM
    jsonb_populate_recordset(NULL::catalog.product, p_batch -> 'products') p
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, known boolean, written boolean)
      ON t.id = p.id AND t.written AND NOT t.known
    LEFT JOIN (
      SELECT
        w.product,
        min(coalesce(w.price, o.price)) AS lowest,
        max(coalesce(w.price, o.price)) AS highest,
        string_agg(w.sku, E'\n' ORDER BY w.position, w.id) AS skus
      FROM
        jsonb_to_recordset(p_batch -> 'variants') AS w (id uuid, product uuid, sku text, price bigint, position integer)
        JOIN jsonb_to_recordset(p_batch -> 'products') AS o (id uuid, price bigint) ON o.id = w.product
      GROUP BY w.product
    ) v
      ON v.product = p.id;
  UPDATE catalog.product o
  SET
    external_id = coalesce(p.external_id, o.external_id),
    name = p.name,
    description = coalesce(p.description, o.description),
    sku = p.sku,
    price = p.price,
    currency = p.currency,
    compare_at_price = coalesce(p.compare_at_price, o.compare_at_price),
    cost_per_item = coalesce(p.cost_per_item, o.cost_per_item),
    status = coalesce(p.status, o.status),
    featured = coalesce(p.featured, o.featured),
    slug = coalesce(p.slug, o.slug),
    tags = coalesce(p.tags, o.tags),
    seo_title = coalesce(p.seo_title, o.seo_title),
    seo_description = coalesce(p.seo_description, o.seo_description)
  FROM
    jsonb_populate_recordset(NULL::catalog.product, p_batch -> 'products') p
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, known boolean, written boolean)
      ON t.id = p.id AND t.written AND t.known
  WHERE o.merchant_id = p_merchant_id AND o.id = t.target;
END;
$$;
