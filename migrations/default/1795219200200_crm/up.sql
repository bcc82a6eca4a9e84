-- Customers of a merchant and their addresses. What they spent is a view over orders (see ordering).

CREATE SCHEMA crm;

CREATE TABLE crm.customer (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  email citext NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  phone text,
  marketing_opt_in boolean NOT NULL DEFAULT false,
  email_verified boolean NOT NULL DEFAULT false,
  tags text[] NOT NULL DEFAULT '{}',
  notes text,
  -- Since when, and why, the customer may not act (identity.block_customer).
  blocked_at timestamptz,
  blocked_reason text CHECK (blocked_reason <> ''),
  status text NOT NULL GENERATED ALWAYS AS (CASE WHEN blocked_at IS NULL THEN 'ACTIVE' ELSE 'BLOCKED' END) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT customer_blocked CHECK ((blocked_at IS NULL) = (blocked_reason IS NULL)),
  CONSTRAINT customer_email_key UNIQUE (merchant_id, email)
);
CREATE INDEX customer_created_at ON crm.customer (merchant_id, created_at, id);
CREATE INDEX customer_name ON crm.customer (merchant_id, name, id);
CREATE INDEX customer_blocked_created_at ON crm.customer (merchant_id, created_at, id) WHERE status = 'BLOCKED';
CREATE INDEX customer_search ON crm.customer USING gin (name gin_trgm_ops, (email::text) gin_trgm_ops);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON crm.customer
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();
-- A new address is nobody's until its owner has shown that it is theirs.
CREATE FUNCTION crm.doubt_new_email() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.email_verified := false;
  RETURN NEW;
END
$$;
CREATE TRIGGER doubt_new_email BEFORE UPDATE OF email ON crm.customer
  FOR EACH ROW WHEN (NEW.email <> OLD.email) EXECUTE FUNCTION crm.doubt_new_email();
-- The access token of a customer who is gone, or blocked, lets nobody in.
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF blocked_at ON crm.customer
  FOR EACH ROW EXECUTE FUNCTION merchant.notify_access_changed();

CREATE TABLE crm.address (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid NOT NULL,
  line1 text NOT NULL CHECK (line1 <> ''),
  line2 text,
  city text NOT NULL CHECK (city <> ''),
  state text NOT NULL,
  postal_code text NOT NULL,
  country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  phone text,
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);
CREATE INDEX address_customer ON crm.address (merchant_id, customer_id);
CREATE UNIQUE INDEX address_one_default ON crm.address (merchant_id, customer_id) WHERE is_default;

-- A customer with addresses has exactly one default: the first address is it, a new default takes the place of the old, and when
-- the default is deleted the oldest of the others is. Whoever changes addresses takes hold of the customer first, so that nobody
-- decides by addresses that are about to go or come.
CREATE FUNCTION crm.keep_one_default_address() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM crm.customer c WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.customer_id FOR NO KEY UPDATE;
  IF NOT NEW.is_default AND TG_OP = 'INSERT' AND NOT EXISTS (
    SELECT FROM crm.address a WHERE a.merchant_id = NEW.merchant_id AND a.customer_id = NEW.customer_id AND a.is_default
  ) THEN
    NEW.is_default := true;
  END IF;
  IF NEW.is_default THEN
    UPDATE crm.address a SET is_default = false
    WHERE a.merchant_id = NEW.merchant_id AND a.customer_id = NEW.customer_id AND a.is_default AND a.id <> NEW.id;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER keep_one_default BEFORE INSERT OR UPDATE OF is_default ON crm.address
  FOR EACH ROW EXECUTE FUNCTION crm.keep_one_default_address();

CREATE FUNCTION crm.refuse_no_default_address() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM platform.violate('crm.address', 'address_needs_default');
END
$$;
-- The trigger above takes the old default's mark away from inside of itself.
CREATE TRIGGER default_stays BEFORE UPDATE OF is_default ON crm.address
  FOR EACH ROW WHEN (OLD.is_default AND NOT NEW.is_default AND pg_trigger_depth() = 0)
  EXECUTE FUNCTION crm.refuse_no_default_address();

CREATE FUNCTION crm.pass_on_default_address() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM crm.customer c WHERE c.merchant_id = OLD.merchant_id AND c.id = OLD.customer_id FOR NO KEY UPDATE;
  UPDATE crm.address a SET is_default = true
  WHERE a.merchant_id = OLD.merchant_id AND a.id = (
    SELECT x.id FROM crm.address x WHERE x.merchant_id = OLD.merchant_id AND x.customer_id = OLD.customer_id
    ORDER BY x.created_at, x.id LIMIT 1
  );
  RETURN NULL;
END
$$;
CREATE TRIGGER pass_on_default AFTER DELETE ON crm.address
  FOR EACH ROW WHEN (OLD.is_default) EXECUTE FUNCTION crm.pass_on_default_address();
