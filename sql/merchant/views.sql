CREATE VIEW merchant.readiness_check AS
  SELECT
    m.id AS merchant_id,
    c.position,
    c.name,
    c.required,
    c.done,
    CASE
      WHEN NOT c.done THEN c.missing
    END AS missing
  FROM
    merchant.merchant m
    JOIN merchant.settings s ON s.merchant_id = m.id
    CROSS JOIN LATERAL (
      VALUES
        (
          1,
          'PRODUCT',
          TRUE,
          EXISTS (SELECT FROM catalog.product p WHERE p.merchant_id = m.id AND p.status = 'ACTIVE'),
          'No product is ACTIVE'
        ),
        (
          2,
          'STOCK',
          TRUE,
          EXISTS (
            SELECT
            FROM
              inventory.stock_level l
              JOIN inventory.stock_item i ON i.merchant_id = l.merchant_id AND i.id = l.stock_item_id
              JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
            WHERE l.merchant_id = m.id AND l.available > 0 AND p.status = 'ACTIVE'
          ),
          'No warehouse has stock of an ACTIVE product'
        ),
        (
          3,
          'SHIPPING_METHOD',
          TRUE,
          EXISTS (SELECT FROM merchant.shipping_method h WHERE h.merchant_id = m.id AND h.active),
          'No shipping zone has an active method'
        ),
        (
          4,
          'PAYMENT_METHOD',
          FALSE,
          s.accepts_bank_transfer
          OR s.accepts_cash
          OR EXISTS (SELECT FROM payment.account a WHERE a.merchant_id = m.id AND a.status = 'ACTIVE')
          OR EXISTS (
            SELECT FROM payment.payment_option o WHERE o.merchant_id = m.id AND o.enabled AND o.method <> 'CARD'
          ),
          'No payment account is connected: shoppers can pay by card only, where the platform takes cards'
        ),
        (5, 'TAX_RATE', FALSE, s.tax_rate > 0, 'The tax rate is 0'),
        (
          6,
          'OWNER',
          FALSE,
          EXISTS (
            SELECT
            FROM
              identity.role r
              JOIN identity.user_role l ON l.merchant_id = r.merchant_id AND l.role_id = r.id
              JOIN identity.user u ON u.merchant_id = l.merchant_id AND u.id = l.user_id
            WHERE r.merchant_id = m.id AND r.kind = 'OWNER' AND u.status = 'ACTIVE'
          ),
          'No owner has accepted the invitation'
        ),
        (
          7,
          'REPLY_ADDRESS',
          FALSE,
          (notification.shop_facts(m.id) ->> 'emailIsVerified')::boolean,
          'The account''s e-mail address is not verified, so replies to mails do not reach it'
        ),
        (
          8,
          'PAYMENT_ACCOUNT',
          FALSE,
          EXISTS (SELECT FROM payment.account a WHERE a.merchant_id = m.id AND a.status = 'ACTIVE'),
          'No payment account of the shop''s own is connected'
        ),
        (
          9,
          'PAYMENT_WEBHOOK',
          FALSE,
          NOT EXISTS (
            SELECT
            FROM payment.account a
            WHERE a.merchant_id = m.id AND a.status = 'ACTIVE' AND NOT a.has_webhook_secret
          ),
          'A payment account has no webhook secret, so disputes and refunds made at the processor are not seen'
        ),
        (
          10,
          'SENDER',
          FALSE,
          EXISTS (SELECT FROM merchant.sender e WHERE e.merchant_id = m.id AND e.status = 'CONFIRMED'),
          coalesce(
            (SELECT e.problem FROM merchant.sender e WHERE e.merchant_id = m.id),
            (
              SELECT format('The DNS of %s is not checked yet', e.domain)
              FROM merchant.sender e
              WHERE e.merchant_id = m.id
            ),
            'Mails come from the platform''s address, not from one of the shop''s own'
          )
        )
    ) AS c (position, name, required, done, missing);
