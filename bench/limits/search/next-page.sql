-- Products with this word, newest first, after the 20th.
SELECT p.id, p.name, p.price
FROM
  (
    SELECT d.merchant_id, d.product_id
    FROM search.document d
    WHERE d.merchant_id = $1::uuid AND d.public AND d.words @@ '''jacket'''::tsquery
    ORDER BY d.created_at DESC, d.id DESC
    LIMIT 20 OFFSET 20
  ) f
  JOIN catalog.product p ON p.merchant_id = f.merchant_id AND p.id = f.product_id;
