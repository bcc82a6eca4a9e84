-- For each entry of a list, the variant or product that has its SKU, or else the product of its external id. For a SKU
-- that is here no more, an ARCHIVED product is made, which no shopper sees.
CREATE FUNCTION catalog.products_of_history(p_merchant_id uuid, p_wanted jsonb)
RETURNS TABLE (number bigint, product_id uuid, variant_id uuid)
LANGUAGE plpgsql
AS $$
DECLARE
  v_missing jsonb;
BEGIN
  SELECT jsonb_agg(to_jsonb(w))
  INTO v_missing
  FROM
    (
      SELECT DISTINCT ON (w.sku) w.sku, w.name, w.price, w.currency, w.at
      FROM
        jsonb_to_recordset(p_wanted) AS w (
          sku text,
          external_id text,
          name text,
          price bigint,
          currency text,
          at timestamptz
        )
      WHERE NOT EXISTS (SELECT FROM catalog.product_of_history(p_merchant_id, w.sku, w.external_id))
      ORDER BY w.sku, w.at
    ) w;
  INSERT INTO catalog.product (merchant_id, id, name, sku, price, currency, status, slug, created_at)
  SELECT p_merchant_id, m.id, m.name, m.sku, greatest(m.price, 1), m.currency, 'ARCHIVED', 'former-' || m.id, m.at
  FROM
    (
      SELECT platform.uuid_v7() AS id, m.*
      FROM jsonb_to_recordset(v_missing) AS m (sku text, name text, price bigint, currency text, at timestamptz)
    ) m;
  RETURN QUERY SELECT w.number, f.product_id, f.variant_id
    FROM
      jsonb_to_recordset(p_wanted) AS w (number bigint, sku text, external_id text)
      CROSS JOIN LATERAL catalog.product_of_history(p_merchant_id, w.sku, w.external_id) f;
END;
$$;
