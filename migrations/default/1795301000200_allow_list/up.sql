-- Nobody shuts out the address that it calls from without having said so, and an IPv4 range is one however it is written.

-- ::ffff:192.0.2.0/120 is 192.0.2.0/24: callers that arrive over an IPv6 socket are compared as IPv4.
CREATE FUNCTION merchant.plain_network() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF family(NEW.network) = 6 AND NEW.network <<= '::ffff:0.0.0.0/96' THEN
    NEW.network := set_masklen(
      '0.0.0.0'::inet + (host(NEW.network)::inet - '::ffff:0.0.0.0'::inet), masklen(NEW.network) - 96
    )::cidr;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER plain_network BEFORE INSERT OR UPDATE OF network ON merchant.ip_allow_list_entry
  FOR EACH ROW EXECUTE FUNCTION merchant.plain_network();

-- Refuses a change after which the caller's own address isn't on the list that is switched on, unless the caller has said to know it
-- (`confirmLockout` of the contract). Where the address isn't known, it is on no list. Jobs and operators aren't asked.
CREATE FUNCTION merchant.keep_the_caller_in() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_session jsonb := nullif(current_setting('hasura.user', true), '')::jsonb;
  v_merchant_id uuid := CASE TG_TABLE_NAME WHEN 'merchant' THEN (to_jsonb(NEW) ->> 'id')::uuid ELSE (to_jsonb(OLD) ->> 'merchant_id')::uuid END;
BEGIN
  IF v_session ->> 'x-hasura-merchant-id' IS NULL
    OR v_session ->> 'x-hasura-confirmed' = 'lockout'
    OR NOT EXISTS (SELECT FROM merchant.merchant m WHERE m.id = v_merchant_id AND m.ip_allow_list_enabled)
    OR EXISTS (
      SELECT FROM merchant.ip_allow_list_entry e
      WHERE e.merchant_id = v_merchant_id AND e.network >>= (v_session ->> 'x-hasura-client-address')::inet
    )
  THEN
    RETURN NULL;
  END IF;
  PERFORM platform.violate(
    'merchant.' || TG_TABLE_NAME, TG_ARGV[0], 'the address that this comes from would not be on the list'
  );
END
$$;
CREATE TRIGGER keep_the_caller_in AFTER UPDATE OF ip_allow_list_enabled ON merchant.merchant
  FOR EACH ROW WHEN (NEW.ip_allow_list_enabled AND NOT OLD.ip_allow_list_enabled) EXECUTE FUNCTION merchant.keep_the_caller_in('merchant_allow_list_caller');
CREATE TRIGGER keep_the_caller_in AFTER DELETE ON merchant.ip_allow_list_entry
  FOR EACH ROW EXECUTE FUNCTION merchant.keep_the_caller_in('ip_allow_list_entry_caller');
