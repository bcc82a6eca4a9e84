-- Columns with credentials, the roles that read and write them, and the roles that only read them. All others have
-- neither right. tests/tenancy/expected/credential-columns.csv says the same, and names columns without a decision.
--
-- Hasura reads all columns of a table that it serves ("SELECT *"), so credentials are in tables that it doesn't serve.
-- It serves two columns of this list: the filter of guests' carts compares the hash, and a device's token is worth
-- nothing without the shop's key of the push service.
CREATE FUNCTION platform.credential_columns()
RETURNS TABLE (relation regclass, column_name name, keepers text[], readers text[])
LANGUAGE sql
STABLE
AS $$
  SELECT c.relation, c.name, c.keepers, c.readers
  FROM
    (
      VALUES
        ('identity.credential'::regclass, 'password_hash'::name, '{commerce_actions}'::text[], '{}'::text[]),
        ('identity.recovery_code', 'hash', '{commerce_actions}', '{}'),
        ('identity.refresh_token', 'hash', '{commerce_actions}', '{}'),
        ('identity.one_time_token', 'hash', '{commerce_actions,commerce_worker}', '{}'),
        ('identity.one_time_token', 'undelivered', '{commerce_actions,commerce_worker}', '{}'),
        ('identity.signing_key', 'private_jwk', '{commerce_actions,commerce_worker}', '{}'),
        ('identity.totp', 'secret', '{commerce_actions,commerce_worker}', '{}'),
        ('events.endpoint_secret', 'secret', '{commerce_actions,commerce_worker}', '{}'),
        ('events.endpoint_secret', 'previous_secret', '{commerce_actions,commerce_worker}', '{}'),
        ('payment.account_secret', 'credentials', '{commerce_actions,commerce_worker}', '{}'),
        ('merchant.api_key_hash', 'hash', '{commerce_actions}', '{commerce_auth}'),
        ('operator.key', 'hash', '{}', '{commerce_auth}'),
        ('operator.sign_up', 'hash', '{commerce_actions,commerce_worker}', '{}'),
        ('operator.sign_up', 'undelivered', '{commerce_actions,commerce_worker}', '{}'),
        ('platform.idempotency_record', 'sealed', '{commerce_actions,commerce_worker}', '{}'),
        -- The worker exports whole rows of a customer's carts.
        ('cart.cart', 'secret_hash', '{commerce_actions}', '{commerce_engine,commerce_worker}'),
        ('notification.device', 'token', '{commerce_actions}', '{commerce_engine,commerce_worker}'),
        ('email.unsubscribe_token', 'token', '{commerce_actions,commerce_worker}', '{}')
    ) AS c (relation, name, keepers, readers);
$$;
