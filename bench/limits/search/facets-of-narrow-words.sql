-- How many of the products with the words have each tag, category, option and attribute.
SELECT k.key, count(*)
FROM
  search.document d
  CROSS JOIN LATERAL unnest(d.facet_keys) AS k (key)
WHERE d.merchant_id = $1::uuid AND d.public AND d.words @@ '''warm'' & ''wool'' & ''jacket'''::tsquery
GROUP BY k.key;
