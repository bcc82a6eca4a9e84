CREATE VIEW notification.merchant_preference AS
  SELECT m.id AS merchant_id, k.kind, k.channel, coalesce(p.enabled, TRUE) AS enabled, k.required, p.updated_at
  FROM
    merchant.merchant m
    JOIN notification.kind_channel k ON k.audience = 'MERCHANT'
    LEFT JOIN notification.preference p
      ON p.merchant_id = m.id AND p.customer_id IS NULL AND p.kind = k.kind AND p.channel = k.channel;

CREATE VIEW notification.customer_preference AS
  SELECT
    c.merchant_id,
    c.id AS customer_id,
    k.kind,
    k.channel,
    coalesce(p.enabled, TRUE) AS enabled,
    k.required,
    p.updated_at
  FROM
    crm.customer c
    JOIN notification.kind_channel k ON k.audience = 'CUSTOMER'
    LEFT JOIN notification.preference p
      ON p.merchant_id = c.merchant_id AND p.customer_id = c.id AND p.kind = k.kind AND p.channel = k.channel;
