-- The newest products.
SELECT p.id, p.name, p.price
FROM catalog.product p
WHERE p.merchant_id = $1::uuid AND p.status = 'ACTIVE' AND p.deleted_at IS NULL
ORDER BY p.created_at DESC, p.id DESC
LIMIT 20;
