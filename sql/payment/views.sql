CREATE VIEW payment.cart_option AS
  SELECT c.merchant_id, c.id AS cart_id, x.method, x.name, x.instructions, x.position
  FROM
    cart.cart c
    JOIN cart.cart_total t ON t.merchant_id = c.merchant_id AND t.cart_id = c.id
    LEFT JOIN cart.cart_address a ON a.merchant_id = c.merchant_id AND a.cart_id = c.id
    CROSS JOIN LATERAL payment.offered_options(c.merchant_id, c.currency, a.country, t.total) x;
