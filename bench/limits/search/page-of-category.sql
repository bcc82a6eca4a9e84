-- A category's products by price.
SELECT p.id, p.name, p.price
FROM
  catalog.category_product c
  JOIN catalog.product p ON p.merchant_id = c.merchant_id AND p.id = c.product_id
WHERE c.merchant_id = $1::uuid AND c.category_id = $2::uuid AND p.status = 'ACTIVE' AND p.deleted_at IS NULL
ORDER BY p.lowest_price, p.id
LIMIT 20;
