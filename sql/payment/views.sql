CREATE VIEW payment.cart_option AS
  SELECT c.merchant_id, c.id AS cart_id, x.method, x.name, x.instructions, x.position
  FROM
    cart.cart c
    JOIN cart.cart_total t ON t.merchant_id = c.merchant_id AND t.cart_id = c.id
    LEFT JOIN cart.cart_address a ON a.merchant_id = c.merchant_id AND a.cart_id = c.id
    CROSS JOIN LATERAL payment.offered_options(c.merchant_id, c.customer_id, c.currency, a.country, t.total) x;

-- A method is offered as long as new payments go to the account that it was saved at.
CREATE VIEW payment.saved_payment_method AS
  SELECT
    s.merchant_id,
    s.id,
    s.customer_id,
    s.status,
    s.method,
    s.brand,
    s.last4,
    s.expiry_month,
    s.expiry_year,
    s.is_default,
    s.status = 'ACTIVE' AND payment.takes_new_payments(h.merchant_id, h.account_id) AS offered,
    s.created_at
  FROM
    payment.saved_method s
    JOIN payment.processor_customer h ON h.merchant_id = s.merchant_id AND h.id = s.processor_customer_id;
