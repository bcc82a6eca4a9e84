-- How many of the category's products have each tag, category, option and attribute.
SELECT k.key, count(*)
FROM
  search.document d
  CROSS JOIN LATERAL unnest(d.facet_keys) AS k (key)
WHERE
  d.merchant_id = $1::uuid
  AND d.public
  AND d.facet_keys @> ARRAY[search.facet_key('CATEGORY', '', $2::text)]
GROUP BY k.key;
