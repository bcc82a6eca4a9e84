CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON merchant.merchant
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON merchant.settings
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION merchant.give_plan_and_settings()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO merchant.subscription (merchant_id) VALUES (NEW.id);
  INSERT INTO merchant.settings (merchant_id) VALUES (NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER give_plan_and_settings
AFTER INSERT ON merchant.merchant
FOR EACH ROW
EXECUTE FUNCTION merchant.give_plan_and_settings();

CREATE FUNCTION merchant.choose_reached_merchant()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  v_is_twin boolean := merchant.is_twin(NEW.merchant_id);
BEGIN
  IF v_is_twin AND NEW.mode = 'live' THEN
    PERFORM platform.violate('merchant.api_key', 'api_key_of_twin', 'test data has no live keys');
  END IF;
  NEW.reaches_merchant_id := CASE
    WHEN NEW.mode = 'test'
    AND NOT v_is_twin THEN merchant.test_twin(NEW.merchant_id)
    ELSE NEW.merchant_id
  END;
  RETURN NEW;
END;
$$;

CREATE TRIGGER choose_reached_merchant
BEFORE INSERT ON merchant.api_key
FOR EACH ROW
EXECUTE FUNCTION merchant.choose_reached_merchant();

-- A twin is suspended, closed and deleted with its merchant. As it is another merchant, its triggers run as the owner.
CREATE FUNCTION merchant.lead_twin()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  UPDATE merchant.merchant t
  SET
    status = NEW.status,
    status_since = NEW.status_since,
    status_reason = NEW.status_reason,
    deletes_at = NEW.deletes_at
  WHERE t.twin_of = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER lead_twin
AFTER UPDATE OF status, status_since, status_reason, deletes_at ON merchant.merchant
FOR EACH ROW
WHEN (NEW.twin_of IS NULL)
EXECUTE FUNCTION merchant.lead_twin();

CREATE FUNCTION merchant.give_plan_to_twin()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  PERFORM merchant.copy_plan_to_twin(NEW.merchant_id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER give_plan_to_twin
AFTER UPDATE OF plan, status, current_period_start, current_period_end ON merchant.subscription
FOR EACH ROW
EXECUTE FUNCTION merchant.give_plan_to_twin();

CREATE FUNCTION merchant.keep_with_merchant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF EXISTS (SELECT FROM merchant.merchant m WHERE m.id = OLD.merchant_id) THEN
    PERFORM platform.violate('merchant.' || TG_TABLE_NAME, TG_ARGV[0], 'a merchant always has one');
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_with_merchant
AFTER DELETE ON merchant.subscription
FOR EACH ROW
EXECUTE FUNCTION merchant.keep_with_merchant('subscription_kept');

CREATE TRIGGER keep_with_merchant
AFTER DELETE ON merchant.settings
FOR EACH ROW
EXECUTE FUNCTION merchant.keep_with_merchant('settings_kept');

CREATE FUNCTION merchant.notify_access_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- An api_key's last_used_at is written in the background and changes no access.
  IF
    TG_TABLE_NAME = 'api_key'
    AND TG_OP = 'UPDATE'
    AND to_jsonb(OLD) - 'last_used_at' = to_jsonb(NEW) - 'last_used_at'
  THEN
    RETURN NULL;
  END IF;
  PERFORM
    pg_notify(
      'access_changed',
      to_jsonb(coalesce(NEW, OLD)) ->> CASE TG_TABLE_NAME
        WHEN 'merchant' THEN 'id'
        WHEN 'api_key' THEN 'reaches_merchant_id'
        ELSE 'merchant_id'
      END
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER access_changed
AFTER INSERT OR UPDATE OR DELETE ON merchant.api_key
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TRIGGER access_changed
AFTER INSERT OR UPDATE OR DELETE ON merchant.ip_allow_list_entry
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TRIGGER access_changed
AFTER UPDATE OF ip_allow_list_enabled, status ON merchant.merchant
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TRIGGER access_changed
AFTER UPDATE OF mfa_required ON merchant.settings
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TRIGGER access_changed
AFTER INSERT OR UPDATE OR DELETE ON merchant.subscription
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TRIGGER access_changed
AFTER DELETE OR UPDATE OF blocked_at ON crm.customer
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TRIGGER access_changed
AFTER DELETE OR UPDATE OF status, mfa_enabled ON identity.user
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TRIGGER access_changed
AFTER INSERT OR DELETE ON identity.user_role
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TRIGGER access_changed
AFTER UPDATE OF permissions ON identity.role
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TRIGGER access_changed
AFTER UPDATE OF revoked_at ON identity.session
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TRIGGER access_ended
AFTER DELETE ON identity.session
FOR EACH ROW
WHEN (OLD.ends_at > now())
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE FUNCTION merchant.keep_a_way_in()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant_id uuid := CASE TG_TABLE_NAME
    WHEN 'merchant' THEN (to_jsonb(NEW) ->> 'id')::uuid
    ELSE (to_jsonb(OLD) ->> 'merchant_id')::uuid
  END;
BEGIN
  -- The last two entries could go at once, or the last one while the list is switched on.
  PERFORM FROM merchant.merchant m WHERE m.id = v_merchant_id AND m.ip_allow_list_enabled FOR NO KEY UPDATE;
  IF NOT FOUND OR EXISTS (SELECT FROM merchant.ip_allow_list_entry e WHERE e.merchant_id = v_merchant_id) THEN
    RETURN NULL;
  END IF;
  PERFORM platform.violate('merchant.' || TG_TABLE_NAME, TG_ARGV[0]);
END;
$$;

CREATE TRIGGER keep_a_way_in
AFTER UPDATE OF ip_allow_list_enabled ON merchant.merchant
FOR EACH ROW
WHEN (NEW.ip_allow_list_enabled AND NOT OLD.ip_allow_list_enabled)
EXECUTE FUNCTION merchant.keep_a_way_in('merchant_allow_list_some');

CREATE TRIGGER keep_a_way_in
AFTER DELETE ON merchant.ip_allow_list_entry
FOR EACH ROW
EXECUTE FUNCTION merchant.keep_a_way_in('ip_allow_list_entry_not_last');

CREATE TRIGGER anonymized
AFTER UPDATE OF anonymized_at ON crm.customer
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE FUNCTION merchant.check_feature()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM merchant.require_feature(a.merchant_id, TG_ARGV[0]) FROM (SELECT DISTINCT merchant_id FROM added) a;
  RETURN NULL;
END;
$$;

CREATE TRIGGER check_feature
AFTER INSERT ON catalog.product
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION merchant.check_feature('catalog');

CREATE TRIGGER check_feature
AFTER INSERT ON catalog.category
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION merchant.check_feature('catalog');

CREATE TRIGGER check_feature
AFTER INSERT ON ordering.order
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION merchant.check_feature('orders');

CREATE TRIGGER check_feature
AFTER INSERT ON payment.payment
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION merchant.check_feature('payments');

CREATE TRIGGER check_feature
AFTER INSERT ON merchant.ip_allow_list_entry
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION merchant.check_feature('ip_allow_list');

CREATE FUNCTION merchant.check_warehouses()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- Of two first ones at once, the second sees the other.
  PERFORM FROM merchant.merchant m WHERE m.id IN (SELECT a.merchant_id FROM added a) ORDER BY m.id FOR NO KEY UPDATE;
  PERFORM merchant.require_feature(a.merchant_id, 'multiple_warehouses')
  FROM (SELECT DISTINCT merchant_id FROM added) a
  WHERE (SELECT count(*) FROM inventory.warehouse w WHERE w.merchant_id = a.merchant_id) > 1;
  RETURN NULL;
END;
$$;

CREATE TRIGGER check_feature
AFTER INSERT ON inventory.warehouse
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION merchant.check_warehouses();

CREATE FUNCTION merchant.check_allow_list()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM merchant.require_feature(NEW.id, 'ip_allow_list');
  RETURN NULL;
END;
$$;

CREATE TRIGGER check_feature
AFTER UPDATE OF ip_allow_list_enabled ON merchant.merchant
FOR EACH ROW
WHEN (NEW.ip_allow_list_enabled AND NOT OLD.ip_allow_list_enabled)
EXECUTE FUNCTION merchant.check_allow_list();

CREATE FUNCTION merchant.plain_network()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF family(NEW.network) = 6 AND NEW.network <<= '::ffff:0.0.0.0/96' THEN
    NEW.network := set_masklen(
      '0.0.0.0'::inet + (host(NEW.network)::inet - '::ffff:0.0.0.0'::inet),
      masklen(NEW.network) - 96
    )::cidr;
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER plain_network
BEFORE INSERT OR UPDATE OF network ON merchant.ip_allow_list_entry
FOR EACH ROW
EXECUTE FUNCTION merchant.plain_network();

CREATE FUNCTION merchant.keep_the_caller_in()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_session jsonb := nullif(current_setting('hasura.user', TRUE), '')::jsonb;
  v_merchant_id uuid := CASE TG_TABLE_NAME
    WHEN 'merchant' THEN (to_jsonb(NEW) ->> 'id')::uuid
    ELSE (to_jsonb(OLD) ->> 'merchant_id')::uuid
  END;
BEGIN
  IF
    v_session ->> 'x-hasura-merchant-id' IS NULL
    OR v_session ->> 'x-hasura-confirmed' = 'lockout'
    OR NOT EXISTS (SELECT FROM merchant.merchant m WHERE m.id = v_merchant_id AND m.ip_allow_list_enabled)
    OR EXISTS (
      SELECT
      FROM merchant.ip_allow_list_entry e
      WHERE e.merchant_id = v_merchant_id AND e.network >>= (v_session ->> 'x-hasura-client-address')::inet
    )
  THEN
    RETURN NULL;
  END IF;
  PERFORM
    platform.violate(
      'merchant.' || TG_TABLE_NAME,
      TG_ARGV[0],
      'the address that this comes from would not be on the list'
    );
END;
$$;

CREATE TRIGGER keep_the_caller_in
AFTER UPDATE OF ip_allow_list_enabled ON merchant.merchant
FOR EACH ROW
WHEN (NEW.ip_allow_list_enabled AND NOT OLD.ip_allow_list_enabled)
EXECUTE FUNCTION merchant.keep_the_caller_in('merchant_allow_list_caller');

CREATE TRIGGER keep_the_caller_in
AFTER DELETE ON merchant.ip_allow_list_entry
FOR EACH ROW
EXECUTE FUNCTION merchant.keep_the_caller_in('ip_allow_list_entry_caller');

-- A user who requires an authenticator without having one would lose the permission to take that back.
CREATE FUNCTION merchant.keep_the_user_in()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_user_id uuid := nullif(current_setting('hasura.user', TRUE), '')::jsonb ->> 'x-hasura-user-id';
BEGIN
  IF
    EXISTS (
      SELECT FROM identity.user u WHERE u.merchant_id = NEW.merchant_id AND u.id = v_user_id AND NOT u.mfa_enabled
    )
  THEN
    PERFORM platform.violate('merchant.settings', 'settings_mfa_own', 'the user has no authenticator');
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_the_user_in
AFTER UPDATE OF mfa_required ON merchant.settings
FOR EACH ROW
WHEN (NEW.mfa_required AND NOT OLD.mfa_required)
EXECUTE FUNCTION merchant.keep_the_user_in();
