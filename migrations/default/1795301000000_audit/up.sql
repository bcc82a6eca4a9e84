-- Who did what from where: an entry for every mutation and every refused access, which nobody changes or deletes
-- (docs/audit.md, docs/decisions/0042). Rows that Hasura writes are recorded by triggers, in the transaction of the change;
-- actions, and what came to nothing, by the services through audit.append.

INSERT INTO merchant.permission (name, description) VALUES
  ('audit:read', 'See who did what: changes and refused access');

CREATE SCHEMA audit;

CREATE TABLE audit.entry (
  -- No foreign key: what was done outlives whoever did it, and the merchant. The nil id: it was about no merchant.
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor_kind text NOT NULL CHECK (actor_kind IN ('KEY', 'USER', 'CUSTOMER', 'OPERATOR')),
  actor_id uuid,
  client_address text CHECK (char_length(client_address) <= 64),
  request_id text CHECK (char_length(request_id) <= 128),
  -- CONTRACT: /graphql. HASURA: Hasura's own API. COMMAND_LINE: a program on the operator's machine.
  source text NOT NULL CHECK (source IN ('CONTRACT', 'HASURA', 'COMMAND_LINE')),
  -- The client's name for its operation.
  operation_name text CHECK (char_length(operation_name) <= 200),
  -- The root field; NULL where access was refused before the document was read.
  operation text CHECK (char_length(operation) <= 200),
  -- Of changed rows: their type in GraphQL and what became of them.
  record text,
  change text CHECK (change IN ('CREATED', 'UPDATED', 'DELETED')),
  -- At most 100 of the records that were named or changed.
  target_ids uuid[] NOT NULL DEFAULT '{}',
  -- STARTED: an action that was begun, and whose end, under attempt_id, isn't known.
  outcome text NOT NULL CHECK (outcome IN ('STARTED', 'DONE', 'INVALID', 'REFUSED', 'FAILED')),
  -- Of user errors, or the catalogue's id.
  codes text[] NOT NULL DEFAULT '{}',
  -- How often, where the same refusal within a minute is one entry.
  occurrences integer NOT NULL DEFAULT 1 CHECK (occurrences > 0),
  attempt_id uuid,
  -- Read newest first.
  PRIMARY KEY (merchant_id, created_at, id)
) PARTITION BY RANGE (created_at);
CREATE INDEX entry_attempt ON audit.entry (merchant_id, attempt_id) WHERE attempt_id IS NOT NULL;
CREATE INDEX entry_target ON audit.entry USING gin (target_ids);
CREATE INDEX entry_actor ON audit.entry (merchant_id, actor_id, created_at);

CREATE FUNCTION audit.keep() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  RAISE EXCEPTION 'entries of the audit log are neither changed nor deleted';
END
$$;
CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON audit.entry FOR EACH ROW EXECUTE FUNCTION audit.keep();
CREATE TRIGGER keep_all BEFORE TRUNCATE ON audit.entry FOR EACH STATEMENT EXECUTE FUNCTION audit.keep();
-- Also where session_replication_role turns other triggers off.
ALTER TABLE audit.entry ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_all;

-- Takes what no partition was made for, so that a job which hasn't run stops no mutation.
CREATE TABLE audit.entry_rest PARTITION OF audit.entry DEFAULT;
CREATE TRIGGER keep_all BEFORE TRUNCATE ON audit.entry_rest FOR EACH STATEMENT EXECUTE FUNCTION audit.keep();
ALTER TABLE audit.entry_rest ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_all;

-- Makes the partitions of this month and the three after it, named by their month: entry_2026_11. Returns how many.
CREATE FUNCTION audit.prepare_months() RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_from timestamptz;
  v_name text;
  v_made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('audit.prepare_months', 0));
  FOR i IN 0..3 LOOP
    v_from := (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => i)) AT TIME ZONE 'UTC';
    v_name := 'entry_' || to_char(v_from AT TIME ZONE 'UTC', 'YYYY_MM');
    -- A month whose entries went to entry_rest stays there.
    CONTINUE WHEN to_regclass('audit.' || v_name) IS NOT NULL
      OR EXISTS (SELECT FROM audit.entry_rest r WHERE r.created_at >= v_from AND r.created_at < v_from + interval '1 month');
    EXECUTE format(
      'CREATE TABLE audit.%I PARTITION OF audit.entry FOR VALUES FROM (%L) TO (%L)',
      v_name, v_from, ((v_from AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'
    );
    EXECUTE format('CREATE TRIGGER keep_all BEFORE TRUNCATE ON audit.%I FOR EACH STATEMENT EXECUTE FUNCTION audit.keep()', v_name);
    EXECUTE format('ALTER TABLE audit.%I ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_all', v_name);
    v_made := v_made + 1;
  END LOOP;
  RETURN v_made;
END
$$;
SELECT audit.prepare_months();

-- For operators: drops the months that ended before p_before, whole. The only way that entries go. Returns their names.
CREATE FUNCTION audit.drop_months_before(p_before timestamptz) RETURNS SETOF text
LANGUAGE plpgsql
AS $$
DECLARE
  v_name text;
BEGIN
  FOR v_name IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'audit.entry'::regclass AND c.relname ~ '^entry_\d{4}_\d{2}$'
      AND (to_date(substr(c.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= p_before
    ORDER BY 1
  LOOP
    EXECUTE format('DROP TABLE audit.%I', v_name);
    RETURN NEXT v_name;
  END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION audit.drop_months_before(timestamptz) FROM PUBLIC;

-- Adds entries: [{merchant_id, actor_kind, …}], members as the columns are called.
-- Its commit isn't waited for. That loses nothing that was changed: the log is written in order, so an action's own commit, which
-- comes later, takes the entry that it was begun with to the disk with it.
CREATE FUNCTION audit.append(p_entries jsonb) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO audit.entry (
    merchant_id, id, actor_kind, actor_id, client_address, request_id, source, operation_name, operation,
    target_ids, outcome, codes, occurrences, attempt_id
  )
  SELECT
    e.merchant_id, coalesce(e.id, platform.uuid_v7()), e.actor_kind, e.actor_id, left(e.client_address, 64), left(e.request_id, 128),
    e.source, left(e.operation_name, 200), left(e.operation, 200),
    coalesce(e.target_ids, '{}'), e.outcome, coalesce(e.codes, '{}'), coalesce(e.occurrences, 1), e.attempt_id
  FROM jsonb_to_recordset(p_entries) AS e (
    merchant_id uuid, id uuid, actor_kind text, actor_id uuid, client_address text, request_id text, source text,
    operation_name text, operation text, target_ids uuid[], outcome text, codes text[], occurrences integer, attempt_id uuid
  );
END
$$;

-- Records the rows that a statement of Hasura's has changed. Arguments: the type in GraphQL, and the column that tells the record.
-- The setting hasura.user says whose statement it is; an action's acting_as names no merchant, and jobs say nothing: neither gets here.
CREATE FUNCTION audit.record_rows() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_session jsonb := current_setting('hasura.user')::jsonb;
  v_root_field text := v_session ->> 'x-hasura-root-field';
  v_actor platform.actor := platform.current_actor();
  v_ids uuid[];
BEGIN
  -- An operator, with the admin secret.
  IF v_actor.kind = 'SYSTEM' THEN
    RETURN NULL;
  END IF;
  EXECUTE format('SELECT array_agg(c.id) FROM (SELECT %I AS id FROM changed LIMIT 100) c', TG_ARGV[1]) INTO v_ids;
  IF v_ids IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit.entry (
    merchant_id, actor_kind, actor_id, client_address, request_id, source, operation_name, operation, record, change, target_ids, outcome
  )
  VALUES (
    (v_session ->> 'x-hasura-merchant-id')::uuid,
    CASE WHEN v_actor.kind = 'CUSTOMER' THEN 'CUSTOMER' WHEN v_session ? 'x-hasura-user-id' THEN 'USER' ELSE 'KEY' END,
    v_actor.id,
    left(v_session ->> 'x-hasura-client-address', 64),
    left(v_session ->> 'x-hasura-request-id', 128),
    CASE WHEN v_root_field IS NULL THEN 'HASURA' ELSE 'CONTRACT' END,
    left(v_session ->> 'x-hasura-operation-name', 200),
    -- Hasura doesn't say which of its root fields it was.
    coalesce(v_root_field, lower(TG_OP) || TG_ARGV[0]),
    TG_ARGV[0],
    CASE TG_OP WHEN 'INSERT' THEN 'CREATED' WHEN 'UPDATE' THEN 'UPDATED' ELSE 'DELETED' END,
    v_ids,
    'DONE'
  );
  RETURN NULL;
END
$$;

-- Has the changes of a table recorded that Hasura makes, and not what follows from them by other triggers and foreign keys.
CREATE FUNCTION audit.watch(p_table regclass, p_type text, p_id text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_event text;
BEGIN
  FOREACH v_event IN ARRAY '{INSERT,UPDATE,DELETE}'::text[] LOOP
    EXECUTE format(
      'CREATE TRIGGER record_%s AFTER %s ON %s REFERENCING %s TABLE AS changed FOR EACH STATEMENT
       WHEN (pg_trigger_depth() = 0 AND current_setting(''hasura.user'', true) LIKE ''%%x-hasura-merchant-id%%'')
       EXECUTE FUNCTION audit.record_rows(%L, %L)',
      lower(v_event), v_event, p_table, CASE v_event WHEN 'DELETE' THEN 'OLD' ELSE 'NEW' END, p_type, p_id
    );
  END LOOP;
END
$$;

-- Every table that a role may write to through Hasura (audit.test.ts compares with metadata/): what is done is written down, and once per
-- Idempotency-Key.
SELECT audit.watch(t.name, t.type, t.id), platform.keep_keys(t.name, t.type, t.id) FROM (VALUES
  ('analytics.dashboard'::regclass, 'Dashboard', 'id'),
  ('analytics.widget', 'DashboardWidget', 'id'),
  ('booking.appointment', 'Appointment', 'id'),
  ('booking.schedule', 'Schedule', 'id'),
  ('booking.service', 'BookingService', 'id'),
  ('booking.staff_member', 'StaffMember', 'id'),
  ('booking.staff_service', 'StaffService', 'staff_id'),
  ('cart.cart', 'Cart', 'id'),
  ('cart.cart_item', 'CartLine', 'id'),
  ('catalog.category', 'Category', 'id'),
  ('catalog.product', 'Product', 'id'),
  ('catalog.product_category', 'ProductCategory', 'product_id'),
  ('catalog.product_image', 'ProductImage', 'id'),
  ('catalog.product_variant', 'ProductVariant', 'id'),
  ('catalog.review', 'Review', 'id'),
  ('catalog.variant_option', 'VariantOption', 'variant_id'),
  ('crm.address', 'Address', 'id'),
  ('crm.contact', 'Contact', 'id'),
  ('crm.customer', 'Customer', 'id'),
  ('crm.interaction', 'Interaction', 'id'),
  ('crm.loyalty_program', 'LoyaltyProgram', 'merchant_id'),
  ('crm.loyalty_reward', 'LoyaltyReward', 'id'),
  ('crm.loyalty_tier', 'LoyaltyTier', 'id'),
  ('crm.segment', 'CustomerSegment', 'id'),
  ('email.campaign', 'EmailCampaign', 'id'),
  ('email.template', 'EmailTemplate', 'id'),
  ('inventory.stock_item', 'StockItem', 'id'),
  ('inventory.warehouse', 'Warehouse', 'id'),
  ('inventory.warehouse_address', 'WarehouseAddress', 'warehouse_id'),
  ('merchant.ip_allow_list_entry', 'IpAllowListEntry', 'id'),
  ('merchant.merchant', 'MerchantAccount', 'id'),
  ('merchant.settings', 'MerchantSettings', 'merchant_id'),
  ('merchant.shipping_method', 'ShippingMethod', 'id'),
  ('merchant.shipping_zone', 'ShippingZone', 'id'),
  ('notification.device', 'NotificationDevice', 'id'),
  ('ordering.draft_order', 'DraftOrder', 'id'),
  ('ordering.order', 'Order', 'id'),
  ('promotion.campaign', 'PromotionCampaign', 'id'),
  ('promotion.promotion', 'Promotion', 'id'),
  ('search.article', 'Article', 'id')
) AS t(name, type, id);

-- What merchants read. Names are those of now: an entry keeps nothing of a person but the id.
CREATE VIEW audit.log AS
SELECT
  e.merchant_id,
  e.id,
  e.created_at,
  e.actor_kind,
  e.actor_id,
  CASE e.actor_kind
    WHEN 'KEY' THEN (SELECT k.name FROM merchant.api_key k WHERE k.merchant_id = e.merchant_id AND k.id = e.actor_id)
    WHEN 'USER' THEN (SELECT u.name FROM identity.user u WHERE u.merchant_id = e.merchant_id AND u.id = e.actor_id)
    -- What an operator calls its keys is not for merchants.
    WHEN 'OPERATOR' THEN NULL
    WHEN 'CUSTOMER' THEN (SELECT c.name FROM crm.customer c WHERE c.merchant_id = e.merchant_id AND c.id = e.actor_id)
  END AS actor_name,
  e.client_address,
  e.request_id,
  e.source,
  e.operation_name,
  e.operation,
  e.record,
  e.change,
  e.target_ids,
  e.outcome,
  e.codes,
  e.occurrences
FROM audit.entry e
-- Once it is known how an action has ended, that it was begun says nothing more.
WHERE e.outcome <> 'STARTED'
  OR NOT EXISTS (SELECT FROM audit.entry f WHERE f.merchant_id = e.merchant_id AND f.attempt_id = e.id);
