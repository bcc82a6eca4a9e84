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
    JOIN merchant.subscription s ON s.merchant_id = m.id;
