CREATE FUNCTION identity.keep_an_owner()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_owners bigint;
BEGIN
  -- With the merchant itself everybody goes.
  IF NOT EXISTS (SELECT FROM merchant.merchant m WHERE m.id = OLD.merchant_id) THEN
    RETURN NULL;
  END IF;
  IF TG_TABLE_NAME = 'user_role' THEN
    IF
      NOT EXISTS (
        SELECT
        FROM
          identity.user u
          JOIN identity.role r ON r.merchant_id = u.merchant_id
        WHERE
          u.merchant_id = OLD.merchant_id
          AND u.id = OLD.user_id
          AND u.status = 'ACTIVE'
          AND r.id = OLD.role_id
          AND r.kind = 'OWNER'
      )
    THEN
      RETURN NULL;
    END IF;
  ELSEIF
    NOT EXISTS (
      SELECT
      FROM
        identity.user_role l
        JOIN identity.role r ON r.merchant_id = l.merchant_id AND r.id = l.role_id
      WHERE l.merchant_id = OLD.merchant_id AND l.user_id = OLD.id AND r.kind = 'OWNER'
    )
  THEN
    RETURN NULL;
  END IF;
  PERFORM identity.lock_ownership(OLD.merchant_id);
  SELECT count(*)
  INTO v_owners
  FROM
    identity.role r
    JOIN identity.user_role l ON l.merchant_id = r.merchant_id AND l.role_id = r.id
    JOIN identity.user u ON u.merchant_id = l.merchant_id AND u.id = l.user_id
  WHERE r.merchant_id = OLD.merchant_id AND r.kind = 'OWNER' AND u.status = 'ACTIVE';
  IF v_owners = 0 THEN
    PERFORM platform.violate('identity.user', 'user_last_owner');
  END IF;
  RETURN NULL;
END;
$$;
