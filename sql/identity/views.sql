CREATE VIEW identity.user_access AS
  SELECT
    u.merchant_id,
    u.id AS user_id,
    ARRAY(
      SELECT DISTINCT x
      FROM
        identity.user_role l
        JOIN identity.role r ON r.merchant_id = l.merchant_id AND r.id = l.role_id
        CROSS JOIN LATERAL unnest(r.permissions) x
      WHERE l.merchant_id = u.merchant_id AND l.user_id = u.id
      ORDER BY x
    ) AS permissions
  FROM identity.user u;

CREATE VIEW identity.active_session AS
  SELECT
    s.merchant_id,
    s.id,
    s.user_id,
    s.customer_id,
    s.origin,
    s.opened_by_kind,
    s.opened_by_id,
    CASE s.opened_by_kind
      WHEN 'KEY' THEN (
        SELECT k.name FROM merchant.api_key k WHERE k.reaches_merchant_id = s.merchant_id AND k.id = s.opened_by_id
      )
      WHEN 'USER' THEN (
        SELECT u.name FROM identity.user u WHERE u.merchant_id = s.merchant_id AND u.id = s.opened_by_id
      )
    END AS opened_by_name,
    s.device,
    s.network,
    s.created_at,
    s.last_used_at,
    s.ends_at AS expires_at
  FROM identity.session s
  WHERE s.ends_at > now();
