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

-- An unsubscribed address gets campaigns again when its owner opts in, whose account is confirmed, or the merchant.
-- What a guest says of an address, and an import of customers, changes nothing. As the owner, because whoever changes
-- customers need not see the addresses.
CREATE FUNCTION email.accept_opt_in()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NOT OLD.marketing_opt_in OR NEW.email_verified AND NOT OLD.email_verified THEN
    IF (platform.current_actor()).kind = 'MERCHANT' OR NEW.has_account AND NEW.email_verified THEN
      DELETE FROM email.unsubscribed_address u WHERE u.merchant_id = NEW.merchant_id AND u.email = NEW.email;
    END IF;
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER accept_opt_in
AFTER INSERT OR UPDATE OF marketing_opt_in, email_verified ON crm.customer
FOR EACH ROW
WHEN (NEW.marketing_opt_in AND NOT platform.importing())
EXECUTE FUNCTION email.accept_opt_in();
