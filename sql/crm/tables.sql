CREATE SCHEMA crm;

CREATE TABLE crm.customer (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  email citext NOT NULL,
  -- FALSE: who has bought as a guest, by an address that was not confirmed. It may be another customer's, too.
  has_account boolean NOT NULL DEFAULT TRUE,
  name text NOT NULL CHECK (name <> ''),
  phone text,
  marketing_opt_in boolean NOT NULL DEFAULT FALSE,
  email_verified boolean NOT NULL DEFAULT FALSE,
  tags text[] NOT NULL DEFAULT '{}',
  notes text,
  -- Since when, and why, the customer may not act (identity.block_customer).
  blocked_at timestamptz,
  blocked_reason text CHECK (blocked_reason <> ''),
  status text NOT NULL GENERATED ALWAYS AS (
    CASE
      WHEN blocked_at IS NULL THEN 'ACTIVE'
      ELSE 'BLOCKED'
    END
  ) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  anonymized_at timestamptz,
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT customer_blocked CHECK ((blocked_at IS NULL) = (blocked_reason IS NULL))
);
CREATE UNIQUE INDEX customer_external_id_key ON crm.customer (merchant_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX customer_metadata ON crm.customer USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);
CREATE UNIQUE INDEX customer_email_key ON crm.customer (merchant_id, email) WHERE has_account;
-- Of accounts and guests: a look-up by the address asks for either, or for both.
CREATE INDEX customer_email ON crm.customer (merchant_id, email, created_at);
CREATE INDEX customer_guest_created_at ON crm.customer (created_at) WHERE NOT has_account;
CREATE INDEX customer_created_at ON crm.customer (merchant_id, created_at, id);
CREATE INDEX customer_name ON crm.customer (merchant_id, name, id);
CREATE INDEX customer_blocked_created_at ON crm.customer (merchant_id, created_at, id) WHERE status = 'BLOCKED';
CREATE INDEX customer_search ON crm.customer USING gin (name gin_trgm_ops, (email::text) gin_trgm_ops);

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
  -- For whom it is, where that isn't the customer: a gift's recipient, a company's desk.
  recipient_name text CHECK (recipient_name <> ''),
  company text CHECK (company <> ''),
  phone text,
  is_default boolean NOT NULL DEFAULT FALSE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);
CREATE INDEX address_customer ON crm.address (merchant_id, customer_id);
CREATE UNIQUE INDEX address_one_default ON crm.address (merchant_id, customer_id) WHERE is_default;

CREATE TABLE crm.contact (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  title text,
  email citext,
  phone text,
  notes text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  -- An interaction references it: a contact of the same customer.
  CONSTRAINT contact_of_customer_key UNIQUE (merchant_id, customer_id, id),
  CONSTRAINT contact_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE CASCADE
);
CREATE INDEX contact_name ON crm.contact (merchant_id, customer_id, name, id);

CREATE TABLE crm.interaction (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid NOT NULL,
  contact_id uuid,
  type text NOT NULL CHECK (type IN ('CALL', 'EMAIL', 'MEETING', 'NOTE')),
  subject text NOT NULL CHECK (subject <> ''),
  body text,
  -- The name of the merchant's employee, as they want to be named.
  author text CHECK (author <> ''),
  occurred_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT interaction_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE CASCADE,
  CONSTRAINT interaction_contact_fkey
    FOREIGN KEY (merchant_id, customer_id, contact_id) REFERENCES crm.contact (merchant_id, customer_id, id)
      ON DELETE SET NULL (contact_id)
);
CREATE INDEX interaction_occurred_at ON crm.interaction (merchant_id, customer_id, occurred_at, id);
CREATE INDEX interaction_contact ON crm.interaction (merchant_id, contact_id) WHERE contact_id IS NOT NULL;

CREATE TABLE crm.loyalty_program (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  enabled boolean NOT NULL DEFAULT FALSE,
  -- A payment earns so many points for each full earn_amount (minor units, the merchant's currency) that it takes: in
  -- proportion, rounded down to whole points.
  earn_points integer NOT NULL DEFAULT 1 CHECK (earn_points BETWEEN 1 AND 1000000),
  earn_amount bigint NOT NULL DEFAULT 100 CHECK (earn_amount > 0 AND earn_amount < 9007199254740992),
  -- Days after which points that were not spent are gone; NULL: never. Points keep the day that they got when they
  -- came.
  points_expire_after_days integer CHECK (points_expire_after_days BETWEEN 1 AND 36500),
  -- What a point pays of an order, in minor units of the merchant's currency; NULL: points don't pay.
  point_value bigint CHECK (point_value BETWEEN 1 AND 1000000),
  -- The measure of the tiers' thresholds: points of orders less those that refunds took back, or the money spent.
  tier_basis text NOT NULL DEFAULT 'POINTS_EARNED' CHECK (tier_basis IN ('POINTS_EARNED', 'TOTAL_SPENT')),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE crm.loyalty_tier (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  threshold bigint NOT NULL CHECK (threshold >= 0 AND threshold < 9007199254740992),
  benefits text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT loyalty_tier_name_key UNIQUE (merchant_id, name),
  CONSTRAINT loyalty_tier_threshold_key UNIQUE (merchant_id, threshold)
);

CREATE TABLE crm.loyalty_reward (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  points integer NOT NULL CHECK (points > 0),
  discount_amount integer NOT NULL CHECK (discount_amount > 0),
  min_purchase_amount bigint CHECK (min_purchase_amount >= 0 AND min_purchase_amount < 9007199254740992),
  -- Days for which a coupon is good.
  valid_days integer NOT NULL DEFAULT 90 CHECK (valid_days BETWEEN 1 AND 3650),
  active boolean NOT NULL DEFAULT TRUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT loyalty_reward_name_key UNIQUE (merchant_id, name)
);

CREATE TABLE crm.loyalty_account (
  merchant_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  points integer NOT NULL DEFAULT 0 CONSTRAINT loyalty_points_not_negative CHECK (points >= 0),
  -- Of these, what orders earned and no refund took back; spending doesn't lower it.
  points_earned bigint NOT NULL DEFAULT 0 CHECK (points_earned >= 0),
  -- When points may expire next; NULL when none ever will.
  next_expiry timestamptz,
  PRIMARY KEY (merchant_id, customer_id),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);
CREATE INDEX loyalty_account_next_expiry ON crm.loyalty_account (next_expiry);

CREATE TABLE crm.loyalty_entry (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('EARNED', 'TAKEN_BACK', 'REDEEMED', 'ADJUSTED', 'EXPIRED', 'SPENT', 'RETURNED')),
  points integer NOT NULL,
  -- The sum of all entries up to this one; filled in by trigger.
  balance integer NOT NULL CHECK (balance >= 0),
  -- Why it was adjusted.
  reason text CHECK (reason <> ''),
  -- The payment that earned them, was made with them, or was refunded.
  payment_id uuid,
  -- Of points that a payment earned: the amount that was taken of it by then. Each capture earns once.
  captured_amount bigint,
  -- The promotion they were redeemed for. The code stays when the promotion is deleted.
  promotion_id uuid,
  coupon_code text,
  expires_at timestamptz,
  -- Not now(), which is when the transaction began: entries are in the order in which the account was locked.
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT loyalty_entry_sign
    CHECK (
      CASE type
        WHEN 'EARNED' THEN points > 0
        WHEN 'RETURNED' THEN points > 0
        WHEN 'ADJUSTED' THEN points <> 0
        AND reason IS NOT NULL
        ELSE points < 0
      END
    ),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.loyalty_account
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, payment_id) REFERENCES payment.payment,
  FOREIGN KEY (merchant_id, promotion_id) REFERENCES promotion.promotion
    ON DELETE SET NULL (promotion_id)
);
CREATE INDEX loyalty_entry_customer ON crm.loyalty_entry (merchant_id, customer_id, created_at, id);
CREATE UNIQUE INDEX loyalty_entry_one_earning_per_capture ON crm.loyalty_entry (
  merchant_id,
  payment_id,
  captured_amount
)
WHERE type = 'EARNED';
CREATE UNIQUE INDEX loyalty_entry_one_spending_per_payment ON crm.loyalty_entry (merchant_id, payment_id)
WHERE type = 'SPENT';
CREATE INDEX loyalty_entry_payment ON crm.loyalty_entry (merchant_id, payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX loyalty_entry_promotion ON crm.loyalty_entry (merchant_id, promotion_id) WHERE promotion_id IS NOT NULL;

CREATE TABLE crm.segment (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  -- The filter. NULL asks nothing, and everything that is asked must hold. What was spent and ordered is as
  -- crm.customer_total counts it: orders that were paid, less what was given back.
  total_spent_min bigint CHECK (total_spent_min >= 0),
  total_spent_max bigint CHECK (total_spent_max >= 0),
  order_count_min integer CHECK (order_count_min >= 0),
  order_count_max integer CHECK (order_count_max >= 0),
  last_order_after timestamptz,
  last_order_before timestamptz,
  -- Counted back from the moment of asking. Who never ordered has no order for any number of days.
  -- A century at most, as in the contract: a time that can't be reckoned would fail whatever asks for the customers.
  last_order_within_days integer CHECK (last_order_within_days BETWEEN 1 AND 36500),
  no_order_for_days integer CHECK (no_order_for_days BETWEEN 1 AND 36500),
  -- All of these tags; an address in any of these cities (in any case) and countries (ISO 3166-1 alpha-2). An empty
  -- list could be read as a segment of all customers or of none.
  tags text[] CONSTRAINT segment_tags_some CHECK (cardinality(tags) > 0),
  cities text[] CONSTRAINT segment_cities_some CHECK (cardinality(cities) > 0),
  countries text[] CONSTRAINT segment_countries_some
    CHECK (cardinality(countries) > 0) CONSTRAINT segment_countries_codes
    CHECK (array_position(countries, NULL) IS NULL AND array_to_string(countries, ' ') ~ '^[A-Z]{2}( [A-Z]{2})*$'),
  -- In any of these tiers. Ids and no link table for the reason that promotion.check_conditions gives.
  loyalty_tier_ids uuid[] CONSTRAINT segment_loyalty_tiers_some CHECK (cardinality(loyalty_tier_ids) > 0),
  marketing_opt_in boolean,
  email_verified boolean,
  created_after timestamptz,
  created_before timestamptz,
  -- Whether anything is asked at all.
  filtered boolean NOT NULL GENERATED ALWAYS AS (
    num_nonnulls(
      total_spent_min,
      total_spent_max,
      order_count_min,
      order_count_max,
      last_order_after,
      last_order_before,
      last_order_within_days,
      no_order_for_days,
      tags,
      cities,
      countries,
      loyalty_tier_ids,
      marketing_opt_in,
      email_verified,
      created_after,
      created_before
    ) > 0
  ) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT segment_name_key UNIQUE (merchant_id, name),
  CONSTRAINT segment_total_spent_range CHECK (total_spent_min <= total_spent_max),
  CONSTRAINT segment_order_count_range CHECK (order_count_min <= order_count_max),
  CONSTRAINT segment_last_order_range CHECK (last_order_after < last_order_before),
  CONSTRAINT segment_created_range CHECK (created_after < created_before)
);
CREATE INDEX segment_created_at ON crm.segment (merchant_id, created_at, id);
CREATE INDEX customer_updated_at ON crm.customer (merchant_id, updated_at, id);
CREATE INDEX contact_updated_at ON crm.contact (merchant_id, updated_at, id);
CREATE INDEX interaction_updated_at ON crm.interaction (merchant_id, updated_at, id);
CREATE INDEX segment_updated_at ON crm.segment (merchant_id, updated_at, id);
