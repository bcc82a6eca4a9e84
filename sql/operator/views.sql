-- Twins are part of their merchants, here and in operator.merchant.
CREATE VIEW operator.merchant_plan AS
  SELECT
    m.id AS merchant_id,
    m.name AS merchant_name,
    s.plan,
    s.status,
    s.requested_plan,
    s.requested_at,
    s.next_plan,
    s.current_period_end,
    s.cancel_at_period_end
  FROM
    merchant.merchant m
    JOIN merchant.subscription s ON s.merchant_id = m.id
  WHERE m.twin_of IS NULL;

CREATE VIEW operator.merchant AS
  SELECT
    m.id,
    m.id AS merchant_id,
    m.name,
    m.email,
    m.country,
    t.currency,
    t.timezone,
    t.language,
    m.status,
    m.status_since,
    m.status_reason,
    m.data_exported_at,
    m.deletes_at,
    s.plan,
    s.status AS subscription_status,
    m.created_at
  FROM
    merchant.merchant m
    JOIN merchant.settings t ON t.merchant_id = m.id
    JOIN merchant.subscription s ON s.merchant_id = m.id
  WHERE m.twin_of IS NULL;

CREATE VIEW operator.dead_letter AS
  SELECT * FROM operator.dead_letters();
