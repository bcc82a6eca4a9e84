CREATE SCHEMA merchant;

CREATE TABLE merchant.merchant (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  -- The merchant whose test data these rows are (merchant.test_twin). NULL: a merchant of its own.
  twin_of uuid CONSTRAINT merchant_one_twin UNIQUE REFERENCES merchant.merchant,
  name text NOT NULL CHECK (name <> ''),
  email citext NOT NULL,
  phone text,
  website text,
  -- ISO 3166-1 alpha-2: where the merchant is established.
  country text CHECK (country ~ '^[A-Z]{2}$'),
  -- SUSPENDED and CLOSED: every credential of the merchant is refused (SVC_AUTH_003), and its messages wait.
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'SUSPENDED', 'CLOSED')),
  status_since timestamptz NOT NULL DEFAULT now(),
  status_reason text,
  -- When the merchant last got all of its data.
  data_exported_at timestamptz,
  -- From then on a job deletes every row of the merchant (merchant.delete_rows), and nothing reinstates it.
  deletes_at timestamptz,
  -- While true, only addresses in merchant.ip_allow_list_entry get in (SVC_AUTH_004 for the rest).
  ip_allow_list_enabled boolean NOT NULL DEFAULT FALSE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT merchant_deleted_when_closed CHECK ((status = 'CLOSED') = (deletes_at IS NOT NULL))
);
CREATE INDEX merchant_deletes_at ON merchant.merchant (deletes_at) WHERE deletes_at IS NOT NULL;

CREATE TABLE merchant.subscription (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  plan text NOT NULL DEFAULT 'FREE' CHECK (plan IN ('FREE', 'STARTER', 'PRO', 'ENTERPRISE')),
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'TRIALING', 'PAST_DUE', 'CANCELLED', 'UNPAID')),
  current_period_start timestamptz NOT NULL DEFAULT now(),
  current_period_end timestamptz NOT NULL DEFAULT now() + INTERVAL '1 month',
  -- When the first of the periods began that followed each other since. Each ends so many whole months later: on its
  -- day of the month, or on the last day of a month that is too short for it.
  periods_since timestamptz NOT NULL DEFAULT now(),
  cancel_at_period_end boolean NOT NULL DEFAULT FALSE,
  -- The plan of the next period; NULL: the plan of this one.
  next_plan text CHECK (next_plan IN ('FREE', 'STARTER', 'PRO', 'ENTERPRISE')),
  -- The plan that the merchant has requested and no operator has answered.
  requested_plan text CHECK (requested_plan IN ('FREE', 'STARTER', 'PRO', 'ENTERPRISE')),
  requested_at timestamptz,
  CHECK (current_period_start < current_period_end),
  CHECK (periods_since <= current_period_start),
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
  -- The language of the shop's texts: search removes words' inflections by it.
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
  -- The bounds of a shopper's unpaid orders: their number, and the units of goods in them. NULL: any number.
  max_unpaid_orders integer DEFAULT 5 CHECK (max_unpaid_orders BETWEEN 1 AND 10000),
  max_unpaid_units integer DEFAULT 100 CHECK (max_unpaid_units BETWEEN 1 AND 999999),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- A user without a confirmed authenticator has no permission until it has one.
  mfa_required boolean NOT NULL DEFAULT FALSE,
  -- The form in which visitors of the storefront see stock: in stock or not, the number up to a bound, or the number.
  stock_visibility text NOT NULL DEFAULT 'IN_STOCK_ONLY' CHECK (
    stock_visibility IN ('IN_STOCK_ONLY', 'UP_TO_BOUND', 'EXACT')
  ),
  stock_visibility_bound integer NOT NULL DEFAULT 10 CHECK (stock_visibility_bound BETWEEN 1 AND 999999),
  low_stock_threshold integer NOT NULL DEFAULT 5 CONSTRAINT settings_low_stock_threshold_check
    CHECK (low_stock_threshold BETWEEN 0 AND 999999),
  -- Texts of one meaning with commas between them: sofa, couch. search.synonym has what queries read.
  search_synonyms text[] NOT NULL DEFAULT '{}' CONSTRAINT settings_search_synonyms_check
    CHECK (
      cardinality(search_synonyms) <= 200
      AND array_position(search_synonyms, NULL) IS NULL
      AND array_to_string(search_synonyms, E'\n') ~ '^(([^,\n]*[^,\s][^,\n]*)(,[^,\n]*[^,\s][^,\n]*)+(\n|$))*$'
      AND char_length(array_to_string(search_synonyms, E'\n')) <= 61000
    ),
  -- Words that search passes over.
  search_stop_words text[] NOT NULL DEFAULT '{}' CONSTRAINT settings_search_stop_words_check
    CHECK (
      cardinality(search_stop_words) <= 500
      AND array_position(search_stop_words, NULL) IS NULL
      AND array_to_string(search_stop_words, E'\n') ~ '^([^\s]+(\n|$))*$'
      AND char_length(array_to_string(search_stop_words, E'\n')) <= 31000
    ),
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
  -- The merchant whose rows the key reaches: its own, or for a merchant's test key the twin.
  reaches_merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  name text NOT NULL CHECK (name <> ''),
  -- SECRET: for the merchant's own programs. PUBLISHABLE: for pages in browsers, with the role guest.
  kind text NOT NULL DEFAULT 'SECRET' CHECK (kind IN ('SECRET', 'PUBLISHABLE')),
  -- NULL for a publishable key, whose origins say where it works.
  mode text CHECK (mode IN ('live', 'test')),
  -- The leading characters, enough to recognise a key in a list and useless to guess the rest.
  prefix text NOT NULL,
  -- A publishable key itself, which each page of the storefront shows.
  publishable_key text CHECK (publishable_key ~ '^cg_pub_([a-z][a-z0-9]{0,5}_)?[A-Za-z0-9_-]{43}$'),
  -- The storefront's origins, as browsers send them. A key without any works for pages of the developer's machine.
  origins text[] NOT NULL DEFAULT '{}' CONSTRAINT api_key_origins_check
    CHECK (
      cardinality(origins) <= 20
      AND char_length(array_to_string(origins, ' ')) <= 6000
      AND array_position(origins, NULL) IS NULL
      AND array_to_string(origins, ' ') ~ '^(https?://[a-z0-9.:[\]-]+( |$))*$'
    ),
  -- Seconds for which browsers and CDNs may keep the answers to a publishable key's GET requests.
  max_age integer NOT NULL DEFAULT 0 CHECK (max_age BETWEEN 0 AND 86400),
  permissions text[] NOT NULL,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  UNIQUE (reaches_merchant_id, id),
  CONSTRAINT api_key_of_its_kind
    CHECK (
      CASE kind
        WHEN 'SECRET' THEN num_nonnulls(mode) = 1
        AND num_nonnulls(publishable_key) = 0
        AND origins = '{}'
        AND max_age = 0
        ELSE num_nonnulls(mode) = 0
        AND num_nonnulls(publishable_key) = 1
        AND permissions = '{}'
      END
    )
);
CREATE INDEX api_key_origins ON merchant.api_key USING gin (origins) WHERE kind = 'PUBLISHABLE';

-- What a key is found by. It is apart from the key, as Hasura reads all columns of a table that it serves.
CREATE TABLE merchant.api_key_hash (
  merchant_id uuid NOT NULL,
  key_id uuid NOT NULL,
  -- SHA-256 of the whole key. The key has 256 random bits, so a slow password hash would add nothing.
  hash bytea NOT NULL UNIQUE,
  PRIMARY KEY (merchant_id, key_id),
  FOREIGN KEY (merchant_id, key_id) REFERENCES merchant.api_key
    ON DELETE CASCADE
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

-- The address of its own that a merchant's mail is to come from. It is used while the status is CONFIRMED.
CREATE TABLE merchant.sender (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  address citext NOT NULL CONSTRAINT sender_address_check CHECK (address LIKE '%_@_%._%'),
  -- As DNS has it: in lower case, with letters of other scripts in Punycode.
  domain text NOT NULL CHECK (domain ~ '^[a-z0-9-]+([.][a-z0-9-]+)+$' AND char_length(domain) <= 253),
  -- The text that the domain's DNS has to contain, so that only its owner can confirm it for this merchant.
  token text NOT NULL,
  -- merchant.record_sender_check changes it.
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'CONFIRMED', 'LOST')),
  -- Why the last check didn't confirm it.
  problem text,
  -- When all records were last seen; NULL: never.
  confirmed_at timestamptz,
  checked_at timestamptz,
  next_check_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT sender_confirmed CHECK (status <> 'CONFIRMED' OR (confirmed_at IS NOT NULL AND problem IS NULL))
);
CREATE INDEX sender_next_check ON merchant.sender (next_check_at);

-- The DNS records that the sender's domain needs in this deployment.
CREATE TABLE merchant.sender_record (
  merchant_id uuid NOT NULL REFERENCES merchant.sender
    ON DELETE CASCADE,
  purpose text NOT NULL CHECK (purpose IN ('OWNERSHIP', 'DKIM', 'SPF')),
  type text NOT NULL CHECK (type = 'TXT'),
  name text NOT NULL,
  value text NOT NULL,
  -- Whether the last check saw it; NULL: it was not checked, or DNS did not answer.
  found boolean,
  PRIMARY KEY (merchant_id, purpose)
);
