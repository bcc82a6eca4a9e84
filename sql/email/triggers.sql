CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON email.template
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON email.link
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON email.campaign
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON email.delivery
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION email.write_token_mail()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, recipient_name, customer_id, facts)
  SELECT
    NEW.merchant_id,
    concat_ws('_', p.audience, NEW.purpose),
    NEW.id::text,
    NEW.email,
    p.name,
    NEW.customer_id,
    jsonb_build_object(
      lower(p.audience),
      jsonb_build_object('name', p.name, 'email', NEW.email),
      'expiresAt',
      NEW.expires_at
    )
  FROM
    (
      SELECT 'USER' AS audience, u.name
      FROM identity.user u
      WHERE u.merchant_id = NEW.merchant_id AND u.id = NEW.user_id
      UNION ALL
      SELECT 'CUSTOMER', c.name FROM crm.customer c WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.customer_id
    ) p;
  RETURN NULL;
END;
$$;

CREATE TRIGGER write_token_mail
AFTER INSERT ON identity.one_time_token
FOR EACH ROW
WHEN (NEW.undelivered IS NOT NULL)
EXECUTE FUNCTION email.write_token_mail();
