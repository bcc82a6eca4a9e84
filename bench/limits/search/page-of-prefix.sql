-- Products with a word and with another that begins so, without ranking.
SELECT p.id, p.name, p.price
FROM
  search.document d
  JOIN catalog.product p ON p.merchant_id = d.merchant_id AND p.id = d.product_id
WHERE d.merchant_id = $1::uuid AND d.public AND d.words @@ '''warm'' & ''jack'':*'::tsquery
LIMIT 20;
