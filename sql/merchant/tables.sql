CREATE SCHEMA merchant;

CREATE TABLE merchant.merchant (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  email citext NOT NULL,
  phone text,
  website text,
  -- ISO 3166-1 alpha-2: where the merchant is established.
  country text CHECK (country ~ '^[A-Z]{2}$'),
  -- SUSPENDED: every credential of the merchant is refused (SVC_AUTH_003), and its messages wait.
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'SUSPENDED')),
  status_since timestamptz NOT NULL DEFAULT now(),
  status_reason text,
  -- While true, only addresses in merchant.ip_allow_list_entry get in (SVC_AUTH_004 for the rest).
  ip_allow_list_enabled boolean NOT NULL DEFAULT FALSE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE merchant.subscription (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  plan text NOT NULL DEFAULT 'FREE' CHECK (plan IN ('FREE', 'STARTER', 'PRO', 'ENTERPRISE')),
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'TRIALING', 'PAST_DUE', 'CANCELLED', 'UNPAID')),
  current_period_start timestamptz NOT NULL DEFAULT now(),
  current_period_end timestamptz NOT NULL DEFAULT now() + INTERVAL '1 month',
  cancel_at_period_end boolean NOT NULL DEFAULT FALSE,
  -- What the next period begins with; NULL: with the plan of this one.
  next_plan text CHECK (next_plan IN ('FREE', 'STARTER', 'PRO', 'ENTERPRISE')),
  -- What the merchant has asked for and no operator has answered.
  requested_plan text CHECK (requested_plan IN ('FREE', 'STARTER', 'PRO', 'ENTERPRISE')),
  requested_at timestamptz,
  CHECK (current_period_start < current_period_end),
  CHECK ((requested_plan IS NULL) = (requested_at IS NULL)),
  CHECK (requested_plan <> plan),
  -- A cancellation leaves no other plan to begin.
  CONSTRAINT subscription_one_intention
    CHECK (NOT (cancel_at_period_end AND coalesce(next_plan, requested_plan) IS NOT NULL))
);
CREATE INDEX subscription_period_end ON merchant.subscription (current_period_end);
CREATE INDEX subscription_requested ON merchant.subscription (requested_at) WHERE requested_plan IS NOT NULL;

CREATE TABLE merchant.plan_feature (
  plan text NOT NULL CHECK (plan IN ('FREE', 'STARTER', 'PRO', 'ENTERPRISE')),
  feature text NOT NULL,
  PRIMARY KEY (plan, feature)
);

CREATE TABLE merchant.settings (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  currency text NOT NULL DEFAULT 'USD' CHECK (currency ~ '^[A-Z]{3}$'),
  timezone text NOT NULL DEFAULT 'UTC',
  -- What the shop's texts are written in: search takes words' inflections off by it.
  language text NOT NULL DEFAULT 'en' REFERENCES platform.language,
  -- A share, not a percentage: 0.0825 is 8.25 %.
  tax_rate numeric(7, 6) NOT NULL DEFAULT 0 CHECK (tax_rate BETWEEN 0 AND 1),
  -- Minutes for which an order waits for its money, and holds its stock meanwhile. An order without a payment
  -- method waits as for a card. NULL: until it is cancelled.
  card_payment_minutes integer NOT NULL DEFAULT 60 CHECK (card_payment_minutes BETWEEN 1 AND 525600),
  bank_transfer_payment_minutes integer DEFAULT 10080 CHECK (bank_transfer_payment_minutes BETWEEN 1 AND 525600),
  cash_payment_minutes integer CHECK (cash_payment_minutes BETWEEN 1 AND 525600),
  -- Whether shoppers may choose to pay outside of the platform; the merchant's own people always may.
  accepts_bank_transfer boolean NOT NULL DEFAULT FALSE,
  accepts_cash boolean NOT NULL DEFAULT FALSE,
  -- What one shopper may have open without having paid: orders, and units of goods in them. NULL: any number.
  max_unpaid_orders integer DEFAULT 5 CHECK (max_unpaid_orders BETWEEN 1 AND 10000),
  max_unpaid_units integer DEFAULT 100 CHECK (max_unpaid_units BETWEEN 1 AND 999999),
  updated_at timestamptz NOT NULL DEFAULT now(),
  low_stock_threshold integer NOT NULL DEFAULT 5 CONSTRAINT settings_low_stock_threshold_check
    CHECK (low_stock_threshold BETWEEN 0 AND 999999),
  CONSTRAINT settings_timezone_check CHECK (platform.is_time_zone(timezone))
);

CREATE TABLE merchant.shipping_zone (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  -- ISO 3166-1 alpha-2. An empty list: every country that no other zone of the merchant lists.
  countries text[] NOT NULL DEFAULT '{}' CONSTRAINT shipping_zone_countries_check
    CHECK (array_position(countries, NULL) IS NULL AND array_to_string(countries, ' ') ~ '^([A-Z]{2}( [A-Z]{2})*)?$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);

CREATE TABLE merchant.shipping_method (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  shipping_zone_id uuid NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  price bigint NOT NULL CHECK (price >= 0 AND price < 9007199254740992),
  active boolean NOT NULL DEFAULT TRUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, shipping_zone_id) REFERENCES merchant.shipping_zone
    ON DELETE CASCADE
);
CREATE INDEX shipping_method_zone ON merchant.shipping_method (merchant_id, shipping_zone_id);

CREATE TABLE merchant.permission (
  name text PRIMARY KEY CHECK (name ~ '^[a-z_]+:[a-z]+$'),
  description text NOT NULL
);

CREATE TABLE merchant.api_key (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  -- The leading characters, enough to recognise a key in a list and useless to guess the rest.
  prefix text NOT NULL,
  -- SHA-256 of the whole key. The key has 256 random bits, so a slow password hash would add nothing.
  hash bytea NOT NULL UNIQUE,
  permissions text[] NOT NULL,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);

CREATE TABLE merchant.ip_allow_list_entry (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- A single address is a network of one (/32 or /128).
  network cidr NOT NULL,
  description text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT ip_allow_list_entry_network_key UNIQUE (merchant_id, network)
);
