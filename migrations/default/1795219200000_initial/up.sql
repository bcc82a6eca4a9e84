-- Written by `npm run migration` from sql/, where each of these is found and changed.

-- sql/platform/extensions.sql

CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE EXTENSION IF NOT EXISTS citext;

CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE EXTENSION IF NOT EXISTS unaccent;

CREATE EXTENSION IF NOT EXISTS btree_gist;

CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;

-- sql/catalog/tables.sql

CREATE SCHEMA catalog;

-- sql/catalog/types.sql

CREATE TYPE catalog.sellable_line AS (
  -- Where the line stands in the request, from 0; of merged lines the first.
  "position" integer,
  product_id uuid,
  variant_id uuid,
  -- The sum of merged lines, which may be more than a line can hold.
  quantity bigint,
  -- Why it can't be sold: unknown_product, product_not_active, variant_required, unknown_variant, quantity_too_large,
  -- currency_mismatch. NULL: it can.
  refusal text,
  stock_item_id uuid,
  sku text,
  price bigint,
  currency text,
  name text,
  image text,
  properties jsonb,
  -- What tells lines of one product apart.
  line_key text,
  -- What the merchant keeps with the line, if that was given: externalId, metadata, privateMetadata.
  kept jsonb
);

-- sql/identity/tables.sql

CREATE SCHEMA identity;

-- sql/identity/types.sql

CREATE TYPE identity.attempt_limit AS (free integer, block interval);

-- sql/ordering/tables.sql

CREATE SCHEMA ordering;

-- sql/ordering/types.sql

CREATE TYPE ordering.pricing AS (
  -- Why the coupon takes nothing off these lines, as promotion.choice has it; NULL: it could, or there is none.
  coupon_refusal text,
  -- The promotion that takes the discount off; NULL without one.
  promotion_id uuid,
  promotion_name text,
  subtotal bigint,
  tax bigint,
  discount bigint,
  shipping_discount bigint,
  total bigint,
  -- One entry for each line, in the order given.
  line_discounts bigint[],
  line_taxes bigint[]
);

CREATE TYPE ordering.refund_part AS (
  order_item_id uuid,
  quantity integer,
  -- The amount paid for these units.
  amount bigint,
  -- Of the units, those that were never sent, and those that were.
  unsent integer,
  sent integer,
  -- NULL: what was never sent is for sale again, what was sent is not.
  restock boolean
);

CREATE TYPE ordering.stock_units AS (stock_item_ids uuid[], quantities integer[]);

-- sql/platform/tables.sql

CREATE SCHEMA platform;

-- sql/platform/types.sql

CREATE TYPE platform.keyed_request AS (
  merchant_id uuid,
  caller text,
  key text,
  part text,
  operation text,
  fingerprints text[]
);

CREATE TYPE platform.actor AS (
  -- MERCHANT: a key or user of the merchant. CUSTOMER: a shopper. SYSTEM: a job or a payment processor.
  kind text,
  -- The user's, key's or customer's.
  id uuid
);

-- sql/promotion/tables.sql

CREATE SCHEMA promotion;

-- sql/promotion/types.sql

CREATE TYPE promotion.purchase AS (
  merchant_id uuid,
  -- NULL: a guest.
  customer_id uuid,
  currency text,
  -- The order that is changed; NULL: there is none yet.
  order_id uuid,
  -- One entry for each line; NULL: no lines.
  product_ids uuid[],
  subtotals bigint[],
  shipping bigint
);

CREATE TYPE promotion.discount AS (
  -- coupon_minimum_not_met, coupon_not_for_products; NULL: it applies.
  refusal text,
  -- The discount on each line, in the order given, and on shipping; NULL if it is refused.
  lines bigint[],
  shipping bigint
);

CREATE TYPE promotion.choice AS (
  -- Why the purchase's own promotion takes nothing off, as use_refusal and discount have it; NULL: it could, or there
  -- is none.
  own_refusal text,
  -- The promotion that applies, and what it takes off as promotion.discount has it; NULL: none does.
  promotion_id uuid,
  promotion_name text,
  lines bigint[],
  shipping bigint
);

-- sql/search/tables.sql

CREATE SCHEMA search;

-- sql/search/types.sql

CREATE TYPE search.scope AS (merchant_id uuid, public_only boolean, products boolean, articles boolean);

CREATE TYPE search.key_group AS (name text, keys bigint[]);

CREATE TYPE search.request AS (
  scope search.scope,
  -- The text as a title is compared, and its words; both NULL without a text.
  title text,
  words tsquery,
  types text[],
  products_only boolean,
  -- All of these, and one of each group.
  keys bigint[],
  groups search.key_group[],
  price_min bigint,
  price_max bigint,
  in_stock boolean,
  status text
);

-- sql/analytics/tables.sql

CREATE SCHEMA analytics;

-- sql/merchant/tables.sql

CREATE SCHEMA merchant;

-- sql/platform/functions.sql

CREATE FUNCTION platform.uuid_v7()
RETURNS uuid
LANGUAGE sql
VOLATILE
PARALLEL SAFE
AS $$
  -- One expression, which Postgres puts in place of the call: 48 bits of milliseconds and 12 of the rest of the time,
  -- with the version between them.
  SELECT
    (
      overlay(lpad(to_hex((EXTRACT(EPOCH FROM clock_timestamp()) * 4096000)::bigint), 15, '0'), '7', 13, 0) || right(
        gen_random_uuid()::text,
        17
      )
    )::uuid;
$$;

-- sql/merchant/tables.sql

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

-- sql/analytics/tables.sql

CREATE TABLE analytics.sales_rollup (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  bucket timestamptz NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  placed bigint NOT NULL,
  cancelled bigint NOT NULL,
  orders bigint NOT NULL,
  units bigint NOT NULL,
  gross bigint NOT NULL,
  discount bigint NOT NULL,
  uncaptured bigint NOT NULL,
  shipping bigint NOT NULL,
  tax bigint NOT NULL,
  total bigint NOT NULL,
  refunds bigint NOT NULL,
  refunded bigint NOT NULL,
  PRIMARY KEY (merchant_id, bucket, currency, status)
);

CREATE TABLE analytics.product_rollup (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  bucket timestamptz NOT NULL,
  product_id uuid NOT NULL,
  currency text NOT NULL,
  orders bigint NOT NULL,
  units bigint NOT NULL,
  gross bigint NOT NULL,
  discount bigint NOT NULL,
  uncaptured bigint NOT NULL,
  tax bigint NOT NULL,
  PRIMARY KEY (merchant_id, bucket, product_id, currency)
);

CREATE TABLE analytics.stock_rollup (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  bucket timestamptz NOT NULL,
  product_id uuid NOT NULL,
  received bigint NOT NULL,
  removed bigint NOT NULL,
  moved bigint NOT NULL,
  PRIMARY KEY (merchant_id, bucket, product_id)
);

CREATE TABLE analytics.stale_bucket (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  bucket timestamptz NOT NULL,
  id bigint GENERATED BY DEFAULT AS IDENTITY,
  PRIMARY KEY (merchant_id, bucket, id)
);

-- sql/catalog/tables.sql

CREATE TABLE catalog.product (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  sku text NOT NULL CHECK (sku <> ''),
  -- Money is minor units and stays below 2^53, the largest integer that JSON clients hold exactly.
  price bigint NOT NULL CHECK (price > 0 AND price < 9007199254740992),
  -- From which to which price it is sold: its variants' where it has some, else its own. What filters and PRICE go by;
  -- kept by triggers.
  lowest_price bigint NOT NULL,
  highest_price bigint NOT NULL,
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  compare_at_price bigint CHECK (compare_at_price > 0 AND compare_at_price < 9007199254740992),
  cost_per_item bigint CHECK (cost_per_item >= 0 AND cost_per_item < 9007199254740992),
  status text NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'ACTIVE', 'ARCHIVED')),
  featured boolean NOT NULL DEFAULT FALSE,
  slug text NOT NULL,
  tags text[] NOT NULL DEFAULT '{}',
  seo_title text,
  seo_description text,
  -- The variants' SKUs, a line each; kept by trigger.
  variant_skus text NOT NULL DEFAULT '',
  -- The text that searchQuery looks through. It is one column: for a text in any of several, Postgres expects too
  -- many matches to use an index.
  search_text text NOT NULL GENERATED ALWAYS AS (
    name || E'\n' || sku || E'\n' || variant_skus || E'\n' || coalesce(description, '')
  ) STORED,
  -- Units ever ordered; what POPULARITY sorts by. Kept by the ordering domain.
  popularity bigint NOT NULL DEFAULT 0,
  -- Orders point at their products forever, so a deleted product stays as a row that no list shows.
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT product_slug_key UNIQUE (merchant_id, slug)
);

-- sql/analytics/tables.sql

CREATE TABLE analytics.product_view (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  bucket timestamptz NOT NULL,
  product_id uuid NOT NULL,
  views bigint NOT NULL CHECK (views > 0),
  PRIMARY KEY (merchant_id, bucket, product_id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE
);

CREATE INDEX product_view_product ON analytics.product_view (merchant_id, product_id) INCLUDE (views);

CREATE TABLE analytics.dashboard (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  position integer NOT NULL DEFAULT 0 CHECK (position BETWEEN 0 AND 1000000),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT dashboard_name_key UNIQUE (merchant_id, name)
);

CREATE INDEX dashboard_position ON analytics.dashboard (merchant_id, position, id);

CREATE INDEX dashboard_created_at ON analytics.dashboard (merchant_id, created_at, id);

-- sql/analytics/functions.sql

CREATE FUNCTION analytics.groupings(p_metric text)
RETURNS text[]
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE
      WHEN p_metric IN (
        'UNITS',
        'GROSS_SALES',
        'DISCOUNTS',
        'REVENUE',
        'TAX'
      ) THEN '{CURRENCY,STATUS,PRODUCT,CATEGORY}'::text[]
      WHEN p_metric = 'ORDERS' THEN '{CURRENCY,STATUS,PRODUCT}'
      WHEN p_metric IN (
        'ORDERS_PLACED',
        'ORDERS_CANCELLED',
        'SHIPPING',
        'TOTAL_SALES',
        'AVERAGE_ORDER_VALUE',
        'REFUNDS',
        'REFUNDED'
      ) THEN '{CURRENCY,STATUS}'
      WHEN p_metric IN ('STOCK_RECEIVED', 'STOCK_REMOVED') THEN '{PRODUCT}'
      WHEN p_metric = 'VIEWS' THEN '{PRODUCT,CATEGORY}'
      WHEN p_metric IN ('CUSTOMERS', 'NEW_CUSTOMERS', 'RETURNING_CUSTOMERS', 'REGISTRATIONS', 'STOCK_LEVEL') THEN '{}'
    END;
$$;

-- sql/platform/functions.sql

CREATE FUNCTION platform.is_time_zone(p_name text)
RETURNS boolean
LANGUAGE plpgsql
IMMUTABLE
AS $$
BEGIN
  PERFORM timezone(p_name, 'epoch'::timestamptz);
  RETURN p_name ~ '^[A-Za-z]';
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN FALSE;
END;
$$;

-- sql/analytics/functions.sql

CREATE FUNCTION analytics.question_refusal(
  p_metrics text[],
  p_days integer,
  p_interval text,
  p_time_zone text,
  p_group_by text,
  p_group_limit integer
)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE
      WHEN coalesce(cardinality(p_metrics), 0) NOT BETWEEN 1 AND 10 THEN 'metrics'
      WHEN EXISTS (
        SELECT
        FROM unnest(p_metrics) m
        WHERE analytics.groupings(m) IS NULL OR p_group_by IS NOT NULL AND p_group_by <> ALL (analytics.groupings(m))
      ) THEN 'metrics'
      WHEN p_group_by NOT IN ('CURRENCY', 'STATUS', 'PRODUCT', 'CATEGORY') THEN 'groupBy'
      WHEN coalesce(p_days, 0) NOT BETWEEN 1 AND 3660 THEN 'days'
      WHEN p_interval NOT IN ('HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR') THEN 'interval'
      WHEN p_interval = 'HOUR'
      AND p_days > 31
      OR p_interval = 'DAY'
      AND p_days > 800 THEN 'interval'
      WHEN p_time_zone IS NOT NULL
      AND NOT platform.is_time_zone(p_time_zone) THEN 'timeZone'
      WHEN coalesce(p_group_limit, 0) NOT BETWEEN 1 AND 100 THEN 'groupLimit'
    END;
$$;

-- sql/analytics/tables.sql

CREATE TABLE analytics.widget (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  dashboard_id uuid NOT NULL,
  position integer NOT NULL CHECK (position BETWEEN 0 AND 19),
  title text NOT NULL CHECK (title <> ''),
  metrics text[] NOT NULL,
  last_days integer NOT NULL,
  interval text,
  time_zone text,
  group_by text,
  group_limit integer NOT NULL DEFAULT 10,
  currency text CHECK (currency ~ '^[A-Z]{3}$'),
  compare boolean NOT NULL DEFAULT FALSE,
  PRIMARY KEY (merchant_id, id),
  -- At most twenty, because there are so many places.
  CONSTRAINT widget_position_key UNIQUE (merchant_id, dashboard_id, position),
  CONSTRAINT widget_dashboard_fkey
    FOREIGN KEY (merchant_id, dashboard_id) REFERENCES analytics.dashboard
      ON DELETE CASCADE,
  CONSTRAINT widget_question
    CHECK (analytics.question_refusal(metrics, last_days, interval, time_zone, group_by, group_limit) IS NULL)
);

CREATE INDEX dashboard_updated_at ON analytics.dashboard (merchant_id, updated_at, id);

-- sql/audit/tables.sql

CREATE SCHEMA audit;

CREATE TABLE audit.entry (
  -- No foreign key: an entry outlives its actor and the merchant. The nil id: it was about no merchant.
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
  -- The number of times: repetitions of a refusal within a minute are one entry.
  occurrences integer NOT NULL DEFAULT 1 CHECK (occurrences > 0),
  attempt_id uuid,
  -- Read newest first.
  PRIMARY KEY (merchant_id, created_at, id)
)
PARTITION BY RANGE (created_at);

CREATE INDEX entry_attempt ON audit.entry (merchant_id, attempt_id) WHERE attempt_id IS NOT NULL;

CREATE INDEX entry_target ON audit.entry USING gin (target_ids);

CREATE INDEX entry_actor ON audit.entry (merchant_id, actor_id, created_at);

CREATE TABLE audit.entry_rest PARTITION OF audit.entry DEFAULT;

CREATE INDEX entry_operator ON audit.entry (created_at) WHERE actor_kind = 'OPERATOR';

-- sql/booking/tables.sql

CREATE SCHEMA booking;

CREATE TABLE booking.service (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  -- Minutes.
  duration integer NOT NULL CHECK (duration BETWEEN 1 AND 1440),
  price bigint NOT NULL CHECK (price >= 0 AND price < 9007199254740992),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  active boolean NOT NULL DEFAULT TRUE,
  -- The part of the price to pay before an appointment is certain.
  payment_policy text NOT NULL DEFAULT 'NONE' CHECK (payment_policy IN ('NONE', 'DEPOSIT', 'FULL')),
  -- A deposit is an amount or a share of the price, in percent.
  deposit_amount bigint CHECK (deposit_amount BETWEEN 1 AND 9007199254740991),
  deposit_percent integer CHECK (deposit_percent BETWEEN 1 AND 100),
  -- The charge for a missed appointment or a late cancellation. NULL: the amount that had to be paid before.
  no_show_fee bigint CHECK (no_show_fee BETWEEN 0 AND 9007199254740991),
  -- Minutes before its start until which a customer cancels without the fee.
  cancellation_minutes integer NOT NULL DEFAULT 0 CHECK (cancellation_minutes BETWEEN 0 AND 525600),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT service_deposit_check
    CHECK (
      num_nonnulls(deposit_amount, deposit_percent) <= 1
      AND (payment_policy <> 'DEPOSIT' OR num_nonnulls(deposit_amount, deposit_percent) = 1)
    )
);

CREATE INDEX service_name ON booking.service (merchant_id, name, id);

CREATE INDEX service_created_at ON booking.service (merchant_id, created_at, id);

CREATE TABLE booking.staff_member (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  email citext NOT NULL,
  phone text,
  -- The schedule's time zone; NULL is the merchant's.
  time_zone text CONSTRAINT staff_member_time_zone_check CHECK (platform.is_time_zone(time_zone)),
  active boolean NOT NULL DEFAULT TRUE,
  -- Which staff member gets an appointment that names none: the lowest number first.
  priority integer NOT NULL DEFAULT 0 CHECK (priority >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT staff_member_email_key UNIQUE (merchant_id, email)
);

CREATE INDEX staff_member_name ON booking.staff_member (merchant_id, name, id);

CREATE INDEX staff_member_created_at ON booking.staff_member (merchant_id, created_at, id);

CREATE TABLE booking.staff_service (
  merchant_id uuid NOT NULL,
  staff_id uuid NOT NULL,
  service_id uuid NOT NULL,
  PRIMARY KEY (merchant_id, staff_id, service_id),
  CONSTRAINT staff_service_staff_fkey
    FOREIGN KEY (merchant_id, staff_id) REFERENCES booking.staff_member
      ON DELETE CASCADE,
  CONSTRAINT staff_service_service_fkey
    FOREIGN KEY (merchant_id, service_id) REFERENCES booking.service
      ON DELETE CASCADE
);

CREATE INDEX staff_service_service ON booking.staff_service (merchant_id, service_id);

CREATE TABLE booking.resource (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  -- The merchant's own word for what can stand in for each other: 'treatment room', 'chair', 'laser'.
  kind citext NOT NULL CHECK (kind <> ''),
  -- FALSE: archived. New and moved appointments don't get it.
  active boolean NOT NULL DEFAULT TRUE,
  -- Which free resource of the kind an appointment gets: the lowest number first.
  priority integer NOT NULL DEFAULT 0 CHECK (priority >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);

CREATE INDEX resource_name ON booking.resource (merchant_id, name, id);

CREATE INDEX resource_kind ON booking.resource (merchant_id, kind, priority, id);

CREATE TABLE booking.resource_requirement (
  merchant_id uuid NOT NULL,
  service_id uuid NOT NULL,
  kind citext NOT NULL CHECK (kind <> ''),
  quantity integer NOT NULL DEFAULT 1 CHECK (quantity BETWEEN 1 AND 20),
  PRIMARY KEY (merchant_id, service_id, kind),
  CONSTRAINT resource_requirement_service_fkey
    FOREIGN KEY (merchant_id, service_id) REFERENCES booking.service
      ON DELETE CASCADE
);

CREATE TABLE booking.schedule (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  staff_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('WEEKLY', 'TIME_OFF', 'EXTRA_HOURS')),
  weekday text CHECK (weekday IN ('MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY')),
  -- The first and the last day that it holds. Weekly hours without them hold always; the others hold on the one day of
  -- start_date when no last day is said.
  start_date date,
  end_date date,
  -- HH:MM, so that they compare as texts. A day goes from 00:00 to 24:00.
  start_time text NOT NULL DEFAULT '00:00' CHECK (start_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  end_time text NOT NULL DEFAULT '24:00' CHECK (end_time ~ '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT schedule_staff_fkey
    FOREIGN KEY (merchant_id, staff_id) REFERENCES booking.staff_member
      ON DELETE CASCADE,
  CONSTRAINT schedule_weekday_of_weekly_hours CHECK ((type = 'WEEKLY') = (weekday IS NOT NULL)),
  CONSTRAINT schedule_date_of_exception CHECK (type = 'WEEKLY' OR start_date IS NOT NULL),
  CONSTRAINT schedule_dates_in_order CHECK (start_date <= end_date),
  CONSTRAINT schedule_times_in_order CHECK (start_time COLLATE "C" < end_time COLLATE "C")
);

CREATE INDEX schedule_staff ON booking.schedule (merchant_id, staff_id);

-- sql/crm/tables.sql

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

-- sql/booking/tables.sql

CREATE TABLE booking.appointment (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  service_id uuid NOT NULL,
  staff_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  start_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,
  -- Minutes; the service's at the time of booking, whatever becomes of the service.
  duration integer NOT NULL GENERATED ALWAYS AS ((EXTRACT(EPOCH FROM end_time - start_time) / 60)::integer) STORED,
  status text NOT NULL DEFAULT 'SCHEDULED' CHECK (
    status IN ('SCHEDULED', 'CONFIRMED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED', 'NO_SHOW')
  ),
  -- A cancelled or missed appointment leaves its time, staff member and resources free.
  takes_time boolean NOT NULL GENERATED ALWAYS AS (status NOT IN ('CANCELLED', 'NO_SHOW')) STORED,
  notes text,
  -- Booked by booking.book, so that its customer is notified. A row that comes complete, as one of an import does,
  -- notifies no customer.
  booked_here boolean NOT NULL DEFAULT FALSE,
  -- The service's terms at the time of booking, whatever becomes of the service (booking.fill_terms).
  price bigint NOT NULL CHECK (price >= 0),
  currency text NOT NULL,
  prepayment bigint NOT NULL DEFAULT 0,
  no_show_fee bigint NOT NULL DEFAULT 0,
  cancellation_minutes integer NOT NULL DEFAULT 0,
  -- Until when its time is kept for the prepayment. NULL: it is certain, or over.
  payment_due_at timestamptz,
  -- Cancelled because it wasn't paid in time.
  lapsed boolean NOT NULL DEFAULT FALSE,
  -- The charge for a late cancellation or a missed appointment, once it is one.
  fee bigint NOT NULL DEFAULT 0,
  -- The sum of its payments less their refunds (booking.follow_payments).
  paid_amount bigint NOT NULL DEFAULT 0 CHECK (paid_amount >= 0),
  -- The amount that can still be paid.
  amount_due bigint NOT NULL GENERATED ALWAYS AS (
    greatest(
      0,
      CASE
        WHEN status IN ('CANCELLED', 'NO_SHOW') THEN fee
        ELSE price
      END - paid_amount
    )
  ) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT appointment_service_fkey FOREIGN KEY (merchant_id, service_id) REFERENCES booking.service,
  CONSTRAINT appointment_staff_fkey FOREIGN KEY (merchant_id, staff_id) REFERENCES booking.staff_member,
  CONSTRAINT appointment_customer_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer,
  CONSTRAINT appointment_times_in_order CHECK (start_time < end_time),
  CONSTRAINT appointment_terms_check
    CHECK (
      prepayment BETWEEN 0 AND price
      AND no_show_fee BETWEEN 0 AND price
      AND fee BETWEEN 0 AND no_show_fee
      AND cancellation_minutes >= 0
    ),
  CONSTRAINT appointment_payment_due_check CHECK (payment_due_at IS NULL OR status = 'SCHEDULED'),
  -- A staff member is at one place at a time.
  CONSTRAINT appointment_no_overlap
    EXCLUDE
      USING gist
      (merchant_id WITH =, staff_id WITH =, tstzrange(start_time, end_time) WITH &&)
      WHERE (takes_time),
  -- booking.appointment_resource follows this key.
  CONSTRAINT appointment_time_key UNIQUE (merchant_id, id, start_time, end_time, takes_time)
);

CREATE UNIQUE INDEX appointment_external_id_key ON booking.appointment (merchant_id, external_id)
WHERE external_id IS NOT NULL;

CREATE INDEX appointment_metadata ON booking.appointment USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);

CREATE INDEX appointment_start_time ON booking.appointment (merchant_id, start_time, id);

CREATE INDEX appointment_created_at ON booking.appointment (merchant_id, created_at, id);

CREATE INDEX appointment_customer ON booking.appointment (merchant_id, customer_id, start_time);

CREATE INDEX appointment_staff ON booking.appointment (merchant_id, staff_id, start_time);

CREATE INDEX appointment_service ON booking.appointment (merchant_id, service_id);

CREATE INDEX appointment_payment_due ON booking.appointment (payment_due_at) WHERE payment_due_at IS NOT NULL;

CREATE INDEX appointment_ahead ON booking.appointment (start_time) WHERE status IN ('SCHEDULED', 'CONFIRMED');

CREATE TABLE booking.appointment_resource (
  merchant_id uuid NOT NULL,
  appointment_id uuid NOT NULL,
  resource_id uuid NOT NULL,
  -- The appointment's own, which the foreign key keeps equal: an exclusion constraint sees one table.
  start_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,
  takes_time boolean NOT NULL,
  PRIMARY KEY (merchant_id, appointment_id, resource_id),
  CONSTRAINT appointment_resource_appointment_fkey
    FOREIGN KEY (merchant_id, appointment_id, start_time, end_time, takes_time) REFERENCES booking.appointment (
      merchant_id,
      id,
      start_time,
      end_time,
      takes_time
    )
      ON UPDATE CASCADE
      ON DELETE CASCADE,
  CONSTRAINT appointment_resource_resource_fkey FOREIGN KEY (merchant_id, resource_id) REFERENCES booking.resource,
  -- A resource serves one appointment at a time.
  CONSTRAINT appointment_resource_no_overlap
    EXCLUDE
      USING gist
      (merchant_id WITH =, resource_id WITH =, tstzrange(start_time, end_time) WITH &&)
      WHERE (takes_time)
);

CREATE INDEX appointment_resource_resource ON booking.appointment_resource (merchant_id, resource_id);

CREATE TABLE booking.reminder (
  merchant_id uuid NOT NULL,
  appointment_id uuid NOT NULL,
  start_time timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, appointment_id, start_time),
  CONSTRAINT reminder_appointment_fkey
    FOREIGN KEY (merchant_id, appointment_id) REFERENCES booking.appointment
      ON DELETE CASCADE
);

CREATE INDEX service_updated_at ON booking.service (merchant_id, updated_at, id);

CREATE INDEX staff_member_updated_at ON booking.staff_member (merchant_id, updated_at, id);

CREATE INDEX resource_updated_at ON booking.resource (merchant_id, updated_at, id);

CREATE INDEX appointment_updated_at ON booking.appointment (merchant_id, updated_at, id);

-- sql/bulk/tables.sql

CREATE SCHEMA bulk;

CREATE TABLE bulk.import (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  status text NOT NULL DEFAULT 'AWAITING_UPLOAD' CHECK (
    status IN ('AWAITING_UPLOAD', 'QUEUED', 'CHECKING', 'WRITING', 'SUCCEEDED', 'FAILED', 'CANCELLED')
  ),
  format text NOT NULL CHECK (format IN ('JSON_LINES', 'CSV')),
  -- The type of rows that don't say theirs.
  record_type text CHECK (record_type IN ('PRODUCT', 'CUSTOMER', 'CATEGORY', 'PROMOTION', 'REVIEW', 'ORDER')),
  file_name text,
  dry_run boolean NOT NULL DEFAULT FALSE,
  on_existing text NOT NULL DEFAULT 'SKIP' CHECK (on_existing IN ('SKIP', 'UPDATE')),
  on_refused text NOT NULL DEFAULT 'SKIP' CHECK (on_refused IN ('SKIP', 'STOP')),
  -- Rows of the file; NULL until all are checked.
  rows integer CHECK (rows >= 0),
  -- Rows from the first one on that are checked, and that are dealt with for good.
  checked integer NOT NULL DEFAULT 0 CHECK (checked >= 0),
  written integer NOT NULL DEFAULT 0 CHECK (written >= 0),
  imported integer NOT NULL DEFAULT 0 CHECK (imported >= 0),
  unchanged integer NOT NULL DEFAULT 0 CHECK (unchanged >= 0),
  refused integer NOT NULL DEFAULT 0 CHECK (refused >= 0),
  -- Why it ended before its end.
  failure text CHECK (failure <> ''),
  -- Until when a worker has it. One that is not prolonged was left by a worker that died.
  claimed_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (merchant_id, id)
);

CREATE INDEX import_created_at ON bulk.import (merchant_id, created_at, id);

CREATE INDEX import_updated_at ON bulk.import (merchant_id, updated_at, id);

CREATE INDEX import_under_way ON bulk.import (created_at) WHERE finished_at IS NULL;

CREATE INDEX import_finished_at ON bulk.import (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE bulk.import_error (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  import_id uuid NOT NULL,
  -- The line of the file in which the row begins; the first one is 1.
  line integer NOT NULL CHECK (line > 0),
  record_type text,
  -- What the merchant knows the row by.
  key text,
  field text NOT NULL,
  code text NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT import_error_line_key UNIQUE (merchant_id, import_id, line, field),
  CONSTRAINT import_error_import_fkey
    FOREIGN KEY (merchant_id, import_id) REFERENCES bulk.import
      ON DELETE CASCADE
);

CREATE TABLE bulk.import_key (
  merchant_id uuid NOT NULL,
  import_id uuid NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  PRIMARY KEY (merchant_id, import_id, kind, key),
  CONSTRAINT import_key_import_fkey
    FOREIGN KEY (merchant_id, import_id) REFERENCES bulk.import
      ON DELETE CASCADE
);

CREATE TABLE bulk.imported_record (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  record_type text NOT NULL CHECK (record_type IN ('PRODUCT', 'CUSTOMER', 'CATEGORY', 'PROMOTION', 'REVIEW', 'ORDER')),
  external_id text NOT NULL CHECK (external_id <> ''),
  record_id uuid NOT NULL,
  -- A hash of the row.
  fingerprint text NOT NULL,
  imported_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, record_type, external_id)
);

CREATE TABLE bulk.export (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  kind text NOT NULL CHECK (kind IN ('QUERY', 'CUSTOMER_DATA')),
  status text NOT NULL DEFAULT 'QUEUED' CHECK (status IN ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  format text NOT NULL CHECK (format IN ('JSON_LINES', 'CSV')),
  -- By gzip.
  compressed boolean NOT NULL DEFAULT FALSE,
  -- Of a QUERY: the document as it was sent, and the records of a page.
  query text,
  page_size integer CHECK (page_size BETWEEN 1 AND 100),
  -- Of CUSTOMER_DATA: the person, until that record is anonymised or deleted. Then the file is, too.
  customer_id uuid,
  -- The caller who began it, and the permissions that it had: a QUERY reads with those that it still has.
  holder_kind text NOT NULL CHECK (holder_kind IN ('KEY', 'USER', 'CUSTOMER')),
  holder_id uuid NOT NULL,
  permissions text[] NOT NULL,
  -- What the query matched when it began; NULL before, and for CUSTOMER_DATA.
  total_rows integer CHECK (total_rows >= 0),
  rows integer NOT NULL DEFAULT 0 CHECK (rows >= 0),
  bytes integer NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  -- The cursor after the last row of the last part.
  position text,
  parts integer NOT NULL DEFAULT 0 CHECK (parts >= 0),
  -- Failed tries since the last part.
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  failure text CHECK (failure <> ''),
  -- The link to the file: a secret of the caller, good until expires_at.
  url text,
  expires_at timestamptz,
  -- The worker that has it, and until when. It prolongs that with each part.
  claim uuid,
  claimed_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE SET NULL (customer_id),
  CONSTRAINT export_query CHECK ((kind = 'QUERY') = (query IS NOT NULL AND page_size IS NOT NULL)),
  CONSTRAINT export_link CHECK ((status = 'SUCCEEDED') = (url IS NOT NULL))
);

CREATE INDEX export_updated_at ON bulk.export (merchant_id, updated_at, id);

CREATE INDEX export_created_at ON bulk.export (merchant_id, created_at, id);

CREATE INDEX export_under_way ON bulk.export (claimed_until, created_at) WHERE finished_at IS NULL;

CREATE INDEX export_expires_at ON bulk.export (expires_at) WHERE expires_at IS NOT NULL;

CREATE INDEX export_customer ON bulk.export (merchant_id, customer_id) WHERE customer_id IS NOT NULL;

CREATE TABLE bulk.export_part (
  merchant_id uuid NOT NULL,
  export_id uuid NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  file_key text NOT NULL,
  bytes integer NOT NULL CHECK (bytes > 0),
  rows integer NOT NULL CHECK (rows > 0),
  PRIMARY KEY (merchant_id, export_id, number),
  FOREIGN KEY (merchant_id, export_id) REFERENCES bulk.export
    ON DELETE CASCADE
);

-- sql/cart/tables.sql

CREATE SCHEMA cart;

-- sql/promotion/tables.sql

CREATE TABLE promotion.campaign (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT campaign_name_key UNIQUE (merchant_id, name)
);

CREATE TABLE promotion.promotion (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  code citext,
  discount_type text NOT NULL CHECK (discount_type IN ('PERCENTAGE', 'FIXED_AMOUNT', 'FREE_SHIPPING')),
  -- Percent for PERCENTAGE, minor units for FIXED_AMOUNT, without meaning for FREE_SHIPPING.
  discount_value integer NOT NULL,
  start_date timestamptz NOT NULL,
  end_date timestamptz NOT NULL,
  disabled boolean NOT NULL DEFAULT FALSE,
  usage_count integer NOT NULL DEFAULT 0,
  usage_limit integer CHECK (usage_limit > 0),
  min_purchase_amount bigint CHECK (min_purchase_amount >= 0),
  max_discount_amount bigint CHECK (max_discount_amount > 0),
  product_ids uuid[],
  category_ids uuid[],
  customer_ids uuid[],
  first_order_only boolean NOT NULL DEFAULT FALSE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  campaign_id uuid,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT promotion_discount_value_range
    CHECK (
      CASE discount_type
        WHEN 'PERCENTAGE' THEN discount_value BETWEEN 1 AND 100
        WHEN 'FIXED_AMOUNT' THEN discount_value >= 1
        ELSE discount_value >= 0
      END
    ),
  CONSTRAINT promotion_code_key UNIQUE (merchant_id, code),
  CONSTRAINT promotion_period CHECK (start_date < end_date),
  CONSTRAINT promotion_usage_within_limit
    CHECK (usage_count >= 0 AND (usage_limit IS NULL OR usage_count <= usage_limit)),
  CONSTRAINT promotion_campaign_fkey
    FOREIGN KEY (merchant_id, campaign_id) REFERENCES promotion.campaign
      ON DELETE SET NULL (campaign_id),
  -- An empty list would be a promotion that no product and no customer meets; NULL means all of them.
  CONSTRAINT promotion_product_ids_some CHECK (cardinality(product_ids) > 0),
  CONSTRAINT promotion_category_ids_some CHECK (cardinality(category_ids) > 0),
  CONSTRAINT promotion_customer_ids_some CHECK (cardinality(customer_ids) > 0)
);

-- sql/merchant/tables.sql

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

-- sql/cart/tables.sql

CREATE TABLE cart.cart (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- NULL: a guest's.
  customer_id uuid,
  -- SHA-256 of the secret by which a guest has the cart; it counts only while the cart is a guest's.
  secret_hash bytea CHECK (octet_length(secret_hash) = 32),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  -- Set once: a cart becomes an order at most once.
  checked_out_at timestamptz,
  expires_at timestamptz NOT NULL DEFAULT now() + INTERVAL '30 days',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  promotion_id uuid,
  coupon_code citext,
  shipping_method_id uuid,
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  -- When it had lain with items for an hour; NULL again once it changes.
  abandoned_at timestamptz,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE,
  CONSTRAINT cart_promotion_fkey
    FOREIGN KEY (merchant_id, promotion_id) REFERENCES promotion.promotion
      ON DELETE SET NULL (promotion_id),
  CONSTRAINT cart_shipping_method_fkey
    FOREIGN KEY (merchant_id, shipping_method_id) REFERENCES merchant.shipping_method
      ON DELETE SET NULL (shipping_method_id)
);

CREATE UNIQUE INDEX cart_external_id_key ON cart.cart (merchant_id, external_id) WHERE external_id IS NOT NULL;

CREATE INDEX cart_metadata ON cart.cart USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);

CREATE INDEX cart_customer ON cart.cart (merchant_id, customer_id, created_at, id);

CREATE INDEX cart_created_at ON cart.cart (merchant_id, created_at, id);

CREATE UNIQUE INDEX cart_secret ON cart.cart (merchant_id, secret_hash) WHERE secret_hash IS NOT NULL;

CREATE INDEX cart_idle ON cart.cart (updated_at) WHERE checked_out_at IS NULL AND abandoned_at IS NULL;

CREATE INDEX cart_expiry ON cart.cart (expires_at) WHERE checked_out_at IS NULL;

-- sql/catalog/tables.sql

CREATE TABLE catalog.product_variant (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  sku text NOT NULL CHECK (sku <> ''),
  -- NULL: the product's own price.
  price bigint CHECK (price > 0 AND price < 9007199254740992),
  compare_at_price bigint CHECK (compare_at_price > 0 AND compare_at_price < 9007199254740992),
  position integer NOT NULL DEFAULT 0,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  -- Cart and order lines reference it: a variant of that very product.
  CONSTRAINT product_variant_of_product_key UNIQUE (merchant_id, product_id, id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE
);

-- sql/cart/tables.sql

CREATE TABLE cart.cart_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  cart_id uuid NOT NULL,
  product_id uuid NOT NULL,
  variant_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  -- What a shopper or the merchant wants of this line alone, as names and values: an engraving.
  properties jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(properties) = 'array'),
  -- What tells lines of one product apart: catalog.line_key of its properties.
  line_key text NOT NULL DEFAULT '',
  PRIMARY KEY (merchant_id, id),
  /* sql-parser-cst-disable */
  CONSTRAINT cart_item_line_key UNIQUE NULLS NOT DISTINCT (merchant_id, cart_id, product_id, variant_id, line_key),
  /* sql-parser-cst-enable */
  FOREIGN KEY (merchant_id, cart_id) REFERENCES cart.cart
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product,
  FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id)
);

CREATE UNIQUE INDEX cart_item_external_id_key ON cart.cart_item (merchant_id, external_id)
WHERE external_id IS NOT NULL;

CREATE INDEX cart_promotion ON cart.cart (merchant_id, promotion_id) WHERE promotion_id IS NOT NULL;

CREATE TABLE cart.cart_address (
  merchant_id uuid NOT NULL,
  cart_id uuid NOT NULL,
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
  PRIMARY KEY (merchant_id, cart_id),
  FOREIGN KEY (merchant_id, cart_id) REFERENCES cart.cart
    ON DELETE CASCADE
);

CREATE INDEX cart_shipping_method ON cart.cart (merchant_id, shipping_method_id) WHERE shipping_method_id IS NOT NULL;

CREATE INDEX cart_updated_at ON cart.cart (merchant_id, updated_at, id);

-- sql/catalog/tables.sql

CREATE UNIQUE INDEX product_external_id_key ON catalog.product (merchant_id, external_id)
WHERE external_id IS NOT NULL AND deleted_at IS NULL;

CREATE INDEX product_metadata ON catalog.product USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);

CREATE UNIQUE INDEX product_sku_key ON catalog.product (merchant_id, sku) WHERE deleted_at IS NULL;

CREATE INDEX product_created_at ON catalog.product (merchant_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_status_created_at ON catalog.product (merchant_id, status, created_at, id)
WHERE deleted_at IS NULL;

CREATE INDEX product_updated_at ON catalog.product (merchant_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX product_name ON catalog.product (merchant_id, name, id) WHERE deleted_at IS NULL;

CREATE INDEX product_price ON catalog.product (merchant_id, lowest_price, id) WHERE deleted_at IS NULL;

CREATE INDEX product_popularity ON catalog.product (merchant_id, popularity, id) WHERE deleted_at IS NULL;

CREATE INDEX product_tags ON catalog.product USING gin (tags);

CREATE INDEX product_search ON catalog.product USING gin (merchant_id, search_text gin_trgm_ops)
WITH (gin_pending_list_limit = 256);

-- sql/files/tables.sql

CREATE SCHEMA files;

CREATE TABLE files.file (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  purpose text NOT NULL CHECK (purpose IN ('IMAGE', 'DOWNLOAD')),
  -- UPLOADING until the client has completed the upload; an image is PROCESSING until its sizes are made.
  status text NOT NULL DEFAULT 'UPLOADING' CHECK (status IN ('UPLOADING', 'PROCESSING', 'READY', 'REJECTED')),
  file_name text NOT NULL CHECK (file_name <> ''),
  -- What the client declares; after the upload, what the content tells.
  content_type text NOT NULL,
  -- Bytes of the upload.
  size bigint NOT NULL CHECK (size > 0),
  -- Bytes that count for the quota: of an image, those of all its sizes.
  stored_bytes bigint NOT NULL CHECK (stored_bytes >= 0),
  -- The folder of its contents, below the merchant's public and private ones. It is random, because everybody who has
  -- an image's URL may see it.
  token text NOT NULL CHECK (token ~ '^[0-9a-f]{32}$'),
  -- Of an image that is READY, as shoppers' browsers reach it.
  url text,
  width integer,
  height integer,
  -- Why it is REJECTED.
  rejection text,
  -- Until then its upload URL works.
  upload_expires_at timestamptz NOT NULL,
  -- Since when nothing shows the image, if nothing does.
  released_at timestamptz NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  -- When a worker may begin (again) to make its sizes.
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT file_url_of_ready_image
    CHECK ((status = 'READY' AND purpose = 'IMAGE') = (url IS NOT NULL AND width IS NOT NULL AND height IS NOT NULL)),
  CONSTRAINT file_rejection_has_reason CHECK ((status = 'REJECTED') = (rejection IS NOT NULL))
);

-- sql/catalog/tables.sql

CREATE TABLE catalog.product_image (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  url text NOT NULL CHECK (url ~ '^https?://'),
  alt text,
  width integer CHECK (width BETWEEN 1 AND 100000),
  height integer CHECK (height BETWEEN 1 AND 100000),
  position integer NOT NULL DEFAULT 0,
  -- An uploaded image, which gives the row its URL, width and height; NULL: the picture is elsewhere.
  file_id uuid,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE,
  CONSTRAINT product_image_file_fkey FOREIGN KEY (merchant_id, file_id) REFERENCES files.file
);

CREATE INDEX product_image_file ON catalog.product_image (merchant_id, file_id) WHERE file_id IS NOT NULL;

CREATE INDEX product_image_product ON catalog.product_image (merchant_id, product_id, position, id);

CREATE UNIQUE INDEX product_variant_external_id_key ON catalog.product_variant (merchant_id, external_id)
WHERE external_id IS NOT NULL AND deleted_at IS NULL;

CREATE UNIQUE INDEX product_variant_sku_key ON catalog.product_variant (merchant_id, sku) WHERE deleted_at IS NULL;

CREATE INDEX product_variant_created_at ON catalog.product_variant (merchant_id, created_at, id)
WHERE deleted_at IS NULL;

CREATE INDEX product_variant_updated_at ON catalog.product_variant (merchant_id, updated_at, id)
WHERE deleted_at IS NULL;

CREATE TABLE catalog.variant_option (
  merchant_id uuid NOT NULL,
  variant_id uuid NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  value text NOT NULL CHECK (value <> ''),
  position integer NOT NULL DEFAULT 0,
  PRIMARY KEY (merchant_id, variant_id, name),
  FOREIGN KEY (merchant_id, variant_id) REFERENCES catalog.product_variant
    ON DELETE CASCADE
);

CREATE TABLE catalog.category (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  parent_id uuid,
  name text NOT NULL CHECK (name <> ''),
  slug text NOT NULL,
  description text,
  image_url text CHECK (image_url ~ '^https?://'),
  image_alt text,
  -- An uploaded image, which gives the row its URL; NULL: the picture is elsewhere.
  image_file_id uuid,
  -- 0 for a root; kept by trigger.
  level integer NOT NULL DEFAULT 0,
  position integer NOT NULL DEFAULT 0,
  seo_title text,
  seo_description text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT category_slug_key UNIQUE (merchant_id, slug),
  CONSTRAINT category_parent_fkey FOREIGN KEY (merchant_id, parent_id) REFERENCES catalog.category,
  CONSTRAINT category_image_file_fkey FOREIGN KEY (merchant_id, image_file_id) REFERENCES files.file
);

CREATE INDEX category_image_file ON catalog.category (merchant_id, image_file_id) WHERE image_file_id IS NOT NULL;

CREATE UNIQUE INDEX category_external_id_key ON catalog.category (merchant_id, external_id)
WHERE external_id IS NOT NULL;

CREATE INDEX category_metadata ON catalog.category USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);

CREATE INDEX category_parent ON catalog.category (merchant_id, parent_id, position, id);

CREATE INDEX category_name ON catalog.category (merchant_id, name, id);

CREATE TABLE catalog.product_category (
  merchant_id uuid NOT NULL,
  product_id uuid NOT NULL,
  category_id uuid NOT NULL,
  PRIMARY KEY (merchant_id, product_id, category_id),
  CONSTRAINT product_category_product_fkey
    FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
      ON DELETE CASCADE,
  CONSTRAINT product_category_category_fkey
    FOREIGN KEY (merchant_id, category_id) REFERENCES catalog.category
      ON DELETE CASCADE
);

CREATE TABLE catalog.review (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  customer_id uuid,
  author_name text NOT NULL CHECK (author_name <> ''),
  rating integer NOT NULL CHECK (rating BETWEEN 1 AND 5),
  title text,
  body text,
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  verified_purchase boolean NOT NULL DEFAULT FALSE,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE SET NULL (customer_id)
);

CREATE INDEX review_product ON catalog.review (merchant_id, product_id, created_at, id);

CREATE TABLE catalog.category_product (
  merchant_id uuid NOT NULL,
  category_id uuid NOT NULL,
  product_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, category_id, product_id),
  CONSTRAINT category_product_product_fkey
    FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
      ON DELETE CASCADE,
  CONSTRAINT category_product_category_fkey
    FOREIGN KEY (merchant_id, category_id) REFERENCES catalog.category
      ON DELETE CASCADE
);

CREATE INDEX category_product_created_at ON catalog.category_product (merchant_id, category_id, created_at, product_id);

CREATE INDEX category_product_product ON catalog.category_product (merchant_id, product_id);

CREATE INDEX product_category_category ON catalog.product_category (merchant_id, category_id);

CREATE INDEX review_created_at ON catalog.review (merchant_id, created_at, id);

CREATE INDEX review_status_created_at ON catalog.review (merchant_id, status, created_at, id);

CREATE INDEX category_updated_at ON catalog.category (merchant_id, updated_at, id);

CREATE INDEX review_updated_at ON catalog.review (merchant_id, updated_at, id);

-- sql/crm/tables.sql

CREATE UNIQUE INDEX customer_external_id_key ON crm.customer (merchant_id, external_id) WHERE external_id IS NOT NULL;

CREATE INDEX customer_metadata ON crm.customer USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);

CREATE UNIQUE INDEX customer_email_key ON crm.customer (merchant_id, email) WHERE has_account;

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

-- sql/payment/tables.sql

CREATE SCHEMA payment;

-- sql/ordering/tables.sql

CREATE TABLE ordering.order (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_number text NOT NULL,
  customer_id uuid NOT NULL,
  -- The transitions are the state machine's (actions/src/ordering/SPEC.md).
  status text NOT NULL DEFAULT 'PENDING' CHECK (
    status IN ('PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED')
  ),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  subtotal bigint NOT NULL CHECK (subtotal >= 0 AND subtotal < 9007199254740992),
  tax bigint NOT NULL CHECK (tax >= 0),
  shipping bigint NOT NULL CHECK (shipping >= 0),
  discount bigint NOT NULL CHECK (discount >= 0 AND discount <= subtotal + shipping),
  total bigint NOT NULL CHECK (total < 9007199254740992),
  shipping_address_id uuid NOT NULL,
  billing_address_id uuid,
  shipping_method_id uuid,
  promotion_id uuid,
  coupon_code text,
  -- A cart becomes an order at most once, whatever is retried.
  cart_id uuid,
  notes text,
  tags text[] NOT NULL DEFAULT '{}',
  cancel_reason text,
  cancelled_at timestamptz,
  -- Cancelled because it was not paid in time.
  lapsed boolean NOT NULL DEFAULT FALSE,
  -- The end of the payment window that its customer was reminded of.
  reminded_of timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  promotion_name text,
  shipping_discount bigint NOT NULL DEFAULT 0,
  uncaptured bigint NOT NULL DEFAULT 0,
  uncaptured_shipping bigint NOT NULL DEFAULT 0,
  paid_at timestamptz,
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  -- Since when it is here, of an order from another system.
  imported_at timestamptz,
  -- The number of an order that was placed here. Those grow; numbers of other systems don't.
  number_here text GENERATED ALWAYS AS (
    CASE
      WHEN imported_at IS NULL THEN order_number
    END
  ) STORED,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT order_number_key UNIQUE (merchant_id, order_number),
  CONSTRAINT order_cart_key UNIQUE (merchant_id, cart_id),
  CONSTRAINT order_total_adds_up CHECK (total = subtotal + tax + shipping - discount),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer,
  FOREIGN KEY (merchant_id, cart_id) REFERENCES cart.cart,
  FOREIGN KEY (merchant_id, shipping_method_id) REFERENCES merchant.shipping_method,
  FOREIGN KEY (merchant_id, promotion_id) REFERENCES promotion.promotion,
  CONSTRAINT order_shipping_discount_check
    CHECK (shipping_discount >= 0 AND shipping_discount <= shipping AND shipping_discount <= discount),
  CONSTRAINT order_uncaptured_check
    CHECK (
      uncaptured_shipping >= 0
      AND uncaptured_shipping <= uncaptured
      AND uncaptured_shipping <= shipping - shipping_discount
      AND uncaptured <= total
    )
);

-- sql/payment/tables.sql

CREATE TABLE payment.account (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  processor text NOT NULL CHECK (processor IN ('STRIPE', 'PAYPAL')),
  name text NOT NULL CHECK (name <> ''),
  mode text NOT NULL CHECK (mode IN ('LIVE', 'TEST')),
  -- DISABLED: no new payment uses it. Earlier ones are captured and refunded where they were made.
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'DISABLED')),
  -- The last characters of the secret key: enough to recognise it, useless to guess the rest.
  key_ending text NOT NULL,
  -- Whether it has a secret that the processor signs its webhooks with.
  has_webhook_secret boolean NOT NULL,
  -- Where the processor's webhooks come to, on the contract's port.
  webhook_path text NOT NULL GENERATED ALWAYS AS ('/webhooks/' || lower(processor) || '/' || id::text) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);

CREATE TABLE payment.payment (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- The order or the appointment that it pays.
  order_id uuid,
  appointment_id uuid,
  amount bigint NOT NULL CHECK (amount > 0 AND amount < 9007199254740992),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  status text NOT NULL DEFAULT 'PENDING' CHECK (
    status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'REFUNDED', 'PARTIALLY_REFUNDED')
  ),
  method text NOT NULL CHECK (
    method IN (
      'CARD',
      'BANK_TRANSFER',
      'CASH',
      'PAYPAL',
      'APPLE_PAY',
      'GOOGLE_PAY',
      'SEPA_DEBIT',
      'INVOICE',
      'CASH_ON_DELIVERY',
      'LOYALTY_POINTS',
      'EXTERNAL'
    )
  ),
  last4 text,
  brand text,
  expiry_month integer,
  expiry_year integer,
  processor text NOT NULL,
  -- The merchant's own account that it was made with; NULL: the operator's, or none.
  account_id uuid,
  -- The money comes outside of the platform: PENDING until the merchant says that it is there.
  awaited boolean NOT NULL DEFAULT FALSE,
  -- The instructions for the customer and the reference of a transfer, as they were when the method was chosen.
  instructions text,
  -- A creditor reference by ISO 11649, of the order's number.
  reference text,
  -- The processor's own id, known only once it has answered.
  processor_payment_intent_id text,
  failure_reason text,
  failure_code text,
  decline_code text,
  -- The request to the processor, so that one that may not have arrived can be repeated to the letter.
  processor_payment_method_id text,
  return_url text,
  refunded_amount bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Calls to the processor since the last answer. What is not answered is asked for again soon, and then ever later.
  unanswered_calls smallint NOT NULL DEFAULT 0,
  capture_method text NOT NULL DEFAULT 'AUTOMATIC' CHECK (capture_method IN ('AUTOMATIC', 'MANUAL')),
  -- Since when the processor holds the money for us, and until when.
  authorized_at timestamptz,
  capture_before timestamptz,
  -- Since when the processor is asked to take what the customer has approved. From then on, it is over only when the
  -- processor says so; before, nothing is taken, and it can be given up without the processor.
  approved_at timestamptz,
  -- The amount that is to have been taken in all with the capture that was requested last; NULL before a capture.
  capture_requested bigint,
  -- Whether that capture lets the rest go.
  capture_final boolean NOT NULL DEFAULT TRUE,
  -- The amount taken.
  captured_amount bigint NOT NULL DEFAULT 0,
  -- The amount that the processor holds for us, and that can still be taken.
  capturable_amount bigint NOT NULL DEFAULT 0,
  -- The sum of all refunds, failed ones included: a refund that failed is tried again.
  refund_requested_amount bigint NOT NULL DEFAULT 0,
  -- Whether money was taken with it.
  taken boolean NOT NULL GENERATED ALWAYS AS (status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED')) STORED,
  -- The reserved amount that was let go after some of it was taken.
  released_amount bigint NOT NULL GENERATED ALWAYS AS (
    CASE
      WHEN authorized_at IS NOT NULL
      AND captured_amount > 0 THEN amount - captured_amount - capturable_amount
      ELSE 0
    END
  ) STORED,
  -- Whether it is made as the shopper's record at the processor. USED: with a method that was saved before. KEPT: its
  -- method is saved with it.
  saved_method text CHECK (saved_method IN ('USED', 'KEPT')),
  -- Why it needs attention. UNANSWERED: whether the processor took the money is unknown. REFUND_FAILED: the
  -- processor won't give it back. DISPUTED: the customer's bank asks for it back. MISMATCH: the processor gave back
  -- more than there was on record to give.
  attention text CHECK (attention IN ('UNANSWERED', 'REFUND_FAILED', 'DISPUTED', 'MISMATCH')),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT payment_refunds_within_amount CHECK (refunded_amount BETWEEN 0 AND amount),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order,
  CONSTRAINT payment_appointment_fkey FOREIGN KEY (merchant_id, appointment_id) REFERENCES booking.appointment,
  CONSTRAINT payment_of_one_thing CHECK (num_nonnulls(order_id, appointment_id) <= 1),
  CONSTRAINT payment_account_fkey FOREIGN KEY (merchant_id, account_id) REFERENCES payment.account,
  CONSTRAINT payment_captured_within_amount CHECK (captured_amount >= 0 AND captured_amount <= amount),
  CONSTRAINT payment_capturable_within_amount
    CHECK (capturable_amount >= 0 AND captured_amount + capturable_amount <= amount),
  CONSTRAINT payment_capture_requested_check CHECK (capture_requested > 0 AND capture_requested <= amount),
  CONSTRAINT payment_refunds_within_captured
    CHECK (refunded_amount <= refund_requested_amount AND refund_requested_amount <= captured_amount)
);

-- sql/crm/tables.sql

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
  last_order_within_days integer CHECK (last_order_within_days > 0),
  no_order_for_days integer CHECK (no_order_for_days > 0),
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

-- sql/email/tables.sql

CREATE SCHEMA email;

CREATE TABLE email.template (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  kind text NOT NULL CHECK (
    kind IN (
      'ORDER_CONFIRMATION',
      'ORDER_SHIPPED',
      'ORDER_REFUNDED',
      'ORDER_PAYMENT_REMINDER',
      'ORDER_CANCELLED',
      'STOCK_ALERT',
      'APPOINTMENT_BOOKED',
      'APPOINTMENT_MOVED',
      'APPOINTMENT_CANCELLED',
      'APPOINTMENT_REMINDER',
      'STAFF_APPOINTMENT_BOOKED',
      'STAFF_APPOINTMENT_MOVED',
      'STAFF_APPOINTMENT_CANCELLED',
      'LOW_STOCK_ALERT',
      'PAYMENT_DISPUTED',
      'SENDER_LOST',
      'WEBHOOK_DISABLED',
      'USER_INVITATION',
      'USER_PASSWORD_RESET',
      'USER_EMAIL_VERIFICATION',
      'CUSTOMER_PASSWORD_RESET',
      'CUSTOMER_EMAIL_VERIFICATION'
    )
  ),
  -- Mustache, checked by the action that writes it.
  subject text NOT NULL CHECK (subject <> ''),
  html text NOT NULL CHECK (html <> ''),
  text text NOT NULL CHECK (text <> ''),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT template_kind_key UNIQUE (merchant_id, kind)
);

CREATE INDEX template_created_at ON email.template (merchant_id, created_at, id);

CREATE TABLE email.link (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  kind text NOT NULL CHECK (
    kind IN (
      'USER_INVITATION',
      'USER_PASSWORD_RESET',
      'USER_EMAIL_VERIFICATION',
      'CUSTOMER_PASSWORD_RESET',
      'CUSTOMER_EMAIL_VERIFICATION',
      'GUEST_ORDER'
    )
  ),
  -- Checked by the action that writes it.
  url text NOT NULL CHECK (url ~ '^https?://' AND url LIKE '%{token}%'),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, kind)
);

CREATE TABLE email.campaign (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  -- Whom it goes to; NULL is every customer. A customer who has not opted in to marketing gets nothing either way.
  segment_id uuid,
  subject text NOT NULL CHECK (subject <> ''),
  html text NOT NULL CHECK (html <> ''),
  text text NOT NULL CHECK (text <> ''),
  -- The transitions are the state machine's (actions/src/email/SPEC.md).
  status text NOT NULL DEFAULT 'DRAFT' CHECK (
    status IN ('DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED')
  ),
  scheduled_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  -- Recipients are written in batches by their ids: up to this one they are, and all of them once it is addressed.
  addressed_to uuid,
  addressed boolean NOT NULL DEFAULT FALSE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  -- A segment that campaigns were sent to says to whom, so it stays.
  CONSTRAINT campaign_segment_fkey FOREIGN KEY (merchant_id, segment_id) REFERENCES crm.segment,
  CONSTRAINT campaign_schedule CHECK (status <> 'SCHEDULED' OR scheduled_at IS NOT NULL)
);

CREATE INDEX campaign_created_at ON email.campaign (merchant_id, created_at, id);

CREATE INDEX campaign_segment ON email.campaign (merchant_id, segment_id) WHERE segment_id IS NOT NULL;

CREATE INDEX campaign_under_way ON email.campaign (scheduled_at) WHERE status IN ('SCHEDULED', 'SENDING');

CREATE TABLE email.delivery (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  kind text NOT NULL CHECK (
    kind IN (
      'ORDER_CONFIRMATION',
      'ORDER_SHIPPED',
      'ORDER_REFUNDED',
      'ORDER_PAYMENT_REMINDER',
      'ORDER_CANCELLED',
      'STOCK_ALERT',
      'APPOINTMENT_BOOKED',
      'APPOINTMENT_MOVED',
      'APPOINTMENT_CANCELLED',
      'APPOINTMENT_REMINDER',
      'STAFF_APPOINTMENT_BOOKED',
      'STAFF_APPOINTMENT_MOVED',
      'STAFF_APPOINTMENT_CANCELLED',
      'LOW_STOCK_ALERT',
      'PAYMENT_DISPUTED',
      'SENDER_LOST',
      'WEBHOOK_DISABLED',
      'USER_INVITATION',
      'USER_PASSWORD_RESET',
      'USER_EMAIL_VERIFICATION',
      'CUSTOMER_PASSWORD_RESET',
      'CUSTOMER_EMAIL_VERIFICATION',
      'CAMPAIGN'
    )
  ),
  -- The subject: an order, a shipment, a refund, a subscription, an appointment at its time, a move of one, a
  -- crossing, a mailed token, a campaign.
  subject_key text NOT NULL,
  recipient citext NOT NULL,
  recipient_name text,
  customer_id uuid,
  campaign_id uuid,
  -- The transitions are the state machine's (actions/src/messaging/outbox/SPEC.md).
  status text NOT NULL DEFAULT 'QUEUED' CHECK (
    status IN ('QUEUED', 'SENDING', 'SENT', 'FAILED', 'BOUNCED', 'SUPPRESSED', 'CANCELLED')
  ),
  -- Why it wasn't sent, or not yet.
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  -- Its campaign was paused while it was queued. Senders don't look at such rows, however many a paused campaign has.
  held boolean NOT NULL DEFAULT FALSE,
  -- A user's test of the words: the facts are the message itself, with sample data. It has no event and no campaign.
  is_test boolean NOT NULL DEFAULT FALSE,
  -- The sender that claimed it has until then. After that the sender counts as dead, and another one may claim it.
  claimed_until timestamptz,
  -- The values of the template's variables at the time of the event.
  facts jsonb NOT NULL,
  -- As rendered at the last attempt; NULL before the first.
  subject text,
  html text,
  text text,
  transport text,
  message_id text,
  -- The trace that it belongs to, as Hasura writes it; NULL where nothing is traced.
  trace_context text DEFAULT nullif(current_setting('hasura.tracecontext', TRUE), ''),
  unsubscribe_token uuid NOT NULL DEFAULT gen_random_uuid(),
  sent_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT delivery_once UNIQUE (merchant_id, kind, subject_key, recipient),
  CONSTRAINT delivery_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE SET NULL (customer_id),
  CONSTRAINT delivery_campaign_fkey FOREIGN KEY (merchant_id, campaign_id) REFERENCES email.campaign,
  CONSTRAINT delivery_claim CHECK ((status = 'SENDING') = (claimed_until IS NOT NULL)),
  CONSTRAINT delivery_of_campaign CHECK ((kind = 'CAMPAIGN' AND NOT is_test) = (campaign_id IS NOT NULL))
);

CREATE INDEX delivery_created_at ON email.delivery (merchant_id, created_at, id);

CREATE INDEX delivery_status ON email.delivery (merchant_id, status, created_at, id);

CREATE INDEX delivery_campaign ON email.delivery (merchant_id, campaign_id, status) WHERE campaign_id IS NOT NULL;

CREATE INDEX delivery_customer ON email.delivery (merchant_id, customer_id, created_at, id)
WHERE customer_id IS NOT NULL;

CREATE INDEX delivery_bounced ON email.delivery (merchant_id, recipient) WHERE status = 'BOUNCED';

CREATE UNIQUE INDEX delivery_unsubscribe_token ON email.delivery (unsubscribe_token);

CREATE INDEX delivery_due ON email.delivery ((campaign_id IS NOT NULL), next_attempt_at)
WHERE status = 'QUEUED' AND NOT held;

CREATE INDEX delivery_test ON email.delivery (merchant_id, recipient, created_at) WHERE is_test;

CREATE INDEX delivery_claimed ON email.delivery (claimed_until) WHERE status = 'SENDING';

CREATE INDEX delivery_to_staff ON email.delivery (merchant_id, (facts #>> '{appointment,customerId}'))
WHERE kind IN ('STAFF_APPOINTMENT_BOOKED', 'STAFF_APPOINTMENT_MOVED', 'STAFF_APPOINTMENT_CANCELLED');

CREATE INDEX delivery_rendered ON email.delivery (created_at) WHERE html IS NOT NULL;

CREATE INDEX template_updated_at ON email.template (merchant_id, updated_at, id);

CREATE INDEX campaign_updated_at ON email.campaign (merchant_id, updated_at, id);

CREATE INDEX delivery_updated_at ON email.delivery (merchant_id, updated_at, id);

-- sql/events/tables.sql

CREATE SCHEMA events;

CREATE TABLE events.source (
  name text PRIMARY KEY,
  table_name text NOT NULL UNIQUE,
  record_type text NOT NULL,
  id_column text NOT NULL DEFAULT 'id',
  -- The contract's type that has the columns as fields, where that is not the record's own.
  row_type text,
  -- What it takes to see such events, besides events:read.
  permission text NOT NULL,
  -- The columns that an event shows, and whose changes are events. Never a credential's.
  columns text[] NOT NULL
);

CREATE TABLE events.topic (
  name text PRIMARY KEY CHECK (name ~ '^[a-z_]+\.[a-z_]+$'),
  source text NOT NULL REFERENCES events.source,
  change text NOT NULL CHECK (change IN ('CREATED', 'UPDATED', 'DELETED')),
  column_name text,
  value text,
  description text NOT NULL,
  CHECK (value IS NULL OR column_name IS NOT NULL)
);

CREATE INDEX topic_of_source ON events.topic (source, change);

CREATE SEQUENCE events.version;

CREATE SEQUENCE events.position;

CREATE TABLE events.change (
  merchant_id uuid NOT NULL,
  version text NOT NULL DEFAULT lpad(nextval('events.version')::text, 16, '0'),
  source text NOT NULL,
  before jsonb,
  after jsonb,
  -- The trace that it belongs to, as Hasura writes it; NULL where nothing is traced.
  trace_context text DEFAULT nullif(current_setting('hasura.tracecontext', TRUE), ''),
  occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, version)
);

CREATE UNIQUE INDEX change_version ON events.change (version);

CREATE TABLE events.event (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- Given after the commit, under a lock: no event ever becomes visible below one that is visible already.
  position text NOT NULL DEFAULT lpad(nextval('events.position')::text, 16, '0'),
  topic text NOT NULL,
  record_type text NOT NULL,
  record_id uuid NOT NULL,
  -- Of the record: a later change of it has a greater one.
  version text NOT NULL,
  permission text NOT NULL,
  -- The record's fields after the change, or before its deletion.
  record jsonb NOT NULL,
  -- {field: {old, new}}; empty unless the record was updated.
  changes jsonb NOT NULL,
  occurred_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id)
);

CREATE UNIQUE INDEX event_position ON events.event (merchant_id, position);

CREATE INDEX event_record ON events.event (merchant_id, record_id, position);

CREATE INDEX event_age ON events.event (created_at);

CREATE TABLE events.deletion (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  record_type text NOT NULL,
  record_id uuid NOT NULL,
  -- What it takes to see it, besides events:read.
  permission text NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id)
);

CREATE INDEX deletion_deleted_at ON events.deletion (merchant_id, deleted_at, id);

CREATE INDEX deletion_age ON events.deletion (deleted_at);

CREATE TABLE events.endpoint (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  url text NOT NULL CHECK (char_length(url) BETWEEN 1 AND 2048),
  description text,
  -- Names of topics, `order.*` and `*`.
  topics text[] NOT NULL CHECK (cardinality(topics) BETWEEN 1 AND 200),
  -- Conditions that all hold: [{field, changed?, equals?, oneOf?, atLeast?, atMost?}].
  filter jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(filter) = 'array'),
  -- The selection of the record that is sent along; NULL: none.
  query text CHECK (char_length(query) <= 20000),
  -- Of the caller who wrote the endpoint last: it sees no more than that caller.
  permissions text[] NOT NULL,
  status text NOT NULL DEFAULT 'ENABLED' CHECK (status IN ('ENABLED', 'DISABLED')),
  -- Why it was switched off, if the platform did it.
  disabled_reason text CHECK (disabled_reason IN ('FAILING', 'GONE')),
  disabled_at timestamptz,
  -- Since when no delivery has succeeded; NULL after one that has.
  failing_since timestamptz,
  -- How long deliveries are signed with the key before the present one, too.
  previous_secret_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CHECK (disabled_reason IS NULL OR status = 'DISABLED')
);

CREATE INDEX endpoint_created_at ON events.endpoint (merchant_id, created_at, id);

CREATE INDEX endpoint_enabled ON events.endpoint (merchant_id) WHERE status = 'ENABLED';

CREATE TABLE events.endpoint_secret (
  merchant_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  secret text NOT NULL,
  previous_secret text,
  PRIMARY KEY (merchant_id, endpoint_id),
  FOREIGN KEY (merchant_id, endpoint_id) REFERENCES events.endpoint
    ON DELETE CASCADE
);

CREATE TABLE events.delivery (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  endpoint_id uuid NOT NULL,
  -- NULL: a test without an event.
  event_id uuid,
  is_test boolean NOT NULL DEFAULT FALSE,
  topic text NOT NULL,
  record_id uuid,
  position text NOT NULL,
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'SENDING', 'DELIVERED', 'FAILED')),
  -- What is sent, byte for byte; NULL until it is rendered.
  body text,
  rendering_attempts integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  -- Attempts that have failed since it was queued, or replayed.
  tries integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  claimed_until timestamptz,
  -- Of the last attempt.
  response_status integer,
  error text,
  -- The trace of the change, as Hasura writes it; NULL where nothing is traced.
  trace_context text,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT delivery_endpoint_fkey
    FOREIGN KEY (merchant_id, endpoint_id) REFERENCES events.endpoint
      ON DELETE CASCADE,
  CONSTRAINT delivery_event_fkey
    FOREIGN KEY (merchant_id, event_id) REFERENCES events.event
      ON DELETE CASCADE
);

CREATE UNIQUE INDEX delivery_once ON events.delivery (merchant_id, endpoint_id, event_id) WHERE NOT is_test;

CREATE INDEX delivery_created_at ON events.delivery (merchant_id, created_at, id);

CREATE INDEX delivery_of_event ON events.delivery (merchant_id, event_id);

CREATE INDEX delivery_of_endpoint ON events.delivery (merchant_id, endpoint_id, position);

CREATE INDEX delivery_to_render ON events.delivery (created_at) WHERE body IS NULL AND status = 'PENDING';

CREATE INDEX delivery_due ON events.delivery (merchant_id, endpoint_id, next_attempt_at)
WHERE status = 'PENDING' AND body IS NOT NULL;

CREATE INDEX delivery_open ON events.delivery (merchant_id, endpoint_id, record_id, position)
WHERE status IN ('PENDING', 'SENDING');

CREATE INDEX delivery_sending ON events.delivery (id) WHERE status = 'SENDING';

CREATE INDEX delivery_claimed ON events.delivery (claimed_until) WHERE status = 'SENDING';

CREATE INDEX delivery_ended ON events.delivery (created_at) WHERE status IN ('DELIVERED', 'FAILED');

CREATE INDEX delivery_failed ON events.delivery (next_attempt_at) WHERE status = 'FAILED';

CREATE TABLE events.attempt (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  delivery_id uuid NOT NULL,
  number integer NOT NULL,
  url text NOT NULL,
  request_headers jsonb NOT NULL,
  -- NULL: there was no answer.
  response_status integer,
  response_headers jsonb,
  -- The beginning of it.
  response_body text CHECK (char_length(response_body) <= 4096),
  error text CHECK (char_length(error) <= 500),
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT attempt_delivery_fkey
    FOREIGN KEY (merchant_id, delivery_id) REFERENCES events.delivery
      ON DELETE CASCADE
);

CREATE INDEX attempt_of_delivery ON events.attempt (merchant_id, delivery_id, number);

-- sql/files/tables.sql

CREATE INDEX file_created_at ON files.file (merchant_id, created_at, id);

CREATE INDEX file_updated_at ON files.file (merchant_id, updated_at, id);

CREATE INDEX file_name ON files.file (merchant_id, file_name, id);

CREATE UNIQUE INDEX file_url ON files.file (merchant_id, url) WHERE url IS NOT NULL;

CREATE INDEX file_processing ON files.file (next_attempt_at) WHERE status = 'PROCESSING';

CREATE INDEX file_unfinished ON files.file (upload_expires_at) WHERE status IN ('UPLOADING', 'REJECTED');

CREATE INDEX file_released ON files.file (released_at) WHERE status = 'READY' AND purpose = 'IMAGE';

CREATE TABLE files.image_size (
  merchant_id uuid NOT NULL,
  file_id uuid NOT NULL,
  width integer NOT NULL CHECK (width > 0),
  height integer NOT NULL CHECK (height > 0),
  url text NOT NULL,
  PRIMARY KEY (merchant_id, file_id, width),
  FOREIGN KEY (merchant_id, file_id) REFERENCES files.file
    ON DELETE CASCADE
);

CREATE TABLE files.usage (
  merchant_id uuid NOT NULL PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  bytes bigint NOT NULL DEFAULT 0
);

CREATE TABLE files.deleted_folder (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  token text NOT NULL,
  -- Not before the upload URL has expired, which would store the file again.
  due_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, token)
);

CREATE INDEX deleted_folder_due_at ON files.deleted_folder (due_at);

CREATE TABLE files.own_url (
  only_row boolean NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (only_row),
  url text NOT NULL
);

-- sql/identity/tables.sql

CREATE TABLE identity.signing_key (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  algorithm text NOT NULL,
  -- Sealed (auth-webhook/src/secret-box.ts): who can read the table can't sign.
  private_jwk text NOT NULL,
  public_jwk jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz
);

CREATE TABLE identity.built_in_role (
  kind text PRIMARY KEY CHECK (kind IN ('OWNER', 'ADMIN', 'MANAGER', 'SUPPORT', 'READ_ONLY')),
  name text NOT NULL,
  description text NOT NULL
);

CREATE TABLE identity.role (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- NULL: one that the merchant has made.
  kind text REFERENCES identity.built_in_role,
  built_in boolean NOT NULL GENERATED ALWAYS AS (kind IS NOT NULL) STORED,
  name citext NOT NULL CHECK (name <> ''),
  description text,
  permissions text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT role_name_key UNIQUE (merchant_id, name),
  CONSTRAINT role_kind_key UNIQUE (merchant_id, kind)
);

CREATE INDEX role_created_at ON identity.role (merchant_id, created_at, id);

CREATE TABLE identity.user (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  email citext NOT NULL CHECK (email <> ''),
  name text NOT NULL CHECK (name <> ''),
  phone text,
  email_verified boolean NOT NULL DEFAULT FALSE,
  mfa_enabled boolean NOT NULL DEFAULT FALSE,
  last_login_at timestamptz,
  status text NOT NULL DEFAULT 'INACTIVE' CHECK (status IN ('ACTIVE', 'INACTIVE', 'SUSPENDED', 'DELETED')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);

CREATE UNIQUE INDEX user_email_key ON identity.user (merchant_id, email) WHERE status <> 'DELETED';

CREATE INDEX user_created_at ON identity.user (merchant_id, created_at, id);

CREATE TABLE identity.user_role (
  merchant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, user_id, role_id),
  CONSTRAINT user_role_user_fkey
    FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
      ON DELETE CASCADE,
  CONSTRAINT user_role_role_fkey
    FOREIGN KEY (merchant_id, role_id) REFERENCES identity.role
      ON DELETE CASCADE
);

CREATE INDEX user_role_role ON identity.user_role (merchant_id, role_id);

CREATE TABLE identity.credential (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  user_id uuid,
  customer_id uuid,
  -- Argon2id, as a PHC string that says its own parameters.
  password_hash text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT credential_subject CHECK (num_nonnulls(user_id, customer_id) = 1),
  CONSTRAINT credential_user_key UNIQUE (merchant_id, user_id),
  CONSTRAINT credential_customer_key UNIQUE (merchant_id, customer_id),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);

CREATE TABLE identity.session (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  user_id uuid,
  customer_id uuid,
  -- BACKEND: by a token that the merchant's backend asked for. It has no refresh tokens.
  origin text NOT NULL DEFAULT 'SIGN_IN' CHECK (origin IN ('SIGN_IN', 'BACKEND')),
  -- The caller whose request opened it; NULL if unknown.
  opened_by_kind text CHECK (opened_by_kind IN ('KEY', 'USER')),
  opened_by_id uuid,
  -- The client's name for itself, and the network of its address; NULL if unknown.
  device text CHECK (char_length(device) <= 500),
  network text CHECK (char_length(network) <= 64),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- To the minute (auth-webhook/src/credential-usage.ts).
  last_used_at timestamptz NOT NULL DEFAULT now(),
  -- When the newest refresh token ends; NULL: it has none.
  idle_until timestamptz,
  -- However often it is refreshed, it ends here.
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  revoked_reason text CHECK (revoked_reason IN ('SIGNED_OUT', 'REUSED', 'PASSWORD_CHANGED', 'REVOKED', 'BLOCKED')),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT session_subject CHECK (num_nonnulls(user_id, customer_id) = 1),
  CONSTRAINT session_opened_by CHECK ((opened_by_kind IS NULL) = (opened_by_id IS NULL)),
  CONSTRAINT session_revoked CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL)),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);

CREATE INDEX session_by_user ON identity.session (merchant_id, user_id, created_at, id) WHERE user_id IS NOT NULL;

CREATE INDEX session_by_customer ON identity.session (merchant_id, customer_id, created_at, id)
WHERE customer_id IS NOT NULL;

CREATE INDEX session_network ON identity.session (merchant_id, network) WHERE customer_id IS NOT NULL;

CREATE INDEX session_expires_at ON identity.session (expires_at);

CREATE TABLE identity.refresh_token (
  merchant_id uuid NOT NULL,
  -- SHA-256 of 256 random bits.
  hash bytea NOT NULL,
  session_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (merchant_id, hash),
  FOREIGN KEY (merchant_id, session_id) REFERENCES identity.session
    ON DELETE CASCADE
);

CREATE INDEX refresh_token_session ON identity.refresh_token (merchant_id, session_id);

CREATE TABLE identity.one_time_token (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  purpose text NOT NULL CHECK (purpose IN ('INVITATION', 'EMAIL_VERIFICATION', 'PASSWORD_RESET')),
  user_id uuid,
  customer_id uuid,
  -- The address that it goes to: it proves nothing about one that came later.
  email citext NOT NULL,
  hash bytea NOT NULL,
  -- The token itself, sealed (auth-webhook/src/secret-box.ts), until it is mailed.
  undelivered text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT one_time_token_subject CHECK (num_nonnulls(user_id, customer_id) = 1),
  CONSTRAINT one_time_token_hash_key UNIQUE (merchant_id, hash),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);

CREATE INDEX one_time_token_subject ON identity.one_time_token (merchant_id, user_id, customer_id, purpose);

CREATE INDEX one_time_token_undelivered ON identity.one_time_token (created_at) WHERE undelivered IS NOT NULL;

CREATE INDEX one_time_token_expires_at ON identity.one_time_token (expires_at);

CREATE TABLE identity.password_reset_request (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  subject text NOT NULL CHECK (subject IN ('USER', 'CUSTOMER')),
  email citext NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, subject, email)
);

CREATE INDEX password_reset_request_created_at ON identity.password_reset_request (created_at);

CREATE TABLE identity.totp (
  merchant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- Sealed (auth-webhook/src/secret-box.ts): it must be known to compare codes, so it can't be a hash.
  secret text NOT NULL,
  -- NULL: enrolled, but no code has been shown yet.
  confirmed_at timestamptz,
  -- The time step of the last code that was taken: each code is good once.
  last_counter bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, user_id),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
    ON DELETE CASCADE
);

CREATE TABLE identity.recovery_code (
  merchant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- SHA-256 of 80 random bits.
  hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (merchant_id, user_id, hash),
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.totp
    ON DELETE CASCADE
);

CREATE TABLE identity.sign_in_attempt (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  subject text NOT NULL CHECK (subject IN ('USER', 'CUSTOMER')),
  email citext NOT NULL,
  client text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  blocked_until timestamptz,
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, subject, email, client)
);

CREATE INDEX sign_in_attempt_last_at ON identity.sign_in_attempt (last_at);

CREATE TABLE identity.known_client (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  user_id uuid,
  customer_id uuid,
  client text NOT NULL CHECK (client <> ''),
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT known_client_subject CHECK (num_nonnulls(user_id, customer_id) = 1),
  /* sql-parser-cst-disable */
  CONSTRAINT known_client_key UNIQUE NULLS NOT DISTINCT (merchant_id, user_id, customer_id, client),
  /* sql-parser-cst-enable */
  FOREIGN KEY (merchant_id, user_id) REFERENCES identity.user
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE
);

CREATE INDEX known_client_last_at ON identity.known_client (last_at);

CREATE INDEX user_updated_at ON identity.user (merchant_id, updated_at, id);

CREATE INDEX role_updated_at ON identity.role (merchant_id, updated_at, id);

-- sql/inventory/tables.sql

CREATE SCHEMA inventory;

CREATE TABLE inventory.warehouse (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  code text NOT NULL CHECK (code <> ''),
  active boolean NOT NULL DEFAULT TRUE,
  -- Reservations take from the lowest number first.
  priority integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT warehouse_code_key UNIQUE (merchant_id, code)
);

CREATE UNIQUE INDEX warehouse_external_id_key ON inventory.warehouse (merchant_id, external_id)
WHERE external_id IS NOT NULL;

CREATE INDEX warehouse_metadata ON inventory.warehouse USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);

CREATE TABLE inventory.warehouse_address (
  merchant_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
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
  PRIMARY KEY (merchant_id, warehouse_id),
  FOREIGN KEY (merchant_id, warehouse_id) REFERENCES inventory.warehouse
    ON DELETE CASCADE
);

CREATE TABLE inventory.stock_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  variant_id uuid,
  -- NULL once the product or variant is deleted, which gives the SKU free.
  sku text,
  -- NULL: the merchant's default.
  low_stock_threshold integer CHECK (low_stock_threshold BETWEEN 0 AND 999999),
  -- Three columns are kept as inventory.item_standing has them: lists and counts read them by an index.
  is_sellable boolean NOT NULL DEFAULT TRUE,
  in_stock boolean NOT NULL DEFAULT FALSE,
  needs_restock boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT stock_item_sku_key UNIQUE (merchant_id, sku),
  /* sql-parser-cst-disable */
  CONSTRAINT stock_item_sellable_key UNIQUE NULLS NOT DISTINCT (merchant_id, product_id, variant_id),
  /* sql-parser-cst-enable */
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id)
    ON DELETE CASCADE
);

CREATE INDEX stock_item_in_stock ON inventory.stock_item (merchant_id, product_id) WHERE in_stock;

CREATE INDEX stock_item_needs_restock ON inventory.stock_item (merchant_id, created_at, id) WHERE needs_restock;

CREATE TABLE inventory.stock_level (
  merchant_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  -- The units that can still be reserved. The constraint is the last word on overselling.
  available integer NOT NULL DEFAULT 0 CONSTRAINT stock_level_available_not_negative CHECK (available >= 0),
  -- Units that are promised and still on the shelf.
  reserved integer NOT NULL DEFAULT 0 CONSTRAINT stock_level_reserved_not_negative CHECK (reserved >= 0),
  last_restocked_at timestamptz,
  last_sold_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, stock_item_id, warehouse_id),
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
    ON DELETE CASCADE,
  CONSTRAINT stock_level_warehouse_fkey FOREIGN KEY (merchant_id, warehouse_id) REFERENCES inventory.warehouse
);

CREATE INDEX stock_level_warehouse ON inventory.stock_level (merchant_id, warehouse_id);

CREATE TABLE inventory.transfer (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  status text NOT NULL DEFAULT 'DRAFT' CHECK (
    status IN ('DRAFT', 'IN_TRANSIT', 'PARTIALLY_RECEIVED', 'RECEIVED', 'CANCELLED')
  ),
  from_warehouse_id uuid NOT NULL,
  to_warehouse_id uuid NOT NULL CONSTRAINT transfer_between_two CHECK (to_warehouse_id <> from_warehouse_id),
  expected_date date,
  notes text,
  shipped_at timestamptz,
  received_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT transfer_from_warehouse_fkey FOREIGN KEY (merchant_id, from_warehouse_id) REFERENCES inventory.warehouse,
  CONSTRAINT transfer_to_warehouse_fkey FOREIGN KEY (merchant_id, to_warehouse_id) REFERENCES inventory.warehouse
);

CREATE INDEX transfer_created_at ON inventory.transfer (merchant_id, created_at, id);

CREATE TABLE inventory.transfer_line (
  merchant_id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  PRIMARY KEY (merchant_id, transfer_id, stock_item_id),
  FOREIGN KEY (merchant_id, transfer_id) REFERENCES inventory.transfer
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
    ON DELETE CASCADE
);

CREATE TABLE inventory.incoming_stock (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  -- Set for stock that comes from another warehouse.
  transfer_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  received_quantity integer NOT NULL DEFAULT 0 CONSTRAINT incoming_stock_received_check
    CHECK (received_quantity BETWEEN 0 AND quantity),
  -- NULL once nothing is awaited any more; what is still on its way otherwise.
  awaited integer GENERATED ALWAYS AS (
    CASE
      WHEN cancelled_at IS NULL
      AND received_quantity < quantity THEN quantity - received_quantity
    END
  ) STORED,
  status text NOT NULL GENERATED ALWAYS AS (
    CASE
      WHEN received_quantity = quantity THEN 'RECEIVED'
      WHEN cancelled_at IS NOT NULL THEN 'CANCELLED'
      WHEN received_quantity > 0 THEN 'PARTIALLY_RECEIVED'
      ELSE 'EXPECTED'
    END
  ) STORED,
  expected_date date,
  -- The merchant's own name for it: a purchase order's number, for example.
  reference text,
  received_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT incoming_stock_transfer_key UNIQUE (merchant_id, transfer_id, stock_item_id),
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, transfer_id, stock_item_id) REFERENCES inventory.transfer_line
    ON DELETE CASCADE,
  CONSTRAINT incoming_stock_warehouse_fkey FOREIGN KEY (merchant_id, warehouse_id) REFERENCES inventory.warehouse
);

CREATE INDEX incoming_stock_item ON inventory.incoming_stock (merchant_id, stock_item_id) WHERE awaited IS NOT NULL;

CREATE INDEX incoming_stock_created_at ON inventory.incoming_stock (merchant_id, created_at, id);

CREATE TABLE inventory.reservation (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'COMMITTED', 'CONSUMED', 'RELEASED', 'EXPIRED')),
  -- Set once an order has taken the reservation over. The order's domain stands above this one: no foreign key.
  order_id uuid,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);

CREATE INDEX reservation_expiry ON inventory.reservation (expires_at) WHERE status = 'ACTIVE';

CREATE INDEX reservation_order ON inventory.reservation (merchant_id, order_id) WHERE order_id IS NOT NULL;

CREATE TABLE inventory.reservation_line (
  merchant_id uuid NOT NULL,
  reservation_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  -- One line per reservation and place: a second hold of the same stock has nowhere to stand.
  PRIMARY KEY (merchant_id, reservation_id, stock_item_id, warehouse_id),
  FOREIGN KEY (merchant_id, reservation_id) REFERENCES inventory.reservation
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, stock_item_id, warehouse_id) REFERENCES inventory.stock_level
);

CREATE INDEX reservation_line_level ON inventory.reservation_line (merchant_id, stock_item_id, warehouse_id);

CREATE TABLE inventory.stock_movement (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  -- The stock item's product, so that a product's entries are found by an index.
  product_id uuid NOT NULL,
  kind text NOT NULL CHECK (
    kind IN (
      'OPENING',
      'ADJUSTMENT',
      'STOCKTAKE',
      'RESERVATION',
      'RELEASE',
      'SALE',
      'RETURN',
      'ARRIVAL',
      'TRANSFER_OUT',
      'TRANSFER_IN'
    )
  ),
  -- The units on the shelf are available + reserved of the level.
  on_hand_delta integer NOT NULL,
  reserved_delta integer NOT NULL,
  -- The level that the entry left behind.
  on_hand integer NOT NULL,
  reserved integer NOT NULL,
  reason text NOT NULL CHECK (reason <> ''),
  reference_type text CHECK (reference_type IN ('ORDER', 'RESERVATION', 'TRANSFER', 'INCOMING_STOCK')),
  reference_id uuid,
  -- 'key:<id>', 'user:<id>' or 'customer:<id>'; NULL for what a job did.
  principal text,
  -- The clock and not the transaction's start: entries of a level are in the order of its locks.
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT stock_movement_moves CHECK (on_hand_delta <> 0 OR reserved_delta <> 0),
  CONSTRAINT stock_movement_reference CHECK ((reference_type IS NULL) = (reference_id IS NULL)),
  FOREIGN KEY (merchant_id, stock_item_id, warehouse_id) REFERENCES inventory.stock_level
    ON DELETE CASCADE
);

CREATE INDEX stock_movement_created_at ON inventory.stock_movement (merchant_id, created_at, id);

CREATE INDEX stock_movement_product ON inventory.stock_movement (merchant_id, product_id, created_at, id);

CREATE INDEX stock_movement_warehouse ON inventory.stock_movement (merchant_id, warehouse_id, created_at, id);

CREATE TABLE inventory.stock_alert (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  email citext NOT NULL CONSTRAINT stock_alert_email_check CHECK (email <> ''),
  -- The shopper who asked for it, when one was signed in.
  customer_id uuid,
  -- The transitions are the state machine's (actions/src/inventory/SPEC.md).
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'NOTIFIED', 'CANCELLED')),
  notified_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE SET NULL (customer_id)
);

CREATE UNIQUE INDEX stock_alert_open_key ON inventory.stock_alert (merchant_id, stock_item_id, email)
WHERE status = 'PENDING';

CREATE INDEX stock_alert_created_at ON inventory.stock_alert (merchant_id, created_at, id);

CREATE INDEX warehouse_updated_at ON inventory.warehouse (merchant_id, updated_at, id);

CREATE INDEX transfer_updated_at ON inventory.transfer (merchant_id, updated_at, id);

CREATE INDEX incoming_stock_updated_at ON inventory.incoming_stock (merchant_id, updated_at, id);

CREATE INDEX stock_alert_updated_at ON inventory.stock_alert (merchant_id, updated_at, id);

CREATE INDEX reservation_created_at ON inventory.reservation (merchant_id, created_at, id);

CREATE INDEX reservation_updated_at ON inventory.reservation (merchant_id, updated_at, id);

-- sql/merchant/tables.sql

CREATE INDEX merchant_deletes_at ON merchant.merchant (deletes_at) WHERE deletes_at IS NOT NULL;

CREATE TABLE merchant.subscription (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  plan text NOT NULL DEFAULT 'FREE' CHECK (plan IN ('FREE', 'STARTER', 'PRO', 'ENTERPRISE')),
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'TRIALING', 'PAST_DUE', 'CANCELLED', 'UNPAID')),
  current_period_start timestamptz NOT NULL DEFAULT now(),
  current_period_end timestamptz NOT NULL DEFAULT now() + INTERVAL '1 month',
  cancel_at_period_end boolean NOT NULL DEFAULT FALSE,
  -- The plan of the next period; NULL: the plan of this one.
  next_plan text CHECK (next_plan IN ('FREE', 'STARTER', 'PRO', 'ENTERPRISE')),
  -- The plan that the merchant has requested and no operator has answered.
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

-- sql/platform/tables.sql

CREATE TABLE platform.language (
  code text PRIMARY KEY CHECK (code ~ '^[a-z]{2}$'),
  name text NOT NULL,
  stemmer text NOT NULL
);

-- sql/merchant/tables.sql

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

-- sql/metadata/tables.sql

CREATE SCHEMA metadata;

CREATE TABLE metadata.definition (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- LINE: a line of a cart, which becomes a line of an order with its metadata.
  owner_type text NOT NULL CHECK (
    owner_type IN (
      'PRODUCT',
      'PRODUCT_VARIANT',
      'CATEGORY',
      'CUSTOMER',
      'ORDER',
      'CART',
      'LINE',
      'WAREHOUSE',
      'APPOINTMENT'
    )
  ),
  -- Of private metadata; a key of the same name may be in both.
  private boolean NOT NULL DEFAULT FALSE,
  namespace text NOT NULL CHECK (namespace ~ '^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$'),
  key text NOT NULL CHECK (key ~ '^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$'),
  type text NOT NULL CHECK (
    type IN ('TEXT', 'INTEGER', 'DECIMAL', 'BOOLEAN', 'DATE', 'DATE_TIME', 'URL', 'JSON', 'LIST_OF_TEXT')
  ),
  name text NOT NULL CHECK (name <> ''),
  description text,
  -- The texts that a value or an entry may be; NULL: any.
  choices text[] CHECK (cardinality(choices) BETWEEN 1 AND 200),
  -- Of numbers the value, of texts the characters, of lists the entries.
  min numeric,
  max numeric,
  is_attribute boolean NOT NULL DEFAULT FALSE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT definition_key UNIQUE (merchant_id, owner_type, private, namespace, key),
  CONSTRAINT definition_choices_of_texts CHECK (choices IS NULL OR type IN ('TEXT', 'LIST_OF_TEXT')),
  CONSTRAINT definition_measured
    CHECK ((min IS NULL AND max IS NULL) OR type IN ('TEXT', 'INTEGER', 'DECIMAL', 'LIST_OF_TEXT')),
  CONSTRAINT definition_range CHECK (min <= max),
  CONSTRAINT definition_attribute
    CHECK (NOT is_attribute OR (owner_type IN ('PRODUCT', 'PRODUCT_VARIANT') AND NOT private AND type <> 'JSON'))
);

CREATE INDEX definition_created_at ON metadata.definition (merchant_id, created_at, id);

CREATE INDEX definition_updated_at ON metadata.definition (merchant_id, updated_at, id);

CREATE INDEX definition_name ON metadata.definition (merchant_id, name, id);

-- sql/notification/tables.sql

CREATE SCHEMA notification;

CREATE TABLE notification.kind_channel (
  kind text NOT NULL,
  channel text NOT NULL CHECK (channel IN ('EMAIL', 'PUSH', 'IN_APP')),
  audience text NOT NULL CHECK (audience IN ('CUSTOMER', 'MERCHANT')),
  required boolean NOT NULL,
  PRIMARY KEY (kind, channel)
);

CREATE TABLE notification.notification (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid,
  kind text NOT NULL,
  subject_key text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  -- Ids of what it is about, for a link.
  data jsonb NOT NULL DEFAULT '{}',
  read_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  /* sql-parser-cst-disable */
  CONSTRAINT notification_once UNIQUE NULLS NOT DISTINCT (merchant_id, kind, subject_key, customer_id),
  /* sql-parser-cst-enable */
  CONSTRAINT notification_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE CASCADE
);

CREATE INDEX notification_audience ON notification.notification (merchant_id, customer_id, created_at, id);

CREATE INDEX notification_unread ON notification.notification (merchant_id, customer_id) WHERE read_at IS NULL;

CREATE TABLE notification.device (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid,
  platform text NOT NULL CHECK (platform IN ('IOS', 'ANDROID', 'WEB')),
  -- The push service's token of the device. It lets its bearer send to the device, so no API shows it.
  token text NOT NULL CHECK (token <> ''),
  name text,
  -- When the push service said that there is no such device any more. Registering it again brings it back.
  gone_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT device_token_key UNIQUE (merchant_id, token),
  CONSTRAINT device_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE CASCADE
);

CREATE INDEX device_owner ON notification.device (merchant_id, customer_id, created_at);

CREATE TABLE notification.push_delivery (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  device_id uuid NOT NULL,
  customer_id uuid,
  kind text NOT NULL,
  subject_key text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  data jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'QUEUED' CHECK (
    status IN ('QUEUED', 'SENDING', 'SENT', 'FAILED', 'BOUNCED', 'SUPPRESSED', 'CANCELLED')
  ),
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  claimed_until timestamptz,
  transport text,
  message_id text,
  -- The trace that it belongs to, as Hasura writes it; NULL where nothing is traced.
  trace_context text DEFAULT nullif(current_setting('hasura.tracecontext', TRUE), ''),
  sent_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT push_delivery_once UNIQUE (merchant_id, kind, subject_key, device_id),
  CONSTRAINT push_delivery_device_fkey
    FOREIGN KEY (merchant_id, device_id) REFERENCES notification.device
      ON DELETE CASCADE,
  CONSTRAINT push_delivery_claim CHECK ((status = 'SENDING') = (claimed_until IS NOT NULL))
);

CREATE INDEX push_delivery_created_at ON notification.push_delivery (merchant_id, created_at, id);

CREATE INDEX push_delivery_device ON notification.push_delivery (merchant_id, device_id);

CREATE INDEX push_delivery_due ON notification.push_delivery (next_attempt_at) WHERE status = 'QUEUED';

CREATE INDEX push_delivery_claimed ON notification.push_delivery (claimed_until) WHERE status = 'SENDING';

CREATE TABLE notification.preference (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid,
  kind text NOT NULL,
  channel text NOT NULL,
  enabled boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  /* sql-parser-cst-disable */
  CONSTRAINT preference_key UNIQUE NULLS NOT DISTINCT (merchant_id, customer_id, kind, channel),
  /* sql-parser-cst-enable */
  CONSTRAINT preference_kind_fkey FOREIGN KEY (kind, channel) REFERENCES notification.kind_channel,
  CONSTRAINT preference_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE CASCADE
);

CREATE TABLE notification.stock_standing (
  merchant_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  standing text NOT NULL CHECK (standing IN ('OUT', 'LOW', 'PLENTY')),
  PRIMARY KEY (merchant_id, stock_item_id),
  CONSTRAINT stock_standing_item_fkey
    FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
      ON DELETE CASCADE
);

CREATE TABLE notification.stock_crossing (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  crossing text NOT NULL CHECK (crossing IN ('RUN_LOW', 'BACK')),
  available integer NOT NULL,
  threshold integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT stock_crossing_item_fkey
    FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
      ON DELETE CASCADE
);

CREATE INDEX stock_crossing_item ON notification.stock_crossing (merchant_id, stock_item_id);

CREATE INDEX push_delivery_updated_at ON notification.push_delivery (merchant_id, updated_at, id);

CREATE INDEX notification_updated_at ON notification.notification (merchant_id, updated_at, id);

-- sql/operator/tables.sql

CREATE SCHEMA operator;

CREATE TABLE operator.key (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  -- The leading characters, by which a key is recognised in a list.
  prefix text NOT NULL,
  -- SHA-256 of the whole key, which has 256 random bits.
  hash bytea NOT NULL UNIQUE,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE operator.deleted_merchant (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  closed_at timestamptz NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX deleted_merchant_deleted_at ON operator.deleted_merchant (deleted_at);

CREATE TABLE operator.sign_up (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  email citext NOT NULL,
  -- The arguments of merchant.open_merchant.
  account jsonb NOT NULL,
  -- The network that it was asked from; NULL: unknown.
  network text,
  -- SHA-256 of the mailed token.
  hash bytea NOT NULL UNIQUE,
  -- The token itself, sealed, until it is mailed. NULL: it was, or no mail is due.
  undelivered text,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  opened_at timestamptz,
  -- The answer with the keys, sealed: it is repeated for some minutes, in case it got lost.
  answer text,
  CONSTRAINT sign_up_answer CHECK (answer IS NULL OR opened_at IS NOT NULL)
);

CREATE INDEX sign_up_email ON operator.sign_up (email, created_at);

CREATE INDEX sign_up_network ON operator.sign_up (network, created_at) WHERE network IS NOT NULL;

CREATE INDEX sign_up_created_at ON operator.sign_up (created_at);

CREATE INDEX sign_up_undelivered ON operator.sign_up (next_attempt_at) WHERE undelivered IS NOT NULL;

CREATE INDEX sign_up_answered ON operator.sign_up (opened_at) WHERE answer IS NOT NULL;

-- sql/ordering/tables.sql

CREATE TABLE ordering.order_number_counter (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  last_number bigint NOT NULL DEFAULT 1000
);

CREATE UNIQUE INDEX order_external_id_key ON ordering.order (merchant_id, external_id) WHERE external_id IS NOT NULL;

CREATE INDEX order_metadata ON ordering.order USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);

CREATE INDEX order_number_here ON ordering.order (merchant_id, number_here) WHERE number_here IS NOT NULL;

CREATE INDEX order_created_at ON ordering.order (merchant_id, created_at, id);

CREATE INDEX order_status_created_at ON ordering.order (merchant_id, status, created_at, id);

CREATE INDEX order_updated_at ON ordering.order (merchant_id, updated_at, id);

CREATE INDEX order_total ON ordering.order (merchant_id, total, id);

CREATE INDEX order_customer ON ordering.order (merchant_id, customer_id, created_at, id);

CREATE TABLE ordering.order_address (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
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
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
    ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX order_address_order ON ordering.order_address (merchant_id, order_id);

ALTER TABLE ordering.order
ADD FOREIGN KEY (merchant_id, shipping_address_id) REFERENCES ordering.order_address DEFERRABLE INITIALLY DEFERRED,
ADD FOREIGN KEY (merchant_id, billing_address_id) REFERENCES ordering.order_address DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE ordering.order_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  position integer NOT NULL,
  product_id uuid NOT NULL,
  variant_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  -- Snapshots from here on.
  price bigint NOT NULL CHECK (price >= 0),
  subtotal bigint NOT NULL,
  sku text NOT NULL,
  product_name text NOT NULL,
  product_image text,
  discount bigint NOT NULL DEFAULT 0,
  tax bigint NOT NULL DEFAULT 0,
  -- In a shipment, from being packed on.
  packed_quantity integer NOT NULL DEFAULT 0,
  -- Those of them that have left.
  fulfilled_quantity integer NOT NULL DEFAULT 0,
  -- Will never be sent, because they were refunded before.
  cancelled_quantity integer NOT NULL DEFAULT 0,
  -- Refunded, sent or not.
  refunded_quantity integer NOT NULL DEFAULT 0,
  -- In returns that were neither rejected nor withdrawn.
  returning_quantity integer NOT NULL DEFAULT 0,
  -- Those of them that have come back.
  returned_quantity integer NOT NULL DEFAULT 0,
  uncaptured bigint NOT NULL DEFAULT 0,
  uncaptured_tax bigint NOT NULL DEFAULT 0,
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  -- The number of lines of the same thing before it, as orders of other systems have them.
  occurrence integer NOT NULL DEFAULT 0 CHECK (occurrence >= 0),
  -- What a shopper or the merchant wants of this line alone, as names and values: an engraving.
  properties jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(properties) = 'array'),
  -- What tells lines of one product apart: catalog.line_key of its properties.
  line_key text NOT NULL DEFAULT '',
  PRIMARY KEY (merchant_id, id),
  /* sql-parser-cst-disable */
  CONSTRAINT order_item_line_key
    UNIQUE NULLS NOT DISTINCT (merchant_id, order_id, product_id, variant_id, line_key, occurrence),
  /* sql-parser-cst-enable */
  CONSTRAINT order_item_subtotal_adds_up CHECK (subtotal = price * quantity),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product,
  FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id),
  CONSTRAINT order_item_discount_check CHECK (discount >= 0 AND discount <= subtotal),
  CONSTRAINT order_item_tax_check CHECK (tax >= 0),
  CONSTRAINT order_item_sent_once
    CHECK (
      fulfilled_quantity >= 0
      AND fulfilled_quantity <= packed_quantity
      AND cancelled_quantity >= 0
      AND packed_quantity + cancelled_quantity <= quantity
    ),
  CONSTRAINT order_item_refunded_once
    CHECK (cancelled_quantity <= refunded_quantity AND refunded_quantity - cancelled_quantity <= fulfilled_quantity),
  CONSTRAINT order_item_returned_once
    CHECK (
      returned_quantity >= 0
      AND returned_quantity <= returning_quantity
      AND returning_quantity <= fulfilled_quantity
    ),
  CONSTRAINT order_item_uncaptured_check
    CHECK (uncaptured >= 0 AND uncaptured <= subtotal - discount AND uncaptured_tax >= 0 AND uncaptured_tax <= tax)
);

CREATE UNIQUE INDEX order_item_external_id_key ON ordering.order_item (merchant_id, external_id)
WHERE external_id IS NOT NULL;

CREATE INDEX order_item_product ON ordering.order_item (merchant_id, product_id, order_id);

CREATE TABLE ordering.fulfillment (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'UNFULFILLED' CHECK (
    status IN ('UNFULFILLED', 'PARTIAL', 'FULFILLED', 'SHIPPED', 'DELIVERED', 'RETURNED')
  ),
  tracking_number text,
  carrier text,
  shipped_at timestamptz,
  estimated_delivery_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT fulfillment_order_key UNIQUE (merchant_id, order_id),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
    ON DELETE CASCADE
);

CREATE INDEX order_promotion ON ordering.order (merchant_id, promotion_id, created_at, id)
WHERE promotion_id IS NOT NULL;

CREATE TABLE ordering.history_entry (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  type text NOT NULL CHECK (
    type IN (
      'PLACED',
      'MODIFIED',
      'STATUS_CHANGED',
      'NOTES_CHANGED',
      'TAGS_CHANGED',
      'NOTE_ADDED',
      'SHIPMENT_PACKED',
      'SHIPMENT_SHIPPED',
      'SHIPMENT_DELIVERED',
      'SHIPMENT_CANCELLED',
      'SHIPMENT_CHANGED',
      'PAYMENT_STARTED',
      'PAYMENT_AUTHORIZED',
      'PAYMENT_SUCCEEDED',
      'PAYMENT_FAILED',
      'PAYMENT_CANCELLED',
      'REFUND_STARTED',
      'REFUND_SUCCEEDED',
      'REFUND_FAILED',
      'RETURN_REQUESTED',
      'RETURN_APPROVED',
      'RETURN_REJECTED',
      'RETURN_RECEIVED',
      'RETURN_REFUNDED',
      'RETURN_CANCELLED'
    )
  ),
  from_status text,
  to_status text,
  amount bigint,
  note text,
  -- The shipment, payment, refund or return.
  subject_id uuid,
  -- Not for the customer's eyes.
  staff_only boolean NOT NULL DEFAULT FALSE,
  actor text NOT NULL CHECK (actor IN ('MERCHANT', 'CUSTOMER', 'SYSTEM')),
  actor_id uuid,
  -- Of several in one transaction each is later than the one before.
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT history_entry_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE CASCADE
);

CREATE INDEX history_entry_order ON ordering.history_entry (merchant_id, order_id, created_at, id);

CREATE TABLE ordering.shipment (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  -- The transitions are the state machine's (actions/src/ordering/SPEC.md).
  status text NOT NULL DEFAULT 'PACKED' CHECK (status IN ('PACKED', 'SHIPPED', 'DELIVERED', 'CANCELLED')),
  carrier text,
  tracking_number text,
  shipped_at timestamptz,
  estimated_delivery_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT shipment_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE CASCADE
);

CREATE INDEX shipment_order ON ordering.shipment (merchant_id, order_id, created_at, id);

CREATE TABLE ordering.shipment_line (
  merchant_id uuid NOT NULL,
  shipment_id uuid NOT NULL,
  order_item_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (merchant_id, shipment_id, order_item_id),
  CONSTRAINT shipment_line_shipment_fkey
    FOREIGN KEY (merchant_id, shipment_id) REFERENCES ordering.shipment
      ON DELETE CASCADE,
  CONSTRAINT shipment_line_item_fkey
    FOREIGN KEY (merchant_id, order_item_id) REFERENCES ordering.order_item
      ON DELETE CASCADE
);

CREATE INDEX shipment_line_item ON ordering.shipment_line (merchant_id, order_item_id);

CREATE TABLE ordering.return_number_counter (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  last_number bigint NOT NULL DEFAULT 1000
);

-- sql/payment/tables.sql

CREATE TABLE payment.refund (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  payment_id uuid NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  reason text NOT NULL DEFAULT 'No reason was given' CHECK (reason <> ''),
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'SUCCEEDED', 'FAILED')),
  processor_refund_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  unanswered_calls smallint NOT NULL DEFAULT 0,
  -- Of it, what was paid for shipping.
  shipping_amount bigint NOT NULL DEFAULT 0,
  failure_reason text,
  -- The number of new attempts. Each is a request of its own to the processor.
  attempt integer NOT NULL DEFAULT 1,
  -- Since when the present attempt is asked for.
  attempted_at timestamptz NOT NULL DEFAULT now(),
  -- The processor that gives the money back, if it isn't the one that took it.
  processor text,
  succeeded_at timestamptz,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, payment_id) REFERENCES payment.payment,
  CONSTRAINT refund_shipping_amount_check CHECK (shipping_amount >= 0 AND shipping_amount <= amount)
);

-- sql/ordering/tables.sql

CREATE TABLE ordering.order_return (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  return_number text NOT NULL,
  order_id uuid NOT NULL,
  -- The transitions are the state machine's (actions/src/ordering/SPEC.md).
  status text NOT NULL DEFAULT 'REQUESTED' CHECK (
    status IN ('REQUESTED', 'APPROVED', 'REJECTED', 'RECEIVED', 'REFUNDED', 'CANCELLED')
  ),
  note text,
  rejection_reason text,
  refund_id uuid,
  received_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT order_return_number_key UNIQUE (merchant_id, return_number),
  CONSTRAINT order_return_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE CASCADE,
  CONSTRAINT order_return_refund_fkey FOREIGN KEY (merchant_id, refund_id) REFERENCES payment.refund
);

CREATE INDEX order_return_order ON ordering.order_return (merchant_id, order_id, created_at, id);

CREATE INDEX order_return_created_at ON ordering.order_return (merchant_id, created_at, id);

CREATE INDEX order_return_refund ON ordering.order_return (merchant_id, refund_id) WHERE refund_id IS NOT NULL;

CREATE TABLE ordering.return_line (
  merchant_id uuid NOT NULL,
  return_id uuid NOT NULL,
  order_item_id uuid NOT NULL,
  position integer NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  reason text NOT NULL CHECK (
    reason IN ('DAMAGED', 'WRONG_ITEM', 'NOT_AS_DESCRIBED', 'DOES_NOT_FIT', 'CHANGED_MIND', 'OTHER')
  ),
  -- Of the units, those that are for sale again.
  restocked_quantity integer NOT NULL DEFAULT 0 CHECK (restocked_quantity BETWEEN 0 AND quantity),
  PRIMARY KEY (merchant_id, return_id, order_item_id),
  CONSTRAINT return_line_return_fkey
    FOREIGN KEY (merchant_id, return_id) REFERENCES ordering.order_return
      ON DELETE CASCADE,
  CONSTRAINT return_line_item_fkey
    FOREIGN KEY (merchant_id, order_item_id) REFERENCES ordering.order_item
      ON DELETE CASCADE
);

CREATE INDEX return_line_item ON ordering.return_line (merchant_id, order_item_id);

CREATE TABLE ordering.draft_order (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid,
  shipping_method_id uuid,
  coupon_code citext,
  line1 text,
  line2 text,
  city text,
  state text,
  postal_code text,
  country text CHECK (country ~ '^[A-Z]{2}$'),
  -- For whom it is, where that isn't the customer: a gift's recipient, a company's desk.
  recipient_name text CHECK (recipient_name <> ''),
  company text CHECK (company <> ''),
  phone text,
  notes text,
  tags text[] NOT NULL DEFAULT '{}',
  -- Set once: a draft becomes an order at most once.
  order_id uuid,
  expires_at timestamptz NOT NULL DEFAULT now() + INTERVAL '30 days',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT draft_order_order_key UNIQUE (merchant_id, order_id),
  CONSTRAINT draft_order_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE SET NULL (customer_id),
  CONSTRAINT draft_order_shipping_method_fkey
    FOREIGN KEY (merchant_id, shipping_method_id) REFERENCES merchant.shipping_method
      ON DELETE SET NULL (shipping_method_id),
  CONSTRAINT draft_order_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE SET NULL (order_id)
);

CREATE INDEX draft_order_created_at ON ordering.draft_order (merchant_id, created_at, id);

CREATE INDEX draft_order_customer ON ordering.draft_order (merchant_id, customer_id, created_at, id);

CREATE INDEX draft_order_shipping_method ON ordering.draft_order (merchant_id, shipping_method_id);

CREATE INDEX draft_order_expiry ON ordering.draft_order (expires_at) WHERE order_id IS NULL;

CREATE TABLE ordering.draft_order_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  draft_order_id uuid NOT NULL,
  position integer NOT NULL,
  product_id uuid NOT NULL,
  variant_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  -- What a shopper or the merchant wants of this line alone, as names and values: an engraving.
  properties jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(properties) = 'array'),
  -- What tells lines of one product apart: catalog.line_key of its properties.
  line_key text NOT NULL DEFAULT '',
  PRIMARY KEY (merchant_id, id),
  /* sql-parser-cst-disable */
  CONSTRAINT draft_order_item_line_key
    UNIQUE NULLS NOT DISTINCT (merchant_id, draft_order_id, product_id, variant_id, line_key),
  /* sql-parser-cst-enable */
  CONSTRAINT draft_order_item_draft_fkey
    FOREIGN KEY (merchant_id, draft_order_id) REFERENCES ordering.draft_order
      ON DELETE CASCADE,
  CONSTRAINT draft_order_item_product_fkey
    FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
      ON DELETE CASCADE,
  CONSTRAINT draft_order_item_variant_fkey
    FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id)
      ON DELETE CASCADE
);

CREATE INDEX draft_order_item_product ON ordering.draft_order_item (merchant_id, product_id);

CREATE TABLE ordering.product_order (
  merchant_id uuid NOT NULL,
  product_id uuid NOT NULL,
  order_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, product_id, order_id),
  CONSTRAINT product_order_product_fkey
    FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
      ON DELETE CASCADE,
  CONSTRAINT product_order_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE CASCADE
);

CREATE INDEX product_order_created_at ON ordering.product_order (merchant_id, product_id, created_at, order_id);

CREATE INDEX product_order_order ON ordering.product_order (merchant_id, order_id);

CREATE INDEX order_paid_at ON ordering.order (merchant_id, paid_at)
INCLUDE (customer_id, currency)
WHERE paid_at IS NOT NULL;

CREATE INDEX order_cancelled_at ON ordering.order (merchant_id, cancelled_at) WHERE cancelled_at IS NOT NULL;

CREATE INDEX order_customer_paid_at ON ordering.order (merchant_id, customer_id, paid_at) WHERE paid_at IS NOT NULL;

CREATE INDEX order_status ON ordering.order (merchant_id, status, id);

CREATE INDEX order_return_updated_at ON ordering.order_return (merchant_id, updated_at, id);

CREATE INDEX draft_order_updated_at ON ordering.draft_order (merchant_id, updated_at, id);

CREATE INDEX shipment_created_at ON ordering.shipment (merchant_id, created_at, id);

CREATE INDEX shipment_updated_at ON ordering.shipment (merchant_id, updated_at, id);

CREATE INDEX shipment_tracking_number ON ordering.shipment (merchant_id, tracking_number)
WHERE tracking_number IS NOT NULL;

CREATE TABLE ordering.order_search (
  merchant_id uuid NOT NULL,
  order_id uuid NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (merchant_id, order_id),
  CONSTRAINT order_search_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE CASCADE
);

CREATE INDEX order_search_text ON ordering.order_search USING gin (merchant_id, text gin_trgm_ops)
WITH (gin_pending_list_limit = 256);

CREATE INDEX order_tags ON ordering.order USING gin (merchant_id, tags);

CREATE INDEX fulfillment_status ON ordering.fulfillment (merchant_id, status);

-- sql/payment/tables.sql

CREATE UNIQUE INDEX account_one_active_per_processor ON payment.account (merchant_id, processor)
WHERE status = 'ACTIVE';

CREATE UNIQUE INDEX account_id ON payment.account (id);

CREATE TABLE payment.account_secret (
  merchant_id uuid NOT NULL,
  account_id uuid NOT NULL,
  -- The processor's credentials as JSON, sealed (actions/src/payment/accounts.ts).
  credentials text NOT NULL,
  PRIMARY KEY (merchant_id, account_id),
  FOREIGN KEY (merchant_id, account_id) REFERENCES payment.account
    ON DELETE CASCADE
);

CREATE TABLE payment.operator_account (
  is_only boolean PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  connected boolean NOT NULL
);

CREATE TABLE payment.payment_option (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  method text NOT NULL CHECK (
    method IN (
      'CARD',
      'BANK_TRANSFER',
      'CASH',
      'PAYPAL',
      'APPLE_PAY',
      'GOOGLE_PAY',
      'SEPA_DEBIT',
      'INVOICE',
      'CASH_ON_DELIVERY',
      'LOYALTY_POINTS'
    )
  ),
  name text NOT NULL CHECK (name <> ''),
  instructions text CHECK (instructions <> ''),
  enabled boolean NOT NULL DEFAULT TRUE,
  position integer NOT NULL DEFAULT 0 CHECK (position BETWEEN 0 AND 1000),
  -- Empty lists: every currency, every country.
  currencies text[] NOT NULL DEFAULT '{}' CONSTRAINT payment_option_currencies_check
    CHECK (array_position(currencies, NULL) IS NULL AND array_to_string(currencies, ' ') ~ '^([A-Z]{3}( [A-Z]{3})*)?$'),
  countries text[] NOT NULL DEFAULT '{}' CONSTRAINT payment_option_countries_check
    CHECK (array_position(countries, NULL) IS NULL AND array_to_string(countries, ' ') ~ '^([A-Z]{2}( [A-Z]{2})*)?$'),
  min_amount bigint CHECK (min_amount BETWEEN 0 AND 9007199254740991),
  max_amount bigint CHECK (max_amount BETWEEN 0 AND 9007199254740991),
  -- Minutes for which an order waits for the money of INVOICE and CASH_ON_DELIVERY. NULL: until it is cancelled.
  payment_minutes integer CHECK (payment_minutes BETWEEN 1 AND 525600),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT payment_option_method_key UNIQUE (merchant_id, method),
  CONSTRAINT payment_option_amounts_check CHECK (min_amount <= max_amount)
);

CREATE INDEX payment_account ON payment.payment (merchant_id, account_id) WHERE account_id IS NOT NULL;

CREATE INDEX payment_appointment ON payment.payment (merchant_id, appointment_id, created_at)
WHERE appointment_id IS NOT NULL;

CREATE INDEX payment_order ON payment.payment (merchant_id, order_id, created_at);

CREATE INDEX payment_unsettled ON payment.payment (updated_at) WHERE status IN ('PENDING', 'PROCESSING');

CREATE INDEX payment_capturable ON payment.payment (updated_at) WHERE capturable_amount > 0;

CREATE UNIQUE INDEX payment_processor_intent ON payment.payment (processor, processor_payment_intent_id);

CREATE INDEX refund_payment ON payment.refund (merchant_id, payment_id, created_at);

CREATE INDEX refund_unsettled ON payment.refund (updated_at) WHERE status = 'PENDING';

CREATE INDEX payment_attention ON payment.payment (merchant_id, created_at, id) WHERE attention IS NOT NULL;

CREATE TABLE payment.refund_line (
  merchant_id uuid NOT NULL,
  refund_id uuid NOT NULL,
  order_item_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  amount bigint NOT NULL CHECK (amount >= 0),
  -- Of the units, those that can be sold again after they had left.
  restocked_quantity integer NOT NULL DEFAULT 0 CHECK (restocked_quantity BETWEEN 0 AND quantity),
  PRIMARY KEY (merchant_id, refund_id, order_item_id),
  CONSTRAINT refund_line_refund_fkey
    FOREIGN KEY (merchant_id, refund_id) REFERENCES payment.refund
      ON DELETE CASCADE,
  CONSTRAINT refund_line_item_fkey FOREIGN KEY (merchant_id, order_item_id) REFERENCES ordering.order_item
);

CREATE INDEX refund_line_item ON payment.refund_line (merchant_id, order_item_id);

CREATE INDEX refund_succeeded_at ON payment.refund (merchant_id, succeeded_at) WHERE succeeded_at IS NOT NULL;

CREATE TABLE payment.webhook_event (
  merchant_id uuid NOT NULL,
  account_id uuid NOT NULL,
  -- The processor's own id of the event.
  event_id text NOT NULL CHECK (length(event_id) BETWEEN 1 AND 255),
  type text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  -- NULL: not acted on yet; the processor sends it again.
  processed_at timestamptz,
  PRIMARY KEY (merchant_id, account_id, event_id),
  FOREIGN KEY (merchant_id, account_id) REFERENCES payment.account
    ON DELETE CASCADE
);

CREATE INDEX webhook_event_received ON payment.webhook_event (received_at);

CREATE TABLE payment.dispute (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  payment_id uuid NOT NULL,
  processor_dispute_id text NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  -- The processor's word for it: fraudulent, product_not_received …
  reason text NOT NULL,
  status text NOT NULL CHECK (status IN ('NEEDS_RESPONSE', 'UNDER_REVIEW', 'WON', 'LOST', 'CLOSED')),
  -- Until when evidence can be handed in at the processor.
  evidence_due_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT dispute_processor_dispute_key UNIQUE (merchant_id, payment_id, processor_dispute_id),
  CONSTRAINT dispute_payment_fkey FOREIGN KEY (merchant_id, payment_id) REFERENCES payment.payment
);

CREATE TABLE payment.processor_customer (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid NOT NULL,
  processor text NOT NULL,
  -- The merchant's own account that it is at; NULL: the operator's.
  account_id uuid,
  -- NULL: the processor has not answered yet.
  processor_customer_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT processor_customer_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE CASCADE,
  CONSTRAINT processor_customer_account_fkey FOREIGN KEY (merchant_id, account_id) REFERENCES payment.account
);

CREATE UNIQUE INDEX processor_customer_one_per_account ON payment.processor_customer (
  merchant_id,
  customer_id,
  processor,
  coalesce(account_id, merchant_id)
);

CREATE TABLE payment.saved_method (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid NOT NULL,
  processor_customer_id uuid NOT NULL,
  -- PENDING: the processor waits for the customer, or its answer was lost. REMOVING: it is no longer offered, and the
  -- processor has not yet answered that it is gone there.
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'ACTIVE', 'FAILED', 'REMOVING')),
  method text NOT NULL DEFAULT 'CARD' CHECK (method = 'CARD'),
  last4 text,
  brand text,
  expiry_month integer,
  expiry_year integer,
  is_default boolean NOT NULL DEFAULT FALSE,
  -- The payment that it is saved with; NULL: it is saved without paying.
  payment_id uuid,
  -- The request to the processor, so that one that may not have arrived can be repeated to the letter.
  requested_method_id text NOT NULL,
  return_url text,
  -- The processor's ids, known only once it has answered.
  processor_setup_id text,
  processor_method_id text,
  failure_reason text,
  failure_code text,
  decline_code text,
  unanswered_calls smallint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT saved_method_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE CASCADE,
  CONSTRAINT saved_method_processor_customer_fkey
    FOREIGN KEY (merchant_id, processor_customer_id) REFERENCES payment.processor_customer
      ON DELETE CASCADE,
  CONSTRAINT saved_method_payment_fkey FOREIGN KEY (merchant_id, payment_id) REFERENCES payment.payment,
  CONSTRAINT saved_method_active_is_known CHECK (status <> 'ACTIVE' OR processor_method_id IS NOT NULL),
  CONSTRAINT saved_method_default_is_active CHECK (status = 'ACTIVE' OR NOT is_default)
);

CREATE UNIQUE INDEX saved_method_one_default ON payment.saved_method (merchant_id, customer_id) WHERE is_default;

CREATE UNIQUE INDEX saved_method_payment ON payment.saved_method (merchant_id, payment_id)
WHERE payment_id IS NOT NULL;

CREATE INDEX saved_method_customer ON payment.saved_method (merchant_id, customer_id, created_at);

CREATE INDEX saved_method_processor_customer ON payment.saved_method (merchant_id, processor_customer_id);

CREATE INDEX saved_method_unsettled ON payment.saved_method (updated_at) WHERE status <> 'ACTIVE';

CREATE TABLE payment.customer_removal (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL,
  processor text NOT NULL,
  account_id uuid,
  processor_customer_id text NOT NULL,
  unanswered_calls smallint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT customer_removal_account_fkey FOREIGN KEY (merchant_id, account_id) REFERENCES payment.account
);

CREATE INDEX customer_removal_updated ON payment.customer_removal (updated_at);

CREATE INDEX payment_updated_at ON payment.payment (merchant_id, updated_at, id);

CREATE INDEX refund_created_at ON payment.refund (merchant_id, created_at, id);

CREATE INDEX refund_updated_at ON payment.refund (merchant_id, updated_at, id);

-- sql/platform/tables.sql

CREATE TABLE platform.idempotency_record (
  -- The nil id: an operator's.
  merchant_id uuid NOT NULL,
  -- The key's owner, since clients choose keys for themselves: 'merchant' (all its API keys and users), 'customer:<id>'
  -- or 'operator'.
  caller text NOT NULL,
  key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  -- Which of several mutations of a document it is about, and of several items of a list; '' where there is one.
  part text NOT NULL DEFAULT '' CHECK (char_length(part) <= 300),
  operation text NOT NULL,
  -- A digest of the arguments: the same key with others is a conflict.
  fingerprint text NOT NULL,
  -- Of an action, its outcome. NULL for rows, whose records are read anew, and for what is sealed.
  response jsonb,
  -- An outcome that holds secrets, sealed with the services' encryption key. It is forgotten before the key is.
  sealed text,
  sealed_until timestamptz,
  -- Ids in the arguments and the outcome; of rows first of all the ids of the records that were written.
  record_ids uuid[] NOT NULL DEFAULT '{}',
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL DEFAULT now() + INTERVAL '24 hours',
  PRIMARY KEY (merchant_id, caller, key, part),
  CHECK ((sealed IS NULL) OR (sealed_until IS NOT NULL AND response IS NULL))
);

CREATE INDEX idempotency_record_expires_at ON platform.idempotency_record (expires_at);

CREATE INDEX idempotency_record_sealed_until ON platform.idempotency_record (sealed_until) WHERE sealed IS NOT NULL;

CREATE TABLE platform.own_place (
  is_only boolean PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9]{0,5}$')
);

CREATE TABLE platform.applied_migration (
  name text PRIMARY KEY,
  content_hash text NOT NULL
);

CREATE TABLE platform.applied_metadata (
  is_only boolean PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  content_hash text NOT NULL,
  -- Hasura's number for it, which each change of Hasura's metadata increases.
  resource_version bigint NOT NULL,
  -- Those before it, the latest first: processes of an earlier version find that the database has gone on from theirs.
  former_hashes text[] NOT NULL DEFAULT '{}'
);

CREATE TABLE platform.process (
  id uuid PRIMARY KEY DEFAULT platform.uuid_v7(),
  roles text[] NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  -- What has to be the same everywhere, by its name: versions, and fingerprints of secrets. No secret.
  settings jsonb NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX process_seen_at ON platform.process (seen_at);

CREATE TABLE platform.job_run (
  job text PRIMARY KEY,
  -- Milliseconds from one run to the next.
  every integer NOT NULL,
  -- When a process last began to run it.
  since timestamptz NOT NULL DEFAULT now(),
  succeeded_at timestamptz,
  failed_at timestamptz,
  failure text
);

-- sql/promotion/tables.sql

CREATE INDEX campaign_created_at ON promotion.campaign (merchant_id, created_at, id);

CREATE INDEX promotion_created_at ON promotion.promotion (merchant_id, created_at, id);

CREATE INDEX promotion_campaign ON promotion.promotion (merchant_id, campaign_id, created_at, id);

CREATE INDEX promotion_automatic ON promotion.promotion (merchant_id, end_date) WHERE code IS NULL AND NOT disabled;

CREATE INDEX promotion_updated_at ON promotion.promotion (merchant_id, updated_at, id);

CREATE INDEX campaign_updated_at ON promotion.campaign (merchant_id, updated_at, id);

-- sql/search/tables.sql

CREATE TABLE search.article (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  slug text NOT NULL,
  excerpt text,
  body text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'PUBLISHED')),
  tags text[] NOT NULL DEFAULT '{}',
  seo_title text,
  seo_description text,
  -- When it was first published; kept by trigger.
  published_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT article_slug_key UNIQUE (merchant_id, slug)
);

CREATE INDEX article_created_at ON search.article (merchant_id, created_at, id);

CREATE INDEX article_updated_at ON search.article (merchant_id, updated_at, id);

CREATE INDEX article_name ON search.article (merchant_id, name, id);

CREATE TABLE search.document (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid,
  category_id uuid,
  article_id uuid,
  -- The title as it is compared (search.normalized), and as it is shown.
  title text NOT NULL,
  shown_title text NOT NULL,
  -- Whether a shopper may find it.
  public boolean NOT NULL,
  -- The words and their stems, with the weight of where they stand: A the title, B SKUs and tags, C excerpts and
  -- categories' descriptions, D the rest.
  words tsvector NOT NULL,
  -- The language of the stems (platform.language).
  stemmer text NOT NULL,
  -- The words of the title alone.
  title_words tsvector NOT NULL,
  -- Of the record: what results are sorted by.
  created_at timestamptz NOT NULL,
  -- Of a product, what results are filtered and counted by. A row in search.stale_product means that in_stock and
  -- popularity may be old.
  status text,
  lowest_price bigint,
  highest_price bigint,
  popularity bigint,
  in_stock boolean,
  -- Its tags, categories, variants' options and attributes (search.facet_key).
  facet_keys bigint[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT document_of_one_record CHECK (num_nonnulls(product_id, category_id, article_id) = 1),
  CONSTRAINT document_product_key UNIQUE (merchant_id, product_id),
  CONSTRAINT document_category_key UNIQUE (merchant_id, category_id),
  CONSTRAINT document_article_key UNIQUE (merchant_id, article_id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, category_id) REFERENCES catalog.category
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, article_id) REFERENCES search.article
    ON DELETE CASCADE
);

ALTER TABLE search.document ALTER COLUMN words SET STORAGE EXTERNAL;

ALTER TABLE search.document ALTER COLUMN title_words SET STORAGE MAIN;

ALTER TABLE search.document ALTER COLUMN facet_keys SET STORAGE MAIN;

ALTER TABLE search.document ALTER COLUMN title SET STORAGE MAIN;

ALTER TABLE search.document ALTER COLUMN shown_title SET STORAGE MAIN;

ALTER TABLE search.document SET (toast_tuple_target = 128);

CREATE INDEX document_words ON search.document USING gin (merchant_id, words, title_words, facet_keys);

CREATE INDEX document_created_at ON search.document (merchant_id, created_at, id);

CREATE INDEX document_name ON search.document (merchant_id, shown_title, id);

CREATE INDEX document_price ON search.document (merchant_id, lowest_price, id) WHERE product_id IS NOT NULL;

CREATE INDEX document_popularity ON search.document (merchant_id, popularity, id) WHERE product_id IS NOT NULL;

CREATE INDEX document_stemmer ON search.document (merchant_id, stemmer);

CREATE INDEX document_title ON search.document (merchant_id, title text_pattern_ops);

CREATE TABLE search.word (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  word text NOT NULL,
  PRIMARY KEY (merchant_id, id)
);

CREATE INDEX word_prefix ON search.word (merchant_id, word text_pattern_ops);

CREATE INDEX word_similarity ON search.word USING gin (merchant_id, word gin_trgm_ops);

CREATE TABLE search.synonym (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  line integer NOT NULL,
  -- The words of the text, and their stems.
  words text[] NOT NULL,
  stems text[] NOT NULL,
  PRIMARY KEY (merchant_id, id)
);

CREATE INDEX synonym_stems ON search.synonym (merchant_id, stems);

CREATE INDEX synonym_line ON search.synonym (merchant_id, line);

CREATE TABLE search.stop_word (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  word text NOT NULL,
  PRIMARY KEY (merchant_id, word)
);

CREATE TABLE search.changed_language (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE
);

CREATE TABLE search.changed_attributes (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- All older transactions must have ended; NULL until a job has seen the change.
  waits_for xid8,
  -- The last product whose document is written.
  after_product_id uuid,
  -- The last product of when those transactions had ended: newer ones were written with the change in view.
  last_product_id uuid,
  PRIMARY KEY (merchant_id, id)
);

CREATE TABLE search.facet_value (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  key bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('TAG', 'CATEGORY', 'OPTION', 'ATTRIBUTE')),
  -- The option's name, or the attribute's namespace and key with a dot between them; empty for others.
  name text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (merchant_id, id)
);

CREATE INDEX facet_value_key ON search.facet_value (merchant_id, key);

CREATE INDEX facet_value_attribute ON search.facet_value (merchant_id, name) WHERE kind = 'ATTRIBUTE';

CREATE TABLE search.stale_product (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  PRIMARY KEY (merchant_id, id)
);

CREATE TABLE search.tallied_merchant (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  -- All older transactions must have ended, because they may not have noted their changes; NULL until a job has seen
  -- the row.
  waits_for xid8,
  -- The last document that is counted, while a job counts them in the order of their ids.
  after_document_id uuid,
  counted boolean NOT NULL DEFAULT FALSE
);

CREATE TABLE search.tally (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  -- The category's key (search.facet_key); 0 for all documents.
  scope bigint NOT NULL,
  public boolean NOT NULL,
  -- What is counted, and its value as a number (search.tallied_values).
  kind text NOT NULL,
  value bigint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (merchant_id, scope, public, kind, value)
)
WITH (fillfactor = 70);

CREATE TABLE search.tally_change (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  document_id uuid NOT NULL,
  sign integer NOT NULL CHECK (sign IN (-1, 1)),
  type text NOT NULL,
  public boolean NOT NULL,
  status text,
  lowest_price bigint,
  highest_price bigint,
  in_stock boolean,
  facet_keys bigint[] NOT NULL,
  PRIMARY KEY (merchant_id, id)
);

CREATE TABLE search.hit (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  product_id uuid,
  category_id uuid,
  article_id uuid,
  -- Its place among the results, from 1; after a cursor, among those after it.
  position integer NOT NULL,
  -- What the results are sorted by, and its value as text, with which a cursor goes on.
  sort_by text NOT NULL,
  sort_value text,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT hit_is_never_stored CHECK (FALSE)
);

CREATE TABLE search.total (
  merchant_id uuid PRIMARY KEY,
  count integer NOT NULL,
  CONSTRAINT total_is_never_stored CHECK (FALSE)
);

CREATE TABLE search.facet (
  merchant_id uuid NOT NULL,
  name text NOT NULL,
  -- NULL for all but options.
  option_name text,
  -- NULL for all but attributes.
  namespace text,
  key text,
  attribute_name text,
  value text NOT NULL,
  label text NOT NULL,
  count integer NOT NULL,
  -- Of a range of prices.
  min bigint,
  max bigint,
  PRIMARY KEY (merchant_id, name, value),
  CONSTRAINT facet_is_never_stored CHECK (FALSE)
);

CREATE TABLE search.suggestion (
  merchant_id uuid NOT NULL,
  text text NOT NULL,
  type text NOT NULL,
  rank real NOT NULL,
  PRIMARY KEY (merchant_id, text),
  CONSTRAINT suggestion_is_never_stored CHECK (FALSE)
);

-- sql/analytics/functions.sql

CREATE FUNCTION analytics.bucket_of(p_at timestamptz)
RETURNS timestamptz
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT date_bin('15 minutes', p_at, 'epoch');
$$;

CREATE FUNCTION analytics.product_facts(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (
  at timestamptz,
  product_id uuid,
  currency text,
  orders bigint,
  units bigint,
  gross bigint,
  discount bigint,
  uncaptured bigint,
  tax bigint
)
LANGUAGE sql
STABLE
AS $$
  SELECT
    o.paid_at,
    i.product_id,
    o.currency,
    1::bigint,
    sum(i.quantity),
    sum(i.subtotal)::bigint,
    sum(i.discount)::bigint,
    sum(i.uncaptured)::bigint,
    sum(i.tax - i.uncaptured_tax)::bigint
  FROM
    ordering.order o
    JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
  WHERE o.merchant_id = p_merchant_id AND o.paid_at >= p_from AND o.paid_at < p_to
  GROUP BY o.merchant_id, o.id, i.product_id;
$$;

CREATE FUNCTION analytics.stock_facts(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (at timestamptz, product_id uuid, received bigint, removed bigint, moved bigint)
LANGUAGE sql
STABLE
AS $$
  SELECT
    m.created_at,
    m.product_id,
    greatest(s.delta, 0),
    greatest(-s.delta, 0),
    -- From one warehouse to another: nothing that comes or goes.
    CASE
      WHEN m.kind IN ('TRANSFER_IN', 'TRANSFER_OUT') THEN m.on_hand_delta
      ELSE 0
    END::bigint
  FROM
    inventory.stock_movement m
    CROSS JOIN LATERAL (
      SELECT
        CASE
          WHEN m.kind IN ('TRANSFER_IN', 'TRANSFER_OUT') THEN 0
          ELSE m.on_hand_delta
        END::bigint AS delta
    ) s
  WHERE m.merchant_id = p_merchant_id AND m.on_hand_delta <> 0 AND m.created_at >= p_from AND m.created_at < p_to;
$$;

CREATE FUNCTION analytics.mark_stale(p_merchant_id uuid, p_times timestamptz[])
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO analytics.stale_bucket (merchant_id, bucket)
  SELECT DISTINCT p_merchant_id, analytics.bucket_of(at)
  FROM unnest(p_times) AS at
  -- When a merchant is deleted, its orders go after it.
  WHERE at IS NOT NULL AND EXISTS (SELECT FROM merchant.merchant m WHERE m.id = p_merchant_id);
$$;

CREATE FUNCTION analytics.record_view(p_merchant_id uuid, p_product_id uuid, p_only_sold boolean)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO analytics.product_view AS v (merchant_id, bucket, product_id, views)
  SELECT p.merchant_id, analytics.bucket_of(now()), p.id, 1
  FROM catalog.product p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.id = p_product_id
    AND p.deleted_at IS NULL
    AND (p.status = 'ACTIVE' OR NOT p_only_sold)
  ON CONFLICT (merchant_id, bucket, product_id) DO UPDATE SET views = v.views + 1;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_product');
  END IF;
  RETURN jsonb_build_object('outcome', 'recorded', 'productId', p_product_id);
END;
$$;

CREATE FUNCTION analytics.is_money(p_metric text)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    p_metric IN (
      'GROSS_SALES',
      'DISCOUNTS',
      'REVENUE',
      'TAX',
      'SHIPPING',
      'TOTAL_SALES',
      'AVERAGE_ORDER_VALUE',
      'REFUNDED'
    );
$$;

CREATE FUNCTION analytics.day_start(p_day date, p_time_zone text)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN ((t - INTERVAL '1 hour') AT TIME ZONE p_time_zone)::date = p_day THEN t - INTERVAL '1 hour'
      WHEN ((t - INTERVAL '30 minutes') AT TIME ZONE p_time_zone)::date = p_day THEN t - INTERVAL '30 minutes'
      ELSE t
    END
  FROM (SELECT p_day::timestamp AT TIME ZONE p_time_zone) AS midnight (t);
$$;

CREATE FUNCTION analytics.stale_spans(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (span_from timestamptz, span_to timestamptz)
LANGUAGE sql
STABLE
AS $$
  SELECT lower(span), upper(span)
  FROM
    (
      SELECT unnest(range_agg(tstzrange(s.bucket, s.bucket + INTERVAL '15 minutes'))) AS span
      FROM
        (
          SELECT DISTINCT s.bucket
          FROM analytics.stale_bucket s
          WHERE s.merchant_id = p_merchant_id AND s.bucket >= p_from AND s.bucket < p_to
        ) s
    ) m;
$$;

CREATE FUNCTION analytics.metrics_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_currency text,
  p_product_ids uuid[] DEFAULT NULL
)
RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_by_product boolean := coalesce(p_group_by IN ('PRODUCT', 'CATEGORY'), FALSE);
BEGIN
  IF NOT v_by_product THEN
    RETURN QUERY SELECT * FROM analytics.sales_by_interval(p_merchant_id, p_bounds, p_metrics, p_group_by, p_currency);
  END IF;
  IF v_by_product OR 'VIEWS' = ANY (p_metrics) THEN
    RETURN QUERY SELECT *
      FROM analytics.products_by_interval(p_merchant_id, p_bounds, p_metrics, p_group_by, p_currency, p_product_ids);
  END IF;
  IF p_metrics && '{STOCK_RECEIVED,STOCK_REMOVED,STOCK_LEVEL}' THEN
    RETURN QUERY SELECT *
      FROM analytics.stock_by_interval(p_merchant_id, p_bounds, p_metrics, p_group_by, p_product_ids);
  END IF;
  IF p_metrics && '{CUSTOMERS,NEW_CUSTOMERS,RETURNING_CUSTOMERS,REGISTRATIONS}' THEN
    RETURN QUERY SELECT * FROM analytics.customers_by_interval(p_merchant_id, p_bounds, p_metrics, p_currency);
  END IF;
END;
$$;

CREATE FUNCTION analytics.top_products(
  p_merchant_id uuid,
  p_span timestamptz[],
  p_metric text,
  p_currency text,
  p_shop_currency text,
  p_limit integer
)
RETURNS uuid[]
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN count(*) = p_limit THEN array_agg(t.group_key::uuid)
    END
  FROM
    (
      SELECT m.group_key
      FROM analytics.metrics_by_interval(p_merchant_id, p_span, ARRAY[p_metric], 'PRODUCT', p_currency) m
      GROUP BY m.group_key
      ORDER BY
        max(m.value) FILTER (WHERE m.currency IS NULL OR m.currency = p_shop_currency) DESC NULLS LAST,
        max(m.value) DESC NULLS LAST,
        m.group_key
      LIMIT p_limit
    ) t;
$$;

-- sql/analytics/views.sql

CREATE VIEW analytics.report_row AS
  SELECT
    NULL::uuid AS merchant_id,
    NULL::integer AS number,
    NULL::timestamptz AS start_time,
    NULL::timestamptz AS end_time,
    NULL::text AS metric,
    NULL::text AS currency,
    NULL::text AS order_status,
    NULL::uuid AS product_id,
    NULL::uuid AS category_id,
    NULL::bigint AS value,
    NULL::bigint AS previous_value,
    -- Of the group: 1 is the largest. 1 without groups.
    NULL::integer AS group_rank
  WHERE FALSE;

-- sql/analytics/functions/report_of.sql

CREATE FUNCTION analytics.report_of(
  p_merchant_id uuid,
  p_metrics text[],
  p_first date,
  p_last date,
  p_interval text,
  p_time_zone text,
  p_group_by text,
  p_group_limit integer,
  p_currency text,
  p_compare boolean
)
RETURNS SETOF analytics.report_row
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  c_max_rows CONSTANT integer := 20000;
  v_refusal text := analytics.question_refusal(
    p_metrics,
    p_last - p_first + 1,
    p_interval,
    p_time_zone,
    p_group_by,
    p_group_limit
  );
  v_settings merchant.settings;
  v_bounds timestamptz[];
  v_before timestamptz[];
  v_currency text;
  v_product_ids uuid[];
BEGIN
  IF v_refusal IS NULL AND (p_first < DATE '1970-01-01' OR p_last > DATE '2199-12-31') THEN
    v_refusal := 'startDate';
  END IF;
  IF v_refusal IS NOT NULL THEN
    RAISE EXCEPTION
      USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('%s of the report is out of bounds', v_refusal);
  END IF;
  SELECT * INTO v_settings FROM merchant.settings s WHERE s.merchant_id = p_merchant_id;
  v_currency := coalesce(p_currency, v_settings.currency);
  SELECT array_agg(b.at ORDER BY b.at), array_agg(b.before_at ORDER BY b.at)
  INTO v_bounds, v_before
  FROM analytics.bounds(p_first, p_last, p_interval, coalesce(p_time_zone, v_settings.timezone, 'UTC')) b;
  IF
    (cardinality(v_bounds) - 1) * cardinality(p_metrics) * (
      CASE
        WHEN p_group_by IS NULL THEN 1
        ELSE p_group_limit
      END
    ) > c_max_rows
  THEN
    RAISE EXCEPTION
      USING
        ERRCODE = 'invalid_parameter_value',
        MESSAGE = 'interval of the report is out of bounds',
        DETAIL = format('A report has at most %s rows.', c_max_rows);
  END IF;

  -- Of the many products that were sold, only those are measured by interval and metric that the report has.
  IF p_group_by = 'PRODUCT' THEN
    v_product_ids := analytics.top_products(
      p_merchant_id,
      ARRAY[v_bounds[1], v_bounds[cardinality(v_bounds)]],
      p_metrics[1],
      p_currency,
      v_currency,
      p_group_limit
    );
  END IF;

  RETURN QUERY WITH
      measured AS MATERIALIZED (
        SELECT *
        FROM analytics.metrics_by_interval(p_merchant_id, v_bounds, p_metrics, p_group_by, p_currency, v_product_ids)
      ),
      measured_before AS MATERIALIZED (
        SELECT m.*
        FROM analytics.metrics_by_interval(p_merchant_id, v_before, p_metrics, p_group_by, p_currency, v_product_ids) m
        WHERE p_compare
      ),
      top_group AS (
        SELECT
          g.group_key,
          row_number() OVER (
            ORDER BY
              max(g.value) FILTER (WHERE g.currency IS NULL OR g.currency = v_currency) DESC NULLS LAST,
              max(g.value) DESC NULLS LAST,
              g.group_key NULLS LAST
          )::integer AS rank
        FROM
          (
            SELECT m.group_key, m.currency, sum(m.value) FILTER (WHERE m.metric = p_metrics[1]) AS value
            FROM measured m
            GROUP BY 1, 2
          ) g
        GROUP BY g.group_key
        ORDER BY rank
        LIMIT p_group_limit
      ),
      series AS (
        SELECT m.group_key, m.metric, m.currency, coalesce(g.rank, 1) AS rank
        FROM
          (
            SELECT * FROM measured
            UNION ALL
            SELECT * FROM measured_before
          ) m
          LEFT JOIN top_group g ON p_group_by IS NOT NULL AND g.group_key IS NOT DISTINCT FROM m.group_key
        WHERE p_group_by IS NULL OR g.rank IS NOT NULL
        GROUP BY 1, 2, 3, 4
        UNION
        SELECT
          NULL,
          m,
          CASE
            WHEN analytics.is_money(m) THEN v_currency
          END,
          1
        FROM unnest(p_metrics) AS m
        WHERE p_group_by IS NULL
      )
    SELECT
      p_merchant_id,
      n,
      v_bounds[n],
      v_bounds[n + 1],
      s.metric,
      s.currency,
      CASE
        WHEN p_group_by = 'STATUS' THEN s.group_key
      END,
      CASE
        WHEN p_group_by = 'PRODUCT' THEN s.group_key::uuid
      END,
      CASE
        WHEN p_group_by = 'CATEGORY' THEN s.group_key::uuid
      END,
      coalesce(m.value, e.nothing)::bigint,
      CASE
        WHEN p_compare THEN coalesce(b.value, e.nothing)::bigint
      END,
      s.rank
    FROM
      series s
      CROSS JOIN generate_series(1, cardinality(v_bounds) - 1) AS n
      CROSS JOIN LATERAL (
        SELECT
          CASE
            WHEN s.metric <> 'AVERAGE_ORDER_VALUE' THEN 0
          END AS nothing
      ) e
      LEFT JOIN measured m
        ON m.number = n
        AND m.metric = s.metric
        AND coalesce(m.group_key, '') = coalesce(s.group_key, '')
        AND coalesce(m.currency, '') = coalesce(s.currency, '')
      LEFT JOIN measured_before b
        ON b.number = n
        AND b.metric = s.metric
        AND coalesce(b.group_key, '') = coalesce(s.group_key, '')
        AND coalesce(b.currency, '') = coalesce(s.currency, '');
END;
$$;

-- sql/analytics/functions.sql

CREATE FUNCTION analytics.report(
  hasura_session json,
  "metrics" text,
  start_date date,
  end_date date,
  "interval" text DEFAULT NULL,
  time_zone text DEFAULT NULL,
  group_by text DEFAULT NULL,
  group_limit integer DEFAULT 10,
  "currency" text DEFAULT NULL,
  "compare" boolean DEFAULT FALSE
)
RETURNS SETOF analytics.report_row
LANGUAGE sql
STABLE
AS $$
  SELECT *
  FROM
    analytics.report_of(
      (hasura_session ->> 'x-hasura-merchant-id')::uuid,
      string_to_array("metrics", ','),
      start_date,
      end_date,
      "interval",
      time_zone,
      group_by,
      group_limit,
      "currency",
      "compare"
    );
$$;

CREATE FUNCTION analytics.widget_report(p_widget analytics.widget)
RETURNS SETOF analytics.report_row
LANGUAGE sql
STABLE
AS $$
  SELECT r.*
  FROM
    merchant.settings s
    CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE coalesce(p_widget.time_zone, s.timezone))::date AS day) today
    CROSS JOIN LATERAL analytics.report_of(
      p_widget.merchant_id,
      p_widget.metrics,
      today.day - p_widget.last_days + 1,
      today.day,
      p_widget.interval,
      p_widget.time_zone,
      p_widget.group_by,
      p_widget.group_limit,
      p_widget.currency,
      p_widget.compare
    ) r
  WHERE s.merchant_id = p_widget.merchant_id;
$$;

-- sql/audit/functions.sql

CREATE FUNCTION audit.prepare_months()
RETURNS integer
LANGUAGE plpgsql
-- Only the owner of the table makes parts of it.
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
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
    CONTINUE WHEN
      to_regclass('audit.' || v_name) IS NOT NULL
      OR EXISTS (
        SELECT FROM audit.entry_rest r WHERE r.created_at >= v_from AND r.created_at < v_from + INTERVAL '1 month'
      );
    EXECUTE
      format(
        'CREATE TABLE audit.%I PARTITION OF audit.entry FOR VALUES FROM (%L) TO (%L)',
        v_name,
        v_from,
        ((v_from AT TIME ZONE 'UTC') + INTERVAL '1 month') AT TIME ZONE 'UTC'
      );
    EXECUTE
      format(
        'CREATE TRIGGER keep_all BEFORE TRUNCATE ON audit.%I FOR EACH STATEMENT EXECUTE FUNCTION audit.keep()',
        v_name
      );
    EXECUTE format('ALTER TABLE audit.%I ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_all', v_name);
    v_made := v_made + 1;
  END LOOP;
  RETURN v_made;
END;
$$;

REVOKE EXECUTE ON FUNCTION audit.prepare_months() FROM PUBLIC;

CREATE FUNCTION audit.drop_months_before(p_before timestamptz)
RETURNS SETOF text
LANGUAGE plpgsql
AS $$
DECLARE
  v_name text;
BEGIN
  FOR v_name IN SELECT c.relname
  FROM
    pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
  WHERE
    i.inhparent = 'audit.entry'::regclass
    AND c.relname ~ '^entry_\d{4}_\d{2}$'
    AND (to_date(substr(c.relname, 7), 'YYYY_MM') + INTERVAL '1 month') AT TIME ZONE 'UTC' <= p_before
  ORDER BY 1 LOOP
    EXECUTE format('DROP TABLE audit.%I', v_name);
    RETURN NEXT v_name;
  END LOOP;
END;
$$;

REVOKE EXECUTE ON FUNCTION audit.drop_months_before(timestamptz) FROM PUBLIC;

CREATE FUNCTION audit.drop_months_older_than(p_days integer)
RETURNS integer
LANGUAGE sql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT count(*)::integer
  FROM audit.drop_months_before(now() - make_interval(days => greatest(p_days, 31)));
$$;

REVOKE EXECUTE ON FUNCTION audit.drop_months_older_than(integer) FROM PUBLIC;

CREATE FUNCTION audit.append(p_entries jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', TRUE);
  INSERT INTO audit.entry
    (
      merchant_id,
      id,
      actor_kind,
      actor_id,
      client_address,
      request_id,
      source,
      operation_name,
      operation,
      target_ids,
      outcome,
      codes,
      occurrences,
      attempt_id
    )
  SELECT
    e.merchant_id,
    coalesce(e.id, platform.uuid_v7()),
    e.actor_kind,
    e.actor_id,
    left(e.client_address, 64),
    left(e.request_id, 128),
    e.source,
    left(e.operation_name, 200),
    left(e.operation, 200),
    coalesce(e.target_ids, '{}'),
    e.outcome,
    coalesce(e.codes, '{}'),
    coalesce(e.occurrences, 1),
    e.attempt_id
  FROM
    jsonb_to_recordset(p_entries) AS e (
      merchant_id uuid,
      id uuid,
      actor_kind text,
      actor_id uuid,
      client_address text,
      request_id text,
      source text,
      operation_name text,
      operation text,
      target_ids uuid[],
      outcome text,
      codes text[],
      occurrences integer,
      attempt_id uuid
    );
END;
$$;

CREATE FUNCTION audit.watch(p_table regclass, p_type text, p_id text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_event text;
BEGIN
  FOREACH v_event IN ARRAY '{INSERT,UPDATE,DELETE}'::text[] LOOP
    EXECUTE
      format(
        'CREATE TRIGGER record_%s AFTER %s ON %s REFERENCING %s TABLE AS changed FOR EACH STATEMENT
       WHEN (pg_trigger_depth() = 0 AND current_setting(''hasura.user'', true) LIKE ''%%x-hasura-merchant-id%%'')
       EXECUTE FUNCTION audit.record_rows(%L, %L)',
        lower(v_event),
        v_event,
        p_table,
        CASE v_event
          WHEN 'DELETE' THEN 'OLD'
          ELSE 'NEW'
        END,
        p_type,
        p_id
      );
  END LOOP;
END;
$$;

-- sql/booking/functions.sql

CREATE FUNCTION booking.local_hours(p_day date, p_start text, p_end text, p_time_zone text)
RETURNS tstzrange
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN s < e THEN tstzrange(s, e)
      ELSE 'empty'
    END
  FROM
    (
      SELECT (p_day + p_start::time) AT TIME ZONE p_time_zone AS s, (p_day + p_end::time) AT TIME ZONE p_time_zone AS e
    ) t;
$$;

-- sql/booking/functions/working_hours.sql

CREATE FUNCTION booking.working_hours(p_merchant_id uuid, p_staff_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS tstzmultirange
LANGUAGE sql
STABLE
AS $$
  WITH
    zone AS (
      SELECT coalesce(m.time_zone, s.timezone, 'UTC') AS name
      FROM
        booking.staff_member m
        LEFT JOIN merchant.settings s ON s.merchant_id = m.merchant_id
      WHERE m.merchant_id = p_merchant_id AND m.id = p_staff_id
    ),
    days AS (
      SELECT first + n AS day, name AS zone
      FROM
        zone,
        -- From the day before: where midnight is shown twice, its 24:00 is the second one.
        LATERAL (SELECT (p_from AT TIME ZONE name)::date - 1 AS first, (p_to AT TIME ZONE name)::date AS last) d,
        generate_series(0, last - first) n
    ),
    stated AS (
      SELECT s.type, booking.local_hours(d.day, s.start_time, s.end_time, d.zone) AS hours
      FROM
        days d
        JOIN booking.schedule s
          ON s.merchant_id = p_merchant_id
          AND s.staff_id = p_staff_id
          AND d.day >= coalesce(s.start_date, '-infinity')
          AND d.day <= coalesce(
            s.end_date,
            CASE s.type
              WHEN 'WEEKLY' THEN 'infinity'
              ELSE s.start_date
            END
          )
          AND coalesce(s.weekday = to_char(d.day, 'FMDAY'), TRUE)
    )
  SELECT
    (
      coalesce(range_agg(hours) FILTER (WHERE type = 'WEEKLY'), '{}') - coalesce(
        range_agg(hours) FILTER (WHERE type = 'TIME_OFF'),
        '{}'
      ) + coalesce(range_agg(hours) FILTER (WHERE type = 'EXTRA_HOURS'), '{}')
    ) * tstzmultirange(tstzrange(p_from, p_to))
  FROM stated;
$$;

-- sql/booking/functions.sql

CREATE FUNCTION booking.free_time(p_merchant_id uuid, p_staff_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS tstzmultirange
LANGUAGE sql
STABLE
AS $$
  SELECT
    booking.working_hours(p_merchant_id, p_staff_id, p_from, p_to) - coalesce(
      range_agg(tstzrange(a.start_time, a.end_time)),
      '{}'
    )
  FROM booking.appointment a
  WHERE
    a.merchant_id = p_merchant_id
    AND a.staff_id = p_staff_id
    AND a.takes_time
    AND tstzrange(a.start_time, a.end_time) && tstzrange(p_from, p_to);
$$;

-- sql/booking/views.sql

CREATE VIEW booking.available_slot AS
  SELECT
    NULL::uuid AS merchant_id,
    NULL::uuid AS service_id,
    NULL::uuid AS staff_id,
    NULL::timestamptz AS start_time,
    NULL::timestamptz AS end_time
  WHERE FALSE;

-- sql/booking/functions.sql

CREATE FUNCTION booking.lacks_resources(p_merchant_id uuid, p_service_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM booking.resource_requirement q
      WHERE
        q.merchant_id = p_merchant_id
        AND q.service_id = p_service_id
        AND q.quantity > (
          SELECT count(*) FROM booking.resource r WHERE r.merchant_id = p_merchant_id AND r.kind = q.kind AND r.active
        )
    );
$$;

-- sql/booking/functions/starts_without_resources.sql

CREATE FUNCTION booking.starts_without_resources(
  p_merchant_id uuid,
  p_service_id uuid,
  p_from timestamptz,
  p_to timestamptz
)
RETURNS tstzmultirange
LANGUAGE sql
STABLE
AS $$
  WITH
    required AS (
      SELECT q.kind, q.quantity, make_interval(mins => s.duration) AS length
      FROM
        booking.service s
        JOIN booking.resource_requirement q ON q.merchant_id = s.merchant_id AND q.service_id = s.id
      WHERE s.merchant_id = p_merchant_id AND s.id = p_service_id
    ),
    -- A resource can't serve what starts before an appointment's end and ends after its start.
    blocked AS (
      SELECT
        q.kind,
        unnest(range_agg(tstzrange(a.start_time - q.length + INTERVAL '1 microsecond', a.end_time))) AS starts
      FROM
        required q
        JOIN booking.resource r ON r.merchant_id = p_merchant_id AND r.kind = q.kind AND r.active
        JOIN booking.appointment_resource a
          ON a.merchant_id = r.merchant_id
          AND a.resource_id = r.id
          AND a.takes_time
          -- A service takes a day at most.
          AND tstzrange(a.start_time, a.end_time) && tstzrange(p_from, p_to + INTERVAL '1 day')
      GROUP BY q.kind, r.id
    ),
    changes AS (
      SELECT b.kind, c.at, sum(c.change) AS change
      FROM
        blocked b
        CROSS JOIN LATERAL (
          VALUES
            (lower(b.starts), 1),
            (upper(b.starts), -1)
        ) AS c (at, change)
      GROUP BY b.kind, c.at
    ),
    counted AS (
      SELECT
        c.kind,
        tstzrange(
          c.at,
          lead(c.at) OVER (
            PARTITION BY c.kind
            ORDER BY c.at
          )
        ) AS starts,
        sum(c.change) OVER (
          PARTITION BY c.kind
          ORDER BY c.at
        ) AS blocked
      FROM changes c
    )
  SELECT coalesce(range_agg(c.starts), '{}')
  FROM
    counted c
    JOIN required q ON q.kind = c.kind
  WHERE
    q.quantity > (
      SELECT count(*) FROM booking.resource r WHERE r.merchant_id = p_merchant_id AND r.kind = q.kind AND r.active
    ) - c.blocked;
$$;

-- sql/booking/functions.sql

CREATE FUNCTION booking.slots(
  p_merchant_id uuid,
  p_service_id uuid,
  p_staff_id uuid,
  p_from timestamptz,
  p_to timestamptz
)
RETURNS SETOF booking.available_slot
LANGUAGE sql
STABLE
AS $$
  SELECT p_merchant_id, s.id, m.id, start, start + length
  FROM
    booking.service s
    CROSS JOIN LATERAL (SELECT make_interval(mins => s.duration) AS length) l
    JOIN booking.staff_service o ON o.merchant_id = s.merchant_id AND o.service_id = s.id
    JOIN booking.staff_member m ON m.merchant_id = o.merchant_id AND m.id = o.staff_id AND m.active
    CROSS JOIN LATERAL unnest(booking.free_time(p_merchant_id, m.id, p_from, p_to + length)) AS free (during)
    CROSS JOIN LATERAL generate_series(
      -- The first quarter that isn't before the free time.
      date_bin('15 minutes', lower(during) + INTERVAL '14 minutes 59.999999 seconds', 'epoch'),
      upper(during) - length,
      '15 minutes'
    ) AS start
  WHERE
    s.merchant_id = p_merchant_id
    AND s.id = p_service_id
    AND s.active
    AND (p_staff_id IS NULL OR m.id = p_staff_id)
    AND start < p_to
    AND NOT booking.lacks_resources(p_merchant_id, p_service_id)
    -- A subquery is computed once, not for each slot.
    AND NOT (SELECT booking.starts_without_resources(p_merchant_id, p_service_id, p_from, p_to)) @> start;
$$;

CREATE FUNCTION booking.horizon()
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT now() + INTERVAL '366 days';
$$;

CREATE FUNCTION booking.availability(
  hasura_session json,
  service_id uuid,
  "from" timestamptz,
  "to" timestamptz,
  staff_id uuid DEFAULT NULL
)
RETURNS SETOF booking.available_slot
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  -- A slot at this very moment would be in the past before a client could book it.
  v_from timestamptz := greatest("from", now() + INTERVAL '1 minute');
  v_to timestamptz := least("to", booking.horizon(), v_from + INTERVAL '31 days');
BEGIN
  IF v_from < v_to THEN
    RETURN QUERY SELECT *
      FROM booking.slots((hasura_session ->> 'x-hasura-merchant-id')::uuid, service_id, staff_id, v_from, v_to);
  END IF;
END;
$$;

CREATE FUNCTION booking.start_refusal(p_start timestamptz)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_start <= now() THEN 'in_the_past'
      WHEN p_start >= booking.horizon() THEN 'too_far_ahead'
      WHEN p_start <> date_trunc('minute', p_start) THEN 'not_a_whole_minute'
    END;
$$;

CREATE FUNCTION booking.staff_refusal(p_merchant_id uuid, p_staff_id uuid, p_service_id uuid)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN m.id IS NULL THEN 'unknown_staff'
      WHEN NOT m.active THEN 'staff_not_active'
      WHEN o.staff_id IS NULL THEN 'service_not_offered'
    END
  FROM
    (VALUES(p_staff_id)) AS asked (id)
    LEFT JOIN booking.staff_member m ON m.merchant_id = p_merchant_id AND m.id = asked.id
    LEFT JOIN booking.staff_service o
      ON o.merchant_id = m.merchant_id AND o.staff_id = m.id AND o.service_id = p_service_id;
$$;

CREATE FUNCTION booking.hold_time(
  p_merchant_id uuid,
  p_staff_id uuid,
  p_start timestamptz,
  p_end timestamptz,
  p_except uuid
)
RETURNS text
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM booking.staff_member m WHERE m.merchant_id = p_merchant_id AND m.id = p_staff_id FOR NO KEY UPDATE;
  IF NOT tstzrange(p_start, p_end) <@ booking.working_hours(p_merchant_id, p_staff_id, p_start, p_end) THEN
    RETURN 'outside_working_hours';
  END IF;
  IF
    EXISTS (
      SELECT
      FROM booking.appointment a
      WHERE
        a.merchant_id = p_merchant_id
        AND a.staff_id = p_staff_id
        AND a.takes_time
        AND tstzrange(a.start_time, a.end_time) && tstzrange(p_start, p_end)
        AND a.id IS DISTINCT FROM p_except
    )
  THEN
    RETURN 'taken';
  END IF;
  RETURN NULL;
END;
$$;

CREATE FUNCTION booking.assign_resources(p_merchant_id uuid, p_appointment_id uuid, p_resource_ids uuid[])
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO booking.appointment_resource
    (merchant_id, appointment_id, resource_id, start_time, end_time, takes_time)
  SELECT a.merchant_id, a.id, resource_id, a.start_time, a.end_time, a.takes_time
  FROM
    booking.appointment a
    CROSS JOIN unnest(p_resource_ids) AS resource_id
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id;
$$;

CREATE FUNCTION booking.reminder_is_due(p_appointment booking.appointment, p_ahead interval)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    p_appointment.status IN ('SCHEDULED', 'CONFIRMED')
    AND p_appointment.payment_due_at IS NULL
    AND p_appointment.start_time > now()
    AND p_appointment.start_time <= now() + p_ahead
    AND NOT EXISTS (
      SELECT
      FROM booking.reminder r
      WHERE
        r.merchant_id = p_appointment.merchant_id
        AND r.appointment_id = p_appointment.id
        AND r.start_time = p_appointment.start_time
    );
$$;

CREATE FUNCTION booking.merchants_with_reminders(p_ahead interval, p_limit integer)
RETURNS TABLE (merchant_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT DISTINCT a.merchant_id
  FROM booking.appointment a
  WHERE a.start_time > now() AND a.start_time <= now() + p_ahead AND booking.reminder_is_due(a, p_ahead)
  LIMIT p_limit;
$$;

CREATE FUNCTION booking.write_reminders(p_merchant_id uuid, p_ahead interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    written AS (
      INSERT INTO booking.reminder (merchant_id, appointment_id, start_time)
      SELECT a.merchant_id, a.id, a.start_time
      FROM booking.appointment a
      WHERE
        a.merchant_id = p_merchant_id
        AND a.start_time > now()
        AND a.start_time <= now() + p_ahead
        AND booking.reminder_is_due(a, p_ahead)
      ORDER BY a.start_time
      LIMIT p_limit
      -- Not of one that is being cancelled or moved at this moment.
      FOR NO KEY UPDATE SKIP LOCKED
      ON CONFLICT DO NOTHING
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM written;
$$;

CREATE FUNCTION booking.prepayment(p_service booking.service)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE p_service.payment_policy
      WHEN 'FULL' THEN p_service.price
      WHEN 'DEPOSIT' THEN least(
        p_service.price,
        coalesce(p_service.deposit_amount, ceil(p_service.price::numeric * p_service.deposit_percent / 100)::bigint)
      )
      ELSE 0
    END;
$$;

CREATE FUNCTION booking.refund_beyond(p_merchant_id uuid, p_appointment_id uuid, p_kept bigint, p_reason text)
RETURNS uuid[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
  v_left bigint;
  v_part bigint;
  v_ids uuid[] := '{}';
BEGIN
  SELECT a.paid_amount - p_kept
  INTO v_left
  FROM booking.appointment a
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id;
  FOR v_payment IN SELECT *
  FROM payment.payment p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.appointment_id = p_appointment_id
    AND p.captured_amount > p.refund_requested_amount
    AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED')
  ORDER BY p.captured_amount - p.refund_requested_amount DESC, p.id
  FOR UPDATE LOOP
    EXIT WHEN v_left <= 0;
    v_part := least(v_left, v_payment.captured_amount - v_payment.refund_requested_amount);
    v_ids := v_ids || payment.insert_refund(p_merchant_id, v_payment.id, v_part, 0, p_reason);
    v_left := v_left - v_part;
  END LOOP;
  RETURN v_ids;
END;
$$;

CREATE FUNCTION booking.confirm_if_prepaid(p_merchant_id uuid, p_appointment_id uuid, p_confirm jsonb)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE booking.appointment a
  SET
    payment_due_at = NULL,
    status = p_confirm ->> 'to'
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = p_appointment_id
    AND a.payment_due_at IS NOT NULL
    AND a.paid_amount >= a.prepayment
    AND p_confirm -> 'from' ? a.status;
$$;

-- sql/ordering/functions.sql

CREATE FUNCTION ordering.payment_minutes(p_merchant_id uuid, p_method text)
RETURNS integer
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE p_method
      WHEN 'BANK_TRANSFER' THEN s.bank_transfer_payment_minutes
      WHEN 'CASH' THEN s.cash_payment_minutes
      WHEN 'INVOICE' THEN (
        SELECT o.payment_minutes
        FROM payment.payment_option o
        WHERE o.merchant_id = s.merchant_id AND o.method = p_method
      )
      WHEN 'CASH_ON_DELIVERY' THEN (
        SELECT o.payment_minutes
        FROM payment.payment_option o
        WHERE o.merchant_id = s.merchant_id AND o.method = p_method
      )
      ELSE s.card_payment_minutes
    END
  FROM merchant.settings s
  WHERE s.merchant_id = p_merchant_id;
$$;

-- sql/booking/functions.sql

CREATE FUNCTION booking.await_payment(p_merchant_id uuid, p_appointment_id uuid, p_method text)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE booking.appointment a
  SET payment_due_at = least(
    a.start_time,
    greatest(
      a.payment_due_at,
      a.created_at + make_interval(mins => coalesce(ordering.payment_minutes(p_merchant_id, p_method), 527040))
    )
  )
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id AND a.payment_due_at IS NOT NULL;
$$;

CREATE FUNCTION booking.end_awaiting(p_merchant_id uuid, p_appointment_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE booking.appointment a
  SET payment_due_at = least(
    a.payment_due_at,
    now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD'))
  )
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id AND a.payment_due_at IS NOT NULL;
$$;

-- sql/payment/functions.sql

CREATE FUNCTION payment.open_payment_of_appointment(p_merchant_id uuid, p_appointment_id uuid)
RETURNS payment.payment
LANGUAGE sql
STABLE
AS $$
  SELECT p.*
  FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.appointment_id = p_appointment_id AND p.status IN ('PENDING', 'PROCESSING')
  ORDER BY p.awaited, p.created_at, p.id
  LIMIT 1;
$$;

-- sql/booking/functions.sql

CREATE FUNCTION booking.payment_is_under_way(p_merchant_id uuid, p_appointment_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      (
        SELECT NOT p.awaited
        FROM payment.open_payment_of_appointment(p_merchant_id, p_appointment_id) p
        WHERE p.id IS NOT NULL
      ),
      FALSE
    );
$$;

-- sql/bulk/functions.sql

CREATE FUNCTION bulk.begin_batch(p_merchant_id uuid, p_shared boolean DEFAULT FALSE)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_shared THEN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(format('import of %s', p_merchant_id), 0));
    -- Of tables that look empty, an inverted index seems as good as a key, and has all rows of the merchant in a list.
    -- Only bitmaps read it.
    PERFORM set_config('enable_bitmapscan', 'off', TRUE);
  ELSE
    PERFORM pg_advisory_xact_lock(hashtextextended(format('import of %s', p_merchant_id), 0));
    -- The next batch doesn't wait for the disk. A crash takes the last batches together with the note that they were
    -- written, and the commit that ends the import waits for all of them.
    PERFORM set_config('synchronous_commit', 'off', TRUE);
  END IF;
  PERFORM set_config('platform.importing', 'on', TRUE);
  -- The tables grow faster than Postgres learns of it, and while rows are checked they look empty: without this, plans
  -- read them whole for each row.
  PERFORM set_config('enable_seqscan', 'off', TRUE);
  PERFORM set_config('enable_mergejoin', 'off', TRUE);
  -- Triggers run for each row, and with the values of the row in view Postgres would plan their statements each time.
  PERFORM set_config('plan_cache_mode', 'force_generic_plan', TRUE);
END;
$$;

CREATE FUNCTION bulk.refresh_statistics(p_table text)
RETURNS void
LANGUAGE plpgsql
-- Only the owner of a table may do so.
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  EXECUTE format('ANALYZE %s', p_table::regclass);
END;
$$;

REVOKE EXECUTE ON FUNCTION bulk.refresh_statistics(text) FROM PUBLIC;

CREATE FUNCTION bulk.claim_import(p_lease interval)
RETURNS TABLE (merchant_id uuid, id uuid, claimed jsonb)
LANGUAGE sql
VOLATILE
AS $$
  UPDATE bulk.import i
  SET
    status = CASE i.status
      WHEN 'QUEUED' THEN 'CHECKING'
      ELSE i.status
    END,
    started_at = coalesce(i.started_at, now()),
    claimed_until = now() + p_lease
  FROM
    (
      SELECT w.merchant_id, w.id
      FROM bulk.import w
      WHERE
        w.finished_at IS NULL
        AND w.status IN ('QUEUED', 'CHECKING', 'WRITING')
        AND (w.claimed_until IS NULL OR w.claimed_until < now())
        AND NOT EXISTS (
          SELECT
          FROM bulk.import o
          WHERE
            o.merchant_id = w.merchant_id
            AND o.id <> w.id
            AND o.finished_at IS NULL
            AND (o.claimed_until >= now() OR o.status IN ('CHECKING', 'WRITING') AND o.created_at < w.created_at)
        )
      ORDER BY w.created_at
      LIMIT 1
      FOR UPDATE SKIP LOCKED
    ) n
  WHERE i.merchant_id = n.merchant_id AND i.id = n.id
  RETURNING
    i.merchant_id,
    i.id,
    jsonb_build_object(
      'status',
      i.status,
      'format',
      i.format,
      'recordType',
      i.record_type,
      'dryRun',
      i.dry_run,
      'onExisting',
      i.on_existing,
      'onRefused',
      i.on_refused,
      'checked',
      i.checked,
      'written',
      i.written
    );
$$;

CREATE FUNCTION bulk.create_import(p_merchant_id uuid, p_import jsonb, p_max integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(format('imports of %s', p_merchant_id), 0));
  IF (SELECT count(*) FROM bulk.import i WHERE i.merchant_id = p_merchant_id AND i.finished_at IS NULL) >= p_max THEN
    RETURN jsonb_build_object('outcome', 'too_many');
  END IF;
  INSERT INTO bulk.import
    (merchant_id, id, format, record_type, file_name, dry_run, on_existing, on_refused)
  SELECT
    p_merchant_id,
    v_id,
    i.format,
    i.record_type,
    i.file_name,
    coalesce(i.dry_run, FALSE),
    coalesce(i.on_existing, 'SKIP'),
    coalesce(i.on_refused, 'SKIP')
  FROM jsonb_populate_record(NULL::bulk.import, p_import) i;
  RETURN jsonb_build_object('outcome', 'created', 'importId', v_id);
END;
$$;

CREATE FUNCTION bulk.queue_import(p_merchant_id uuid, p_import_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_status text;
BEGIN
  SELECT i.status
  INTO v_status
  FROM bulk.import i
  WHERE i.merchant_id = p_merchant_id AND i.id = p_import_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_import');
  END IF;
  IF v_status <> 'AWAITING_UPLOAD' THEN
    RETURN jsonb_build_object('outcome', 'import_refused', 'status', v_status);
  END IF;
  UPDATE bulk.import i
  SET status = 'QUEUED'
  WHERE i.merchant_id = p_merchant_id AND i.id = p_import_id;
  RETURN jsonb_build_object('outcome', 'queued', 'importId', p_import_id);
END;
$$;

CREATE FUNCTION bulk.cancel_import(p_merchant_id uuid, p_import_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_import bulk.import;
BEGIN
  SELECT *
  INTO v_import
  FROM bulk.import i
  WHERE i.merchant_id = p_merchant_id AND i.id = p_import_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_import');
  END IF;
  IF v_import.finished_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'import_refused', 'status', v_import.status);
  END IF;
  PERFORM bulk.finish_import(p_merchant_id, p_import_id, 'CANCELLED', NULL);
  RETURN jsonb_build_object('outcome', 'cancelled', 'importId', p_import_id);
END;
$$;

CREATE FUNCTION bulk.finish_import(p_merchant_id uuid, p_import_id uuid, p_status text, p_failure text)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  DELETE FROM bulk.import_key k WHERE k.merchant_id = p_merchant_id AND k.import_id = p_import_id;
  UPDATE bulk.import i
  SET
    status = p_status,
    failure = p_failure,
    finished_at = now(),
    claimed_until = NULL
  WHERE i.merchant_id = p_merchant_id AND i.id = p_import_id AND i.finished_at IS NULL;
$$;

CREATE FUNCTION bulk.begin_writing(p_merchant_id uuid, p_import_id uuid, p_rows integer)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE bulk.import i
  SET
    status = 'WRITING',
    rows = p_rows,
    imported = 0,
    unchanged = 0,
    refused = 0
  WHERE i.merchant_id = p_merchant_id AND i.id = p_import_id AND i.status = 'CHECKING' AND i.checked = p_rows;
  RETURN FOUND;
END;
$$;

CREATE FUNCTION bulk.record_progress(
  p_merchant_id uuid,
  p_import_id uuid,
  p_phase text,
  p_from integer,
  p_batch jsonb,
  p_lease interval
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  c_most_errors CONSTANT integer := 100000;
  v_rows integer := (p_batch ->> 'rows')::integer;
  v_refused integer;
BEGIN
  UPDATE bulk.import i
  SET
    checked = i.checked + CASE p_phase
      WHEN 'CHECKING' THEN v_rows
      ELSE 0
    END,
    written = i.written + CASE p_phase
      WHEN 'WRITING' THEN v_rows
      ELSE 0
    END,
    imported = i.imported + (p_batch ->> 'imported')::integer,
    unchanged = i.unchanged + (p_batch ->> 'unchanged')::integer,
    refused = i.refused + (p_batch ->> 'refused')::integer,
    claimed_until = now() + p_lease
  WHERE
    i.merchant_id = p_merchant_id
    AND i.id = p_import_id
    AND i.status = p_phase
    AND CASE p_phase
      WHEN 'CHECKING' THEN i.checked
      ELSE i.written
    END = p_from
  RETURNING i.refused
  INTO v_refused;
  IF NOT FOUND THEN
    RETURN FALSE;
  END IF;
  INSERT INTO bulk.import_key (merchant_id, import_id, kind, key)
  SELECT DISTINCT p_merchant_id, p_import_id, k.kind, k.key
  FROM jsonb_to_recordset(p_batch -> 'keys') AS k (kind text, key text)
  ON CONFLICT DO NOTHING;
  IF v_refused <= c_most_errors THEN
    INSERT INTO bulk.import_error (merchant_id, import_id, line, record_type, key, field, code, message)
    SELECT p_merchant_id, p_import_id, e.line, e.record_type, e.key, e.field, e.code, e.message
    FROM jsonb_populate_recordset(NULL::bulk.import_error, p_batch -> 'errors') e
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN TRUE;
END;
$$;

CREATE FUNCTION bulk.purge_imports(p_merchant_id uuid, p_limit integer)
RETURNS TABLE (id uuid)
LANGUAGE sql
VOLATILE
AS $$
  DELETE FROM bulk.import i
  USING
    (
      SELECT o.merchant_id, o.id
      FROM bulk.import o
      WHERE
        o.merchant_id = p_merchant_id
        AND (
          o.finished_at < now() - INTERVAL '30 days'
          OR o.status = 'AWAITING_UPLOAD'
          AND o.finished_at IS NULL
          AND o.created_at < now() - INTERVAL '2 days'
        )
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    ) gone
  WHERE i.merchant_id = gone.merchant_id AND i.id = gone.id
  RETURNING i.id;
$$;

CREATE FUNCTION bulk.create_export(p_merchant_id uuid, p_export jsonb, p_max integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
  v_new bulk.export := jsonb_populate_record(NULL::bulk.export, p_export);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(format('exports of %s', p_merchant_id), 0));
  IF
    v_new.customer_id IS NOT NULL
    AND NOT EXISTS (
      SELECT
      FROM crm.customer c
      WHERE c.merchant_id = p_merchant_id AND c.id = v_new.customer_id AND c.anonymized_at IS NULL
    )
  THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  IF v_new.holder_kind = 'CUSTOMER' THEN
    IF
      (
        SELECT count(*)
        FROM bulk.export e
        WHERE
          e.merchant_id = p_merchant_id
          AND e.customer_id = v_new.customer_id
          AND e.holder_kind = 'CUSTOMER'
          AND e.created_at > now() - INTERVAL '1 day'
      ) >= 3
    THEN
      RETURN jsonb_build_object('outcome', 'too_many');
    END IF;
  ELSEIF
    (
      SELECT count(*)
      FROM bulk.export e
      WHERE e.merchant_id = p_merchant_id AND e.finished_at IS NULL AND e.holder_kind <> 'CUSTOMER'
    ) >= p_max
  THEN
    RETURN jsonb_build_object('outcome', 'too_many');
  END IF;
  INSERT INTO bulk.export
    (merchant_id, id, kind, format, compressed, query, page_size, customer_id, holder_kind, holder_id, permissions)
  VALUES
    (
      p_merchant_id,
      v_id,
      v_new.kind,
      v_new.format,
      v_new.compressed,
      v_new.query,
      v_new.page_size,
      v_new.customer_id,
      v_new.holder_kind,
      v_new.holder_id,
      v_new.permissions
    );
  RETURN jsonb_build_object('outcome', 'created', 'exportId', v_id);
END;
$$;

-- sql/merchant/functions.sql

CREATE FUNCTION merchant.is_active(p_merchant_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT EXISTS (SELECT FROM merchant.merchant m WHERE m.id = p_merchant_id AND m.status = 'ACTIVE');
$$;

-- sql/bulk/functions.sql

CREATE FUNCTION bulk.claim_export(p_lease interval)
RETURNS TABLE (
  merchant_id uuid,
  id uuid,
  claim uuid,
  kind text,
  format text,
  compressed boolean,
  query text,
  page_size integer,
  customer_id uuid,
  holder_kind text,
  holder_id uuid,
  permissions text[],
  rows integer,
  bytes integer,
  "position" text,
  parts integer,
  created_at timestamptz
)
LANGUAGE sql
VOLATILE
AS $$
  UPDATE bulk.export e
  SET
    status = 'RUNNING',
    started_at = coalesce(e.started_at, now()),
    claim = gen_random_uuid(),
    claimed_until = now() + p_lease
  FROM
    (
      SELECT w.merchant_id, w.id
      FROM bulk.export w
      WHERE
        w.finished_at IS NULL
        AND (w.claimed_until IS NULL OR w.claimed_until <= now())
        AND merchant.is_active(w.merchant_id)
        AND NOT EXISTS (
          SELECT
          FROM bulk.export o
          WHERE
            o.merchant_id = w.merchant_id
            AND o.id <> w.id
            AND o.finished_at IS NULL
            AND o.claim IS NOT NULL
            AND o.claimed_until > now()
        )
      ORDER BY w.claimed_until NULLS FIRST, w.created_at
      LIMIT 1
      FOR UPDATE SKIP LOCKED
    ) n
  WHERE e.merchant_id = n.merchant_id AND e.id = n.id
  RETURNING
    e.merchant_id,
    e.id,
    e.claim,
    e.kind,
    e.format,
    e.compressed,
    e.query,
    e.page_size,
    e.customer_id,
    e.holder_kind,
    e.holder_id,
    e.permissions,
    e.rows,
    e.bytes,
    e.position,
    e.parts,
    e.created_at;
$$;

CREATE FUNCTION bulk.keep_export_part(
  p_merchant_id uuid,
  p_export_id uuid,
  p_claim uuid,
  p_part jsonb,
  p_position text,
  p_total_rows integer,
  p_lease interval
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_part bulk.export_part := jsonb_populate_record(NULL::bulk.export_part, p_part);
BEGIN
  UPDATE bulk.export e
  SET
    rows = e.rows + v_part.rows,
    bytes = e.bytes + v_part.bytes,
    position = p_position,
    total_rows = coalesce(p_total_rows, e.total_rows),
    parts = v_part.number,
    attempts = 0,
    claimed_until = now() + p_lease
  WHERE
    e.merchant_id = p_merchant_id
    AND e.id = p_export_id
    AND e.claim = p_claim
    AND e.finished_at IS NULL
    AND e.parts = v_part.number - 1;
  IF NOT FOUND THEN
    RETURN FALSE;
  END IF;
  INSERT INTO bulk.export_part (merchant_id, export_id, number, file_key, bytes, rows)
  VALUES (p_merchant_id, p_export_id, v_part.number, v_part.file_key, v_part.bytes, v_part.rows);
  RETURN TRUE;
END;
$$;

CREATE FUNCTION bulk.give_export_back(
  p_merchant_id uuid,
  p_export_id uuid,
  p_claim uuid,
  p_failure text,
  p_max_attempts integer
)
RETURNS void
LANGUAGE sql
AS $$
  UPDATE bulk.export e
  SET
    claim = NULL,
    attempts = CASE
      WHEN p_failure IS NULL THEN e.attempts
      ELSE e.attempts + 1
    END,
    claimed_until = now() + CASE
      WHEN p_failure IS NULL THEN INTERVAL '0'
      -- 1, 2, 4 … seconds, at most a minute.
      ELSE least(INTERVAL '1 minute', INTERVAL '1 second' * power(2, least(e.attempts, 10)))
    END,
    status = CASE
      WHEN p_failure IS NOT NULL
      AND e.attempts + 1 >= p_max_attempts THEN 'FAILED'
      ELSE e.status
    END,
    failure = CASE
      WHEN p_failure IS NOT NULL
      AND e.attempts + 1 >= p_max_attempts THEN p_failure
    END,
    finished_at = CASE
      WHEN p_failure IS NOT NULL
      AND e.attempts + 1 >= p_max_attempts THEN now()
    END,
    expires_at = CASE
      WHEN p_failure IS NOT NULL
      AND e.attempts + 1 >= p_max_attempts THEN now() + INTERVAL '7 days'
    END
  WHERE e.merchant_id = p_merchant_id AND e.id = p_export_id AND e.claim = p_claim AND e.finished_at IS NULL;
$$;

CREATE FUNCTION bulk.finish_export(
  p_merchant_id uuid,
  p_export_id uuid,
  p_claim uuid,
  p_rows integer,
  p_bytes integer,
  p_url text,
  p_failure text,
  p_kept interval
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE bulk.export e
  SET
    status = CASE
      WHEN p_failure IS NULL THEN 'SUCCEEDED'
      ELSE 'FAILED'
    END,
    failure = p_failure,
    url = p_url,
    rows = p_rows,
    total_rows = coalesce(e.total_rows, p_rows),
    bytes = p_bytes,
    claim = NULL,
    claimed_until = NULL,
    finished_at = now(),
    expires_at = now() + p_kept
  WHERE e.merchant_id = p_merchant_id AND e.id = p_export_id AND e.claim = p_claim AND e.finished_at IS NULL;
  RETURN FOUND;
END;
$$;

CREATE FUNCTION bulk.cancel_export(p_merchant_id uuid, p_export_id uuid, p_permissions text[], p_customer_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_status text;
BEGIN
  SELECT e.status
  INTO v_status
  FROM bulk.export e
  WHERE
    e.merchant_id = p_merchant_id
    AND e.id = p_export_id
    AND CASE
      WHEN p_customer_id IS NULL THEN e.holder_kind <> 'CUSTOMER'
      AND e.permissions <@ p_permissions
      ELSE e.holder_kind = 'CUSTOMER'
      AND e.holder_id = p_customer_id
    END
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_export');
  END IF;
  IF v_status NOT IN ('QUEUED', 'RUNNING') THEN
    RETURN jsonb_build_object('outcome', 'export_refused', 'status', v_status);
  END IF;
  UPDATE bulk.export e
  SET
    status = 'CANCELLED',
    claim = NULL,
    claimed_until = NULL,
    finished_at = now(),
    expires_at = now() + INTERVAL '1 day'
  WHERE e.merchant_id = p_merchant_id AND e.id = p_export_id;
  RETURN jsonb_build_object('outcome', 'cancelled', 'exportId', p_export_id);
END;
$$;

-- sql/cart/functions.sql

CREATE FUNCTION cart.lock_open_cart(p_merchant_id uuid, p_cart_id uuid, p_customer_id uuid, p_secret_hash bytea)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_cart cart.cart;
BEGIN
  SELECT *
  INTO v_cart
  FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.id = p_cart_id
    AND (p_customer_id IS NULL OR c.customer_id = p_customer_id)
    AND (p_secret_hash IS NULL OR (c.customer_id IS NULL AND c.secret_hash = p_secret_hash))
  FOR UPDATE;
  RETURN CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'unknown_cart')
    WHEN v_cart.checked_out_at IS NOT NULL THEN jsonb_build_object('outcome', 'checked_out')
    WHEN v_cart.expires_at <= now() THEN jsonb_build_object('outcome', 'expired')
  END;
END;
$$;

CREATE FUNCTION cart.line(p_item cart.cart_item)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'productId',
      p_item.product_id,
      'variantId',
      p_item.variant_id,
      'quantity',
      p_item.quantity,
      'properties',
      p_item.properties,
      'metadata',
      p_item.metadata,
      'privateMetadata',
      p_item.private_metadata
    );
$$;

CREATE FUNCTION cart.renew(p_merchant_id uuid, p_cart_id uuid, p_lifetime interval)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE cart.cart c SET expires_at = now() + p_lifetime WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
$$;

-- sql/inventory/functions.sql

CREATE FUNCTION inventory.shown_quantity(p_merchant_id uuid, p_available integer)
RETURNS integer
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE s.stock_visibility
      WHEN 'EXACT' THEN p_available
      WHEN 'UP_TO_BOUND' THEN least(p_available, s.stock_visibility_bound)
    END
  FROM merchant.settings s
  WHERE s.merchant_id = p_merchant_id;
$$;

-- sql/inventory/views.sql

CREATE VIEW inventory.item_stock AS
  SELECT
    i.merchant_id,
    i.id AS stock_item_id,
    i.product_id,
    i.variant_id,
    i.sku,
    i.is_sellable,
    t.low_stock_threshold,
    coalesce(l.available, 0)::integer AS available,
    coalesce(l.reserved, 0)::integer AS reserved,
    coalesce(n.quantity, 0)::integer AS in_transit,
    coalesce(l.available, 0) <= t.low_stock_threshold AS is_low_stock,
    l.last_restocked_at,
    l.last_sold_at,
    greatest(i.updated_at, l.updated_at) AS updated_at
  FROM
    inventory.stock_item i
    CROSS JOIN LATERAL (
      SELECT
        coalesce(
          i.low_stock_threshold,
          (SELECT m.low_stock_threshold FROM merchant.settings m WHERE m.merchant_id = i.merchant_id),
          5
        ) AS low_stock_threshold
    ) t
    LEFT JOIN LATERAL (
      SELECT
        sum(s.available) FILTER (
          -- As a sub-select: of a join, Postgres might begin with the warehouse, and read all that is in it.
          WHERE
            (SELECT w.active FROM inventory.warehouse w WHERE w.merchant_id = s.merchant_id AND w.id = s.warehouse_id)
        ) AS available,
        sum(s.reserved) AS reserved,
        max(s.last_restocked_at) AS last_restocked_at,
        max(s.last_sold_at) AS last_sold_at,
        max(s.updated_at) AS updated_at
      FROM inventory.stock_level s
      WHERE s.merchant_id = i.merchant_id AND s.stock_item_id = i.id
    ) l
      ON TRUE
    LEFT JOIN LATERAL (
      SELECT sum(s.awaited) AS quantity
      FROM inventory.incoming_stock s
      WHERE s.merchant_id = i.merchant_id AND s.stock_item_id = i.id AND s.awaited IS NOT NULL
    ) n
      ON TRUE;

CREATE VIEW inventory.sku_inventory AS
  SELECT
    i.merchant_id,
    i.stock_item_id,
    i.product_id,
    i.variant_id,
    i.sku,
    i.low_stock_threshold,
    a.available,
    i.reserved,
    i.in_transit,
    a.available <= i.low_stock_threshold AS is_low_stock,
    i.last_restocked_at,
    i.last_sold_at,
    i.updated_at,
    a.available > 0 AS in_stock,
    inventory.shown_quantity(i.merchant_id, a.available) AS shown_quantity
  FROM
    inventory.item_stock i
    CROSS JOIN LATERAL (
      SELECT
        CASE
          WHEN i.is_sellable THEN i.available
          ELSE 0
        END AS available
    ) a;

-- sql/cart/functions.sql

CREATE FUNCTION cart.shortages(p_merchant_id uuid, p_cart_id uuid, p_lines catalog.sellable_line[])
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_agg(
      jsonb_build_object('sku', l.sku, 'available', s.available, 'requested', w.quantity, 'position', l.position)
      ORDER BY l.position
    )
  FROM
    unnest(p_lines) l
    JOIN inventory.sku_inventory s ON s.merchant_id = p_merchant_id AND s.stock_item_id = l.stock_item_id
    CROSS JOIN LATERAL (
      SELECT
        (SELECT sum(o.quantity) FROM unnest(p_lines) o WHERE o.stock_item_id = l.stock_item_id) + coalesce(
          sum(i.quantity),
          0
        ) AS quantity
      FROM cart.cart_item i
      WHERE
        i.merchant_id = p_merchant_id
        AND i.cart_id = p_cart_id
        AND i.product_id = l.product_id
        AND i.variant_id IS NOT DISTINCT FROM l.variant_id
        AND NOT EXISTS (
          SELECT
          FROM unnest(p_lines) o
          WHERE
            o.product_id = i.product_id
            AND o.variant_id IS NOT DISTINCT FROM i.variant_id
            AND o.line_key = i.line_key
        )
    ) w
  WHERE s.available < w.quantity;
$$;

-- sql/platform/functions.sql

CREATE FUNCTION platform.most_money()
RETURNS numeric
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT 9007199254740991::numeric;
$$;

CREATE FUNCTION platform.as_money(p_sum numeric)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT least(p_sum, platform.most_money())::bigint;
$$;

-- sql/cart/views.sql

CREATE VIEW cart.priced_cart_item AS
  SELECT
    l.merchant_id,
    l.id,
    l.cart_id,
    l.product_id,
    l.variant_id,
    l.quantity,
    l.created_at,
    l.external_id,
    l.metadata,
    l.private_metadata,
    l.properties,
    l.line_key,
    coalesce(v.price, p.price) AS price,
    platform.as_money(coalesce(v.price, p.price)::numeric * l.quantity) AS subtotal,
    p.status = 'ACTIVE'
    AND p.deleted_at IS NULL
    AND v.deleted_at IS NULL
    AND coalesce(s.available, 0) - o.quantity >= l.quantity AS available,
    greatest(0, coalesce(s.available, 0) - o.quantity)::integer AS max_quantity
  FROM
    cart.cart_item l
    JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
    LEFT JOIN catalog.product_variant v ON v.merchant_id = l.merchant_id AND v.id = l.variant_id
    LEFT JOIN LATERAL (
      SELECT i.available
      FROM inventory.sku_inventory i
      WHERE
        i.merchant_id = l.merchant_id
        AND i.product_id = l.product_id
        AND i.variant_id IS NOT DISTINCT FROM l.variant_id
    ) s
      ON TRUE
    -- The cart's other lines of the product, which take from the same stock.
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(x.quantity), 0) AS quantity
      FROM cart.cart_item x
      WHERE
        x.merchant_id = l.merchant_id
        AND x.cart_id = l.cart_id
        AND x.product_id = l.product_id
        AND x.variant_id IS NOT DISTINCT FROM l.variant_id
        AND x.id <> l.id
    ) o;

-- sql/ordering/functions.sql

CREATE FUNCTION ordering.tax_on(p_merchant_id uuid, p_subtotal numeric)
RETURNS numeric
LANGUAGE sql
STABLE
AS $$
  SELECT
    round(p_subtotal * coalesce((SELECT s.tax_rate FROM merchant.settings s WHERE s.merchant_id = p_merchant_id), 0));
$$;

-- sql/cart/functions.sql

CREATE FUNCTION cart.line_too_dear(p_merchant_id uuid, p_cart_id uuid, p_lines catalog.sellable_line[])
RETURNS integer
LANGUAGE sql
STABLE
AS $$
  WITH
    goods AS (
      SELECT l.price::numeric * l.quantity AS cost, l.position FROM unnest(p_lines) l
      UNION ALL
      SELECT i.subtotal, NULL
      FROM cart.priced_cart_item i
      WHERE
        i.merchant_id = p_merchant_id
        AND i.cart_id = p_cart_id
        AND NOT EXISTS (
          SELECT
          FROM unnest(p_lines) l
          WHERE
            l.product_id = i.product_id
            AND l.variant_id IS NOT DISTINCT FROM i.variant_id
            AND l.line_key = i.line_key
        )
    )
  SELECT (array_agg(g.position ORDER BY g.cost DESC) FILTER (WHERE g.position IS NOT NULL))[1]
  FROM goods g
  HAVING sum(g.cost) + ordering.tax_on(p_merchant_id, sum(g.cost)) > platform.most_money();
$$;

CREATE FUNCTION cart.add_line(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_line jsonb,
  p_lifetime interval,
  p_max_lines integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  v_outcome := cart.put_lines(
    p_merchant_id,
    p_cart_id,
    (SELECT c.currency FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id),
    jsonb_build_array(p_line),
    'items',
    p_max_lines
  );
  IF v_outcome ->> 'outcome' = 'changed' THEN
    PERFORM cart.renew(p_merchant_id, p_cart_id, p_lifetime);
  END IF;
  RETURN v_outcome;
END;
$$;

CREATE FUNCTION cart.mark_abandoned(p_merchant_id uuid, p_idle interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    marked AS (
      UPDATE cart.cart c
      SET abandoned_at = now()
      WHERE
        (c.merchant_id, c.id) IN (
          SELECT x.merchant_id, x.id
          FROM cart.cart x
          WHERE
            x.merchant_id = p_merchant_id
            AND x.checked_out_at IS NULL
            AND x.abandoned_at IS NULL
            AND x.updated_at < now() - p_idle
            AND x.updated_at > now() - INTERVAL '2 days'
            AND x.expires_at > now()
            AND EXISTS (SELECT FROM cart.cart_item i WHERE i.merchant_id = x.merchant_id AND i.cart_id = x.id)
          ORDER BY x.updated_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM marked;
$$;

CREATE FUNCTION cart.purge_expired(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM cart.cart c
      WHERE
        (c.merchant_id, c.id) IN (
          SELECT x.merchant_id, x.id
          FROM cart.cart x
          WHERE x.merchant_id = p_merchant_id AND x.checked_out_at IS NULL AND x.expires_at <= now()
          ORDER BY x.expires_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

CREATE FUNCTION cart.choose_promotion(p_cart cart.cart, p_product_ids uuid[], p_subtotals bigint[], p_shipping bigint)
RETURNS promotion.choice
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_purchase promotion.purchase := ROW(
    p_cart.merchant_id,
    p_cart.customer_id,
    p_cart.currency,
    NULL,
    p_product_ids,
    p_subtotals,
    p_shipping
  );
  v_coupon promotion.promotion;
  v_refusal text;
BEGIN
  IF p_cart.promotion_id IS NOT NULL THEN
    SELECT *
    INTO v_coupon
    FROM promotion.promotion p
    WHERE p.merchant_id = p_cart.merchant_id AND p.id = p_cart.promotion_id AND p.code = p_cart.coupon_code;
    v_refusal := promotion.use_refusal(v_coupon, v_purchase);
  END IF;
  RETURN promotion.choose(v_purchase, v_coupon, v_refusal, promotion.automatic(p_cart.merchant_id));
END;
$$;

CREATE FUNCTION cart.coupon_refusal(p_cart cart.cart)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT (cart.choose_promotion(p_cart, array_agg(l.product_id), array_agg(l.subtotal), 0::bigint)).own_refusal
  FROM cart.priced_cart_item l
  WHERE l.merchant_id = p_cart.merchant_id AND l.cart_id = p_cart.id;
$$;

CREATE FUNCTION cart.remove_coupon(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  UPDATE cart.cart c
  SET
    promotion_id = NULL,
    coupon_code = NULL,
    expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;

-- sql/ordering/functions.sql

CREATE FUNCTION ordering.shipping_refusal(
  p_merchant_id uuid,
  p_shipping_method_id uuid,
  p_country text,
  p_currency text
)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT jsonb_build_object('field', 'shippingMethodId', 'reason', x.reason, 'currency', x.currency)
  FROM
    (
      SELECT
        s.currency,
        CASE
          WHEN m.id IS NULL THEN 'unknown_shipping_method'
          -- A zone that lists the country wins over one for the rest of the world.
          WHEN array_position(z.countries, p_country) IS NULL
          AND (
            cardinality(z.countries) > 0
            OR EXISTS (
              SELECT FROM merchant.shipping_zone o WHERE o.merchant_id = p_merchant_id AND p_country = ANY (o.countries)
            )
          ) THEN 'shipping_method_not_for_country'
          -- Shipping is priced in the merchant's own currency.
          WHEN s.currency <> p_currency THEN 'shipping_method_currency'
        END AS reason
      FROM
        (SELECT p_shipping_method_id AS id) asked
        LEFT JOIN merchant.shipping_method m ON m.merchant_id = p_merchant_id AND m.id = asked.id AND m.active
        LEFT JOIN merchant.shipping_zone z ON z.merchant_id = m.merchant_id AND z.id = m.shipping_zone_id
        LEFT JOIN merchant.settings s ON s.merchant_id = p_merchant_id
      WHERE asked.id IS NOT NULL
    ) x
  WHERE x.reason IS NOT NULL;
$$;

-- sql/cart/functions.sql

CREATE FUNCTION cart.shipping_price(p_cart cart.cart)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      (
        SELECT m.price
        FROM
          merchant.shipping_method m
          JOIN cart.cart_address a ON a.merchant_id = m.merchant_id AND a.cart_id = p_cart.id
        WHERE
          m.merchant_id = p_cart.merchant_id
          AND m.id = p_cart.shipping_method_id
          AND ordering.shipping_refusal(m.merchant_id, m.id, a.country, p_cart.currency) IS NULL
      ),
      0
    );
$$;

-- sql/catalog/functions.sql

CREATE FUNCTION catalog.has_variants(p_merchant_id uuid, p_product_id uuid)
RETURNS TABLE (has_variants boolean)
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM catalog.product_variant v
      WHERE v.merchant_id = p_merchant_id AND v.product_id = p_product_id AND v.deleted_at IS NULL
    );
$$;

CREATE FUNCTION catalog.price_range(
  p_merchant_id uuid,
  p_product_id uuid,
  p_price bigint,
  OUT lowest bigint,
  OUT highest bigint
)
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(min(coalesce(v.price, p_price)), p_price), coalesce(max(coalesce(v.price, p_price)), p_price)
  FROM catalog.product_variant v
  WHERE v.merchant_id = p_merchant_id AND v.product_id = p_product_id AND v.deleted_at IS NULL;
$$;

CREATE FUNCTION catalog.sum_up_variants(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE sql
AS $$
  UPDATE catalog.product p
  SET
    lowest_price = r.lowest,
    highest_price = r.highest,
    variant_skus = s.skus
  FROM
    catalog.product o,
    catalog.price_range(o.merchant_id, o.id, o.price) r,
    LATERAL (
      SELECT coalesce(string_agg(v.sku, E'\n' ORDER BY v.position, v.id), '') AS skus
      FROM catalog.product_variant v
      WHERE v.merchant_id = o.merchant_id AND v.product_id = o.id AND v.deleted_at IS NULL
    ) s
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = ANY (p_product_ids)
    AND p.merchant_id = o.merchant_id
    AND p.id = o.id
    AND (p.lowest_price, p.highest_price, p.variant_skus) IS DISTINCT FROM (r.lowest, r.highest, s.skus);
$$;

CREATE FUNCTION catalog.line_key(p_properties jsonb)
RETURNS text
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT
    CASE
      WHEN jsonb_typeof(p_properties) = 'array'
      AND p_properties <> '[]' THEN (
        SELECT md5(jsonb_agg(p ORDER BY p ->> 'name', p ->> 'value')::text)
        FROM jsonb_array_elements(p_properties) p
      )
      ELSE ''
    END;
$$;

CREATE FUNCTION catalog.line_refusals(p_lines catalog.sellable_line[], p_list text)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'field',
          format(
            '%s.%s.%s',
            p_list,
            l.position,
            CASE
              WHEN l.refusal IN ('unknown_variant', 'variant_required') THEN 'variantId'
              WHEN l.refusal = 'quantity_too_large' THEN 'quantity'
              ELSE 'productId'
            END
          ),
          'reason',
          l.refusal,
          'currency',
          l.currency
        )
        ORDER BY l.position
      ),
      '[]'
    )
  FROM unnest(p_lines) l
  WHERE l.refusal IS NOT NULL;
$$;

CREATE FUNCTION catalog.category_path(p_merchant_id uuid, p_category_id uuid)
RETURNS SETOF uuid
LANGUAGE sql
STABLE
ROWS 3
AS $$
  WITH RECURSIVE
    path AS (
      SELECT c.id, c.parent_id FROM catalog.category c WHERE c.merchant_id = p_merchant_id AND c.id = p_category_id
      UNION
      SELECT c.id, c.parent_id
      FROM
        path p
        -- By its key (OFFSET 0), for Postgres may not know yet that there are many categories.
        CROSS JOIN LATERAL (
          SELECT c.id, c.parent_id
          FROM catalog.category c
          WHERE c.merchant_id = p_merchant_id AND c.id = p.parent_id
          OFFSET 0
        ) c
    )
  SELECT id
  FROM path;
$$;

CREATE FUNCTION catalog.category_subtree(p_merchant_id uuid, p_category_id uuid)
RETURNS SETOF uuid
LANGUAGE sql
STABLE
ROWS 10
AS $$
  WITH RECURSIVE
    subtree AS (
      SELECT p_category_id AS id
      UNION
      SELECT c.id
      FROM
        catalog.category c
        JOIN subtree s ON c.merchant_id = p_merchant_id AND c.parent_id = s.id
    )
  SELECT id
  FROM subtree;
$$;

CREATE FUNCTION catalog.tree_lock(p_merchant_id uuid)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT hashtextextended('catalog.category ' || p_merchant_id, 0);
$$;

CREATE FUNCTION catalog.has_bought(p_merchant_id uuid, p_customer_id uuid, p_product_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM
        ordering.product_order l
        JOIN ordering.order o ON o.merchant_id = l.merchant_id AND o.id = l.order_id
      WHERE
        l.merchant_id = p_merchant_id
        AND l.product_id = p_product_id
        AND o.customer_id = p_customer_id
        AND o.status NOT IN ('PENDING', 'CANCELLED')
    );
$$;

CREATE FUNCTION catalog.product_of_history(p_merchant_id uuid, p_sku text, p_external_id text)
RETURNS TABLE (product_id uuid, variant_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT f.product_id, f.variant_id
  FROM
    (
      SELECT v.product_id, v.id AS variant_id, 1 AS rank
      FROM
        catalog.product_variant v
        JOIN catalog.product p ON p.merchant_id = v.merchant_id AND p.id = v.product_id AND p.deleted_at IS NULL
      WHERE v.merchant_id = p_merchant_id AND v.sku = p_sku AND v.deleted_at IS NULL
      UNION ALL
      SELECT p.id, NULL, 2
      FROM catalog.product p
      WHERE p.merchant_id = p_merchant_id AND p.sku = p_sku AND p.deleted_at IS NULL
      UNION ALL
      SELECT p.id, NULL, 3
      FROM catalog.product p
      WHERE p.merchant_id = p_merchant_id AND p.external_id = p_external_id AND p.deleted_at IS NULL
    ) f
  ORDER BY f.rank
  LIMIT 1;
$$;

-- sql/crm/functions.sql

CREATE FUNCTION crm.points_expire_at(p_merchant_id uuid)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT now() + make_interval(days => g.points_expire_after_days)
  FROM crm.loyalty_program g
  WHERE g.merchant_id = p_merchant_id;
$$;

CREATE FUNCTION crm.hold_loyalty_account(p_merchant_id uuid, p_customer_id uuid)
RETURNS crm.loyalty_account
LANGUAGE plpgsql
AS $$
DECLARE
  v_account crm.loyalty_account;
  v_expired bigint;
  v_next timestamptz;
BEGIN
  INSERT INTO crm.loyalty_account (merchant_id, customer_id)
  VALUES (p_merchant_id, p_customer_id)
  ON CONFLICT DO NOTHING;
  SELECT *
  INTO v_account
  FROM crm.loyalty_account a
  WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id
  FOR NO KEY UPDATE;
  IF (v_account.next_expiry > now()) IS NOT FALSE THEN
    RETURN v_account;
  END IF;
  SELECT u.expired, u.next_expiry
  INTO v_expired, v_next
  FROM crm.unspent_expired_points(p_merchant_id, p_customer_id) u;
  IF v_expired > 0 THEN
    INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points)
    VALUES (p_merchant_id, p_customer_id, 'EXPIRED', -v_expired);
  END IF;
  UPDATE crm.loyalty_account a
  SET next_expiry = v_next
  WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id
  RETURNING a.*
  INTO v_account;
  RETURN v_account;
END;
$$;

CREATE FUNCTION crm.expire_points(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_account crm.loyalty_account;
  v_accounts integer := 0;
BEGIN
  FOR v_account IN SELECT a.*
  FROM crm.loyalty_account a
  WHERE a.merchant_id = p_merchant_id AND a.next_expiry <= now()
  ORDER BY a.next_expiry
  LIMIT p_limit
  FOR NO KEY UPDATE SKIP LOCKED LOOP
    PERFORM crm.hold_loyalty_account(p_merchant_id, v_account.customer_id);
    v_accounts := v_accounts + 1;
  END LOOP;
  RETURN v_accounts;
END;
$$;

CREATE FUNCTION crm.point_value(p_merchant_id uuid, p_customer_id uuid, p_currency text)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT g.point_value
  FROM
    crm.loyalty_program g
    JOIN merchant.settings s ON s.merchant_id = g.merchant_id AND s.currency = p_currency
    JOIN crm.customer c ON c.merchant_id = g.merchant_id AND c.id = p_customer_id AND c.has_account
  WHERE g.merchant_id = p_merchant_id AND g.enabled;
$$;

CREATE FUNCTION crm.hold_point_value(p_merchant_id uuid, p_customer_id uuid, p_currency text)
RETURNS bigint
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM crm.loyalty_program g WHERE g.merchant_id = p_merchant_id FOR SHARE;
  RETURN crm.point_value(p_merchant_id, p_customer_id, p_currency);
END;
$$;

CREATE FUNCTION crm.points_worth(p_merchant_id uuid, p_customer_id uuid, p_currency text)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT a.points * v.point_value
  FROM
    (SELECT crm.point_value(p_merchant_id, p_customer_id, p_currency) AS point_value) v
    JOIN crm.loyalty_account a ON a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id
  WHERE v.point_value IS NOT NULL;
$$;

CREATE FUNCTION crm.hold_points_worth(p_merchant_id uuid, p_customer_id uuid, p_currency text)
RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
  v_value bigint := crm.hold_point_value(p_merchant_id, p_customer_id, p_currency);
BEGIN
  IF v_value IS NULL THEN
    RETURN 0;
  END IF;
  RETURN (crm.hold_loyalty_account(p_merchant_id, p_customer_id)).points * v_value;
END;
$$;

CREATE FUNCTION crm.adjust_points(p_merchant_id uuid, p_customer_id uuid, p_points integer, p_reason text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_account crm.loyalty_account;
  v_entry_id uuid := platform.uuid_v7();
BEGIN
  IF NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id) THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  v_account := crm.hold_loyalty_account(p_merchant_id, p_customer_id);
  IF v_account.points + p_points::bigint < 0 THEN
    RETURN jsonb_build_object('outcome', 'not_enough_points', 'points', v_account.points);
  END IF;
  IF v_account.points + p_points::bigint > 2147483647 THEN
    RETURN jsonb_build_object('outcome', 'too_many_points');
  END IF;
  INSERT INTO crm.loyalty_entry (merchant_id, id, customer_id, type, points, reason, expires_at)
  VALUES
    (
      p_merchant_id,
      v_entry_id,
      p_customer_id,
      'ADJUSTED',
      p_points,
      p_reason,
      CASE
        WHEN p_points > 0 THEN crm.points_expire_at(p_merchant_id)
      END
    );
  RETURN jsonb_build_object('outcome', 'changed', 'entryId', v_entry_id);
END;
$$;

CREATE FUNCTION crm.count_customers_in(p_merchant_id uuid, p_conditions jsonb)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_segment crm.segment := jsonb_populate_record(NULL::crm.segment, p_conditions);
BEGIN
  v_segment.merchant_id := p_merchant_id;
  IF
    EXISTS (
      SELECT
      FROM unnest(v_segment.loyalty_tier_ids) AS w (id)
      WHERE NOT EXISTS (SELECT FROM crm.loyalty_tier t WHERE t.merchant_id = p_merchant_id AND t.id = w.id)
    )
  THEN
    RETURN jsonb_build_object('outcome', 'unknown_tier');
  END IF;
  RETURN (
    SELECT jsonb_build_object('outcome', 'counted', 'memberCount', count(*))
    FROM crm.customers_in(v_segment)
  );
END;
$$;

-- sql/email/functions.sql

CREATE FUNCTION email.unsubscribe(p_merchant_id uuid, p_token uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE crm.customer c
  SET marketing_opt_in = FALSE
  FROM email.delivery d
  WHERE
    d.merchant_id = p_merchant_id
    AND d.unsubscribe_token = p_token
    AND c.merchant_id = p_merchant_id
    AND c.id = d.customer_id
    AND c.marketing_opt_in;
$$;

CREATE FUNCTION email.unsubscribes_from(p_token uuid)
RETURNS TABLE (merchant_id uuid, name text)
LANGUAGE sql
STABLE
AS $$
  SELECT m.id, m.name
  FROM
    email.delivery d
    JOIN merchant.merchant m ON m.id = d.merchant_id
  WHERE d.unsubscribe_token = p_token;
$$;

CREATE FUNCTION email.purge_rendered(p_merchant_id uuid, p_age interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    old AS (
      SELECT x.merchant_id, x.id
      FROM email.delivery x
      WHERE
        x.merchant_id = p_merchant_id
        AND x.html IS NOT NULL
        AND x.created_at < now() - p_age
        AND x.status NOT IN ('QUEUED', 'SENDING')
      ORDER BY x.created_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    ),
    emptied AS (
      UPDATE email.delivery d
      SET
        html = NULL,
        text = NULL,
        facts = CASE
          WHEN d.status IN ('FAILED', 'BOUNCED') THEN d.facts
          ELSE '{}'
        END
      FROM old
      WHERE d.merchant_id = old.merchant_id AND d.id = old.id
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM emptied;
$$;

-- sql/crm/views.sql

CREATE VIEW crm.customer_spending AS
  SELECT
    o.merchant_id,
    o.customer_id,
    o.currency,
    coalesce(
      sum(
        coalesce(
          p.kept,
          CASE
            WHEN o.status NOT IN ('CANCELLED', 'REFUNDED') THEN o.total
          END
        )
      ),
      0
    )::bigint AS amount,
    count(*) FILTER (WHERE o.status <> 'CANCELLED')::integer AS order_count,
    max(o.created_at) FILTER (WHERE o.status <> 'CANCELLED') AS last_order_date
  FROM
    ordering.order o
    LEFT JOIN LATERAL (
      SELECT sum(x.captured_amount - x.refunded_amount) AS kept
      FROM payment.payment x
      WHERE x.merchant_id = o.merchant_id AND x.order_id = o.id AND x.captured_amount > 0
    ) p
      ON TRUE
  WHERE o.status <> 'PENDING'
  GROUP BY o.merchant_id, o.customer_id, o.currency
  HAVING bool_or(o.status <> 'CANCELLED') OR sum(p.kept) > 0;

CREATE VIEW crm.customer_total AS
  SELECT
    c.merchant_id,
    c.id AS customer_id,
    s.total_spent,
    s.order_count,
    CASE
      WHEN s.orders_in_currency = 0 THEN 0
      ELSE round(s.total_spent::numeric / s.orders_in_currency)::bigint
    END AS average_order_value,
    s.last_order_date
  FROM
    crm.customer c
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(x.amount) FILTER (WHERE x.currency = m.currency), 0)::bigint AS total_spent,
        coalesce(sum(x.order_count) FILTER (WHERE x.currency = m.currency), 0) AS orders_in_currency,
        coalesce(sum(x.order_count), 0)::integer AS order_count,
        max(x.last_order_date) AS last_order_date
      FROM
        crm.customer_spending x
        LEFT JOIN merchant.settings m ON m.merchant_id = x.merchant_id
      WHERE x.merchant_id = c.merchant_id AND x.customer_id = c.id
    ) s;

CREATE VIEW crm.customer_loyalty AS
  SELECT
    c.merchant_id,
    c.id AS customer_id,
    coalesce(a.points, 0) AS points,
    coalesce(a.points_earned, 0) AS points_earned,
    t.id AS tier_id,
    t.name AS tier_name
  FROM
    crm.customer c
    LEFT JOIN crm.loyalty_account a ON a.merchant_id = c.merchant_id AND a.customer_id = c.id
    LEFT JOIN LATERAL (
      SELECT x.id, x.name
      FROM crm.loyalty_tier x
      WHERE
        x.merchant_id = c.merchant_id
        AND x.threshold <= (
          SELECT
            CASE g.tier_basis
              WHEN 'POINTS_EARNED' THEN coalesce(a.points_earned, 0)
              WHEN 'TOTAL_SPENT' THEN (
                SELECT s.total_spent
                FROM crm.customer_total s
                WHERE s.merchant_id = c.merchant_id AND s.customer_id = c.id
              )
            END
          FROM crm.loyalty_program g
          WHERE g.merchant_id = c.merchant_id
        )
      ORDER BY x.threshold DESC
      LIMIT 1
    ) t
      ON TRUE;

-- sql/crm/functions/customers_in.sql

CREATE FUNCTION crm.customers_in(p_segment crm.segment)
RETURNS TABLE (customer_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT c.id
  FROM crm.customer c
  WHERE
    c.merchant_id = p_segment.merchant_id
    AND c.anonymized_at IS NULL
    AND coalesce(c.tags @> p_segment.tags, TRUE)
    AND coalesce(c.marketing_opt_in = p_segment.marketing_opt_in, TRUE)
    AND coalesce(c.email_verified = p_segment.email_verified, TRUE)
    AND coalesce(c.created_at >= p_segment.created_after, TRUE)
    AND coalesce(c.created_at < p_segment.created_before, TRUE)
    AND (
      num_nonnulls(p_segment.cities, p_segment.countries) = 0
      OR EXISTS (
        SELECT
        FROM crm.address a
        WHERE
          a.merchant_id = c.merchant_id
          AND a.customer_id = c.id
          AND (p_segment.cities IS NULL OR lower(a.city) IN (SELECT lower(x) FROM unnest(p_segment.cities) x))
          AND (p_segment.countries IS NULL OR a.country = ANY (p_segment.countries))
      )
    )
    AND (
      p_segment.loyalty_tier_ids IS NULL
      OR EXISTS (
        SELECT
        FROM crm.customer_loyalty l
        WHERE l.merchant_id = c.merchant_id AND l.customer_id = c.id AND l.tier_id = ANY (p_segment.loyalty_tier_ids)
      )
    )
    AND (
      num_nonnulls(
        p_segment.total_spent_min,
        p_segment.total_spent_max,
        p_segment.order_count_min,
        p_segment.order_count_max,
        p_segment.last_order_after,
        p_segment.last_order_before,
        p_segment.last_order_within_days,
        p_segment.no_order_for_days
      ) = 0
      OR EXISTS (
        SELECT
        FROM crm.customer_total t
        WHERE
          t.merchant_id = c.merchant_id
          AND t.customer_id = c.id
          AND coalesce(t.total_spent >= p_segment.total_spent_min, TRUE)
          AND coalesce(t.total_spent <= p_segment.total_spent_max, TRUE)
          AND coalesce(t.order_count >= p_segment.order_count_min, TRUE)
          AND coalesce(t.order_count <= p_segment.order_count_max, TRUE)
          -- A customer without orders has no last order, neither before nor after any time.
          AND (p_segment.last_order_after IS NULL OR t.last_order_date >= p_segment.last_order_after)
          AND (p_segment.last_order_before IS NULL OR t.last_order_date < p_segment.last_order_before)
          AND (
            p_segment.last_order_within_days IS NULL
            OR t.last_order_date >= now() - make_interval(days => p_segment.last_order_within_days)
          )
          AND coalesce(t.last_order_date < now() - make_interval(days => p_segment.no_order_for_days), TRUE)
      )
    );
$$;

-- sql/crm/views.sql

CREATE VIEW crm.segment_member AS
  SELECT s.merchant_id, s.id AS segment_id, m.customer_id
  FROM
    crm.segment s
    CROSS JOIN LATERAL crm.customers_in(s) m;

-- sql/email/functions.sql

CREATE FUNCTION email.recipients(p_merchant_id uuid, p_segment_id uuid)
RETURNS SETOF crm.customer
LANGUAGE sql
STABLE
AS $$
  SELECT c.*
  FROM crm.customer c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.marketing_opt_in
    AND c.blocked_at IS NULL
    AND (
      p_segment_id IS NULL
      OR EXISTS (
        SELECT
        FROM crm.segment_member m
        WHERE m.merchant_id = c.merchant_id AND m.segment_id = p_segment_id AND m.customer_id = c.id
      )
    );
$$;

CREATE FUNCTION email.has_bounced(p_merchant_id uuid, p_recipient citext)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM email.delivery d
      WHERE d.merchant_id = p_merchant_id AND d.recipient = p_recipient AND d.status = 'BOUNCED'
    );
$$;

CREATE FUNCTION email.count_recipients(p_merchant_id uuid, p_segment_id uuid)
RETURNS integer
LANGUAGE sql
STABLE
AS $$
  SELECT count(*)::integer
  FROM email.recipients(p_merchant_id, p_segment_id) c
  WHERE NOT email.has_bounced(p_merchant_id, c.email);
$$;

-- sql/events/functions.sql

CREATE FUNCTION events.field_name(p_column text)
RETURNS text
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT left(p_column, 1) || substr(replace(initcap(replace(p_column, '_', ' ')), ' ', ''), 2);
$$;

CREATE FUNCTION events.purge(p_merchant_id uuid, p_older_than interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM events.event e
      WHERE
        (e.merchant_id, e.id) IN (
          SELECT x.merchant_id, x.id
          FROM events.event x
          WHERE x.merchant_id = p_merchant_id AND x.created_at < now() - p_older_than
          ORDER BY x.created_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

CREATE FUNCTION events.purge_deliveries(p_merchant_id uuid, p_older_than interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM events.delivery d
      WHERE
        (d.merchant_id, d.id) IN (
          SELECT x.merchant_id, x.id
          FROM events.delivery x
          WHERE
            x.merchant_id = p_merchant_id
            AND x.status IN ('DELIVERED', 'FAILED')
            AND x.created_at < now() - p_older_than
          ORDER BY x.created_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

CREATE FUNCTION events.forget_customer(p_merchant_id uuid, p_customer_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('events.sequence', 0));
  DELETE FROM events.change c
  WHERE
    c.merchant_id = p_merchant_id
    AND p_customer_id::text IN (coalesce(c.after, c.before) ->> 'id', coalesce(c.after, c.before) ->> 'customer_id');
  DELETE FROM events.event e
  WHERE
    e.merchant_id = p_merchant_id
    AND (e.record_id = p_customer_id OR e.record ->> 'customerId' = p_customer_id::text);
  INSERT INTO events.change (merchant_id, source, before, after)
  SELECT
    c.merchant_id,
    'customer',
    jsonb_build_object('id', c.id, 'status', c.status),
    jsonb_build_object('id', c.id, 'status', c.status, 'anonymized_at', c.anonymized_at)
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id;
END;
$$;

CREATE FUNCTION events.purge_deletions(p_merchant_id uuid, p_older_than interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM events.deletion d
      WHERE
        (d.merchant_id, d.id) IN (
          SELECT x.merchant_id, x.id
          FROM events.deletion x
          WHERE x.merchant_id = p_merchant_id AND x.deleted_at < now() - p_older_than
          ORDER BY x.deleted_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

CREATE FUNCTION events.watch_deletions(p_table regclass, p_type text, p_permission text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  EXECUTE
    format(
      'CREATE TRIGGER record_deletions AFTER DELETE ON %s REFERENCING OLD TABLE AS gone FOR EACH STATEMENT ' 
 'EXECUTE FUNCTION events.record_deletions(%L, %L)',
      p_table,
      p_type,
      p_permission
    );
END;
$$;

CREATE FUNCTION events.hears(p_topics text[], p_topic text)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT p_topics && ARRAY[p_topic, split_part(p_topic, '.', 1) || '.*', '*'];
$$;

CREATE FUNCTION events.may_add_endpoint(p_merchant_id uuid, p_most integer)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM merchant.merchant m WHERE m.id = p_merchant_id FOR NO KEY UPDATE;
  RETURN (SELECT count(*) < p_most FROM events.endpoint e WHERE e.merchant_id = p_merchant_id);
END;
$$;

CREATE FUNCTION events.keep_rendering(p_merchant_id uuid, p_id uuid, p_body text, p_delay interval)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE events.delivery d
  SET
    body = p_body,
    claimed_until = NULL,
    next_attempt_at = now() + p_delay
  WHERE d.merchant_id = p_merchant_id AND d.id = p_id AND d.body IS NULL AND d.status = 'PENDING';
$$;

CREATE FUNCTION events.keep_deliveries(p_ids uuid[], p_attempts integer[], p_lease interval)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE events.delivery d
  SET claimed_until = now() + p_lease
  FROM unnest(p_ids, p_attempts) AS c (id, attempt)
  WHERE d.id = c.id AND d.attempts = c.attempt AND d.status = 'SENDING';
$$;

CREATE FUNCTION events.forget_address(p_merchant_id uuid, p_email citext)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('events.sequence', 0));
  DELETE FROM events.change c
  WHERE c.merchant_id = p_merchant_id AND (coalesce(c.after, c.before) ->> 'email')::citext = p_email;
  DELETE FROM events.event e
  WHERE e.merchant_id = p_merchant_id AND (e.record ->> 'email')::citext = p_email;
END;
$$;

-- sql/files/functions.sql

CREATE FUNCTION files.quota(p_plan text)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE p_plan
      WHEN 'FREE' THEN 1::bigint
      WHEN 'STARTER' THEN 10
      WHEN 'PRO' THEN 100
      ELSE 1000
    END * 1000000000;
$$;

CREATE FUNCTION files.create_upload(
  p_merchant_id uuid,
  p_purpose text,
  p_file_name text,
  p_content_type text,
  p_size bigint,
  p_token text,
  p_expires_at timestamptz
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_used bigint;
  v_quota bigint;
  v_id uuid;
BEGIN
  INSERT INTO files.usage (merchant_id)
  VALUES (p_merchant_id)
  ON CONFLICT DO NOTHING;
  SELECT u.bytes INTO v_used FROM files.usage u WHERE u.merchant_id = p_merchant_id FOR UPDATE;
  SELECT files.quota(coalesce(max(s.plan), 'FREE'))
  INTO v_quota
  FROM merchant.subscription s
  WHERE s.merchant_id = p_merchant_id;
  IF v_used + p_size > v_quota THEN
    RETURN jsonb_build_object('outcome', 'over_quota', 'left', greatest(v_quota - v_used, 0), 'quota', v_quota);
  END IF;
  INSERT INTO files.file
    (merchant_id, purpose, file_name, content_type, size, stored_bytes, token, upload_expires_at)
  VALUES (p_merchant_id, p_purpose, p_file_name, p_content_type, p_size, p_size, p_token, p_expires_at)
  RETURNING id
  INTO v_id;
  RETURN jsonb_build_object('outcome', 'created', 'fileId', v_id);
END;
$$;

CREATE FUNCTION files.complete_upload(p_merchant_id uuid, p_file_id uuid, p_content_type text)
RETURNS boolean
LANGUAGE sql
AS $$
  WITH
    completed AS (
      UPDATE files.file f
      SET
        status = CASE f.purpose
          WHEN 'IMAGE' THEN 'PROCESSING'
          ELSE 'READY'
        END,
        content_type = p_content_type,
        released_at = now(),
        next_attempt_at = now()
      WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id AND f.status = 'UPLOADING'
      RETURNING f.id
    )
  SELECT EXISTS (SELECT FROM completed);
$$;

CREATE FUNCTION files.discard(p_merchant_id uuid, p_file_id uuid)
RETURNS boolean
LANGUAGE sql
AS $$
  WITH
    gone AS (
      DELETE FROM files.file f
      WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id
      RETURNING f.merchant_id, f.token, f.upload_expires_at
    ),
    noted AS (
      INSERT INTO files.deleted_folder (merchant_id, token, due_at)
      SELECT g.merchant_id, g.token, greatest(now(), g.upload_expires_at + INTERVAL '1 minute')
      FROM gone g
      RETURNING token
    )
  SELECT EXISTS (SELECT FROM noted);
$$;

CREATE FUNCTION files.delete_file(p_merchant_id uuid, p_file_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_products bigint;
  v_categories bigint;
BEGIN
  -- Who begins to show the image waits for this transaction.
  PERFORM FROM files.file f WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_file');
  END IF;
  SELECT count(DISTINCT i.product_id)
  INTO v_products
  FROM catalog.product_image i
  WHERE i.merchant_id = p_merchant_id AND i.file_id = p_file_id;
  SELECT count(*)
  INTO v_categories
  FROM catalog.category c
  WHERE c.merchant_id = p_merchant_id AND c.image_file_id = p_file_id;
  IF v_products + v_categories > 0 THEN
    RETURN jsonb_build_object('outcome', 'in_use', 'products', v_products, 'categories', v_categories);
  END IF;
  PERFORM files.discard(p_merchant_id, p_file_id);
  RETURN jsonb_build_object('outcome', 'deleted');
END;
$$;

CREATE FUNCTION files.claim_image()
RETURNS TABLE (merchant_id uuid, file_id uuid, token text)
LANGUAGE sql
AS $$
  WITH
    next AS (
      SELECT n.merchant_id, n.id, n.attempts
      FROM files.file n
      WHERE n.status = 'PROCESSING' AND n.next_attempt_at <= now()
      ORDER BY n.next_attempt_at
      LIMIT 1
      FOR UPDATE SKIP LOCKED
    ),
    claimed AS (
      UPDATE files.file f
      SET
        attempts = f.attempts + 1,
        next_attempt_at = now() + INTERVAL '2 minutes',
        status = CASE
          WHEN f.attempts < 3 THEN f.status
          ELSE 'REJECTED'
        END,
        rejection = CASE
          WHEN f.attempts >= 3 THEN 'The image could not be processed'
        END
      FROM next n
      WHERE f.merchant_id = n.merchant_id AND f.id = n.id
      RETURNING f.merchant_id, f.id, f.token, f.status
    )
  SELECT c.merchant_id, c.id, c.token
  FROM claimed c
  WHERE c.status = 'PROCESSING';
$$;

CREATE FUNCTION files.record_image(
  p_merchant_id uuid,
  p_file_id uuid,
  p_url text,
  p_width integer,
  p_height integer,
  p_bytes bigint,
  p_sizes jsonb
)
RETURNS boolean
LANGUAGE sql
AS $$
  WITH
    ready AS (
      UPDATE files.file f
      SET
        status = 'READY',
        url = p_url,
        width = p_width,
        height = p_height,
        stored_bytes = p_bytes,
        released_at = now()
      WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id AND f.status = 'PROCESSING'
      RETURNING f.merchant_id, f.id
    ),
    sized AS (
      INSERT INTO files.image_size (merchant_id, file_id, width, height, url)
      SELECT r.merchant_id, r.id, s.width, s.height, s.url
      FROM
        ready r
        CROSS JOIN jsonb_to_recordset(p_sizes) AS s (width integer, height integer, url text)
    )
  SELECT EXISTS (SELECT FROM ready);
$$;

CREATE FUNCTION files.reject_image(p_merchant_id uuid, p_file_id uuid, p_reason text)
RETURNS boolean
LANGUAGE sql
AS $$
  WITH
    rejected AS (
      UPDATE files.file f
      SET
        status = 'REJECTED',
        rejection = p_reason
      WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id AND f.status = 'PROCESSING'
      RETURNING f.id
    )
  SELECT EXISTS (SELECT FROM rejected);
$$;

CREATE FUNCTION files.discard_orphans(p_limit integer)
RETURNS integer
LANGUAGE sql
AS $$
  WITH
    orphans AS (
      (
        SELECT f.merchant_id, f.id
        FROM files.file f
        WHERE
          f.status IN ('UPLOADING', 'REJECTED')
          AND f.upload_expires_at < now() - CASE f.status
            WHEN 'UPLOADING' THEN INTERVAL '1 hour'
            ELSE INTERVAL '7 days'
          END
        ORDER BY f.upload_expires_at
        LIMIT p_limit
      )
      UNION ALL
      (
        SELECT f.merchant_id, f.id
        FROM files.file f
        WHERE
          f.status = 'READY'
          AND f.purpose = 'IMAGE'
          AND f.released_at < now() - INTERVAL '30 days'
          AND NOT EXISTS (
            SELECT
            FROM catalog.product_image i
            WHERE i.merchant_id = f.merchant_id AND i.file_id = f.id
          )
          AND NOT EXISTS (
            SELECT
            FROM catalog.category c
            WHERE c.merchant_id = f.merchant_id AND c.image_file_id = f.id
          )
        ORDER BY f.released_at
        LIMIT p_limit
      )
    ),
    deleted AS (SELECT files.delete_file(o.merchant_id, o.id) ->> 'outcome' AS outcome FROM orphans o)
  SELECT count(*) FILTER (WHERE d.outcome = 'deleted')::integer
  FROM deleted d;
$$;

CREATE FUNCTION files.settle_url(p_url text)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_before text;
  v_changed integer;
BEGIN
  INSERT INTO files.own_url (url)
  VALUES (p_url)
  ON CONFLICT DO NOTHING;
  SELECT o.url INTO v_before FROM files.own_url o FOR UPDATE;
  IF v_before = p_url THEN
    RETURN 0;
  END IF;
  UPDATE files.own_url SET url = p_url;
  UPDATE files.image_size s
  SET url = p_url || substr(s.url, length(v_before) + 1)
  WHERE starts_with(s.url, v_before || '/');
  UPDATE catalog.category c
  SET image_url = p_url || substr(c.image_url, length(v_before) + 1)
  WHERE c.image_file_id IS NOT NULL AND starts_with(c.image_url, v_before || '/');
  UPDATE catalog.product_image i
  SET url = p_url || substr(i.url, length(v_before) + 1)
  WHERE i.file_id IS NOT NULL AND starts_with(i.url, v_before || '/');
  WITH
    moved AS (
      UPDATE files.file f
      SET url = p_url || substr(f.url, length(v_before) + 1)
      WHERE starts_with(f.url, v_before || '/')
      RETURNING f.id
    )
  SELECT count(*)
  INTO v_changed
  FROM moved;
  RETURN v_changed;
END;
$$;

-- sql/identity/functions.sql

CREATE FUNCTION identity.built_in_permissions(p_kind text)
RETURNS text[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(p.name ORDER BY p.name), '{}')
  FROM
    merchant.permission p
    CROSS JOIN LATERAL (SELECT split_part(p.name, ':', 1) AS resource, split_part(p.name, ':', 2) AS action) x
  WHERE
    CASE p_kind
      WHEN 'OWNER' THEN TRUE
      WHEN 'ADMIN' THEN p.name <> 'billing:write'
      WHEN 'MANAGER' THEN x.action = 'read'
      OR x.resource NOT IN ('users', 'roles', 'api_keys', 'merchant', 'billing')
      WHEN 'SUPPORT' THEN (x.action = 'read' AND x.resource NOT IN ('users', 'roles', 'api_keys', 'audit'))
      OR p.name IN ('customers:write', 'carts:write', 'orders:write', 'booking:write')
      WHEN 'READ_ONLY' THEN x.action = 'read'
    END;
$$;

CREATE FUNCTION identity.lock_ownership(p_merchant_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  SELECT FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.kind = 'OWNER' FOR UPDATE;
$$;

CREATE FUNCTION identity.beyond(p_granted text[], p_own text[])
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT min(x) FROM unnest(p_granted) x WHERE x <> ALL (p_own);
$$;

CREATE FUNCTION identity.refusal(p_field text, p_reason text, p_permission text DEFAULT NULL)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT jsonb_build_object('field', p_field, 'reason', p_reason, 'permission', p_permission);
$$;

CREATE FUNCTION identity.refused(p_refusals jsonb[])
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT jsonb_build_object('outcome', 'invalid', 'refusals', to_jsonb(p_refusals));
$$;

CREATE FUNCTION identity.lock_user(p_merchant_id uuid, p_own text[], p_id uuid, p_field text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_beyond text;
BEGIN
  PERFORM identity.lock_ownership(p_merchant_id);
  PERFORM FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  SELECT identity.beyond(a.permissions, p_own)
  INTO v_beyond
  FROM identity.user_access a
  WHERE a.merchant_id = p_merchant_id AND a.user_id = p_id;
  RETURN CASE
    WHEN v_beyond IS NOT NULL THEN identity.refused(ARRAY[identity.refusal(p_field, 'beyond_own', v_beyond)])
  END;
END;
$$;

CREATE FUNCTION identity.update_user(p_merchant_id uuid, p_own text[], p_id uuid, p_changes jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_user(p_merchant_id, p_own, p_id, 'id');
  v_user identity.user;
  v_changed identity.user;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_user FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_id;
  IF v_user.status = 'DELETED' THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_user.status);
  END IF;
  v_changed := jsonb_populate_record(v_user, p_changes);
  UPDATE identity.user u
  SET
    email = v_changed.email,
    name = v_changed.name,
    phone = v_changed.phone,
    email_verified = v_user.email_verified AND v_changed.email = v_user.email
  WHERE u.merchant_id = p_merchant_id AND u.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
EXCEPTION WHEN unique_violation THEN
  RETURN identity.refused(ARRAY[identity.refusal('email', 'taken')]);
END;
$$;

CREATE FUNCTION identity.is_last_owner(p_merchant_id uuid, p_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(bool_or(u.id = p_id) AND count(*) = 1, FALSE)
  FROM
    identity.role r
    JOIN identity.user_role l ON l.merchant_id = r.merchant_id AND l.role_id = r.id
    JOIN identity.user u ON u.merchant_id = l.merchant_id AND u.id = l.user_id
  WHERE r.merchant_id = p_merchant_id AND r.kind = 'OWNER' AND u.status = 'ACTIVE';
$$;

CREATE FUNCTION identity.change_user_status(p_merchant_id uuid, p_own text[], p_id uuid, p_from text[], p_to text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_user(p_merchant_id, p_own, p_id, 'id');
  v_status text;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT u.status INTO v_status FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_id;
  IF v_status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_status);
  END IF;
  IF p_to <> 'ACTIVE' AND identity.is_last_owner(p_merchant_id, p_id) THEN
    RETURN identity.refused(ARRAY[identity.refusal('id', 'last_owner')]);
  END IF;
  UPDATE identity.user u SET status = p_to WHERE u.merchant_id = p_merchant_id AND u.id = p_id;
  IF p_to = 'DELETED' THEN
    DELETE FROM identity.user_role l WHERE l.merchant_id = p_merchant_id AND l.user_id = p_id;
  END IF;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
END;
$$;

CREATE FUNCTION identity.permission_refusals(p_permissions text[], p_own text[])
RETURNS jsonb[]
LANGUAGE sql
STABLE
AS $$
  SELECT
    array_agg(
      identity.refusal(
        'permissions.' || (w.position - 1),
        CASE
          WHEN p.name IS NULL THEN 'unknown_permission'
          ELSE 'beyond_own'
        END,
        w.name
      )
      ORDER BY w.position
    )
  FROM
    unnest(p_permissions) WITH ORDINALITY AS w (name, position)
    LEFT JOIN merchant.permission p ON p.name = w.name
  WHERE p.name IS NULL OR w.name <> ALL (p_own);
$$;

CREATE FUNCTION identity.create_role(
  p_merchant_id uuid,
  p_own text[],
  p_name text,
  p_description text,
  p_permissions text[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
  v_refusals jsonb[] := identity.permission_refusals(p_permissions, p_own);
BEGIN
  IF EXISTS (SELECT FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.name = p_name::citext) THEN
    v_refusals := identity.refusal('name', 'taken') || v_refusals;
  END IF;
  IF v_refusals IS NOT NULL THEN
    RETURN identity.refused(v_refusals);
  END IF;
  INSERT INTO identity.role (merchant_id, id, name, description, permissions)
  VALUES (p_merchant_id, v_id, p_name, p_description, ARRAY(SELECT DISTINCT x FROM unnest(p_permissions) x ORDER BY x));
  RETURN jsonb_build_object('outcome', 'changed', 'id', v_id);
EXCEPTION WHEN unique_violation THEN
  RETURN identity.refused(ARRAY[identity.refusal('name', 'taken')]);
END;
$$;

CREATE FUNCTION identity.lock_role(p_merchant_id uuid, p_own text[], p_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_role identity.role;
BEGIN
  SELECT * INTO v_role FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.id = p_id FOR UPDATE;
  RETURN CASE
    WHEN v_role.id IS NULL THEN jsonb_build_object('outcome', 'unknown')
    WHEN v_role.built_in THEN identity.refused(ARRAY[identity.refusal('id', 'built_in')])
    WHEN identity.beyond(v_role.permissions, p_own) IS NOT NULL THEN identity.refused(
      ARRAY[identity.refusal('id', 'beyond_own', identity.beyond(v_role.permissions, p_own))]
    )
  END;
END;
$$;

CREATE FUNCTION identity.update_role(p_merchant_id uuid, p_own text[], p_id uuid, p_changes jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_role(p_merchant_id, p_own, p_id);
  v_role identity.role;
  v_refusals jsonb[];
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_role FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
  v_role := jsonb_populate_record(v_role, p_changes);
  v_refusals := identity.permission_refusals(v_role.permissions, p_own);
  IF v_refusals IS NOT NULL THEN
    RETURN identity.refused(v_refusals);
  END IF;
  UPDATE identity.role r
  SET
    name = v_role.name,
    description = v_role.description,
    permissions = ARRAY(SELECT DISTINCT x FROM unnest(v_role.permissions) x ORDER BY x)
    WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
EXCEPTION WHEN unique_violation THEN
  RETURN identity.refused(ARRAY[identity.refusal('name', 'taken')]);
END;
$$;

CREATE FUNCTION identity.delete_role(p_merchant_id uuid, p_own text[], p_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_role(p_merchant_id, p_own, p_id);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  -- The role can't be given to a user while it is locked.
  IF EXISTS (SELECT FROM identity.user_role l WHERE l.merchant_id = p_merchant_id AND l.role_id = p_id) THEN
    RETURN identity.refused(ARRAY[identity.refusal('id', 'in_use')]);
  END IF;
  DELETE FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
END;
$$;

CREATE FUNCTION identity.is_known_client(p_merchant_id uuid, p_subject text, p_email text, p_client text)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM
        identity.known_client k
        LEFT JOIN identity.user u ON u.merchant_id = k.merchant_id AND u.id = k.user_id
        LEFT JOIN crm.customer x ON x.merchant_id = k.merchant_id AND x.id = k.customer_id AND x.has_account
      WHERE
        k.merchant_id = p_merchant_id
        AND k.client = p_client
        AND CASE p_subject
          WHEN 'USER' THEN u.email
          ELSE x.email
        END = p_email::citext
    );
$$;

CREATE FUNCTION identity.remember_client(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid, p_client text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_client IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO identity.known_client AS k (merchant_id, user_id, customer_id, client)
  VALUES (p_merchant_id, p_user_id, p_customer_id, p_client)
  ON CONFLICT ON CONSTRAINT known_client_key DO UPDATE SET last_at = now();
  DELETE FROM identity.known_client k
  WHERE
    (k.merchant_id, k.id) IN (
      SELECT x.merchant_id, x.id
      FROM identity.known_client x
      WHERE x.merchant_id = p_merchant_id AND (x.user_id = p_user_id OR x.customer_id = p_customer_id)
      ORDER BY x.last_at DESC
      OFFSET 20
    );
END;
$$;

CREATE FUNCTION identity.revoke_session(p_merchant_id uuid, p_session_id uuid, p_reason text)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE identity.session s
  SET
    revoked_at = now(),
    revoked_reason = p_reason
  WHERE s.merchant_id = p_merchant_id AND s.id = p_session_id AND s.revoked_at IS NULL;
$$;

CREATE FUNCTION identity.revoke_sessions(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid, p_reason text)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    revoked AS (
      UPDATE identity.session s
      SET
        revoked_at = now(),
        revoked_reason = p_reason
      WHERE
        s.merchant_id = p_merchant_id
        AND (s.user_id = p_user_id OR s.customer_id = p_customer_id)
        AND s.revoked_at IS NULL
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM revoked;
$$;

CREATE FUNCTION identity.sign_out(p_merchant_id uuid, p_hash bytea, p_everywhere boolean)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_session identity.session;
BEGIN
  SELECT s.*
  INTO v_session
  FROM
    identity.refresh_token t
    JOIN identity.session s ON s.merchant_id = t.merchant_id AND s.id = t.session_id
  WHERE t.merchant_id = p_merchant_id AND t.hash = p_hash;
  IF v_session.id IS NULL THEN
    RETURN 0;
  END IF;
  IF p_everywhere THEN
    RETURN identity.revoke_sessions(p_merchant_id, v_session.user_id, v_session.customer_id, 'SIGNED_OUT');
  END IF;
  PERFORM identity.revoke_session(p_merchant_id, v_session.id, 'SIGNED_OUT');
  RETURN 1;
END;
$$;

CREATE FUNCTION identity.end_session(
  p_merchant_id uuid,
  p_session_id uuid,
  p_user_id uuid,
  p_customer_id uuid,
  p_of_customers boolean
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM identity.session s
  WHERE
    s.merchant_id = p_merchant_id
    AND s.id = p_session_id
    AND (s.user_id = p_user_id OR s.customer_id = p_customer_id OR (p_of_customers AND s.customer_id IS NOT NULL));
  IF NOT FOUND THEN
    RETURN FALSE;
  END IF;
  PERFORM identity.revoke_session(p_merchant_id, p_session_id, 'REVOKED');
  RETURN TRUE;
END;
$$;

CREATE FUNCTION identity.block_customer(p_merchant_id uuid, p_customer_id uuid, p_reason text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer crm.customer;
BEGIN
  SELECT *
  INTO v_customer
  FROM crm.customer x
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id
  FOR NO KEY UPDATE;
  IF v_customer.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  ELSEIF v_customer.anonymized_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'anonymized');
  END IF;
  UPDATE crm.customer x
  SET
    blocked_at = coalesce(x.blocked_at, now()),
    blocked_reason = p_reason
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id;
  PERFORM identity.revoke_sessions(p_merchant_id, NULL, p_customer_id, 'BLOCKED');
  DELETE FROM identity.one_time_token t WHERE t.merchant_id = p_merchant_id AND t.customer_id = p_customer_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

CREATE FUNCTION identity.unblock_customer(p_merchant_id uuid, p_customer_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM crm.customer x WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id) THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  UPDATE crm.customer x
  SET
    blocked_at = NULL,
    blocked_reason = NULL
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id AND x.blocked_at IS NOT NULL;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

CREATE FUNCTION identity.register_customer(
  p_merchant_id uuid,
  p_email text,
  p_name text,
  p_phone text,
  p_marketing_opt_in boolean,
  p_password_hash text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid;
BEGIN
  INSERT INTO crm.customer (merchant_id, email, name, phone, marketing_opt_in)
  VALUES (p_merchant_id, p_email, p_name, p_phone, p_marketing_opt_in)
  RETURNING id
  INTO v_id;
  INSERT INTO identity.credential (merchant_id, customer_id, password_hash)
  VALUES (p_merchant_id, v_id, p_password_hash);
  RETURN jsonb_build_object('outcome', 'registered', 'id', v_id);
EXCEPTION WHEN unique_violation THEN
  RETURN jsonb_build_object('outcome', 'taken');
END;
$$;

CREATE FUNCTION identity.set_password(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid, p_password_hash text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_user_id IS NOT NULL THEN
    INSERT INTO identity.credential AS c (merchant_id, user_id, password_hash)
    VALUES (p_merchant_id, p_user_id, p_password_hash)
    ON CONFLICT (merchant_id, user_id) DO UPDATE
      SET
        password_hash = excluded.password_hash,
        changed_at = now();
  ELSE
    INSERT INTO identity.credential AS c (merchant_id, customer_id, password_hash)
    VALUES (p_merchant_id, p_customer_id, p_password_hash)
    ON CONFLICT (merchant_id, customer_id) DO UPDATE
      SET
        password_hash = excluded.password_hash,
        changed_at = now();
  END IF;
  PERFORM identity.revoke_sessions(p_merchant_id, p_user_id, p_customer_id, 'PASSWORD_CHANGED');
  DELETE FROM identity.sign_in_attempt a
  WHERE
    a.merchant_id = p_merchant_id
    AND (
      (
        a.subject = 'USER'
        AND a.email = (SELECT u.email FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id)
      )
      OR (
        a.subject = 'CUSTOMER'
        AND a.email = (SELECT x.email FROM crm.customer x WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id)
      )
    );
END;
$$;

CREATE FUNCTION identity.use_one_time_token(p_merchant_id uuid, p_hash bytea, p_purposes text[])
RETURNS identity.one_time_token
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.one_time_token;
BEGIN
  UPDATE identity.one_time_token t
  SET
    used_at = now(),
    undelivered = NULL
  WHERE
    t.merchant_id = p_merchant_id
    AND t.hash = p_hash
    AND t.purpose = ANY (p_purposes)
    AND t.used_at IS NULL
    AND t.expires_at > now()
    AND t.email = coalesce(
      (
        SELECT u.email
        FROM identity.user u
        WHERE u.merchant_id = t.merchant_id AND u.id = t.user_id AND u.status <> 'DELETED'
      ),
      (SELECT x.email FROM crm.customer x WHERE x.merchant_id = t.merchant_id AND x.id = t.customer_id)
    )
  RETURNING t.*
  INTO v_token;
  RETURN v_token;
END;
$$;

CREATE FUNCTION identity.mark_email_verified(p_merchant_id uuid, p_user_id uuid, p_customer_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.user u
  SET email_verified = TRUE
  WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id AND NOT u.email_verified;
  UPDATE crm.customer x
  SET email_verified = TRUE
  WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id AND NOT x.email_verified;
END;
$$;

CREATE FUNCTION identity.verify_email(p_merchant_id uuid, p_hash bytea)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.one_time_token := identity.use_one_time_token(p_merchant_id, p_hash, '{EMAIL_VERIFICATION}');
BEGIN
  PERFORM
    identity.mark_email_verified(
      p_merchant_id,
      v_token.user_id,
      identity.account_of_mailed_token(p_merchant_id, v_token.customer_id, FALSE)
    );
  RETURN v_token.id IS NOT NULL;
END;
$$;

CREATE FUNCTION identity.reset_password(
  p_merchant_id uuid,
  p_hash bytea,
  p_password_hash text,
  p_join_from text[],
  p_join_to text
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.one_time_token := identity.use_one_time_token(p_merchant_id, p_hash, '{INVITATION,PASSWORD_RESET}');
  v_customer_id uuid;
BEGIN
  IF v_token.id IS NULL THEN
    RETURN FALSE;
  END IF;
  v_customer_id := identity.account_of_mailed_token(p_merchant_id, v_token.customer_id, TRUE);
  PERFORM identity.mark_email_verified(p_merchant_id, v_token.user_id, v_customer_id);
  UPDATE identity.user u
  SET status = p_join_to
  WHERE
    u.merchant_id = p_merchant_id
    AND u.id = v_token.user_id
    AND u.status = ANY (p_join_from)
    AND v_token.purpose = 'INVITATION';
  PERFORM identity.set_password(p_merchant_id, v_token.user_id, v_customer_id, p_password_hash);
  RETURN TRUE;
END;
$$;

CREATE FUNCTION identity.enroll_totp(p_merchant_id uuid, p_user_id uuid, p_secret text)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO identity.totp AS t (merchant_id, user_id, secret)
  VALUES (p_merchant_id, p_user_id, p_secret)
  ON CONFLICT (merchant_id, user_id) DO UPDATE
    SET
      secret = excluded.secret,
      created_at = now(),
      last_counter = 0
    WHERE t.confirmed_at IS NULL;
  RETURN FOUND;
END;
$$;

CREATE FUNCTION identity.confirm_totp(p_merchant_id uuid, p_user_id uuid, p_counter bigint, p_recovery_hashes text[])
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.totp t
  SET
    confirmed_at = now(),
    last_counter = p_counter
  WHERE t.merchant_id = p_merchant_id AND t.user_id = p_user_id AND t.confirmed_at IS NULL;
  IF NOT FOUND THEN
    RETURN FALSE;
  END IF;
  DELETE FROM identity.recovery_code c WHERE c.merchant_id = p_merchant_id AND c.user_id = p_user_id;
  INSERT INTO identity.recovery_code (merchant_id, user_id, hash)
  SELECT p_merchant_id, p_user_id, decode(x, 'hex') FROM unnest(p_recovery_hashes) x;
  UPDATE identity.user u SET mfa_enabled = TRUE WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id;
  RETURN TRUE;
END;
$$;

CREATE FUNCTION identity.use_totp(p_merchant_id uuid, p_user_id uuid, p_counter bigint)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.totp t
  SET last_counter = p_counter
  WHERE t.merchant_id = p_merchant_id AND t.user_id = p_user_id AND t.last_counter < p_counter;
  RETURN FOUND;
END;
$$;

CREATE FUNCTION identity.use_recovery_code(p_merchant_id uuid, p_user_id uuid, p_hash bytea)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.recovery_code c
  SET used_at = now()
  WHERE c.merchant_id = p_merchant_id AND c.user_id = p_user_id AND c.hash = p_hash AND c.used_at IS NULL;
  RETURN FOUND;
END;
$$;

CREATE FUNCTION identity.requires_mfa(p_merchant_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT EXISTS (SELECT FROM merchant.settings s WHERE s.merchant_id = p_merchant_id AND s.mfa_required);
$$;

CREATE FUNCTION identity.lacks_mfa(p_merchant_id uuid, p_user_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    identity.requires_mfa(p_merchant_id)
    AND EXISTS (
      SELECT FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id AND NOT u.mfa_enabled
    );
$$;

CREATE FUNCTION identity.remove_totp(p_merchant_id uuid, p_user_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM identity.totp t WHERE t.merchant_id = p_merchant_id AND t.user_id = p_user_id;
  DELETE FROM identity.sign_in_attempt a
  WHERE
    a.merchant_id = p_merchant_id
    AND a.subject = 'USER'
    AND a.email = (SELECT u.email FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id);
  UPDATE identity.user u
  SET mfa_enabled = FALSE
  WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id AND u.mfa_enabled;
END;
$$;

CREATE FUNCTION identity.reset_totp(p_merchant_id uuid, p_own text[], p_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_user(p_merchant_id, p_own, p_id, 'id');
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  PERFORM identity.remove_totp(p_merchant_id, p_id);
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_id);
END;
$$;

-- sql/inventory/functions.sql

CREATE FUNCTION inventory.lock_levels(p_merchant_id uuid, p_stock_item_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM inventory.stock_level l
  WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = ANY (p_stock_item_ids)
  ORDER BY l.stock_item_id, l.warehouse_id
  FOR NO KEY UPDATE;
END;
$$;

CREATE FUNCTION inventory.keep_standing(p_merchant_id uuid, p_stock_item_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM inventory.stock_item i
  WHERE i.merchant_id = p_merchant_id AND i.id = ANY (p_stock_item_ids)
  ORDER BY i.id
  FOR NO KEY UPDATE;
  UPDATE inventory.stock_item i
  SET
    is_sellable = s.is_sellable,
    in_stock = s.in_stock,
    needs_restock = s.needs_restock
  FROM inventory.item_standing s
  WHERE
    i.merchant_id = p_merchant_id
    AND i.id = ANY (p_stock_item_ids)
    AND s.merchant_id = i.merchant_id
    AND s.stock_item_id = i.id
    AND (i.is_sellable, i.in_stock, i.needs_restock) IS DISTINCT FROM (s.is_sellable, s.in_stock, s.needs_restock);
END;
$$;

CREATE FUNCTION inventory.items_of_product(p_merchant_id uuid, p_product_id uuid)
RETURNS uuid[]
LANGUAGE sql
STABLE
AS $$
  SELECT
    ARRAY(SELECT i.id FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.product_id = p_product_id);
$$;

CREATE FUNCTION inventory.held_stock_items(p_merchant_id uuid, p_reservation_ids uuid[])
RETURNS uuid[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(DISTINCT h.stock_item_id), '{}')
  FROM inventory.reservation_line h
  WHERE h.merchant_id = p_merchant_id AND h.reservation_id = ANY (p_reservation_ids);
$$;

CREATE FUNCTION inventory.give_back(p_merchant_id uuid, p_reservation_ids uuid[], p_status text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation;
BEGIN
  PERFORM inventory.lock_levels(p_merchant_id, inventory.held_stock_items(p_merchant_id, p_reservation_ids));
  -- One after the other, so that the ledger tells whose stock came back.
  FOR v_reservation IN SELECT *
  FROM inventory.reservation r
  WHERE r.merchant_id = p_merchant_id AND r.id = ANY (p_reservation_ids)
  ORDER BY r.id LOOP
    PERFORM
      inventory.because_of_reservation(
        v_reservation.id,
        v_reservation.order_id,
        CASE p_status
          WHEN 'EXPIRED' THEN 'The reservation expired'
          ELSE 'The reservation was released'
        END
      );
    UPDATE inventory.stock_level l
    SET
      available = l.available + h.quantity,
      reserved = l.reserved - h.quantity
    FROM inventory.reservation_line h
    WHERE
      h.merchant_id = p_merchant_id
      AND h.reservation_id = v_reservation.id
      AND l.merchant_id = h.merchant_id
      AND l.stock_item_id = h.stock_item_id
      AND l.warehouse_id = h.warehouse_id;
  END LOOP;
  UPDATE inventory.reservation r
  SET status = p_status
  WHERE r.merchant_id = p_merchant_id AND r.id = ANY (p_reservation_ids);
END;
$$;

CREATE FUNCTION inventory.lock_expired(p_merchant_id uuid, p_limit integer)
RETURNS uuid[]
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    ARRAY(
      SELECT r.id
      FROM inventory.reservation r
      WHERE r.merchant_id = p_merchant_id AND r.status = 'ACTIVE' AND r.order_id IS NULL AND r.expires_at <= now()
      ORDER BY r.expires_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    );
$$;

CREATE FUNCTION inventory.expire_reservations(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_expired uuid[] := inventory.lock_expired(p_merchant_id, p_limit);
BEGIN
  PERFORM inventory.give_back(p_merchant_id, v_expired, 'EXPIRED');
  RETURN cardinality(v_expired);
END;
$$;

CREATE FUNCTION inventory.release(p_merchant_id uuid, p_reservation_id uuid, p_from text[])
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation;
BEGIN
  SELECT *
  INTO v_reservation
  FROM inventory.reservation r
  WHERE r.merchant_id = p_merchant_id AND r.id = p_reservation_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_reservation.order_id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'belongs_to_order', 'orderId', v_reservation.order_id);
  END IF;
  IF NOT v_reservation.status = ANY (p_from) THEN
    RETURN jsonb_build_object('outcome', 'refused', 'status', v_reservation.status);
  END IF;
  PERFORM inventory.give_back(p_merchant_id, ARRAY[p_reservation_id], 'RELEASED');
  RETURN jsonb_build_object('outcome', 'released');
END;
$$;

CREATE FUNCTION inventory.lock_reservation_of_order(p_merchant_id uuid, p_order_id uuid)
RETURNS inventory.reservation
LANGUAGE sql
VOLATILE
AS $$
  SELECT r.*
  FROM inventory.reservation r
  WHERE r.merchant_id = p_merchant_id AND r.order_id = p_order_id AND r.status IN ('ACTIVE', 'COMMITTED')
  FOR UPDATE;
$$;

CREATE FUNCTION inventory.commit_reservation(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE inventory.reservation r
  SET status = 'COMMITTED'
  WHERE r.merchant_id = p_merchant_id AND r.order_id = p_order_id AND r.status = 'ACTIVE';
$$;

CREATE FUNCTION inventory.consume_reservation(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
BEGIN
  IF v_reservation.status IS DISTINCT FROM 'COMMITTED' THEN
    RAISE EXCEPTION 'order % has no committed reservation to ship from', p_order_id;
  END IF;
  PERFORM inventory.lock_levels(p_merchant_id, inventory.held_stock_items(p_merchant_id, ARRAY[v_reservation.id]));
  PERFORM inventory.because_of_reservation(v_reservation.id, p_order_id, NULL);
  UPDATE inventory.stock_level l
  SET
    reserved = l.reserved - h.quantity,
    last_sold_at = now()
  FROM inventory.reservation_line h
  WHERE
    h.merchant_id = p_merchant_id
    AND h.reservation_id = v_reservation.id
    AND l.merchant_id = h.merchant_id
    AND l.stock_item_id = h.stock_item_id
    AND l.warehouse_id = h.warehouse_id;
  UPDATE inventory.reservation r
  SET status = 'CONSUMED'
  WHERE r.merchant_id = p_merchant_id AND r.id = v_reservation.id;
END;
$$;

CREATE FUNCTION inventory.release_reservation_of_order(p_merchant_id uuid, p_order_id uuid, p_status text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
BEGIN
  IF v_reservation.id IS NOT NULL THEN
    PERFORM inventory.give_back(p_merchant_id, ARRAY[v_reservation.id], p_status);
  END IF;
END;
$$;

CREATE FUNCTION inventory.place_refusals(p_merchant_id uuid, p_sku text, p_warehouse_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', r.field, 'reason', r.reason)), '[]')
  FROM
    (
      SELECT 'sku' AS field, 'unknown_sku' AS reason
      WHERE NOT EXISTS (SELECT FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku)
      UNION ALL
      SELECT
        'warehouseId',
        CASE
          WHEN p_warehouse_id IS NULL THEN 'no_warehouse'
          ELSE 'unknown_warehouse'
        END
      WHERE
        NOT EXISTS (
          SELECT
          FROM inventory.warehouse w
          WHERE
            w.merchant_id = p_merchant_id
            AND CASE
              WHEN p_warehouse_id IS NULL THEN w.active
              ELSE w.id = p_warehouse_id
            END
        )
    ) r;
$$;

CREATE FUNCTION inventory.intake_refusals(p_merchant_id uuid, p_sku text)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', 'sku', 'reason', 'has_variants')), '[]')
  FROM inventory.stock_item i
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku AND NOT i.is_sellable;
$$;

CREATE FUNCTION inventory.lock_level(p_merchant_id uuid, p_stock_item_id uuid, p_warehouse_id uuid)
RETURNS inventory.stock_level
LANGUAGE plpgsql
AS $$
DECLARE
  v_level inventory.stock_level;
BEGIN
  INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id)
  VALUES (p_merchant_id, p_stock_item_id, p_warehouse_id)
  ON CONFLICT DO NOTHING;
  SELECT *
  INTO v_level
  FROM inventory.stock_level l
  WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = p_stock_item_id AND l.warehouse_id = p_warehouse_id
  FOR NO KEY UPDATE;
  RETURN v_level;
END;
$$;

CREATE FUNCTION inventory.warehouse_or_first(p_merchant_id uuid, p_warehouse_id uuid)
RETURNS uuid
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      p_warehouse_id,
      (
        SELECT w.id
        FROM inventory.warehouse w
        WHERE w.merchant_id = p_merchant_id AND w.active
        ORDER BY w.priority, w.id
        LIMIT 1
      )
    );
$$;

CREATE FUNCTION inventory.because(
  p_kind text,
  p_reason text,
  p_reference_type text,
  p_reference_id uuid,
  p_principal text
)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    set_config(
      'inventory.cause',
      jsonb_build_object(
        'kind',
        p_kind,
        'reason',
        p_reason,
        'referenceType',
        p_reference_type,
        'referenceId',
        p_reference_id,
        'principal',
        p_principal
      )::text,
      TRUE
    );
$$;

CREATE FUNCTION inventory.because_of_reservation(p_reservation_id uuid, p_order_id uuid, p_reason text)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    inventory.because(
      NULL,
      p_reason,
      CASE
        WHEN p_order_id IS NULL THEN 'RESERVATION'
        ELSE 'ORDER'
      END,
      coalesce(p_order_id, p_reservation_id),
      NULL
    );
$$;

CREATE FUNCTION inventory.kind_of_movement(p_on_hand_delta integer, p_reserved_delta integer)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE
      WHEN p_on_hand_delta = 0
      AND p_reserved_delta > 0 THEN 'RESERVATION'
      WHEN p_on_hand_delta = 0 THEN 'RELEASE'
      WHEN p_on_hand_delta < 0
      AND p_on_hand_delta = p_reserved_delta THEN 'SALE'
      ELSE 'ADJUSTMENT'
    END;
$$;

CREATE FUNCTION inventory.reason_of_movement(p_kind text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE p_kind
      WHEN 'OPENING' THEN 'The level was created'
      WHEN 'RESERVATION' THEN 'Stock was reserved'
      WHEN 'RELEASE' THEN 'Reserved stock was given back'
      WHEN 'SALE' THEN 'The goods were shipped'
      ELSE 'The level was changed'
    END;
$$;

CREATE FUNCTION inventory.acting_principal()
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      'customer:' || (s.session ->> 'x-hasura-customer-id'),
      'user:' || (s.session ->> 'x-hasura-user-id'),
      'key:' || (s.session ->> 'x-hasura-key-id')
    )
  -- After a transaction that set it, a custom setting is '' and not NULL.
  FROM (SELECT nullif(current_setting('hasura.user', TRUE), '')::jsonb AS session) s;
$$;

CREATE FUNCTION inventory.is_available(p_merchant_id uuid, p_stock_item_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM
        inventory.stock_item i
        JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
      WHERE
        i.merchant_id = p_merchant_id
        AND i.id = p_stock_item_id
        AND i.in_stock
        AND p.status = 'ACTIVE'
        AND p.deleted_at IS NULL
    );
$$;

CREATE FUNCTION inventory.cancel_stock_alert(
  p_merchant_id uuid,
  p_alert_id uuid,
  p_customer_id uuid,
  p_from text[],
  p_to text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_alert inventory.stock_alert;
BEGIN
  SELECT *
  INTO v_alert
  FROM inventory.stock_alert a
  WHERE a.merchant_id = p_merchant_id AND a.id = p_alert_id AND (p_customer_id IS NULL OR a.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF NOT v_alert.status = ANY (p_from) THEN
    RETURN jsonb_build_object('outcome', 'refused', 'status', v_alert.status);
  END IF;
  UPDATE inventory.stock_alert a
  SET
    status = p_to,
    cancelled_at = now()
  WHERE a.merchant_id = p_merchant_id AND a.id = p_alert_id;
  RETURN jsonb_build_object('outcome', 'cancelled', 'alertId', p_alert_id, 'status', p_to);
END;
$$;

CREATE FUNCTION inventory.claim_stock_alerts(p_merchant_id uuid, p_stock_item_id uuid, p_limit integer)
RETURNS SETOF inventory.stock_alert
LANGUAGE sql
VOLATILE
AS $$
  UPDATE inventory.stock_alert a
  SET
    status = 'NOTIFIED',
    notified_at = now()
  WHERE
    (a.merchant_id, a.id) IN (
      SELECT x.merchant_id, x.id
      FROM inventory.stock_alert x
      WHERE
        x.merchant_id = p_merchant_id
        AND x.stock_item_id = p_stock_item_id
        AND x.status = 'PENDING'
        AND inventory.is_available(p_merchant_id, p_stock_item_id)
      ORDER BY x.created_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
  RETURNING *;
$$;

CREATE FUNCTION inventory.stock_items_back(p_limit integer)
RETURNS TABLE (merchant_id uuid, stock_item_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT DISTINCT a.merchant_id, a.stock_item_id
  FROM inventory.stock_alert a
  WHERE a.status = 'PENDING' AND inventory.is_available(a.merchant_id, a.stock_item_id)
  LIMIT p_limit;
$$;

CREATE FUNCTION inventory.shelve(p_incoming inventory.incoming_stock, p_quantity integer, p_principal text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_level inventory.stock_level := inventory.lock_level(
    p_incoming.merchant_id,
    p_incoming.stock_item_id,
    p_incoming.warehouse_id
  );
BEGIN
  IF p_incoming.transfer_id IS NULL THEN
    PERFORM
      inventory.because(
        'ARRIVAL',
        coalesce('Arrived: ' || p_incoming.reference, 'Arrived'),
        'INCOMING_STOCK',
        p_incoming.id,
        p_principal
      );
  ELSE
    PERFORM
      inventory.because(
        'TRANSFER_IN',
        'Arrived from another warehouse',
        'TRANSFER',
        p_incoming.transfer_id,
        p_principal
      );
  END IF;
  UPDATE inventory.stock_level l
  SET
    available = l.available + p_quantity,
    last_restocked_at = now()
  WHERE
    l.merchant_id = v_level.merchant_id
    AND l.stock_item_id = v_level.stock_item_id
    AND l.warehouse_id = v_level.warehouse_id;
  UPDATE inventory.incoming_stock n
  SET
    received_quantity = n.received_quantity + p_quantity,
    received_at = CASE
      WHEN n.received_quantity + p_quantity = n.quantity THEN now()
      ELSE n.received_at
    END
  WHERE n.merchant_id = p_incoming.merchant_id AND n.id = p_incoming.id;
END;
$$;

CREATE FUNCTION inventory.expect_stock(
  p_merchant_id uuid,
  p_sku text,
  p_warehouse_id uuid,
  p_quantity integer,
  p_expected_date date,
  p_reference text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_refusals jsonb := inventory.place_refusals(p_merchant_id, p_sku, p_warehouse_id) || inventory.intake_refusals(
    p_merchant_id,
    p_sku
  );
  v_id uuid := platform.uuid_v7();
BEGIN
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  INSERT INTO inventory.incoming_stock
    (merchant_id, id, stock_item_id, warehouse_id, quantity, expected_date, reference)
  SELECT
    p_merchant_id,
    v_id,
    i.id,
    inventory.warehouse_or_first(p_merchant_id, p_warehouse_id),
    p_quantity,
    p_expected_date,
    p_reference
  FROM inventory.stock_item i
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku;
  RETURN jsonb_build_object('outcome', 'changed', 'incomingStockId', v_id);
END;
$$;

CREATE FUNCTION inventory.lock_awaited(
  p_merchant_id uuid,
  p_id uuid,
  OUT incoming inventory.incoming_stock,
  OUT refusal jsonb
)
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT * INTO incoming FROM inventory.incoming_stock n WHERE n.merchant_id = p_merchant_id AND n.id = p_id FOR UPDATE;
  refusal := CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'unknown')
    WHEN incoming.transfer_id IS NOT NULL THEN jsonb_build_object(
      'outcome',
      'belongs_to_transfer',
      'transferId',
      incoming.transfer_id
    )
    WHEN incoming.awaited IS NULL THEN jsonb_build_object('outcome', 'refused', 'status', incoming.status)
  END;
END;
$$;

CREATE FUNCTION inventory.change_incoming_stock(p_merchant_id uuid, p_id uuid, p_changes jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_awaited(p_merchant_id, p_id);
  v_incoming inventory.incoming_stock := v_locked.incoming;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  IF (p_changes ->> 'quantity')::integer < v_incoming.received_quantity THEN
    RETURN jsonb_build_object('outcome', 'too_few', 'received', v_incoming.received_quantity);
  END IF;
  UPDATE inventory.incoming_stock n
  SET
    quantity = coalesce((p_changes ->> 'quantity')::integer, n.quantity),
    received_at = CASE
      WHEN (p_changes ->> 'quantity')::integer = n.received_quantity THEN now()
      ELSE n.received_at
    END,
    expected_date = CASE
      WHEN p_changes ? 'expectedDate' THEN (p_changes ->> 'expectedDate')::date
      ELSE n.expected_date
    END,
    reference = CASE
      WHEN p_changes ? 'reference' THEN p_changes ->> 'reference'
      ELSE n.reference
    END
  WHERE n.merchant_id = p_merchant_id AND n.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'incomingStockId', p_id);
END;
$$;

CREATE FUNCTION inventory.receive_incoming_stock(p_merchant_id uuid, p_id uuid, p_quantity integer, p_principal text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_awaited(p_merchant_id, p_id);
  v_incoming inventory.incoming_stock := v_locked.incoming;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  IF p_quantity > v_incoming.awaited THEN
    RETURN jsonb_build_object('outcome', 'too_many', 'awaited', v_incoming.awaited);
  END IF;
  PERFORM inventory.shelve(v_incoming, coalesce(p_quantity, v_incoming.awaited), p_principal);
  RETURN jsonb_build_object('outcome', 'changed', 'incomingStockId', p_id);
END;
$$;

CREATE FUNCTION inventory.cancel_incoming_stock(p_merchant_id uuid, p_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_refusal jsonb;
BEGIN
  SELECT a.refusal INTO v_refusal FROM inventory.lock_awaited(p_merchant_id, p_id) a;
  IF v_refusal IS NOT NULL THEN
    RETURN v_refusal;
  END IF;
  UPDATE inventory.incoming_stock n SET cancelled_at = now() WHERE n.merchant_id = p_merchant_id AND n.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'incomingStockId', p_id);
END;
$$;

CREATE FUNCTION inventory.transfer_lines(p_merchant_id uuid, p_lines jsonb)
RETURNS TABLE ("position" integer, stock_item_id uuid, sku text, quantity bigint)
LANGUAGE sql
STABLE
AS $$
  SELECT min(l.position)::integer - 1, i.id, l.sku, sum(l.quantity)
  FROM
    ROWS FROM (jsonb_to_recordset(p_lines) AS (sku text, quantity integer)) WITH ORDINALITY AS l (
      sku,
      quantity,
      position
    )
    LEFT JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.sku = l.sku
  GROUP BY i.id, l.sku;
$$;

CREATE FUNCTION inventory.transfer_line_refusals(p_merchant_id uuid, p_lines jsonb)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      jsonb_agg(
        CASE
          WHEN l.stock_item_id IS NULL THEN jsonb_build_object(
            'field',
            format('lines.%s.sku', l.position),
            'reason',
            'unknown_sku'
          )
          ELSE jsonb_build_object('field', format('lines.%s.quantity', l.position), 'reason', 'quantity_too_large')
        END
        ORDER BY l.position
      ),
      '[]'
    )
  FROM inventory.transfer_lines(p_merchant_id, p_lines) l
  WHERE l.stock_item_id IS NULL OR l.quantity > 999999;
$$;

CREATE FUNCTION inventory.lock_transfer(
  p_merchant_id uuid,
  p_id uuid,
  p_from text[],
  OUT transfer inventory.transfer,
  OUT refusal jsonb
)
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT * INTO transfer FROM inventory.transfer t WHERE t.merchant_id = p_merchant_id AND t.id = p_id FOR UPDATE;
  refusal := CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'unknown')
    WHEN NOT transfer.status = ANY (p_from) THEN jsonb_build_object('outcome', 'refused', 'status', transfer.status)
  END;
END;
$$;

CREATE FUNCTION inventory.change_transfer(p_merchant_id uuid, p_id uuid, p_changes jsonb, p_from text[])
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_refusal jsonb;
BEGIN
  SELECT t.refusal INTO v_refusal FROM inventory.lock_transfer(p_merchant_id, p_id, p_from) t;
  IF v_refusal IS NOT NULL THEN
    RETURN v_refusal;
  END IF;
  IF p_changes ? 'lines' THEN
    v_refusal := inventory.transfer_line_refusals(p_merchant_id, p_changes -> 'lines');
    IF v_refusal <> '[]' THEN
      RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusal);
    END IF;
    DELETE FROM inventory.transfer_line l WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id;
    INSERT INTO inventory.transfer_line (merchant_id, transfer_id, stock_item_id, quantity)
    SELECT p_merchant_id, p_id, l.stock_item_id, l.quantity
    FROM inventory.transfer_lines(p_merchant_id, p_changes -> 'lines') l;
  END IF;
  UPDATE inventory.transfer t
  SET
    expected_date = CASE
      WHEN p_changes ? 'expectedDate' THEN (p_changes ->> 'expectedDate')::date
      ELSE t.expected_date
    END,
    notes = CASE
      WHEN p_changes ? 'notes' THEN p_changes ->> 'notes'
      ELSE t.notes
    END
  WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END;
$$;

CREATE FUNCTION inventory.cancel_transfer(p_merchant_id uuid, p_id uuid, p_from text[], p_to text, p_principal text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_transfer(p_merchant_id, p_id, p_from);
  v_transfer inventory.transfer := v_locked.transfer;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  PERFORM
    inventory.lock_levels(
      p_merchant_id,
      ARRAY(
        SELECT l.stock_item_id
        FROM inventory.transfer_line l
        WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id
      )
    );
  PERFORM inventory.because('TRANSFER_IN', 'The transfer was cancelled', 'TRANSFER', p_id, p_principal);
  UPDATE inventory.stock_level s
  SET available = s.available + n.awaited
  FROM inventory.incoming_stock n
  WHERE
    n.merchant_id = p_merchant_id
    AND n.transfer_id = p_id
    AND n.awaited IS NOT NULL
    AND s.merchant_id = n.merchant_id
    AND s.stock_item_id = n.stock_item_id
    AND s.warehouse_id = v_transfer.from_warehouse_id;
  UPDATE inventory.incoming_stock n
  SET cancelled_at = now()
  WHERE n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.awaited IS NOT NULL;
  UPDATE inventory.transfer t
  SET
    status = p_to,
    cancelled_at = now()
  WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END;
$$;

CREATE FUNCTION inventory.set_low_stock_threshold(p_merchant_id uuid, p_sku text, p_threshold integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_stock_item_id uuid;
BEGIN
  UPDATE inventory.stock_item i
  SET low_stock_threshold = p_threshold
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku
  RETURNING i.id
  INTO v_stock_item_id;
  RETURN CASE
    WHEN v_stock_item_id IS NULL THEN jsonb_build_object('outcome', 'unknown_sku')
    ELSE jsonb_build_object('outcome', 'changed', 'stockItemId', v_stock_item_id)
  END;
END;
$$;

CREATE FUNCTION inventory.warehouse_of_import(p_merchant_id uuid, p_code text)
RETURNS uuid
LANGUAGE sql
STABLE
AS $$
  SELECT w.id
  FROM inventory.warehouse w
  WHERE w.merchant_id = p_merchant_id AND (w.code = p_code OR p_code IS NULL AND w.active)
  ORDER BY w.priority, w.id
  LIMIT 1;
$$;

-- sql/merchant/functions.sql

CREATE FUNCTION merchant.plan_rank(p_plan text)
RETURNS integer
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT array_position('{FREE,STARTER,PRO,ENTERPRISE}', p_plan);
$$;

CREATE FUNCTION merchant.is_twin(p_merchant_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT EXISTS (SELECT FROM merchant.merchant m WHERE m.id = p_merchant_id AND m.twin_of IS NOT NULL);
$$;

CREATE FUNCTION merchant.copy_plan_to_twin(p_merchant_id uuid)
RETURNS void
LANGUAGE sql
AS $$
  UPDATE merchant.subscription t
  SET
    plan = s.plan,
    status = s.status,
    current_period_start = s.current_period_start,
    current_period_end = s.current_period_end
  FROM
    merchant.subscription s
    JOIN merchant.merchant m ON m.twin_of = s.merchant_id
  WHERE s.merchant_id = p_merchant_id AND t.merchant_id = m.id;
$$;

CREATE FUNCTION merchant.lock_subscription(p_merchant_id uuid)
RETURNS merchant.subscription
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription;
BEGIN
  SELECT *
  INTO v_subscription
  FROM merchant.subscription s
  WHERE s.merchant_id = p_merchant_id AND NOT merchant.is_twin(s.merchant_id)
  FOR UPDATE;
  RETURN v_subscription;
END;
$$;

CREATE FUNCTION merchant.request_plan(p_merchant_id uuid, p_plan text, p_from text[])
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'twin');
  END IF;
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  UPDATE merchant.subscription s
  SET
    -- A plan that the next period begins with anyway needs no request.
    requested_plan = CASE
      WHEN p_plan <> ALL (ARRAY[s.plan, coalesce(s.next_plan, s.plan)]) THEN p_plan
    END,
    -- Asked for twice, it was asked for the first time.
    requested_at = CASE
      WHEN p_plan = ANY (ARRAY[s.plan, coalesce(s.next_plan, s.plan)]) THEN NULL
      WHEN p_plan = s.requested_plan THEN s.requested_at
      ELSE now()
    END,
    next_plan = CASE
      WHEN p_plan <> s.plan THEN s.next_plan
    END,
    cancel_at_period_end = FALSE
  WHERE s.merchant_id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

CREATE FUNCTION merchant.give_plan(
  p_subscription merchant.subscription,
  p_plan text,
  p_at_once boolean,
  p_from text[],
  p_to text
)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE merchant.subscription s
  SET
    plan = CASE
      WHEN n.now THEN p_plan
      ELSE s.plan
    END,
    next_plan = CASE
      WHEN NOT n.now THEN p_plan
    END,
    status = CASE
      WHEN n.now
      AND s.status = ANY (p_from) THEN p_to
      ELSE s.status
    END,
    requested_plan = NULL,
    requested_at = NULL,
    cancel_at_period_end = FALSE,
    -- A period that is over already begins anew; one under way goes on.
    current_period_start = CASE
      WHEN n.now
      AND s.current_period_end <= now() THEN now()
      ELSE s.current_period_start
    END,
    current_period_end = CASE
      WHEN n.now
      AND s.current_period_end <= now() THEN now() + INTERVAL '1 month'
      ELSE s.current_period_end
    END
  FROM (SELECT p_at_once OR merchant.plan_rank(p_plan) > merchant.plan_rank(p_subscription.plan) AS now) n
  WHERE s.merchant_id = p_subscription.merchant_id;
$$;

CREATE FUNCTION merchant.answer_plan_request(
  p_merchant_id uuid,
  p_plan text,
  p_confirm boolean,
  p_from text[],
  p_to text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_subscription.requested_plan IS DISTINCT FROM p_plan THEN
    RETURN jsonb_build_object('outcome', 'not_requested', 'requested', v_subscription.requested_plan);
  END IF;
  IF NOT p_confirm THEN
    UPDATE merchant.subscription s
    SET
      requested_plan = NULL,
      requested_at = NULL
    WHERE s.merchant_id = p_merchant_id;
    RETURN jsonb_build_object('outcome', 'changed');
  END IF;
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  PERFORM merchant.give_plan(v_subscription, p_plan, FALSE, p_from, p_to);
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

CREATE FUNCTION merchant.set_plan(p_merchant_id uuid, p_plan text, p_from text[], p_to text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  PERFORM merchant.give_plan(v_subscription, p_plan, TRUE, p_from, p_to);
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

CREATE FUNCTION merchant.set_cancellation(p_merchant_id uuid, p_cancel boolean, p_from text[])
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'twin');
  END IF;
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  UPDATE merchant.subscription s
  SET
    cancel_at_period_end = p_cancel,
    next_plan = CASE
      WHEN NOT p_cancel THEN s.next_plan
    END,
    requested_plan = CASE
      WHEN NOT p_cancel THEN s.requested_plan
    END,
    requested_at = CASE
      WHEN NOT p_cancel THEN s.requested_at
    END
  WHERE s.merchant_id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

CREATE FUNCTION merchant.set_billing_status(p_merchant_id uuid, p_from text[], p_to text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_subscription merchant.subscription := merchant.lock_subscription(p_merchant_id);
BEGIN
  IF v_subscription.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_subscription.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_subscription.status);
  END IF;
  UPDATE merchant.subscription s SET status = p_to WHERE s.merchant_id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

CREATE FUNCTION merchant.begin_periods(p_limit integer, p_from text[], p_renewed text, p_ended text)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    due AS (
      SELECT s.merchant_id, s.current_period_end, m.months
      FROM
        merchant.subscription s
        -- The first whole number of months that leads past now; a bound keeps a wrong clock from counting for ever.
        CROSS JOIN LATERAL (
          SELECT min(n) AS months
          FROM generate_series(1, 1200) n
          WHERE s.current_period_end + make_interval(months => n) > now()
        ) m
      WHERE s.current_period_end <= now() AND s.status = ANY (p_from) AND NOT merchant.is_twin(s.merchant_id)
      ORDER BY s.current_period_end
      LIMIT p_limit
      FOR UPDATE OF s SKIP LOCKED
    ),
    begun AS (
      UPDATE merchant.subscription s
      SET
        plan = CASE
          WHEN s.cancel_at_period_end THEN 'FREE'
          ELSE coalesce(s.next_plan, s.plan)
        END,
        status = CASE
          WHEN s.cancel_at_period_end THEN p_ended
          ELSE p_renewed
        END,
        next_plan = NULL,
        cancel_at_period_end = FALSE,
        current_period_start = due.current_period_end + make_interval(months => due.months - 1),
        current_period_end = due.current_period_end + make_interval(months => due.months)
      FROM due
      WHERE s.merchant_id = due.merchant_id
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM begun;
$$;

CREATE FUNCTION merchant.require_feature(p_merchant_id uuid, p_feature text)
RETURNS void
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_subscription merchant.subscription;
  v_needed text;
BEGIN
  SELECT * INTO v_subscription FROM merchant.subscription s WHERE s.merchant_id = p_merchant_id;
  IF
    v_subscription.status <> 'UNPAID'
    AND EXISTS (SELECT FROM merchant.plan_feature f WHERE f.plan = v_subscription.plan AND f.feature = p_feature)
  THEN
    RETURN;
  END IF;
  SELECT f.plan
  INTO v_needed
  FROM merchant.plan_feature f
  WHERE f.feature = p_feature
  ORDER BY merchant.plan_rank(f.plan)
  LIMIT 1;
  PERFORM
    platform.violate(
      'merchant.subscription',
      'plan_feature',
      CASE v_subscription.status
        WHEN 'UNPAID' THEN format('the subscription is UNPAID: it includes no %s until it is paid', p_feature)
        ELSE format(
          'the plan %s does not include %s, which needs the plan %s',
          v_subscription.plan,
          p_feature,
          coalesce(v_needed, 'NONE')
        )
      END,
      jsonb_build_object(
        'feature',
        p_feature,
        'plan',
        v_subscription.plan,
        'requiredPlan',
        v_needed,
        'status',
        v_subscription.status
      )::text
    );
END;
$$;

CREATE FUNCTION merchant.change_status(p_merchant_id uuid, p_from text[], p_to text, p_reason text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_status text := (
    SELECT m.status FROM merchant.merchant m WHERE m.id = p_merchant_id AND m.twin_of IS NULL FOR NO KEY UPDATE
  );
BEGIN
  IF v_status IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  -- Part of the rows of a merchant whose deletion is due may be gone.
  IF v_status <> ALL (p_from) OR merchant.deletion_is_due(p_merchant_id) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_status);
  END IF;
  UPDATE merchant.merchant m
  SET
    status = p_to,
    status_since = now(),
    status_reason = p_reason,
    deletes_at = NULL
  WHERE m.id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

CREATE FUNCTION merchant.close_merchant(p_merchant_id uuid, p_from text[], p_reason text, p_delay integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant merchant.merchant;
BEGIN
  SELECT *
  INTO v_merchant
  FROM merchant.merchant m
  WHERE m.id = p_merchant_id AND m.twin_of IS NULL
  FOR NO KEY UPDATE;
  IF v_merchant.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_merchant.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_merchant.status);
  END IF;
  IF coalesce(v_merchant.data_exported_at, '-infinity') < now() - INTERVAL '30 days' THEN
    RETURN jsonb_build_object('outcome', 'not_exported');
  END IF;
  UPDATE merchant.merchant m
  SET
    status = 'CLOSED',
    status_since = now(),
    status_reason = p_reason,
    deletes_at = now() + make_interval(days => p_delay)
  WHERE m.id = p_merchant_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

CREATE FUNCTION merchant.confirm_export(p_merchant_id uuid)
RETURNS boolean
LANGUAGE sql
VOLATILE
AS $$
  WITH
    confirmed AS (
      UPDATE merchant.merchant m
      SET data_exported_at = now()
      WHERE m.id = p_merchant_id AND m.twin_of IS NULL
      RETURNING m.id
    )
  SELECT EXISTS (SELECT FROM confirmed);
$$;

CREATE FUNCTION merchant.deletion_is_due(p_merchant_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (SELECT FROM merchant.merchant m WHERE m.id = p_merchant_id AND m.deletes_at <= now())
    OR EXISTS (SELECT FROM operator.deleted_merchant d WHERE d.id = p_merchant_id);
$$;

CREATE FUNCTION merchant.due_for_deletion(p_limit integer)
RETURNS TABLE (merchant_id uuid)
LANGUAGE sql
STABLE
AS $$
  (
    SELECT m.id
    FROM merchant.merchant m
    WHERE m.deletes_at <= now()
    ORDER BY m.deletes_at, m.twin_of IS NULL
    LIMIT p_limit
  )
  UNION ALL
  (SELECT d.id FROM operator.deleted_merchant d WHERE d.deleted_at > now() - INTERVAL '1 hour' LIMIT p_limit);
$$;

CREATE FUNCTION merchant.remove_sender(p_merchant_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  DELETE FROM merchant.sender s WHERE s.merchant_id = p_merchant_id;
$$;

CREATE FUNCTION merchant.set_sender_records(p_merchant_id uuid, p_token text, p_records jsonb)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  DELETE FROM merchant.sender_record r
  WHERE
    r.merchant_id = p_merchant_id
    AND r.purpose NOT IN (SELECT n.purpose FROM jsonb_to_recordset(p_records) AS n (purpose text));
  INSERT INTO merchant.sender_record (merchant_id, purpose, type, name, value, found)
  SELECT s.merchant_id, n.purpose, n.type, n.name, n.value, n.found
  FROM
    merchant.sender s
    CROSS JOIN jsonb_to_recordset(p_records) AS n (purpose text, type text, name text, value text, found boolean)
  WHERE s.merchant_id = p_merchant_id AND s.token = p_token
  ON CONFLICT (merchant_id, purpose) DO UPDATE
    SET
      type = excluded.type,
      name = excluded.name,
      value = excluded.value,
      found = excluded.found;
$$;

CREATE FUNCTION merchant.next_sender_check(p_status text, p_created_at timestamptz)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT
    now() + CASE
      WHEN p_status = 'CONFIRMED' THEN INTERVAL '1 hour'
      WHEN p_created_at > now() - INTERVAL '3 days' THEN INTERVAL '10 minutes'
      ELSE INTERVAL '1 day'
    END;
$$;

CREATE FUNCTION merchant.claim_sender_checks(p_limit integer)
RETURNS TABLE (merchant_id uuid, domain text, token text)
LANGUAGE sql
VOLATILE
AS $$
  UPDATE merchant.sender s
  SET next_check_at = now() + INTERVAL '10 minutes'
  WHERE
    s.merchant_id IN (
      SELECT x.merchant_id
      FROM merchant.sender x
      WHERE x.next_check_at <= now()
      ORDER BY x.next_check_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
  RETURNING s.merchant_id, s.domain, s.token;
$$;

-- sql/metadata/functions.sql

CREATE FUNCTION metadata.most_bytes()
RETURNS integer
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT 32768;
$$;

-- sql/platform/functions.sql

CREATE FUNCTION platform.violate(p_table text, p_constraint text, p_because text DEFAULT NULL, p_detail text DEFAULT '')
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_schema text := split_part(p_table, '.', 1);
  v_table text := split_part(p_table, '.', 2);
BEGIN
  RAISE EXCEPTION
    USING
      ERRCODE = 'check_violation',
      CONSTRAINT = p_constraint,
      SCHEMA = v_schema,
      TABLE = v_table,
      DETAIL = p_detail,
      MESSAGE = coalesce(
        p_because || format(': constraint "%s"', p_constraint) || CASE p_detail
          WHEN '' THEN ''
          ELSE ' ' || p_detail
        END,
        format('new row for relation "%s" violates check constraint "%s"', v_table, p_constraint)
      );
END;
$$;

-- sql/metadata/functions.sql

CREATE FUNCTION metadata.refuse(p_table text, p_field text, p_fault jsonb)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    platform.violate(
      p_table,
      'metadata_kept',
      format(
        'Field %s: %s',
        p_field,
        coalesce(
          'expected ' || (p_fault ->> 'expected'),
          p_fault ->> 'message',
          format('%s is not between %s and %s', p_fault ->> 'value', p_fault ->> 'min', p_fault ->> 'max')
        )
      ),
      jsonb_build_object('field', p_field, 'fault', p_fault)::text
    );
$$;

CREATE FUNCTION metadata.form_fault(p_given jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT jsonb_build_object('path', x.path, 'fault', jsonb_build_object('kind', 'format', 'expected', x.expected))
  FROM
    (
      SELECT '' AS path, 'object of namespaces' AS expected, 1 AS rank WHERE jsonb_typeof(p_given) <> 'object'
      UNION ALL
      SELECT
        '.' || left(n.key, 64),
        CASE
          WHEN n.key !~ '^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$' THEN 'namespace of 1 to 64 letters, digits, _ and -'
          ELSE 'object of keys and values, or null'
        END,
        2
      FROM
        jsonb_each(
          CASE jsonb_typeof(p_given)
            WHEN 'object' THEN p_given
            ELSE '{}'
          END
        ) n
      WHERE n.key !~ '^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$' OR jsonb_typeof(n.value) NOT IN ('object', 'null')
      UNION ALL
      SELECT format('.%s.%s', n.key, left(k.key, 64)), 'key of 1 to 64 letters, digits, _ and -', 3
      FROM
        jsonb_each(
          CASE jsonb_typeof(p_given)
            WHEN 'object' THEN p_given
            ELSE '{}'
          END
        ) n,
        jsonb_object_keys(
          CASE jsonb_typeof(n.value)
            WHEN 'object' THEN n.value
            ELSE '{}'
          END
        ) AS k (key)
      WHERE k.key !~ '^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$'
    ) x
  ORDER BY x.rank, x.path
  LIMIT 1;
$$;

CREATE FUNCTION metadata.merged(p_old jsonb, p_given jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT coalesce(jsonb_object_agg(n.name, n.keys) FILTER (WHERE n.keys <> '{}'), '{}')
  FROM
    (
      SELECT
        coalesce(o.key, g.key) AS name,
        CASE
          WHEN g.key IS NULL THEN o.value
          WHEN g.value = 'null' THEN '{}'
          ELSE (
            SELECT coalesce(jsonb_object_agg(k.key, k.value), '{}')
            FROM jsonb_each(coalesce(o.value, '{}') || g.value) k
            WHERE k.value <> 'null'
          )
        END AS keys
      FROM
        jsonb_each(p_old) o
        FULL JOIN jsonb_each(p_given) g ON g.key = o.key
    ) n;
$$;

CREATE FUNCTION metadata.emptied(p_metadata jsonb)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT coalesce(jsonb_object_agg(n.name, NULL), '{}') FROM jsonb_object_keys(p_metadata) AS n (name);
$$;

CREATE FUNCTION metadata.is_time(p_text text, p_type text)
RETURNS boolean
LANGUAGE plpgsql
STABLE
AS $$
BEGIN
  IF p_type = 'date' THEN
    PERFORM p_text::date;
  ELSE
    PERFORM p_text::timestamptz;
  END IF;
  RETURN TRUE;
EXCEPTION WHEN data_exception THEN
  RETURN FALSE;
END;
$$;

CREATE FUNCTION metadata.value_fault(p_definition metadata.definition, p_value jsonb)
RETURNS jsonb
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_type text := jsonb_typeof(p_value);
  v_text text := p_value #>> '{}';
  v_expected text;
  v_size numeric;
  v_unknown text;
BEGIN
  v_expected := CASE p_definition.type
    WHEN 'TEXT' THEN CASE
      WHEN v_type <> 'string' THEN 'text'
    END
    WHEN 'INTEGER' THEN CASE
      WHEN v_type <> 'number' THEN 'whole number'
      WHEN v_text::numeric <> trunc(v_text::numeric) THEN 'whole number'
    END
    WHEN 'DECIMAL' THEN CASE
      WHEN v_type <> 'number' THEN 'number'
    END
    WHEN 'BOOLEAN' THEN CASE
      WHEN v_type <> 'boolean' THEN 'true or false'
    END
    WHEN 'DATE' THEN CASE
      WHEN v_type <> 'string'
      OR v_text !~ '^\d{4}-\d{2}-\d{2}$'
      OR NOT metadata.is_time(v_text, 'date') THEN 'ISO 8601 date YYYY-MM-DD'
    END
    WHEN 'DATE_TIME' THEN CASE
      WHEN v_type <> 'string'
      OR v_text !~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$'
      OR NOT metadata.is_time(v_text, 'timestamptz') THEN 'ISO 8601 timestamp with time zone, e.g. 2026-01-31T09:30:00Z'
    END
    WHEN 'URL' THEN CASE
      WHEN v_type <> 'string'
      OR v_text !~ '^https?://[^[:space:]/?#@]+([/?#][^[:space:]]*)?$'
      OR char_length(v_text) > 2048 THEN 'http or https URL'
    END
    WHEN 'LIST_OF_TEXT' THEN CASE
      WHEN v_type <> 'array' THEN 'list of texts'
      WHEN jsonb_path_exists(p_value, 'strict $[*] ? (@.type() != "string")') THEN 'list of texts'
    END
  END;
  IF v_expected IS NOT NULL THEN
    RETURN jsonb_build_object('kind', 'format', 'expected', v_expected);
  END IF;
  IF p_definition.choices IS NOT NULL THEN
    SELECT c
    INTO v_unknown
    FROM
      jsonb_array_elements_text(
        CASE v_type
          WHEN 'array' THEN p_value
          ELSE jsonb_build_array(p_value)
        END
      ) c
    WHERE c <> ALL (p_definition.choices)
    LIMIT 1;
    IF FOUND THEN
      RETURN jsonb_build_object(
        'kind',
        'format',
        'expected',
        left('one of ' || array_to_string(p_definition.choices, ', '), 500)
      );
    END IF;
  END IF;
  v_size := CASE
    WHEN p_definition.type = 'TEXT' THEN char_length(v_text)
    WHEN p_definition.type = 'LIST_OF_TEXT' THEN jsonb_array_length(p_value)
    WHEN p_definition.type IN ('INTEGER', 'DECIMAL') THEN v_text::numeric
  END;
  IF v_size < p_definition.min OR v_size > p_definition.max THEN
    RETURN jsonb_build_object(
      'kind',
      'value',
      'message',
      format(
        '%s has to be %s',
        CASE p_definition.type
          WHEN 'TEXT' THEN 'The number of characters'
          WHEN 'LIST_OF_TEXT' THEN 'The number of entries'
          ELSE 'The value'
        END,
        concat_ws(' and ', 'at least ' || p_definition.min, 'at most ' || p_definition.max)
      )
    );
  END IF;
  RETURN NULL;
END;
$$;

CREATE FUNCTION metadata.owner_type(p_table text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE p_table
      WHEN 'cart.cart_item' THEN 'LINE'
      WHEN 'ordering.order_item' THEN 'LINE'
      ELSE upper(split_part(p_table, '.', 2))
    END;
$$;

CREATE FUNCTION metadata.kept(p_merchant_id uuid, p_table text, p_private boolean, p_old jsonb, p_given jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_field text := CASE
    WHEN p_private THEN 'privateMetadata'
    ELSE 'metadata'
  END;
  v_fault jsonb;
  v_kept jsonb;
BEGIN
  -- The column's own NOT NULL refuses a NULL.
  IF p_given = p_old OR p_given IS NULL THEN
    RETURN p_given;
  END IF;
  v_fault := metadata.form_fault(p_given);
  IF v_fault IS NOT NULL THEN
    PERFORM metadata.refuse(p_table, v_field || (v_fault ->> 'path'), v_fault -> 'fault');
  END IF;
  v_kept := metadata.merged(p_old, p_given);
  IF octet_length(v_kept::text) > metadata.most_bytes() THEN
    PERFORM
      metadata.refuse(
        p_table,
        v_field,
        jsonb_build_object(
          'kind',
          'range',
          'value',
          format('of %s bytes', octet_length(v_kept::text)),
          'min',
          0,
          'max',
          metadata.most_bytes()
        )
      );
  END IF;
  -- A value that stays is not looked at again: its definition may be younger.
  SELECT jsonb_build_object('path', format('.%s.%s', d.namespace, d.key), 'fault', x.fault)
  INTO v_fault
  FROM
    metadata.definition d
    CROSS JOIN LATERAL (SELECT v_kept -> d.namespace -> d.key AS value) k
    CROSS JOIN LATERAL (SELECT metadata.value_fault(d, k.value) AS fault) x
  WHERE
    d.merchant_id = p_merchant_id
    AND d.owner_type = metadata.owner_type(p_table)
    AND d.private = p_private
    AND k.value IS NOT NULL
    AND k.value IS DISTINCT FROM p_old -> d.namespace -> d.key
    AND x.fault IS NOT NULL
    AND current_setting('metadata.checked', TRUE) IS DISTINCT FROM 'on'
  ORDER BY d.namespace, d.key
  LIMIT 1;
  IF v_fault IS NOT NULL THEN
    PERFORM metadata.refuse(p_table, v_field || (v_fault ->> 'path'), v_fault -> 'fault');
  END IF;
  RETURN v_kept;
END;
$$;

CREATE FUNCTION metadata.keep_with(p_merchant_id uuid, p_owner_type text, p_id uuid, p_kept jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_external_id text := p_kept ->> 'externalId';
  v_metadata jsonb := coalesce(nullif(p_kept -> 'metadata', 'null'), '{}');
  v_private jsonb := coalesce(nullif(p_kept -> 'privateMetadata', 'null'), '{}');
BEGIN
  CASE p_owner_type
    WHEN 'CART' THEN
      UPDATE cart.cart r
      SET
        external_id = v_external_id,
        metadata = v_metadata,
        private_metadata = v_private
      WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
    WHEN 'APPOINTMENT' THEN
      UPDATE booking.appointment r
      SET
        external_id = v_external_id,
        metadata = v_metadata,
        private_metadata = v_private
      WHERE r.merchant_id = p_merchant_id AND r.id = p_id;
  END CASE;
END;
$$;

-- sql/notification/functions.sql

CREATE FUNCTION notification.set_preference(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_kind text,
  p_channel text,
  p_enabled boolean
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_kind notification.kind_channel;
BEGIN
  IF
    p_customer_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id)
  THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'field', 'customerId', 'reason', 'unknown_customer');
  END IF;
  SELECT * INTO v_kind FROM notification.kind_channel k WHERE k.kind = p_kind AND k.channel = p_channel;
  IF (v_kind.audience = 'MERCHANT') <> (p_customer_id IS NULL) THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'field', 'kind', 'reason', 'not_of_audience');
  END IF;
  IF v_kind.required AND NOT p_enabled THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'field', 'enabled', 'reason', 'required');
  END IF;
  INSERT INTO notification.preference (merchant_id, customer_id, kind, channel, enabled)
  VALUES (p_merchant_id, p_customer_id, p_kind, p_channel, p_enabled)
  ON CONFLICT ON CONSTRAINT preference_key DO UPDATE SET enabled = excluded.enabled;
  RETURN jsonb_build_object('outcome', 'changed', 'required', v_kind.required);
END;
$$;

CREATE FUNCTION notification.wants(p_merchant_id uuid, p_customer_id uuid, p_kind text, p_channel text)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    NOT EXISTS (
      SELECT
      FROM notification.preference p
      WHERE
        p.merchant_id = p_merchant_id
        AND p.customer_id IS NOT DISTINCT FROM p_customer_id
        AND p.kind = p_kind
        AND p.channel = p_channel
        AND NOT p.enabled
    );
$$;

CREATE FUNCTION notification.shop_facts(p_merchant_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'name',
      m.name,
      'email',
      m.email,
      'website',
      m.website,
      'timeZone',
      coalesce(s.timezone, 'UTC'),
      'emailIsVerified',
      EXISTS (
        SELECT
        FROM identity.user u
        WHERE u.merchant_id = m.id AND u.email = m.email AND u.email_verified AND u.status = 'ACTIVE'
      ),
      'sender',
      (SELECT e.address FROM merchant.sender e WHERE e.merchant_id = m.id AND e.status = 'CONFIRMED')
    )
  FROM
    merchant.merchant m
    LEFT JOIN merchant.settings s ON s.merchant_id = m.id
  WHERE m.id = p_merchant_id;
$$;

-- sql/notification/functions/order_message.sql

CREATE FUNCTION notification.order_message(p_merchant_id uuid, p_order_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'customerId',
      c.id,
      'recipient',
      c.email,
      'recipientName',
      c.name,
      'facts',
      jsonb_build_object(
        'customer',
        jsonb_build_object('name', c.name, 'email', c.email),
        'order',
        jsonb_build_object(
          'id',
          o.id,
          'number',
          o.order_number,
          'currency',
          o.currency,
          'subtotal',
          o.subtotal,
          'tax',
          o.tax,
          'shipping',
          o.shipping,
          'discount',
          o.discount,
          'total',
          o.total,
          'placedAt',
          o.created_at,
          'paid',
          (
            SELECT coalesce(sum(p.captured_amount), 0)
            FROM payment.payment p
            WHERE p.merchant_id = o.merchant_id AND p.order_id = o.id
          )
        ),
        'items',
        (
          SELECT
            coalesce(
              jsonb_agg(
                jsonb_build_object(
                  'name',
                  i.product_name,
                  'sku',
                  i.sku,
                  'quantity',
                  i.quantity,
                  'price',
                  i.price,
                  'subtotal',
                  i.subtotal,
                  'properties',
                  i.properties
                )
                ORDER BY i.position, i.id
              ),
              '[]'
            )
          FROM ordering.order_item i
          WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
        ),
        'shippingAddress',
        (
          SELECT
            jsonb_build_object(
              'recipientName',
              a.recipient_name,
              'company',
              a.company,
              'line1',
              a.line1,
              'line2',
              a.line2,
              'city',
              a.city,
              'state',
              a.state,
              'postalCode',
              a.postal_code,
              'country',
              a.country
            )
          FROM ordering.order_address a
          WHERE a.merchant_id = o.merchant_id AND a.id = o.shipping_address_id
        )
      )
    )
  FROM
    ordering.order o
    JOIN crm.customer c ON c.merchant_id = o.merchant_id AND c.id = o.customer_id
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
$$;

-- sql/notification/functions.sql

CREATE FUNCTION notification.shipping_message(p_merchant_id uuid, p_shipment_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_insert(
      notification.order_message(s.merchant_id, s.order_id),
      '{facts,shipment}',
      jsonb_build_object(
        'carrier',
        s.carrier,
        'trackingNumber',
        s.tracking_number,
        'estimatedDeliveryAt',
        s.estimated_delivery_at
      )
    )
  FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id AND s.status IN ('SHIPPED', 'DELIVERED');
$$;

CREATE FUNCTION notification.refund_message(p_merchant_id uuid, p_refund_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_insert(
      notification.order_message(p.merchant_id, p.order_id),
      '{facts,refund}',
      jsonb_build_object('amount', r.amount, 'currency', p.currency, 'reason', r.reason)
    )
  FROM
    payment.refund r
    JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id AND r.status = 'SUCCEEDED';
$$;

CREATE FUNCTION notification.cancellation_message(p_merchant_id uuid, p_order_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_insert(
      notification.order_message(o.merchant_id, o.id),
      '{facts,cancellation}',
      jsonb_build_object('reason', o.cancel_reason, 'unpaid', o.lapsed)
    )
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.status = 'CANCELLED';
$$;

CREATE FUNCTION notification.appointment_facts(
  p_appointment booking.appointment,
  p_staff_id uuid,
  p_start_time timestamptz
)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'id',
      p_appointment.id,
      'service',
      s.name,
      'staff',
      m.name,
      'startTime',
      p_start_time,
      'duration',
      p_appointment.duration,
      'currency',
      p_appointment.currency,
      'paid',
      p_appointment.paid_amount,
      'due',
      p_appointment.amount_due,
      'fee',
      p_appointment.fee,
      'unpaid',
      p_appointment.lapsed,
      'timeZone',
      coalesce(m.time_zone, t.timezone, 'UTC'),
      'resources',
      (
        SELECT coalesce(jsonb_agg(r.name ORDER BY r.kind, r.name, r.id), '[]')
        FROM
          booking.appointment_resource a
          JOIN booking.resource r ON r.merchant_id = a.merchant_id AND r.id = a.resource_id
        WHERE a.merchant_id = p_appointment.merchant_id AND a.appointment_id = p_appointment.id
      )
    )
  FROM
    booking.service s
    JOIN booking.staff_member m ON m.merchant_id = s.merchant_id AND m.id = p_staff_id
    LEFT JOIN merchant.settings t ON t.merchant_id = s.merchant_id
  WHERE s.merchant_id = p_appointment.merchant_id AND s.id = p_appointment.service_id;
$$;

CREATE FUNCTION notification.appointment_message(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_start_time timestamptz,
  p_statuses text[]
)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'customerId',
      c.id,
      'recipient',
      c.email,
      'recipientName',
      c.name,
      'facts',
      jsonb_build_object(
        'customer',
        jsonb_build_object('name', c.name, 'email', c.email),
        'appointment',
        notification.appointment_facts(a, a.staff_id, a.start_time)
      )
    )
  FROM
    booking.appointment a
    JOIN crm.customer c ON c.merchant_id = a.merchant_id AND c.id = a.customer_id
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = p_appointment_id
    AND a.start_time = p_start_time
    AND a.status = ANY (p_statuses)
    AND a.start_time > now();
$$;

CREATE FUNCTION notification.staff_appointment_message(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_staff_id uuid,
  p_start_time timestamptz,
  p_in_calendar boolean
)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'customerId',
      NULL,
      'recipient',
      m.email,
      'recipientName',
      m.name,
      'facts',
      jsonb_build_object(
        'customer',
        jsonb_build_object('name', c.name, 'email', c.email),
        'appointment',
        notification.appointment_facts(a, m.id, p_start_time) || jsonb_build_object('customerId', c.id)
      )
    )
  FROM
    booking.appointment a
    JOIN crm.customer c ON c.merchant_id = a.merchant_id AND c.id = a.customer_id
    JOIN booking.staff_member m ON m.merchant_id = a.merchant_id AND m.id = p_staff_id
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = p_appointment_id
    AND p_start_time > now()
    -- A later event covers later changes.
    AND CASE
      WHEN p_in_calendar THEN a.staff_id = m.id
      AND a.start_time = p_start_time
      AND a.takes_time
      ELSE a.staff_id <> m.id
      OR NOT a.takes_time
    END;
$$;

CREATE FUNCTION notification.merchant_message(p_merchant_id uuid, p_facts jsonb)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT jsonb_build_object('customerId', NULL, 'recipient', m.email, 'recipientName', m.name, 'facts', p_facts)
  FROM merchant.merchant m
  WHERE m.id = p_merchant_id;
$$;

CREATE FUNCTION notification.low_stock_message(p_merchant_id uuid, p_crossing_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    notification.merchant_message(
      c.merchant_id,
      jsonb_build_object(
        'product',
        jsonb_build_object('id', p.id, 'name', p.name, 'sku', i.sku),
        'stock',
        jsonb_build_object('available', c.available, 'threshold', c.threshold)
      )
    )
  FROM
    notification.stock_crossing c
    JOIN inventory.stock_item i ON i.merchant_id = c.merchant_id AND i.id = c.stock_item_id
    JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
  WHERE c.merchant_id = p_merchant_id AND c.id = p_crossing_id AND i.sku IS NOT NULL;
$$;

CREATE FUNCTION notification.dispute_message(p_merchant_id uuid, p_dispute_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    notification.merchant_message(
      d.merchant_id,
      jsonb_build_object(
        'dispute',
        jsonb_build_object(
          'paymentId',
          d.payment_id,
          'orderNumber',
          o.order_number,
          'amount',
          d.amount,
          'currency',
          d.currency,
          'reason',
          d.reason,
          'evidenceDueAt',
          d.evidence_due_at
        )
      )
    )
  FROM
    payment.dispute d
    JOIN payment.payment p ON p.merchant_id = d.merchant_id AND p.id = d.payment_id
    LEFT JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
  WHERE d.merchant_id = p_merchant_id AND d.id = p_dispute_id;
$$;

CREATE FUNCTION notification.claim_back_in_stock(p_merchant_id uuid, p_stock_item_id uuid, p_limit integer)
RETURNS TABLE (alert_id uuid, message jsonb)
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    a.id,
    jsonb_build_object(
      'customerId',
      a.customer_id,
      'recipient',
      a.email,
      'recipientName',
      c.name,
      'facts',
      jsonb_build_object('product', jsonb_build_object('id', p.id, 'name', p.name, 'sku', i.sku)) || CASE
        WHEN c.id IS NULL THEN '{}'
        ELSE jsonb_build_object('customer', jsonb_build_object('name', c.name, 'email', c.email))
      END
    )
  FROM
    inventory.claim_stock_alerts(p_merchant_id, p_stock_item_id, p_limit) a
    JOIN inventory.stock_item i ON i.merchant_id = a.merchant_id AND i.id = a.stock_item_id
    JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
    LEFT JOIN crm.customer c ON c.merchant_id = a.merchant_id AND c.id = a.customer_id;
$$;

-- sql/operator/functions.sql

CREATE FUNCTION operator.claim_sign_up_mails(p_limit integer, p_lease interval, p_max_attempts integer)
RETURNS TABLE (id uuid, email text, hash text, token text)
LANGUAGE sql
VOLATILE
AS $$
  UPDATE operator.sign_up s
  SET undelivered = NULL
  WHERE
    s.undelivered IS NOT NULL
    AND s.next_attempt_at <= now()
    AND (s.attempts >= p_max_attempts OR s.expires_at <= now());
  UPDATE operator.sign_up s
  SET
    attempts = s.attempts + 1,
    next_attempt_at = now() + p_lease * power(2, s.attempts)
  WHERE
    s.id IN (
      SELECT x.id
      FROM operator.sign_up x
      WHERE x.undelivered IS NOT NULL AND x.next_attempt_at <= now()
      ORDER BY x.next_attempt_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
  RETURNING s.id, s.email::text, encode(s.hash, 'hex'), s.undelivered;
$$;

CREATE FUNCTION operator.forget_sign_up_token(p_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE operator.sign_up s SET undelivered = NULL WHERE s.id = p_id;
$$;

CREATE FUNCTION operator.find_sign_up(p_hash bytea)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_sign_up operator.sign_up;
BEGIN
  SELECT * INTO v_sign_up FROM operator.sign_up s WHERE s.hash = p_hash FOR NO KEY UPDATE;
  IF v_sign_up.answer IS NOT NULL AND v_sign_up.opened_at > now() - INTERVAL '10 minutes' THEN
    RETURN jsonb_build_object('outcome', 'opened', 'id', v_sign_up.id, 'answer', v_sign_up.answer);
  END IF;
  IF v_sign_up.id IS NULL OR v_sign_up.opened_at IS NOT NULL OR v_sign_up.expires_at <= now() THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  RETURN jsonb_build_object('outcome', 'open', 'id', v_sign_up.id, 'account', v_sign_up.account);
END;
$$;

CREATE FUNCTION operator.complete_sign_up(p_id uuid, p_answer text)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE operator.sign_up s
  SET
    opened_at = now(),
    answer = p_answer,
    undelivered = NULL
  WHERE s.id = p_id;
$$;

CREATE FUNCTION operator.purge_sign_ups(p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    answered AS (
      UPDATE operator.sign_up s
      SET answer = NULL
      WHERE
        s.id IN (
          SELECT x.id
          FROM operator.sign_up x
          WHERE x.answer IS NOT NULL AND x.opened_at <= now() - INTERVAL '10 minutes'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING s.id
    ),
    gone AS (
      DELETE FROM operator.sign_up s
      WHERE
        s.id IN (
          SELECT x.id
          FROM operator.sign_up x
          WHERE x.created_at < now() - INTERVAL '2 days'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING s.id
    )
  SELECT ((SELECT count(*) FROM answered) + (SELECT count(*) FROM gone))::integer;
$$;

CREATE FUNCTION operator.dead_letter_id(p_kind text, p_queue text, p_source_id text)
RETURNS uuid
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
RETURN md5(p_kind || ' ' || p_queue || ' ' || p_source_id)::uuid;

-- sql/ordering/functions.sql

CREATE FUNCTION ordering.same_buyer(p_merchant_id uuid, p_customer_id uuid)
RETURNS SETOF uuid
LANGUAGE sql
STABLE
AS $$
  SELECT p_customer_id
  UNION
  SELECT g.id
  FROM
    crm.customer c
    JOIN crm.customer g ON g.merchant_id = c.merchant_id AND g.email = c.email AND NOT g.has_account
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id AND NOT c.has_account
  UNION
  SELECT s.customer_id
  FROM
    crm.customer c
    JOIN identity.session n ON n.merchant_id = c.merchant_id AND n.customer_id = c.id
    JOIN identity.session s ON s.merchant_id = n.merchant_id AND s.network = n.network AND s.customer_id IS NOT NULL
    JOIN crm.customer g ON g.merchant_id = s.merchant_id AND g.id = s.customer_id AND NOT g.has_account
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id AND NOT c.has_account;
$$;

CREATE FUNCTION ordering.unpaid_refusals(p_merchant_id uuid, p_customer_id uuid, p_units numeric)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_settings merchant.settings;
  v_orders bigint;
  v_units numeric;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(format('unpaid orders of %s %s', p_merchant_id, p_customer_id), 0));
  SELECT * INTO v_settings FROM merchant.settings s WHERE s.merchant_id = p_merchant_id;
  SELECT count(DISTINCT o.id), coalesce(sum(i.quantity), 0)
  INTO v_orders, v_units
  FROM
    ordering.order o
    JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
  WHERE
    o.merchant_id = p_merchant_id
    AND o.customer_id IN (SELECT ordering.same_buyer(p_merchant_id, p_customer_id))
    AND o.status = 'PENDING';
  RETURN coalesce(
    (
      SELECT jsonb_agg(jsonb_build_object('field', x.field, 'reason', x.reason, 'left', x.remaining))
      FROM
        (
          VALUES
            (
              'customerId',
              'too_many_unpaid_orders',
              v_settings.max_unpaid_orders,
              v_orders >= v_settings.max_unpaid_orders
            ),
            (
              'items',
              'too_many_unpaid_units',
              greatest(0, v_settings.max_unpaid_units - v_units),
              v_units + p_units > v_settings.max_unpaid_units
            )
        ) AS x (field, reason, remaining, refused)
      WHERE x.refused
    ),
    '[]'
  );
END;
$$;

CREATE FUNCTION ordering.payment_due_at(p_order ordering.order)
RETURNS timestamptz
LANGUAGE sql
STABLE
AS $$
  SELECT r.expires_at
  FROM inventory.reservation r
  WHERE r.merchant_id = p_order.merchant_id AND r.order_id = p_order.id AND r.status = 'ACTIVE';
$$;

CREATE FUNCTION ordering.payment_window_is_over(p_merchant_id uuid, p_order_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    NOT EXISTS (
      SELECT
      FROM inventory.reservation r
      WHERE
        r.merchant_id = p_merchant_id
        AND r.order_id = p_order_id
        AND (r.status IN ('COMMITTED', 'CONSUMED') OR r.status = 'ACTIVE' AND r.expires_at > now())
    );
$$;

CREATE FUNCTION ordering.await_payment(p_merchant_id uuid, p_order_id uuid, p_method text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_minutes integer := ordering.payment_minutes(p_merchant_id, p_method);
BEGIN
  IF v_minutes IS NULL THEN
    PERFORM inventory.commit_reservation(p_merchant_id, p_order_id);
  ELSE
    UPDATE inventory.reservation r
    SET expires_at = greatest(r.expires_at, o.created_at + make_interval(mins => v_minutes))
    FROM ordering.order o
    WHERE
      o.merchant_id = p_merchant_id
      AND o.id = p_order_id
      AND r.merchant_id = o.merchant_id
      AND r.order_id = o.id
      AND r.status = 'ACTIVE';
  END IF;
END;
$$;

CREATE FUNCTION ordering.end_awaiting(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_until timestamptz := now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD'));
BEGIN
  UPDATE inventory.reservation r
  SET
    status = 'ACTIVE',
    expires_at = CASE r.status
      WHEN 'ACTIVE' THEN least(r.expires_at, v_until)
      ELSE v_until
    END
  WHERE
    r.merchant_id = p_merchant_id
    AND r.order_id = p_order_id
    AND r.status IN ('ACTIVE', 'COMMITTED')
    AND NOT EXISTS (
      SELECT
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.packed_quantity > 0
    );
END;
$$;

CREATE FUNCTION ordering.placing(p_order_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(current_setting('ordering.placing', TRUE) = p_order_id::text, FALSE);
$$;

CREATE FUNCTION ordering.next_order_number(p_merchant_id uuid)
RETURNS text
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO ordering.order_number_counter AS c (merchant_id, last_number)
  VALUES (p_merchant_id, 1001)
  ON CONFLICT (merchant_id) DO UPDATE SET last_number = c.last_number + 1
  -- Padded, because ORDER_NUMBER is a sort field and its column is text.
  RETURNING 'ORD-' || lpad(c.last_number::text, 8, '0');
$$;

CREATE FUNCTION ordering.insert_address(p_merchant_id uuid, p_id uuid, p_order_id uuid, p_address jsonb)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO ordering.order_address AS a (
    merchant_id,
    id,
    order_id,
    line1,
    line2,
    city,
    state,
    postal_code,
    country,
    phone,
    recipient_name,
    company
  )
  VALUES
    (
      p_merchant_id,
      p_id,
      p_order_id,
      p_address ->> 'line1',
      p_address ->> 'line2',
      p_address ->> 'city',
      p_address ->> 'state',
      p_address ->> 'postalCode',
      p_address ->> 'country',
      p_address ->> 'phone',
      p_address ->> 'recipientName',
      p_address ->> 'company'
    )
  ON CONFLICT (merchant_id, id) DO UPDATE
    SET
      line1 = excluded.line1,
      line2 = excluded.line2,
      city = excluded.city,
      state = excluded.state,
      postal_code = excluded.postal_code,
      country = excluded.country,
      phone = excluded.phone,
      recipient_name = excluded.recipient_name,
      company = excluded.company;
$$;

CREATE FUNCTION ordering.shortages_at(p_shortages jsonb, p_lines catalog.sellable_line[])
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT jsonb_agg(s || jsonb_build_object('position', l.position) ORDER BY l.position)
  FROM
    jsonb_array_elements(p_shortages) s
    JOIN unnest(p_lines) l ON l.stock_item_id = (s ->> 'stockItemId')::uuid;
$$;

CREATE FUNCTION ordering.confirm_order(p_merchant_id uuid, p_order_id uuid, p_moves jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF NOT ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'pay') THEN
    RAISE EXCEPTION 'order % is in no state to be confirmed, though it is paid or costs nothing', p_order_id;
  END IF;
  PERFORM inventory.commit_reservation(p_merchant_id, p_order_id);
  IF EXISTS (SELECT FROM ordering.shipment s WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id) THEN
    PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  END IF;
  PERFORM
  FROM catalog.product p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.id IN (
      SELECT i.product_id FROM ordering.order_item i WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id
    )
  ORDER BY p.id
  FOR NO KEY UPDATE;
  UPDATE catalog.product p
  SET popularity = p.popularity + s.quantity
  FROM
    (
      SELECT i.product_id, sum(i.quantity) AS quantity
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id
      GROUP BY i.product_id
    ) s
  WHERE p.merchant_id = p_merchant_id AND p.id = s.product_id;
END;
$$;

CREATE FUNCTION ordering.confirm_if_free(p_merchant_id uuid, p_order_id uuid, p_pay jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.total = 0)
  THEN
    PERFORM ordering.confirm_order(p_merchant_id, p_order_id, jsonb_build_object('pay', p_pay));
  END IF;
END;
$$;

-- sql/payment/functions.sql

CREATE FUNCTION payment.open_payment(p_merchant_id uuid, p_order_id uuid)
RETURNS payment.payment
LANGUAGE sql
STABLE
AS $$
  SELECT p.*
  FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status IN ('PENDING', 'PROCESSING')
  -- A payment that a processor has begun comes before one from outside.
  ORDER BY p.awaited, p.created_at, p.id
  LIMIT 1;
$$;

-- sql/ordering/functions.sql

CREATE FUNCTION ordering.payment_is_under_way(p_merchant_id uuid, p_order_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      (SELECT NOT p.awaited FROM payment.open_payment(p_merchant_id, p_order_id) p WHERE p.id IS NOT NULL),
      FALSE
    );
$$;

CREATE FUNCTION ordering.unknown_item_refusals(p_merchant_id uuid, p_order_id uuid, p_update jsonb, p_remove uuid[])
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', x.field, 'reason', 'unknown_item') ORDER BY x.field), '[]')
  FROM
    (
      SELECT format('updateItems.%s.id', u.position - 1) AS field, (u.line ->> 'id')::uuid AS id
      FROM jsonb_array_elements(p_update) WITH ORDINALITY AS u (line, position)
      UNION ALL
      SELECT format('removeItemIds.%s', r.position - 1), r.id FROM unnest(p_remove) WITH ORDINALITY AS r (id, position)
    ) x
  WHERE
    NOT EXISTS (
      SELECT FROM ordering.order_item i WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = x.id
    );
$$;

CREATE FUNCTION ordering.with_lines(p_purchase promotion.purchase, p_lines catalog.sellable_line[], p_shipping bigint)
RETURNS promotion.purchase
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    ROW(
      p_purchase.merchant_id,
      p_purchase.customer_id,
      p_purchase.currency,
      p_purchase.order_id,
      array_agg(l.product_id ORDER BY l.ordinality),
      array_agg(l.price * l.quantity ORDER BY l.ordinality),
      p_shipping
    )::promotion.purchase
  FROM unnest(p_lines) WITH ORDINALITY AS l;
$$;

CREATE FUNCTION ordering.price(p_purchase promotion.purchase, p_choice promotion.choice)
RETURNS ordering.pricing
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_pricing ordering.pricing;
  v_goods_discount bigint;
BEGIN
  v_pricing.coupon_refusal := p_choice.own_refusal;
  v_pricing.promotion_id := p_choice.promotion_id;
  v_pricing.promotion_name := p_choice.promotion_name;
  v_pricing.line_discounts := coalesce(p_choice.lines, array_fill(0::bigint, ARRAY[cardinality(p_purchase.subtotals)]));
  v_pricing.shipping_discount := coalesce(p_choice.shipping, 0);
  v_pricing.subtotal := (SELECT sum(s) FROM unnest(p_purchase.subtotals) s);
  v_goods_discount := (SELECT sum(d) FROM unnest(v_pricing.line_discounts) d);
  v_pricing.discount := v_goods_discount + v_pricing.shipping_discount;
  v_pricing.tax := ordering.tax_on(p_purchase.merchant_id, v_pricing.subtotal - v_goods_discount);
  v_pricing.line_taxes := platform.allocate(
    v_pricing.tax,
    ARRAY(
      SELECT l.subtotal - l.discount
      FROM unnest(p_purchase.subtotals, v_pricing.line_discounts) WITH ORDINALITY AS l (subtotal, discount, position)
      ORDER BY l.position
    )
  );
  v_pricing.total := v_pricing.subtotal + v_pricing.tax + p_purchase.shipping - v_pricing.discount;
  RETURN v_pricing;
END;
$$;

CREATE FUNCTION ordering.replace_lines(
  p_merchant_id uuid,
  p_order_id uuid,
  p_lines catalog.sellable_line[],
  p_pricing ordering.pricing
)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM ordering.order_item i
  WHERE
    i.merchant_id = p_merchant_id
    AND i.order_id = p_order_id
    AND NOT EXISTS (
      SELECT
      FROM unnest(p_lines) l
      WHERE l.product_id = i.product_id AND l.variant_id IS NOT DISTINCT FROM i.variant_id AND l.line_key = i.line_key
    );
  INSERT INTO ordering.order_item AS i (
    merchant_id,
    order_id,
    position,
    product_id,
    variant_id,
    quantity,
    price,
    subtotal,
    discount,
    tax,
    sku,
    product_name,
    product_image,
    properties,
    line_key,
    external_id,
    metadata,
    private_metadata
  )
  SELECT
    p_merchant_id,
    p_order_id,
    l.ordinality - 1,
    l.product_id,
    l.variant_id,
    l.quantity,
    l.price,
    l.price * l.quantity,
    p_pricing.line_discounts[l.ordinality],
    p_pricing.line_taxes[l.ordinality],
    l.sku,
    l.name,
    l.image,
    l.properties,
    l.line_key,
    l.kept ->> 'externalId',
    coalesce(l.kept -> 'metadata', '{}'),
    coalesce(l.kept -> 'privateMetadata', '{}')
  FROM unnest(p_lines) WITH ORDINALITY AS l
  ON CONFLICT ON CONSTRAINT order_item_line_key DO UPDATE
    SET
      position = excluded.position,
      quantity = excluded.quantity,
      subtotal = excluded.subtotal,
      discount = excluded.discount,
      tax = excluded.tax,
      external_id = coalesce(excluded.external_id, i.external_id),
      metadata = excluded.metadata,
      private_metadata = excluded.private_metadata;
END;
$$;

CREATE FUNCTION ordering.record(
  p_merchant_id uuid,
  p_order_id uuid,
  p_type text,
  p_from_status text DEFAULT NULL,
  p_to_status text DEFAULT NULL,
  p_amount bigint DEFAULT NULL,
  p_note text DEFAULT NULL,
  p_subject_id uuid DEFAULT NULL,
  p_staff_only boolean DEFAULT FALSE,
  p_at timestamptz DEFAULT clock_timestamp()
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_actor platform.actor := platform.current_actor();
BEGIN
  INSERT INTO ordering.history_entry
    (
      merchant_id,
      order_id,
      type,
      from_status,
      to_status,
      amount,
      note,
      subject_id,
      staff_only,
      actor,
      actor_id,
      created_at
    )
  VALUES
    (
      p_merchant_id,
      p_order_id,
      p_type,
      p_from_status,
      p_to_status,
      p_amount,
      p_note,
      p_subject_id,
      p_staff_only,
      v_actor.kind,
      v_actor.id,
      p_at
    );
END;
$$;

CREATE FUNCTION ordering.add_note(p_merchant_id uuid, p_order_id uuid, p_text text, p_staff_only boolean)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  PERFORM ordering.record(p_merchant_id, p_order_id, 'NOTE_ADDED', p_note => p_text, p_staff_only => p_staff_only);
  RETURN jsonb_build_object('outcome', 'noted', 'orderId', p_order_id);
END;
$$;

CREATE FUNCTION ordering.move_order(p_merchant_id uuid, p_order_id uuid, p_move jsonb)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order o
  SET status = p_move ->> 'to'
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = p_order_id
    AND p_move -> 'from' ? o.status
    AND o.status <> p_move ->> 'to';
  RETURN FOUND;
END;
$$;

CREATE FUNCTION ordering.send(p_merchant_id uuid, p_order_id uuid, p_shipment_id uuid, p_to text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_stock_item_ids uuid[];
  v_quantities integer[];
BEGIN
  UPDATE ordering.shipment s
  SET
    status = p_to,
    shipped_at = now()
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id;
  UPDATE ordering.order_item i
  SET fulfilled_quantity = i.fulfilled_quantity + l.quantity
  FROM ordering.shipment_line l
  WHERE
    l.merchant_id = p_merchant_id
    AND l.shipment_id = p_shipment_id
    AND i.merchant_id = l.merchant_id
    AND i.id = l.order_item_id;
  SELECT array_agg(k.id), array_agg(l.quantity)
  INTO v_stock_item_ids, v_quantities
  FROM
    ordering.shipment_line l
    JOIN ordering.order_item i ON i.merchant_id = l.merchant_id AND i.id = l.order_item_id
    JOIN inventory.stock_item k
      ON k.merchant_id = i.merchant_id
      AND k.product_id = i.product_id
      AND k.variant_id IS NOT DISTINCT FROM i.variant_id
  WHERE l.merchant_id = p_merchant_id AND l.shipment_id = p_shipment_id;
  PERFORM inventory.end_part_of_reservation(p_merchant_id, p_order_id, v_stock_item_ids, v_quantities, 'CONSUMED');
END;
$$;

CREATE FUNCTION ordering.unpack(p_merchant_id uuid, p_shipment_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order_item i
  SET packed_quantity = i.packed_quantity - l.quantity
  FROM
    (
      SELECT x.order_item_id, sum(x.quantity) AS quantity
      FROM ordering.shipment_line x
      WHERE x.merchant_id = p_merchant_id AND x.shipment_id = ANY (p_shipment_ids)
      GROUP BY x.order_item_id
    ) l
  WHERE i.merchant_id = p_merchant_id AND i.id = l.order_item_id;
  UPDATE ordering.shipment s
  SET status = 'CANCELLED'
  WHERE s.merchant_id = p_merchant_id AND s.id = ANY (p_shipment_ids);
END;
$$;

CREATE FUNCTION ordering.packed_shipments(p_merchant_id uuid, p_order_id uuid)
RETURNS uuid[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(s.id), '{}')
  FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND s.status = 'PACKED';
$$;

CREATE FUNCTION ordering.deliver_order(p_merchant_id uuid, p_order_id uuid, p_deliver jsonb, p_moves jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  -- Goods that were sent before they were paid arrive before they are paid, too.
  IF
    NOT (
      p_moves #> '{deliver,from}' ? v_order.status
      OR v_order.status = 'PENDING'
      AND EXISTS (
        SELECT
        FROM ordering.shipment s
        WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND p_deliver -> 'from' ? s.status
      )
    )
  THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  UPDATE ordering.shipment s
  SET
    status = p_deliver ->> 'to',
    delivered_at = now()
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND p_deliver -> 'from' ? s.status;
  PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', p_order_id);
END;
$$;

CREATE FUNCTION ordering.process_order(p_merchant_id uuid, p_order_id uuid, p_moves jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF NOT ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'process') THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', p_order_id);
END;
$$;

CREATE FUNCTION ordering.give_up_unsent(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.unpack(p_merchant_id, ordering.packed_shipments(p_merchant_id, p_order_id));
  UPDATE ordering.order_item i
  SET
    cancelled_quantity = i.quantity - i.fulfilled_quantity,
    refunded_quantity = greatest(
      i.refunded_quantity,
      i.refunded_quantity - i.cancelled_quantity + i.quantity - i.fulfilled_quantity
    )
  WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id;
  PERFORM inventory.release_reservation_of_order(p_merchant_id, p_order_id, 'RELEASED');
END;
$$;

CREATE FUNCTION ordering.refund_parts(p_merchant_id uuid, p_order_id uuid, p_lines jsonb, p_sent_only boolean)
RETURNS SETOF ordering.refund_part
LANGUAGE sql
STABLE
AS $$
  SELECT
    i.id,
    w.quantity,
    (
      round(p.paid * (i.refunded_quantity + w.quantity) / i.quantity) - round(p.paid * i.refunded_quantity / i.quantity)
    )::bigint,
    u.unsent,
    w.quantity - u.unsent,
    w.restock
  FROM
    ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer, restock boolean)) WITH ORDINALITY AS w (
      id,
      quantity,
      restock,
      position
    )
    JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
    CROSS JOIN LATERAL (SELECT (i.subtotal - i.discount - i.uncaptured + i.tax - i.uncaptured_tax)::numeric AS paid) p
    CROSS JOIN LATERAL (
      SELECT
        CASE
          WHEN p_sent_only THEN 0
          ELSE least(w.quantity, i.quantity - i.packed_quantity - i.cancelled_quantity)
        END AS unsent
    ) u
  ORDER BY w.position;
$$;

CREATE FUNCTION ordering.refund_refusals(p_merchant_id uuid, p_order_id uuid, p_lines jsonb, p_sent_only boolean)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'field',
          format(
            'items.%s.%s',
            w.position - 1,
            CASE
              WHEN i.id IS NULL THEN 'orderItemId'
              ELSE 'quantity'
            END
          ),
          'reason',
          CASE
            WHEN i.id IS NULL THEN 'unknown_item'
            ELSE 'more_than_left'
          END,
          'left',
          l.left
        )
        ORDER BY w.position
      ),
      '[]'
    )
  FROM
    ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer)) WITH ORDINALITY AS w (id, quantity, position)
    LEFT JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
    -- Units that are packed are neither: they are sent first, or unpacked.
    CROSS JOIN LATERAL (
      SELECT
        i.fulfilled_quantity - (i.refunded_quantity - i.cancelled_quantity) + CASE
          WHEN p_sent_only THEN 0
          ELSE i.quantity - i.packed_quantity - i.cancelled_quantity
        END AS left
    ) l
  WHERE i.id IS NULL OR w.quantity > l.left;
$$;

CREATE FUNCTION ordering.stock_units(p_merchant_id uuid, p_item_ids uuid[], p_quantities integer[])
RETURNS ordering.stock_units
LANGUAGE sql
STABLE
AS $$
  SELECT ROW(coalesce(array_agg(k.id), '{}'), coalesce(array_agg(x.quantity), '{}'))::ordering.stock_units
  FROM
    unnest(p_item_ids, p_quantities) AS x (id, quantity)
    JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.id = x.id
    JOIN inventory.stock_item k
      ON k.merchant_id = i.merchant_id
      AND k.product_id = i.product_id
      AND k.variant_id IS NOT DISTINCT FROM i.variant_id
  WHERE x.quantity > 0;
$$;

CREATE FUNCTION ordering.unrefunded_shipping(p_order ordering.order)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT
    p_order.shipping - p_order.shipping_discount - p_order.uncaptured_shipping - coalesce(
      sum(r.shipping_amount),
      0
    )::bigint
  FROM
    payment.refund r
    JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
  WHERE p.merchant_id = p_order.merchant_id AND p.order_id = p_order.id;
$$;

CREATE FUNCTION ordering.insert_refund(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_parts ordering.refund_part[],
  p_shipping bigint,
  p_amount bigint,
  p_reason text
)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_shares bigint[] := platform.allocate(
    p_amount,
    ARRAY(SELECT x.amount FROM unnest(p_parts) WITH ORDINALITY x ORDER BY x.ordinality) || p_shipping
  );
  v_refund_id uuid := payment.insert_refund(
    p_merchant_id,
    p_payment_id,
    p_amount,
    v_shares[cardinality(v_shares)],
    p_reason
  );
BEGIN
  INSERT INTO payment.refund_line (merchant_id, refund_id, order_item_id, quantity, amount, restocked_quantity)
  SELECT
    p_merchant_id,
    v_refund_id,
    x.order_item_id,
    x.quantity,
    v_shares[x.ordinality],
    CASE
      WHEN x.restock THEN x.sent
      ELSE 0
    END
  FROM unnest(p_parts) WITH ORDINALITY x;
  RETURN v_refund_id;
END;
$$;

CREATE FUNCTION ordering.refundable(p_merchant_id uuid, p_order_id uuid, p_payment_from text[])
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(sum(p.captured_amount - p.refund_requested_amount), 0)::bigint
  FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status = ANY (p_payment_from);
$$;

CREATE FUNCTION ordering.insert_refunds(
  p_merchant_id uuid,
  p_order_id uuid,
  p_parts ordering.refund_part[],
  p_shipping bigint,
  p_amount bigint,
  p_reason text
)
RETURNS uuid[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
  v_left bigint := p_amount;
  v_part bigint;
  v_ids uuid[] := '{}';
BEGIN
  FOR v_payment IN SELECT *
  FROM payment.payment p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.order_id = p_order_id
    AND p.captured_amount > p.refund_requested_amount
    AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED')
  ORDER BY p.captured_amount - p.refund_requested_amount DESC, p.id
  FOR UPDATE LOOP
    v_part := least(v_left, v_payment.captured_amount - v_payment.refund_requested_amount);
    EXIT WHEN v_part = 0;
    IF v_ids = '{}' AND cardinality(p_parts) > 0 THEN
      v_ids := ARRAY[ordering.insert_refund(p_merchant_id, v_payment.id, p_parts, p_shipping, v_part, p_reason)];
    ELSE
      v_ids := v_ids || payment.insert_refund(p_merchant_id, v_payment.id, v_part, 0, p_reason);
    END IF;
    v_left := v_left - v_part;
  END LOOP;
  RETURN v_ids;
END;
$$;

CREATE FUNCTION ordering.lock_return(p_merchant_id uuid, p_return_id uuid, p_customer_id uuid)
RETURNS ordering.order_return
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return;
BEGIN
  PERFORM
  FROM ordering.order o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = (
      SELECT r.order_id FROM ordering.order_return r WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id
    )
    AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF FOUND THEN
    SELECT *
    INTO v_return
    FROM ordering.order_return r
    WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id
    FOR UPDATE;
  END IF;
  RETURN v_return;
END;
$$;

CREATE FUNCTION ordering.decide_return(
  p_merchant_id uuid,
  p_return_id uuid,
  p_customer_id uuid,
  p_move jsonb,
  p_reason text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return := ordering.lock_return(p_merchant_id, p_return_id, p_customer_id);
BEGIN
  IF v_return.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_return');
  END IF;
  IF NOT p_move -> 'from' ? v_return.status THEN
    RETURN jsonb_build_object('outcome', 'return_refused', 'status', v_return.status);
  END IF;
  IF p_move ->> 'to' IN ('REJECTED', 'CANCELLED') THEN
    UPDATE ordering.order_item i
    SET returning_quantity = i.returning_quantity - l.quantity
    FROM ordering.return_line l
    WHERE
      l.merchant_id = p_merchant_id
      AND l.return_id = p_return_id
      AND i.merchant_id = l.merchant_id
      AND i.id = l.order_item_id;
  END IF;
  UPDATE ordering.order_return r
  SET
    status = p_move ->> 'to',
    rejection_reason = p_reason
  WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id;
  RETURN jsonb_build_object('outcome', 'advanced', 'returnId', p_return_id);
END;
$$;

CREATE FUNCTION ordering.follow_refund(
  p_merchant_id uuid,
  p_order_id uuid,
  p_refund_id uuid,
  p_all boolean,
  p_moves jsonb
)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.order_return r
  SET status = 'REFUNDED'
  WHERE r.merchant_id = p_merchant_id AND r.refund_id = p_refund_id AND r.status = 'RECEIVED';
  IF p_all AND ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'refund') THEN
    PERFORM ordering.give_up_unsent(p_merchant_id, p_order_id);
    PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  END IF;
END;
$$;

CREATE FUNCTION ordering.draft_lines(p_merchant_id uuid, p_draft_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'productId',
          i.product_id,
          'variantId',
          i.variant_id,
          'quantity',
          i.quantity,
          'properties',
          i.properties
        )
        ORDER BY i.position, i.id
      ),
      '[]'
    )
  FROM ordering.draft_order_item i
  WHERE i.merchant_id = p_merchant_id AND i.draft_order_id = p_draft_id;
$$;

CREATE FUNCTION ordering.purge_expired_drafts(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM ordering.draft_order d
      WHERE
        (d.merchant_id, d.id) IN (
          SELECT x.merchant_id, x.id
          FROM ordering.draft_order x
          WHERE x.merchant_id = p_merchant_id AND x.order_id IS NULL AND x.expires_at <= now() - INTERVAL '30 days'
          ORDER BY x.expires_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

CREATE FUNCTION ordering.shipping_method_name(p_order ordering.order)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT m.name
  FROM merchant.shipping_method m
  WHERE m.merchant_id = p_order.merchant_id AND m.id = p_order.shipping_method_id;
$$;

CREATE FUNCTION ordering.draft_shipping_method_name(p_draft ordering.draft_order)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT m.name
  FROM merchant.shipping_method m
  WHERE m.merchant_id = p_draft.merchant_id AND m.id = p_draft.shipping_method_id;
$$;

CREATE FUNCTION ordering.index_for_search(p_merchant_ids uuid[], p_order_ids uuid[])
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO ordering.order_search AS s (merchant_id, order_id, text)
  SELECT
    o.merchant_id,
    o.id,
    concat_ws(
      E'\n',
      o.order_number,
      c.email,
      c.name,
      o.external_id,
      array_to_string(o.tags, E'\n'),
      (
        SELECT string_agg(DISTINCT i.sku, E'\n')
        FROM ordering.order_item i
        WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
      )
    )
  FROM
    (SELECT DISTINCT x.merchant_id, x.order_id FROM unnest(p_merchant_ids, p_order_ids) x (merchant_id, order_id)) w
    JOIN ordering.order o ON o.merchant_id = w.merchant_id AND o.id = w.order_id
    JOIN crm.customer c ON c.merchant_id = o.merchant_id AND c.id = o.customer_id
  ORDER BY o.merchant_id, o.id
  ON CONFLICT (merchant_id, order_id) DO UPDATE SET text = excluded.text WHERE s.text <> excluded.text;
$$;

-- sql/payment/functions.sql

CREATE FUNCTION payment.lock_what_is_paid(p_merchant_id uuid, p_payment_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_order_id uuid;
  v_appointment_id uuid;
BEGIN
  SELECT p.order_id, p.appointment_id
  INTO v_order_id, v_appointment_id
  FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  PERFORM FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.id = v_order_id FOR UPDATE;
  PERFORM FROM booking.appointment a WHERE a.merchant_id = p_merchant_id AND a.id = v_appointment_id FOR UPDATE;
END;
$$;

CREATE FUNCTION payment.lock_payment(p_merchant_id uuid, p_payment_id uuid)
RETURNS payment.payment
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
BEGIN
  PERFORM payment.lock_what_is_paid(p_merchant_id, p_payment_id);
  SELECT *
  INTO v_payment
  FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id
  FOR UPDATE;
  RETURN v_payment;
END;
$$;

CREATE FUNCTION payment.begin_capture(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_amount bigint,
  p_final boolean,
  p_from text[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment := payment.lock_payment(p_merchant_id, p_payment_id);
  v_requested bigint := v_payment.captured_amount + coalesce(p_amount, v_payment.capturable_amount);
  v_final boolean := p_final OR v_requested = v_payment.captured_amount + v_payment.capturable_amount;
BEGIN
  IF v_payment.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_payment');
  END IF;
  IF
    NOT v_payment.status = ANY (p_from)
    OR v_payment.capturable_amount = 0
    OR v_payment.capture_before <= now()
    -- A capture that is under way can be requested again, and no other one beside it.
    OR v_payment.capture_requested > v_payment.captured_amount
    AND (v_payment.capture_requested, v_payment.capture_final) <> (v_requested, v_final)
  THEN
    RETURN jsonb_build_object('outcome', 'payment_refused', 'status', v_payment.status);
  END IF;
  IF p_amount > v_payment.capturable_amount THEN
    RETURN jsonb_build_object('outcome', 'more_than_authorized', 'amount', v_payment.capturable_amount);
  END IF;
  UPDATE payment.payment p
  SET
    capture_requested = v_requested,
    capture_final = v_final
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  RETURN jsonb_build_object('outcome', 'begun', 'paymentId', p_payment_id);
END;
$$;

CREATE FUNCTION payment.settle_capture(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_captured bigint,
  p_capturable bigint,
  p_refused boolean
)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM payment.lock_what_is_paid(p_merchant_id, p_payment_id);
  UPDATE payment.payment p
  SET
    captured_amount = greatest(p.captured_amount, p_captured),
    capturable_amount = p_capturable,
    -- A capture that the processor refused, or that nothing is left for, is over.
    capture_requested = CASE
      WHEN p_capturable = 0
      OR p_refused THEN greatest(p.captured_amount, p_captured)
      ELSE p.capture_requested
    END,
    unanswered_calls = 0,
    status = CASE
      WHEN p.status = 'REFUNDED'
      AND p_captured > p.refunded_amount THEN 'PARTIALLY_REFUNDED'
      ELSE p.status
    END
  WHERE
    p.merchant_id = p_merchant_id
    AND p.id = p_payment_id
    AND p.taken
    -- An answer from before a later capture changes nothing.
    AND p_captured >= p.captured_amount;
END;
$$;

CREATE FUNCTION payment.insert_refund(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_amount bigint,
  p_shipping_amount bigint,
  p_reason text
)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_refund_id uuid := platform.uuid_v7();
BEGIN
  UPDATE payment.payment p
  SET refund_requested_amount = p.refund_requested_amount + p_amount
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  INSERT INTO payment.refund (merchant_id, id, payment_id, amount, shipping_amount, reason)
  VALUES (p_merchant_id, v_refund_id, p_payment_id, p_amount, p_shipping_amount, p_reason);
  RETURN v_refund_id;
END;
$$;

CREATE FUNCTION payment.begin_refund(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_amount bigint,
  p_reason text,
  p_from text[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment := payment.lock_payment(p_merchant_id, p_payment_id);
  v_left bigint := v_payment.captured_amount - v_payment.refund_requested_amount;
BEGIN
  IF v_payment.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_payment');
  END IF;
  IF NOT v_payment.status = ANY (p_from) OR v_left = 0 THEN
    RETURN jsonb_build_object('outcome', 'payment_refused', 'status', v_payment.status);
  END IF;
  IF p_amount > v_left THEN
    RETURN jsonb_build_object('outcome', 'more_than_left', 'left', v_left);
  END IF;
  RETURN jsonb_build_object(
    'outcome',
    'begun',
    'refundId',
    payment.insert_refund(p_merchant_id, p_payment_id, coalesce(p_amount, v_left), 0, p_reason)
  );
END;
$$;

CREATE FUNCTION payment.retry_refund(p_merchant_id uuid, p_refund_id uuid, p_manually boolean)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_refund payment.refund;
BEGIN
  PERFORM
    payment.lock_payment(
      p_merchant_id,
      (SELECT r.payment_id FROM payment.refund r WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id)
    );
  SELECT *
  INTO v_refund
  FROM payment.refund r
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_refund');
  END IF;
  IF v_refund.status <> 'FAILED' THEN
    RETURN jsonb_build_object('outcome', 'refund_refused', 'status', v_refund.status);
  END IF;
  UPDATE payment.refund r
  SET
    status = 'PENDING',
    attempt = r.attempt + 1,
    attempted_at = now(),
    failure_reason = NULL,
    processor_refund_id = NULL,
    processor = CASE
      WHEN p_manually THEN 'manual'
      ELSE r.processor
    END
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id;
  PERFORM payment.note_attention(p_merchant_id, v_refund.payment_id);
  RETURN jsonb_build_object('outcome', 'begun', 'refundId', p_refund_id);
END;
$$;

CREATE FUNCTION payment.note_attention(p_merchant_id uuid, p_payment_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE payment.payment p
  SET attention = CASE
    WHEN p.attention = 'MISMATCH' THEN 'MISMATCH'
    WHEN EXISTS (
      SELECT
      FROM payment.dispute d
      WHERE d.merchant_id = p.merchant_id AND d.payment_id = p.id AND d.status IN ('NEEDS_RESPONSE', 'UNDER_REVIEW')
    ) THEN 'DISPUTED'
    WHEN EXISTS (
      SELECT FROM payment.refund r WHERE r.merchant_id = p.merchant_id AND r.payment_id = p.id AND r.status = 'FAILED'
    ) THEN 'REFUND_FAILED'
  END
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
$$;

CREATE FUNCTION payment.connect_account(
  p_merchant_id uuid,
  p_id uuid,
  p_processor text,
  p_name text,
  p_mode text,
  p_credentials text,
  p_key_ending text,
  p_has_webhook_secret boolean
)
RETURNS uuid
LANGUAGE plpgsql
AS $$
BEGIN
  -- Two accounts that are connected at the same time wait for each other.
  PERFORM FROM merchant.settings s WHERE s.merchant_id = p_merchant_id FOR NO KEY UPDATE;
  UPDATE payment.account a
  SET status = 'DISABLED'
  WHERE a.merchant_id = p_merchant_id AND a.processor = p_processor AND a.status = 'ACTIVE';
  INSERT INTO payment.account
    (merchant_id, id, processor, name, mode, key_ending, has_webhook_secret)
  VALUES
    (p_merchant_id, p_id, p_processor, p_name, p_mode, p_key_ending, p_has_webhook_secret);
  INSERT INTO payment.account_secret (merchant_id, account_id, credentials)
  VALUES (p_merchant_id, p_id, p_credentials);
  RETURN p_id;
END;
$$;

CREATE FUNCTION payment.begin_event(p_merchant_id uuid, p_account_id uuid, p_event_id text, p_type text)
RETURNS boolean
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO payment.webhook_event AS e (merchant_id, account_id, event_id, type)
  VALUES (p_merchant_id, p_account_id, p_event_id, p_type)
  ON CONFLICT (merchant_id, account_id, event_id) DO UPDATE
    SET type = excluded.type
  RETURNING e.processed_at IS NULL;
$$;

CREATE FUNCTION payment.purge_webhook_events(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM payment.webhook_event e
      WHERE
        (e.merchant_id, e.account_id, e.event_id) IN (
          SELECT x.merchant_id, x.account_id, x.event_id
          FROM payment.webhook_event x
          WHERE x.merchant_id = p_merchant_id AND x.received_at <= now() - INTERVAL '30 days'
          ORDER BY x.received_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

CREATE FUNCTION payment.take_back_refund(p_merchant_id uuid, p_refund_id uuid, p_reason text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_refund payment.refund;
BEGIN
  UPDATE payment.refund r
  SET
    status = 'FAILED',
    failure_reason = p_reason
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id AND r.status = 'SUCCEEDED'
  RETURNING r.*
  INTO v_refund;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE payment.payment p
  SET
    refunded_amount = p.refunded_amount - v_refund.amount,
    status = CASE
      WHEN p.refunded_amount = v_refund.amount THEN 'SUCCEEDED'
      ELSE 'PARTIALLY_REFUNDED'
    END
  WHERE p.merchant_id = p_merchant_id AND p.id = v_refund.payment_id;
END;
$$;

CREATE FUNCTION payment.follow_disputes(p_merchant_id uuid, p_payment_id uuid, p_disputes jsonb)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO payment.dispute AS d (
    merchant_id,
    payment_id,
    processor_dispute_id,
    amount,
    currency,
    reason,
    status,
    evidence_due_at,
    created_at
  )
  SELECT
    p_merchant_id,
    p_payment_id,
    x.dispute_id,
    x.amount,
    x.currency,
    x.reason,
    x.status,
    x.evidence_due_at,
    x.created_at
  FROM
    jsonb_to_recordset(p_disputes) AS x (
      dispute_id text,
      amount bigint,
      currency text,
      reason text,
      status text,
      evidence_due_at timestamptz,
      created_at timestamptz
    )
  ON CONFLICT (merchant_id, payment_id, processor_dispute_id) DO UPDATE
    SET
      amount = excluded.amount,
      reason = excluded.reason,
      status = excluded.status,
      evidence_due_at = excluded.evidence_due_at
    WHERE
      (d.amount, d.reason, d.status, d.evidence_due_at) IS DISTINCT FROM (
        excluded.amount,
        excluded.reason,
        excluded.status,
        excluded.evidence_due_at
      );
$$;

CREATE FUNCTION payment.note_operator_account(p_connected boolean)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  INSERT INTO payment.operator_account AS o (connected)
  VALUES (p_connected)
  ON CONFLICT (is_only) DO UPDATE
    SET connected = excluded.connected
    WHERE o.connected <> excluded.connected;
$$;

CREATE FUNCTION payment.has_account_for(p_merchant_id uuid, p_method text)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    p_method NOT IN ('CARD', 'APPLE_PAY', 'GOOGLE_PAY', 'SEPA_DEBIT', 'PAYPAL')
    OR coalesce(
      (
        SELECT bool_or(a.status = 'ACTIVE')
        FROM payment.account a
        WHERE a.merchant_id = p_merchant_id AND (a.processor = 'STRIPE' OR p_method = 'PAYPAL')
      ),
      (SELECT o.connected FROM payment.operator_account o),
      TRUE
    );
$$;

CREATE FUNCTION payment.takes_new_payments(p_merchant_id uuid, p_account_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_account_id IS NULL THEN NOT EXISTS (
        SELECT FROM payment.account a WHERE a.merchant_id = p_merchant_id AND a.processor = 'STRIPE'
      )
      ELSE EXISTS (
        SELECT
        FROM payment.account a
        WHERE a.merchant_id = p_merchant_id AND a.id = p_account_id AND a.status = 'ACTIVE'
      )
    END;
$$;

CREATE FUNCTION payment.offered_options(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_currency text,
  p_country text,
  p_amount numeric
)
RETURNS TABLE (method text, name text, instructions text, "position" integer)
LANGUAGE sql
STABLE
AS $$
  SELECT o.method, o.name, o.instructions, o.position
  FROM payment.payment_option o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.enabled
    AND (o.currencies = '{}' OR p_currency = ANY (o.currencies))
    AND (o.countries = '{}' OR p_country = ANY (o.countries))
    AND p_amount >= coalesce(o.min_amount, 0)
    AND p_amount <= coalesce(o.max_amount, p_amount)
    AND payment.has_account_for(p_merchant_id, o.method)
    AND (o.method <> 'LOYALTY_POINTS' OR crm.points_worth(p_merchant_id, p_customer_id, p_currency) > 0)
  UNION ALL
  SELECT d.method, d.name, NULL, d.position
  FROM
    merchant.settings s
    CROSS JOIN LATERAL (
      VALUES
        ('CARD', 'Card', 0, TRUE),
        ('BANK_TRANSFER', 'Bank transfer', 1, s.accepts_bank_transfer),
        ('CASH', 'Cash', 2, s.accepts_cash),
        ('LOYALTY_POINTS', 'Loyalty points', 3, crm.points_worth(p_merchant_id, p_customer_id, p_currency) > 0)
    ) AS d (method, name, position, accepted)
  WHERE
    s.merchant_id = p_merchant_id
    AND d.accepted
    AND payment.has_account_for(p_merchant_id, d.method)
    AND NOT EXISTS (SELECT FROM payment.payment_option o WHERE o.merchant_id = s.merchant_id AND o.method = d.method);
$$;

CREATE FUNCTION payment.accepts_method(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_currency text,
  p_country text,
  p_amount bigint,
  p_method text,
  p_by_shopper boolean
)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_by_shopper THEN EXISTS (
        SELECT
        FROM payment.offered_options(p_merchant_id, p_customer_id, p_currency, p_country, p_amount) x
        WHERE x.method = p_method
      )
      ELSE p_method IN ('CARD', 'BANK_TRANSFER', 'CASH', 'LOYALTY_POINTS')
      OR EXISTS (
        SELECT
        FROM payment.payment_option o
        WHERE o.merchant_id = p_merchant_id AND o.method = p_method AND o.enabled
      )
    END;
$$;

CREATE FUNCTION payment.is_accepted(p_order ordering.order, p_method text, p_by_shopper boolean)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    payment.accepts_method(
      p_order.merchant_id,
      p_order.customer_id,
      p_order.currency,
      (
        SELECT a.country
        FROM ordering.order_address a
        WHERE a.merchant_id = p_order.merchant_id AND a.id = p_order.shipping_address_id
      ),
      p_order.total,
      p_method,
      p_by_shopper
    );
$$;

CREATE FUNCTION payment.creditor_reference(p_place text, p_text text)
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
AS $$
DECLARE
  v_body text := upper(p_place) || right(
    regexp_replace(upper(p_text), '[^A-Z0-9]', '', 'g'),
    21 - char_length(p_place)
  );
  v_letter text;
  v_remainder integer := 0;
BEGIN
  -- Letters count as 10 to 35; R and F follow the text.
  FOREACH v_letter IN ARRAY regexp_split_to_array(v_body || 'RF00', '') LOOP
    IF v_letter ~ '[A-Z]' THEN
      v_remainder := (v_remainder * 100 + ascii(v_letter) - 55) % 97;
    ELSE
      v_remainder := (v_remainder * 10 + v_letter::integer) % 97;
    END IF;
  END LOOP;
  RETURN 'RF' || lpad((98 - v_remainder)::text, 2, '0') || v_body;
END;
$$;

CREATE FUNCTION payment.promised(p_merchant_id uuid, p_order_id uuid, p_taken_only boolean)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(sum(p.amount - p.refund_requested_amount), 0)::bigint
  FROM payment.payment p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.order_id = p_order_id
    AND (p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED') OR NOT p_taken_only AND p.status IN ('PENDING', 'PROCESSING'));
$$;

CREATE FUNCTION payment.promised_for_appointment(p_merchant_id uuid, p_appointment_id uuid)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(sum(p.amount - p.refund_requested_amount), 0)::bigint
  FROM payment.payment p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.appointment_id = p_appointment_id
    AND p.status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'PARTIALLY_REFUNDED');
$$;

CREATE FUNCTION payment.pays_order(p_merchant_id uuid, p_order_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT payment.promised(p_merchant_id, p_order_id, TRUE) >= o.total
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
$$;

CREATE FUNCTION payment.split_awaited(p_merchant_id uuid, p_payment_id uuid, p_amount bigint)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment := payment.lock_payment(p_merchant_id, p_payment_id);
BEGIN
  IF v_payment.status IS DISTINCT FROM 'PENDING' OR NOT v_payment.awaited THEN
    RETURN jsonb_build_object('outcome', 'not_awaited');
  END IF;
  IF p_amount > v_payment.amount THEN
    RETURN jsonb_build_object('outcome', 'more_than_awaited', 'amount', v_payment.amount);
  END IF;
  IF p_amount < v_payment.amount THEN
    UPDATE payment.payment p
    SET amount = p_amount
    WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
    INSERT INTO payment.payment
      (merchant_id, order_id, appointment_id, amount, currency, method, processor, awaited, instructions, reference)
    VALUES
      (
        p_merchant_id,
        v_payment.order_id,
        v_payment.appointment_id,
        v_payment.amount - p_amount,
        v_payment.currency,
        v_payment.method,
        v_payment.processor,
        TRUE,
        v_payment.instructions,
        v_payment.reference
      );
  END IF;
  RETURN jsonb_build_object('outcome', 'received');
END;
$$;

CREATE FUNCTION payment.update_account(
  p_merchant_id uuid,
  p_id uuid,
  p_name text,
  p_credentials text,
  p_key_ending text,
  p_has_webhook_secret boolean,
  p_read_credentials text,
  p_is_unused boolean
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  -- Payments that begin meanwhile wait for it, as they refer to the row.
  PERFORM
  FROM
    payment.account a
    JOIN payment.account_secret s ON s.merchant_id = a.merchant_id AND s.account_id = a.id
  WHERE a.merchant_id = p_merchant_id AND a.id = p_id AND s.credentials = p_read_credentials
  FOR UPDATE;
  IF
    NOT FOUND
    OR (
      p_is_unused
      AND EXISTS (
        SELECT
        FROM payment.payment p
        WHERE
          p.merchant_id = p_merchant_id
          AND p.account_id = p_id
          AND (p.processor_payment_intent_id IS NOT NULL OR p.status = 'PENDING')
      )
    )
  THEN
    RETURN jsonb_build_object('outcome', 'changed');
  END IF;
  UPDATE payment.account a
  SET
    name = coalesce(p_name, a.name),
    key_ending = p_key_ending,
    has_webhook_secret = p_has_webhook_secret
  WHERE a.merchant_id = p_merchant_id AND a.id = p_id;
  UPDATE payment.account_secret s
  SET credentials = p_credentials
  WHERE s.merchant_id = p_merchant_id AND s.account_id = p_id;
  RETURN jsonb_build_object('outcome', 'updated');
END;
$$;

-- sql/platform/functions.sql

CREATE FUNCTION platform.importing()
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(current_setting('platform.importing', TRUE) = 'on', FALSE);
$$;

CREATE FUNCTION platform.slugify(name text)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT btrim(left(btrim(regexp_replace(lower(public.unaccent(name)), '[^a-z0-9]+', '-', 'g'), '-'), 80), '-');
$$;

CREATE FUNCTION platform.free_slug(p_table text, p_merchant_id uuid, p_id uuid, p_base text, p_taken boolean)
RETURNS text
LANGUAGE sql
AS $$
  SELECT
    CASE
      WHEN p_base = ''
      OR p_taken
      OR NOT pg_try_advisory_xact_lock(hashtextextended(p_table || p_merchant_id || p_base, 0)) THEN ltrim(
        p_base || '-' || right(p_id::text, 12),
        '-'
      )
      ELSE p_base
    END;
$$;

CREATE FUNCTION platform.recall(p_request platform.keyed_request)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_record platform.idempotency_record;
BEGIN
  PERFORM
    pg_advisory_xact_lock(
      hashtextextended(concat_ws(E'\n', p_request.merchant_id, p_request.caller, p_request.key, p_request.part), 0)
    );
  SELECT *
  INTO v_record
  FROM platform.idempotency_record r
  WHERE
    r.merchant_id = p_request.merchant_id
    AND r.caller = p_request.caller
    AND r.key = p_request.key
    AND r.part = p_request.part
    AND r.expires_at > now();
  RETURN CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'new')
    WHEN v_record.operation <> p_request.operation
    OR v_record.fingerprint <> ALL (p_request.fingerprints) THEN jsonb_build_object(
      'outcome',
      'conflict',
      'forgotten',
      FALSE
    )
    WHEN v_record.sealed_until <= now() THEN jsonb_build_object('outcome', 'conflict', 'forgotten', TRUE)
    ELSE jsonb_build_object('outcome', 'repeated', 'response', v_record.response, 'sealed', v_record.sealed)
  END;
END;
$$;

CREATE FUNCTION platform.flush_later()
RETURNS void
LANGUAGE plpgsql
VOLATILE
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', TRUE);
END;
$$;

CREATE FUNCTION platform.remember(
  p_request platform.keyed_request,
  p_response jsonb,
  p_sealed text,
  p_seconds integer,
  p_record_ids uuid[]
)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO platform.idempotency_record AS r (
    merchant_id,
    caller,
    key,
    part,
    operation,
    fingerprint,
    response,
    sealed,
    sealed_until,
    record_ids
  )
  VALUES
    (
      p_request.merchant_id,
      p_request.caller,
      p_request.key,
      p_request.part,
      p_request.operation,
      p_request.fingerprints[1],
      p_response,
      p_sealed,
      CASE
        WHEN p_sealed IS NOT NULL THEN now() + make_interval(secs => p_seconds)
      END,
      p_record_ids
    )
  ON CONFLICT (merchant_id, caller, key, part) DO UPDATE
    SET
      operation = excluded.operation,
      fingerprint = excluded.fingerprint,
      response = excluded.response,
      sealed = excluded.sealed,
      sealed_until = excluded.sealed_until,
      record_ids = excluded.record_ids,
      transaction_id = excluded.transaction_id,
      created_at = excluded.created_at,
      expires_at = excluded.expires_at
    -- An expired record that the job hasn't purged yet is none.
    WHERE r.expires_at <= now() OR r.transaction_id = excluded.transaction_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION
      USING
        ERRCODE = 'unique_violation',
        SCHEMA = 'platform',
        TABLE = 'idempotency_record',
        CONSTRAINT = 'idempotency_record_pkey',
        MESSAGE = 'duplicate key value violates unique constraint "idempotency_record_pkey"';
  END IF;
END;
$$;

CREATE FUNCTION platform.keep_answer(
  p_request platform.keyed_request,
  p_answer jsonb,
  p_changing text[],
  p_record_ids uuid[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
BEGIN
  IF p_answer ->> 'outcome' = ANY (p_changing) THEN
    PERFORM
      platform.remember(
        p_request,
        p_answer,
        NULL,
        NULL,
        p_record_ids || ARRAY(SELECT m.value::uuid FROM jsonb_each_text(p_answer) m WHERE m.key ~ '(^id|Id)$')
      );
  END IF;
  RETURN jsonb_build_object('outcome', 'new', 'response', p_answer);
END;
$$;

CREATE FUNCTION platform.keep_keys(p_table regclass, p_id text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_event text;
BEGIN
  FOREACH v_event IN ARRAY '{INSERT,UPDATE,DELETE}'::text[] LOOP
    EXECUTE
      format(
        'CREATE TRIGGER keep_key_%s AFTER %s ON %s REFERENCING %s TABLE AS changed FOR EACH STATEMENT
       WHEN (pg_trigger_depth() = 0 AND current_setting(''hasura.user'', true) LIKE ''%%x-hasura-idempotency-key%%'')
       EXECUTE FUNCTION platform.keep_key(%L)',
        lower(v_event),
        v_event,
        p_table,
        CASE v_event
          WHEN 'DELETE' THEN 'OLD'
          ELSE 'NEW'
        END,
        p_id
      );
  END LOOP;
END;
$$;

CREATE FUNCTION platform.purge_idempotency_records(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM platform.idempotency_record r
      WHERE
        (r.merchant_id, r.caller, r.key, r.part) IN (
          SELECT x.merchant_id, x.caller, x.key, x.part
          FROM platform.idempotency_record x
          WHERE x.merchant_id = p_merchant_id AND x.expires_at <= now()
          ORDER BY x.expires_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    ),
    forgotten AS (
      UPDATE platform.idempotency_record r
      SET sealed = NULL
      WHERE
        (r.merchant_id, r.caller, r.key, r.part) IN (
          SELECT x.merchant_id, x.caller, x.key, x.part
          FROM platform.idempotency_record x
          WHERE
            x.merchant_id = p_merchant_id
            AND x.sealed IS NOT NULL
            AND x.sealed_until <= now()
            AND x.expires_at > now()
          ORDER BY x.sealed_until
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT greatest((SELECT count(*) FROM gone), (SELECT count(*) FROM forgotten))::integer;
$$;

CREATE FUNCTION platform.allocate(p_amount numeric, p_weights bigint[])
RETURNS bigint[]
LANGUAGE sql
IMMUTABLE
AS $$
  WITH
    part AS (
      SELECT w.position, div(p_amount * w.weight, t.total) AS whole, mod(p_amount * w.weight, t.total) AS remainder
      FROM
        unnest(p_weights) WITH ORDINALITY AS w (weight, position)
        CROSS JOIN (SELECT nullif(sum(x), 0) AS total FROM unnest(p_weights) x) t
    ),
    ranked AS (
      SELECT
        p.position,
        p.whole,
        row_number() OVER (ORDER BY p.remainder DESC, p.position) AS rank,
        sum(p.whole) OVER () AS given
      FROM part p
    )
  SELECT
    coalesce(
      array_agg(
        (
          coalesce(r.whole, 0) + CASE
            WHEN r.rank <= p_amount - r.given THEN 1
            ELSE 0
          END
        )::bigint
        ORDER BY r.position
      ),
      '{}'
    )
  FROM ranked r;
$$;

CREATE FUNCTION platform.acting_as(p_session jsonb)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
AS $$
BEGIN
  PERFORM set_config('hasura.user', p_session::text, TRUE);
  RETURN TRUE;
END;
$$;

CREATE FUNCTION platform.current_actor()
RETURNS platform.actor
LANGUAGE sql
STABLE
AS $$
  SELECT
    ROW(
      CASE s.session ->> 'x-hasura-role'
        WHEN 'merchant' THEN 'MERCHANT'
        WHEN 'customer' THEN 'CUSTOMER'
        ELSE 'SYSTEM'
      END,
      CASE s.session ->> 'x-hasura-role'
        WHEN 'merchant' THEN coalesce(s.session ->> 'x-hasura-user-id', s.session ->> 'x-hasura-key-id')
        WHEN 'customer' THEN s.session ->> 'x-hasura-customer-id'
      END::uuid
    )::platform.actor
  -- After a transaction that set it, a custom setting is '' and not NULL.
  FROM (SELECT nullif(current_setting('hasura.user', TRUE), '')::jsonb AS session) s;
$$;

CREATE FUNCTION platform.is_barcode(p_digits text)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT
    char_length(p_digits) IN (12, 13)
    AND (
      SELECT
        sum(
          substr(reverse(p_digits), i, 1)::integer * CASE i % 2
            WHEN 1 THEN 1
            ELSE 3
          END
        ) % 10 = 0
      FROM generate_series(1, char_length(p_digits)) i
    );
$$;

CREATE FUNCTION platform.place()
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce((SELECT p.name FROM platform.own_place p), 'main');
$$;

CREATE FUNCTION platform.touch_parent_of(p_part regclass, p_parent regclass, p_column text, p_events text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  -- Not for parts that go with another row: a deleted category has as many links as products. An import writes the
  -- parent itself.
  EXECUTE
    format(
      'CREATE TRIGGER touch_parent AFTER %s ON %s FOR EACH ROW ' 
 'WHEN (pg_trigger_depth() = 0 AND NOT platform.importing()) ' 
 'EXECUTE FUNCTION platform.touch_parent(%L, %L)',
      p_events,
      p_part,
      p_parent,
      p_column
    );
END;
$$;

CREATE FUNCTION platform.own_schemas()
RETURNS TABLE (name text)
LANGUAGE sql
STABLE
AS $$
  SELECT n.nspname::text
  FROM pg_namespace n
  WHERE
    n.nspname IN (
      'analytics',
      'audit',
      'booking',
      'bulk',
      'cart',
      'catalog',
      'crm',
      'email',
      'events',
      'files',
      'identity',
      'inventory',
      'merchant',
      'metadata',
      'notification',
      'operator',
      'ordering',
      'payment',
      'platform',
      'promotion',
      'search'
    );
$$;

-- sql/platform/functions/credential_columns.sql

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
        ('email.delivery', 'unsubscribe_token', '{commerce_actions,commerce_worker}', '{commerce_engine}')
    ) AS c (relation, name, keepers, readers);
$$;

-- sql/platform/functions.sql

CREATE FUNCTION platform.lacks_rights()
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM
        pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE
        c.relkind IN ('r', 'p', 'v')
        AND (
          (
            n.nspname IN (SELECT s.name FROM platform.own_schemas() s)
            AND NOT has_any_column_privilege('commerce_reader', c.oid, 'SELECT')
          )
          OR (n.nspname = 'hdb_catalog' AND NOT has_table_privilege('commerce_engine', c.oid, 'SELECT'))
          OR (n.nspname = 'bullmq' AND NOT has_table_privilege('commerce_worker', c.oid, 'SELECT'))
        )
        -- The months of the audit log are read through their table.
        AND NOT c.relispartition
    )
    -- A new column of a table whose rights are granted by column.
    OR EXISTS (
      SELECT
      FROM
        (SELECT DISTINCT c.relation FROM platform.credential_columns() c) t
        JOIN pg_attribute a ON a.attrelid = t.relation AND a.attnum > 0 AND NOT a.attisdropped
      WHERE
        NOT has_column_privilege('commerce_reader', a.attrelid, a.attnum, 'SELECT')
        AND NOT EXISTS (
          SELECT
          FROM platform.credential_columns() c
          WHERE
            c.relation = t.relation
            AND c.column_name = a.attname
            AND 'commerce_reader' <> ALL (c.keepers || c.readers)
        )
    );
$$;

-- sql/identity/views.sql

CREATE VIEW identity.user_access AS
  SELECT
    u.merchant_id,
    u.id AS user_id,
    ARRAY(
      SELECT DISTINCT x
      FROM
        identity.user_role l
        JOIN identity.role r ON r.merchant_id = l.merchant_id AND r.id = l.role_id
        CROSS JOIN LATERAL unnest(r.permissions) x
      WHERE l.merchant_id = u.merchant_id AND l.user_id = u.id
      ORDER BY x
    ) AS permissions
  FROM identity.user u;

-- sql/audit/views.sql

CREATE VIEW audit.log AS
  SELECT
    e.merchant_id,
    e.id,
    e.created_at,
    e.actor_kind,
    e.actor_id,
    CASE e.actor_kind
      WHEN 'KEY' THEN (
        SELECT k.name FROM merchant.api_key k WHERE k.reaches_merchant_id = e.merchant_id AND k.id = e.actor_id
      )
      WHEN 'USER' THEN (SELECT u.name FROM identity.user u WHERE u.merchant_id = e.merchant_id AND u.id = e.actor_id)
      -- Merchants don't see the names of an operator's keys.
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
  WHERE
    e.outcome <> 'STARTED'
    OR NOT EXISTS (SELECT FROM audit.entry f WHERE f.merchant_id = e.merchant_id AND f.attempt_id = e.id);

-- sql/platform/functions.sql

CREATE FUNCTION platform.auth_rights()
RETURNS TABLE (role text, relation regclass, rights text)
LANGUAGE sql
STABLE
AS $$
  SELECT 'commerce_auth', t.relation, t.rights
  FROM
    (
      VALUES
        ('merchant.merchant'::regclass, 'SELECT'),
        ('merchant.settings', 'SELECT'),
        ('merchant.subscription', 'SELECT'),
        ('merchant.plan_feature', 'SELECT'),
        ('merchant.permission', 'SELECT'),
        ('merchant.ip_allow_list_entry', 'SELECT'),
        ('merchant.api_key', 'SELECT, UPDATE (last_used_at)'),
        ('merchant.api_key_hash', 'SELECT'),
        ('operator.key', 'SELECT, UPDATE (last_used_at)'),
        ('events.endpoint', 'SELECT (merchant_id, id)'),
        ('crm.customer', 'SELECT (merchant_id, id, email, has_account, anonymized_at, blocked_at)'),
        ('identity.user', 'SELECT'),
        ('identity.role', 'SELECT'),
        ('identity.built_in_role', 'SELECT'),
        ('identity.user_role', 'SELECT'),
        ('identity.user_access', 'SELECT'),
        ('identity.session', 'SELECT, UPDATE (last_used_at)'),
        ('identity.signing_key', 'SELECT (id, algorithm, public_jwk, created_at, retired_at)'),
        ('audit.entry', 'SELECT, INSERT'),
        ('audit.log', 'SELECT'),
        ('files.file', 'SELECT'),
        ('files.own_url', 'SELECT'),
        ('platform.own_place', 'SELECT'),
        ('platform.job_run', 'SELECT'),
        ('platform.process', 'SELECT, INSERT, UPDATE, DELETE'),
        ('platform.applied_migration', 'SELECT'),
        ('platform.applied_metadata', 'SELECT'),
        (
          'platform.idempotency_record',
          'SELECT (merchant_id, caller, key, part, operation, fingerprint, record_ids, created_at, expires_at)'
        )
    ) AS t (relation, rights);
$$;

-- sql/promotion/functions.sql

CREATE FUNCTION promotion.promotion_status(p promotion.promotion)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p.disabled THEN 'DISABLED'
      WHEN now() < p.start_date THEN 'SCHEDULED'
      WHEN now() >= p.end_date THEN 'EXPIRED'
      ELSE 'ACTIVE'
    END;
$$;

CREATE FUNCTION promotion.use_refusal(p_promotion promotion.promotion, p_purchase promotion.purchase)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_promotion.id IS NULL THEN 'unknown_coupon'
      WHEN p_promotion.disabled THEN 'coupon_disabled'
      WHEN now() < p_promotion.start_date THEN 'coupon_not_yet_active'
      WHEN now() >= p_promotion.end_date THEN 'coupon_expired'
      WHEN p_promotion.usage_count >= p_promotion.usage_limit THEN 'coupon_used_up'
      WHEN p_promotion.customer_ids IS NOT NULL
      AND p_purchase.customer_id = ANY (p_promotion.customer_ids) IS NOT TRUE THEN 'coupon_not_for_customer'
      WHEN p_promotion.first_order_only
      AND EXISTS (
        SELECT
        FROM ordering.order o
        WHERE
          o.merchant_id = p_promotion.merchant_id
          AND o.customer_id = p_purchase.customer_id
          AND o.status <> 'CANCELLED'
          AND o.id IS DISTINCT FROM p_purchase.order_id
      ) THEN 'coupon_first_order_only'
      -- A promotion's amounts are in the merchant's own currency; a bare percentage fits any.
      WHEN (
        p_promotion.discount_type = 'FIXED_AMOUNT'
        OR p_promotion.min_purchase_amount IS NOT NULL
        OR p_promotion.max_discount_amount IS NOT NULL
      )
      AND p_purchase.currency <> (
        SELECT s.currency FROM merchant.settings s WHERE s.merchant_id = p_promotion.merchant_id
      ) THEN 'coupon_currency'
    END;
$$;

CREATE FUNCTION promotion.refusal(p_field text, p_reason text, p_promotion promotion.promotion)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'field',
      p_field,
      'reason',
      p_reason,
      'minimum',
      p_promotion.min_purchase_amount,
      'currency',
      (SELECT s.currency FROM merchant.settings s WHERE s.merchant_id = p_promotion.merchant_id)
    );
$$;

CREATE FUNCTION promotion.automatic(p_merchant_id uuid)
RETURNS promotion.promotion[]
LANGUAGE sql
STABLE
AS $$
  SELECT
    ARRAY(
      SELECT p
      FROM promotion.promotion p
      WHERE
        p.merchant_id = p_merchant_id
        AND p.code IS NULL
        AND NOT p.disabled
        AND p.start_date <= now()
        AND p.end_date > now()
      ORDER BY p.id
    );
$$;

CREATE FUNCTION promotion.lock_usable(p_purchase promotion.purchase, p_code citext, p_kept_id uuid)
RETURNS promotion.promotion[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_automatic_ids uuid[] := ARRAY(
    SELECT p.id
    FROM unnest(promotion.automatic(p_purchase.merchant_id)) p
    WHERE promotion.use_refusal(p, p_purchase) IS NULL
  );
BEGIN
  RETURN ARRAY(
    SELECT p
    FROM promotion.promotion p
    WHERE
      p.merchant_id = p_purchase.merchant_id
      AND (p.code = p_code OR p.id = p_kept_id OR p.id = ANY (v_automatic_ids))
    ORDER BY p.id
    FOR NO KEY UPDATE
  );
END;
$$;

-- sql/search/functions.sql

CREATE FUNCTION search.normalized(p_text text)
RETURNS text
LANGUAGE sql
STABLE
PARALLEL SAFE
AS $$
  SELECT trim(regexp_replace(lower(public.unaccent(coalesce(p_text, ''))), '[\s!-/:-@\[-`{-~]+', ' ', 'g'));
$$;

CREATE FUNCTION search.stemmer_of(p_merchant_id uuid)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      (
        SELECT l.stemmer
        FROM
          merchant.settings s
          JOIN platform.language l ON l.code = s.language
        WHERE s.merchant_id = p_merchant_id
      ),
      'english'
    );
$$;

CREATE FUNCTION search.labels_of(p_product catalog.product)
RETURNS text
LANGUAGE sql
STABLE
PARALLEL SAFE
AS $$
  SELECT concat_ws(' ', p_product.sku, array_to_string(p_product.tags, ' '), p_product.variant_skus);
$$;

CREATE FUNCTION search.weighed(p_text text, p_stemmer text, p_weight "char")
RETURNS tsvector
LANGUAGE sql
STABLE
PARALLEL SAFE
AS $$
  SELECT setweight(to_tsvector('simple', n.text) || to_tsvector(p_stemmer::regconfig, n.text), p_weight)
  FROM (SELECT search.normalized(p_text) AS text) n;
$$;

CREATE FUNCTION search.words_of(p_text text)
RETURNS text[]
LANGUAGE sql
STABLE
PARALLEL SAFE
AS $$
  SELECT tsvector_to_array(to_tsvector('simple', search.normalized(p_text)));
$$;

CREATE FUNCTION search.words_in_order(p_text text)
RETURNS text[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(w.token ORDER BY w.place), '{}')
  FROM ts_parse('default', search.normalized(p_text)) WITH ORDINALITY AS w (kind, token, place)
  WHERE w.kind <> 12; -- Blanks, and signs that no word has.
$$;

CREATE FUNCTION search.learn_words(p_merchant_id uuid, p_words text[])
RETURNS void
LANGUAGE plpgsql
-- Planned anew: a plan that was made for an empty vocabulary would read all of a large one for each word.
SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  INSERT INTO search.word (merchant_id, word)
  SELECT p_merchant_id, n.word
  FROM (SELECT DISTINCT word FROM unnest(p_words) AS word WHERE char_length(word) <= 60) n
  WHERE NOT EXISTS (SELECT FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word = n.word);
END;
$$;

CREATE FUNCTION search.facet_key(p_kind text, p_name text, p_value text)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT hashtextextended(p_kind || E'\x1f' || p_name || E'\x1f' || p_value, 0);
$$;

CREATE FUNCTION search.option_key(p_name text, p_value text)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  -- In any case, as a product's options are told apart.
  SELECT search.facet_key('OPTION', lower(p_name), lower(p_value));
$$;

CREATE FUNCTION search.attribute_key(p_namespace text, p_key text, p_value text)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT search.facet_key('ATTRIBUTE', p_namespace || '.' || p_key, p_value);
$$;

CREATE FUNCTION search.attribute_values(p_type text, p_value jsonb)
RETURNS SETOF text
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
ROWS 1
AS $$
  SELECT x.value
  FROM
    (
      SELECT
        CASE
          WHEN p_type IN ('INTEGER', 'DECIMAL') THEN trim_scale((p_value #>> '{}')::numeric)::text
          ELSE p_value #>> '{}'
        END AS value
      WHERE
        jsonb_typeof(p_value) = CASE
          WHEN p_type IN ('INTEGER', 'DECIMAL') THEN 'number'
          WHEN p_type = 'BOOLEAN' THEN 'boolean'
          WHEN p_type <> 'LIST_OF_TEXT' THEN 'string'
        END
      UNION ALL
      SELECT e.value #>> '{}'
      FROM
        jsonb_array_elements(
          CASE jsonb_typeof(p_value)
            WHEN 'array' THEN p_value
            ELSE '[]'
          END
        ) WITH ORDINALITY AS e (value, place)
      WHERE p_type = 'LIST_OF_TEXT' AND e.place <= 100 AND jsonb_typeof(e.value) = 'string'
    ) x
  -- Longer texts are no values to choose from.
  WHERE char_length(x.value) BETWEEN 1 AND 200;
$$;

CREATE FUNCTION search.group_name(p_kind text, p_name text)
RETURNS text
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT
    CASE p_kind
      WHEN 'OPTION' THEN 'OPTION ' || lower(p_name)
      ELSE p_kind || ' ' || p_name
    END;
$$;

CREATE FUNCTION search.attribute_keys(p_merchant_id uuid, p_filter jsonb)
RETURNS bigint[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(DISTINCT k.key), '{}')
  FROM
    (
      SELECT
        search.attribute_key(
          p_filter ->> 'namespace',
          p_filter ->> 'key',
          CASE
            WHEN x.value ~ '^-?\d{1,100}(\.\d{1,100})?$'
            AND EXISTS (
              SELECT
              FROM metadata.definition d
              WHERE
                d.merchant_id = p_merchant_id
                AND d.is_attribute
                AND d.namespace = p_filter ->> 'namespace'
                AND d.key = p_filter ->> 'key'
                AND d.type IN ('INTEGER', 'DECIMAL')
            ) THEN trim_scale(x.value::numeric)::text
            ELSE x.value
          END
        ) AS key
      FROM jsonb_array_elements_text(p_filter -> 'values') AS x (value)
      UNION ALL
      SELECT v.key
      FROM search.facet_value v
      WHERE
        coalesce(p_filter ->> 'min', p_filter ->> 'max') IS NOT NULL
        AND v.merchant_id = p_merchant_id
        AND v.kind = 'ATTRIBUTE'
        AND v.name = concat(p_filter ->> 'namespace', '.', p_filter ->> 'key')
        -- Values of before may be no numbers.
        AND CASE
          WHEN v.value ~ '^-?\d+(\.\d+)?$' THEN v.value::numeric BETWEEN coalesce(
            (p_filter ->> 'min')::numeric,
            '-Infinity'
          ) AND coalesce((p_filter ->> 'max')::numeric, 'Infinity')
        END
    ) k;
$$;

CREATE FUNCTION search.has_attributes(p_merchant_id uuid, p_owner_type text)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM metadata.definition d
      WHERE d.merchant_id = p_merchant_id AND d.owner_type = p_owner_type AND d.is_attribute
    );
$$;

CREATE FUNCTION search.facet_values_of(p_merchant_id uuid, p_product_id uuid, p_tags text[], p_metadata jsonb)
RETURNS TABLE (key bigint, kind text, name text, value text)
LANGUAGE sql
STABLE
ROWS 10
AS $$
  SELECT search.facet_key('TAG', '', t.tag), 'TAG', '', t.tag
  FROM unnest(p_tags) AS t (tag)
  UNION
  SELECT search.facet_key('CATEGORY', '', c.category_id::text), 'CATEGORY', '', c.category_id::text
  FROM catalog.category_product c
  WHERE c.merchant_id = p_merchant_id AND c.product_id = p_product_id
  UNION
  SELECT search.option_key(o.name, o.value), 'OPTION', o.name, o.value
  FROM
    catalog.product_variant v
    JOIN catalog.variant_option o ON o.merchant_id = v.merchant_id AND o.variant_id = v.id
  WHERE v.merchant_id = p_merchant_id AND v.product_id = p_product_id AND v.deleted_at IS NULL
  UNION
  SELECT search.attribute_key(d.namespace, d.key, a.value), 'ATTRIBUTE', d.namespace || '.' || d.key, a.value
  FROM
    metadata.definition d
    CROSS JOIN LATERAL (
      SELECT p_metadata -> d.namespace -> d.key AS value
      WHERE d.owner_type = 'PRODUCT'
      UNION ALL
      SELECT v.metadata -> d.namespace -> d.key
      FROM catalog.product_variant v
      WHERE
        d.owner_type = 'PRODUCT_VARIANT'
        AND v.merchant_id = d.merchant_id
        AND v.product_id = p_product_id
        AND v.deleted_at IS NULL
    ) m
    CROSS JOIN LATERAL search.attribute_values(d.type, m.value) AS a (value)
  WHERE d.merchant_id = p_merchant_id AND d.owner_type IN ('PRODUCT', 'PRODUCT_VARIANT') AND d.is_attribute;
$$;

CREATE FUNCTION search.facet_keys_of(p_merchant_id uuid, p_product_id uuid, p_tags text[], p_metadata jsonb)
RETURNS bigint[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(DISTINCT f.key ORDER BY f.key), '{}')
  FROM search.facet_values_of(p_merchant_id, p_product_id, p_tags, p_metadata) f;
$$;

CREATE FUNCTION search.is_stocked(p_merchant_id uuid, p_product_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM inventory.stock_item i
      WHERE i.merchant_id = p_merchant_id AND i.product_id = p_product_id AND i.in_stock
    );
$$;

CREATE FUNCTION search.learn_facet_values(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
-- Planned anew, as search.learn_words is.
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_unknown bigint[] := ARRAY(
    SELECT k.key
    FROM
      (
        SELECT DISTINCT unnest(d.facet_keys) AS key
        FROM search.document d
        WHERE d.merchant_id = p_merchant_id AND d.product_id = ANY (p_product_ids)
      ) k
    WHERE NOT EXISTS (SELECT FROM search.facet_value v WHERE v.merchant_id = p_merchant_id AND v.key = k.key)
  );
BEGIN
  -- Most products have only values that others have. To look up what they stand for took a fifth of a batch's search.
  IF v_unknown = '{}' THEN
    RETURN;
  END IF;
  INSERT INTO search.facet_value (merchant_id, key, kind, name, value)
  SELECT DISTINCT ON (f.key) p_merchant_id, f.key, f.kind, f.name, f.value
  FROM
    catalog.product p
    CROSS JOIN LATERAL search.facet_values_of(p.merchant_id, p.id, p.tags, p.metadata) f
  WHERE p.merchant_id = p_merchant_id AND p.id = ANY (p_product_ids) AND f.key = ANY (v_unknown)
  ORDER BY f.key, f.name, f.value;
END;
$$;

CREATE FUNCTION search.write_facet_keys(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  UPDATE search.document d
  SET facet_keys = k.keys
  FROM
    catalog.product p
    CROSS JOIN LATERAL (SELECT search.facet_keys_of(p.merchant_id, p.id, p.tags, p.metadata) AS keys) k
  WHERE
    p.merchant_id = p_merchant_id
    AND p.id = ANY (p_product_ids)
    AND d.merchant_id = p.merchant_id
    AND d.product_id = p.id
    AND d.facet_keys <> k.keys;
  PERFORM search.learn_facet_values(p_merchant_id, p_product_ids);
END;
$$;

CREATE FUNCTION search.write_products(p_products catalog.product[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM search.document d
  USING unnest(p_products) p
  WHERE p.deleted_at IS NOT NULL AND d.merchant_id = p.merchant_id AND d.product_id = p.id;
  INSERT INTO search.document
    (
      merchant_id,
      product_id,
      title,
      shown_title,
      title_words,
      public,
      created_at,
      status,
      lowest_price,
      highest_price,
      popularity,
      in_stock,
      facet_keys,
      stemmer,
      words
    )
  SELECT
    p.merchant_id,
    p.id,
    search.normalized(p.name),
    p.name,
    strip(n.words),
    p.status = 'ACTIVE',
    p.created_at,
    p.status,
    p.lowest_price,
    p.highest_price,
    p.popularity,
    search.is_stocked(p.merchant_id, p.id),
    search.facet_keys_of(p.merchant_id, p.id, p.tags, p.metadata),
    m.stemmer,
    n.words || search.weighed(search.labels_of(p), m.stemmer, 'B') || search.weighed(p.description, m.stemmer, 'D')
  FROM
    unnest(p_products) p
    JOIN (
      SELECT o.merchant_id, search.stemmer_of(o.merchant_id) AS stemmer
      FROM (SELECT DISTINCT merchant_id FROM unnest(p_products)) o
    ) m
      ON m.merchant_id = p.merchant_id
    -- With OFFSET 0 the name is read once.
    CROSS JOIN LATERAL (SELECT search.weighed(p.name, m.stemmer, 'A') AS words OFFSET 0) n
  WHERE p.deleted_at IS NULL
  ORDER BY p.merchant_id, p.id
  ON CONFLICT (merchant_id, product_id) DO UPDATE
    SET
      title = excluded.title,
      shown_title = excluded.shown_title,
      title_words = excluded.title_words,
      public = excluded.public,
      created_at = excluded.created_at,
      status = excluded.status,
      lowest_price = excluded.lowest_price,
      highest_price = excluded.highest_price,
      facet_keys = excluded.facet_keys,
      stemmer = excluded.stemmer,
      words = excluded.words;
  PERFORM search.learn_words(l.merchant_id, l.words)
  FROM
    (
      SELECT p.merchant_id, array_agg(DISTINCT w.word) AS words
      FROM
        unnest(p_products) p
        CROSS JOIN LATERAL unnest(search.words_of(concat_ws(' ', p.name, search.labels_of(p), p.description))) AS w (
          word
        )
      WHERE p.deleted_at IS NULL
      GROUP BY p.merchant_id
    ) l;
  PERFORM search.learn_facet_values(l.merchant_id, l.ids)
  FROM
    (
      SELECT p.merchant_id, array_agg(p.id) AS ids
      FROM unnest(p_products) p
      WHERE p.deleted_at IS NULL
      GROUP BY p.merchant_id
    ) l;
END;
$$;

CREATE FUNCTION search.follows_later()
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(current_setting('search.follows_later', TRUE) = 'on', FALSE);
$$;

CREATE FUNCTION search.follow_import(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  -- Of those that it knows already, the stock is looked up later.
  INSERT INTO search.stale_product (merchant_id, product_id)
  SELECT d.merchant_id, d.product_id
  FROM search.document d
  WHERE d.merchant_id = p_merchant_id AND d.product_id = ANY (p_product_ids);
  PERFORM search.write_category(c.merchant_id, c.id)
  FROM catalog.category c
  WHERE
    c.merchant_id = p_merchant_id
    AND NOT EXISTS (
      SELECT
      FROM search.document d
      WHERE d.merchant_id = c.merchant_id AND d.category_id = c.id
    );
  PERFORM
    search.write_products(
      ARRAY(
        SELECT p
        FROM catalog.product p
        WHERE p.merchant_id = p_merchant_id AND p.id = ANY (p_product_ids)
      )
    );
END;
$$;

CREATE FUNCTION search.write_category(p_merchant_id uuid, p_category_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_category catalog.category;
  v_stemmer text := search.stemmer_of(p_merchant_id);
BEGIN
  SELECT * INTO STRICT v_category FROM catalog.category c WHERE c.merchant_id = p_merchant_id AND c.id = p_category_id;
  INSERT INTO search.document
    (merchant_id, category_id, title, shown_title, title_words, public, created_at, stemmer, words)
  VALUES
    (
      p_merchant_id,
      p_category_id,
      search.normalized(v_category.name),
      v_category.name,
      strip(search.weighed(v_category.name, v_stemmer, 'A')),
      TRUE,
      v_category.created_at,
      v_stemmer,
      search.weighed(v_category.name, v_stemmer, 'A') || search.weighed(v_category.description, v_stemmer, 'C')
    )
  ON CONFLICT (merchant_id, category_id) DO UPDATE
    SET
      title = excluded.title,
      shown_title = excluded.shown_title,
      title_words = excluded.title_words,
      stemmer = excluded.stemmer,
      words = excluded.words;
  PERFORM
    search.learn_words(p_merchant_id, search.words_of(concat_ws(' ', v_category.name, v_category.description)));
END;
$$;

CREATE FUNCTION search.write_article(p_merchant_id uuid, p_article_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_article search.article;
  v_stemmer text := search.stemmer_of(p_merchant_id);
BEGIN
  SELECT * INTO STRICT v_article FROM search.article a WHERE a.merchant_id = p_merchant_id AND a.id = p_article_id;
  INSERT INTO search.document
    (merchant_id, article_id, title, shown_title, title_words, public, created_at, stemmer, words)
  VALUES
    (
      p_merchant_id,
      p_article_id,
      search.normalized(v_article.name),
      v_article.name,
      strip(search.weighed(v_article.name, v_stemmer, 'A')),
      v_article.status = 'PUBLISHED',
      v_article.created_at,
      v_stemmer,
      search.weighed(v_article.name, v_stemmer, 'A') || search.weighed(
        array_to_string(v_article.tags, ' '),
        v_stemmer,
        'B'
      ) || search.weighed(v_article.excerpt, v_stemmer, 'C') || search.weighed(v_article.body, v_stemmer, 'D')
    )
  ON CONFLICT (merchant_id, article_id) DO UPDATE
    SET
      title = excluded.title,
      shown_title = excluded.shown_title,
      title_words = excluded.title_words,
      public = excluded.public,
      stemmer = excluded.stemmer,
      words = excluded.words;
  PERFORM
    search.learn_words(
      p_merchant_id,
      search.words_of(
        concat_ws(' ', v_article.name, array_to_string(v_article.tags, ' '), v_article.excerpt, v_article.body)
      )
    );
END;
$$;

CREATE FUNCTION search.rewrite_documents(p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant_id uuid;
  v_document record;
  v_written integer := 0;
BEGIN
  SELECT c.merchant_id
  INTO v_merchant_id
  FROM search.changed_language c
  ORDER BY c.merchant_id
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  FOR v_document IN SELECT o.product_id, o.category_id, o.article_id
  FROM search.document o
  WHERE o.merchant_id = v_merchant_id AND o.stemmer <> search.stemmer_of(v_merchant_id)
  ORDER BY o.id
  LIMIT p_limit
  FOR NO KEY UPDATE SKIP LOCKED LOOP
    IF v_document.product_id IS NOT NULL THEN
      PERFORM search.write_products(array_agg(p))
      FROM catalog.product p
      WHERE p.merchant_id = v_merchant_id AND p.id = v_document.product_id;
    ELSEIF v_document.category_id IS NOT NULL THEN
      PERFORM search.write_category(v_merchant_id, v_document.category_id);
    ELSE
      PERFORM search.write_article(v_merchant_id, v_document.article_id);
    END IF;
    v_written := v_written + 1;
  END LOOP;
  IF v_written = 0 THEN
    DELETE FROM search.changed_language c WHERE c.merchant_id = v_merchant_id;
    -- Another merchant may wait.
    RETURN search.rewrite_documents(p_limit);
  END IF;
  RETURN v_written;
END;
$$;

CREATE FUNCTION search.letters(p_word text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT string_agg(letter, '' ORDER BY letter) FROM regexp_split_to_table(p_word, '') AS letter;
$$;

CREATE FUNCTION search.term(p_word text, p_stemmer text)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN s.stem IS NULL
      OR s.stem = p_word THEN quote_literal(p_word) || ':*'
      WHEN starts_with(p_word, s.stem)
      AND char_length(s.stem) >= greatest(3, char_length(p_word) - 2) THEN quote_literal(s.stem) || ':*'
      ELSE '(' || quote_literal(p_word) || ':* | ' || quote_literal(s.stem) || ')'
    END
  FROM (SELECT (ts_lexize((p_stemmer || '_stem')::regdictionary, p_word))[1] AS stem) s;
$$;

CREATE FUNCTION search.stems_of(p_words text[], p_stemmer text)
RETURNS text[]
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      array_agg(coalesce((ts_lexize((p_stemmer || '_stem')::regdictionary, w.word))[1], w.word) ORDER BY w.place),
      '{}'
    )
  FROM unnest(p_words) WITH ORDINALITY AS w (word, place);
$$;

CREATE FUNCTION search.write_synonyms(p_merchant_id uuid, p_synonyms text[], p_stop_words text[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_stemmer text := search.stemmer_of(p_merchant_id);
BEGIN
  DELETE FROM search.synonym s WHERE s.merchant_id = p_merchant_id;
  DELETE FROM search.stop_word s WHERE s.merchant_id = p_merchant_id;
  INSERT INTO search.synonym (merchant_id, line, words, stems)
  SELECT p_merchant_id, x.line, x.words, search.stems_of(x.words, v_stemmer)
  FROM
    (
      SELECT l.line, search.words_in_order(t.text) AS words
      FROM
        unnest(p_synonyms) WITH ORDINALITY AS l (texts, line)
        CROSS JOIN LATERAL unnest(string_to_array(l.texts, ',')) AS t (text)
    ) x
  WHERE x.words <> '{}';
  INSERT INTO search.stop_word (merchant_id, word)
  SELECT DISTINCT p_merchant_id, w.word
  FROM
    unnest(p_stop_words) AS s (text)
    CROSS JOIN LATERAL unnest(search.words_in_order(s.text)) AS w (word);
END;
$$;

CREATE FUNCTION search.in_title(p_words tsquery)
RETURNS tsquery
LANGUAGE sql
STABLE
AS $$
  -- Every word ends with its quote, and perhaps the mark of a prefix.
  SELECT regexp_replace(p_words::text, '''(:\*)?(?=\s|\)|$)', ''':*A', 'g')::tsquery;
$$;

CREATE FUNCTION search.scope_of(hasura_session json)
RETURNS search.scope
LANGUAGE sql
STABLE
AS $$
  SELECT
    ROW(
      (hasura_session ->> 'x-hasura-merchant-id')::uuid,
      hasura_session ->> 'x-hasura-role' IN ('customer', 'guest'),
      hasura_session ->> 'x-hasura-role' IN ('customer', 'guest') OR 'products:read' = ANY (p.permissions),
      hasura_session ->> 'x-hasura-role' IN ('customer', 'guest') OR 'articles:read' = ANY (p.permissions)
    )::search.scope
  FROM (SELECT coalesce(hasura_session ->> 'x-hasura-permissions', '{}')::text[] AS permissions) p;
$$;

CREATE FUNCTION search.refresh_products(p_limit integer)
RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_taken integer;
BEGIN
  -- One statement, so one snapshot: a change that commits meanwhile leaves its own row to the next run.
  WITH
    waiting AS MATERIALIZED (
      SELECT DISTINCT s.merchant_id, s.product_id
      FROM (SELECT * FROM search.stale_product ORDER BY merchant_id, id LIMIT p_limit) s
    ),
    -- A document that another transaction writes is left to the next run as well.
    locked AS MATERIALIZED (
      SELECT d.merchant_id, d.id, d.product_id
      FROM
        search.document d
        JOIN waiting w ON w.merchant_id = d.merchant_id AND w.product_id = d.product_id
      ORDER BY d.merchant_id, d.product_id
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ),
    written AS (
      UPDATE search.document d
      SET
        popularity = p.popularity,
        in_stock = search.is_stocked(l.merchant_id, l.product_id)
      FROM
        locked l
        JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
      WHERE d.merchant_id = l.merchant_id AND d.id = l.id
    ),
    taken AS (
      DELETE FROM search.stale_product s
      USING waiting w
      WHERE
        s.merchant_id = w.merchant_id
        AND s.product_id = w.product_id
        AND (
          EXISTS (SELECT FROM locked l WHERE l.merchant_id = w.merchant_id AND l.product_id = w.product_id)
          OR NOT EXISTS (
            SELECT
            FROM search.document d
            WHERE d.merchant_id = w.merchant_id AND d.product_id = w.product_id
          )
        )
      RETURNING s.id
    )
  SELECT count(*)
  INTO v_taken
  FROM taken;
  RETURN v_taken;
END;
$$;

CREATE FUNCTION search.rewrite_attributes(p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_change search.changed_attributes;
  v_ids uuid[];
BEGIN
  SELECT *
  INTO v_change
  FROM search.changed_attributes c
  WHERE c.waits_for IS NULL OR c.waits_for <= pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY c.merchant_id, c.id
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  IF v_change.waits_for IS NULL THEN
    -- A transaction that runs now may have written a product by the definitions of before.
    UPDATE search.changed_attributes c
    SET waits_for = pg_snapshot_xmax(pg_current_snapshot())
    WHERE c.merchant_id = v_change.merchant_id AND c.id = v_change.id;
    RETURN 1;
  END IF;
  IF v_change.last_product_id IS NULL THEN
    v_change.last_product_id := (
      SELECT p.id FROM catalog.product p WHERE p.merchant_id = v_change.merchant_id ORDER BY p.id DESC LIMIT 1
    );
  END IF;
  v_ids := ARRAY(
    SELECT p.id
    FROM catalog.product p
    WHERE
      p.merchant_id = v_change.merchant_id
      AND (v_change.after_product_id IS NULL OR p.id > v_change.after_product_id)
      AND p.id <= v_change.last_product_id
    ORDER BY p.id
    LIMIT p_limit
  );
  IF cardinality(v_ids) = 0 THEN
    DELETE FROM search.changed_attributes c WHERE c.merchant_id = v_change.merchant_id AND c.id = v_change.id;
    RETURN 1;
  END IF;
  -- Held before they are read, so that no change of them is lost.
  PERFORM
  FROM catalog.product p
  WHERE p.merchant_id = v_change.merchant_id AND p.id = ANY (v_ids)
  ORDER BY p.id
  FOR NO KEY UPDATE;
  PERFORM search.write_facet_keys(v_change.merchant_id, v_ids);
  UPDATE search.changed_attributes c
  SET
    after_product_id = v_ids[cardinality(v_ids)],
    last_product_id = v_change.last_product_id
  WHERE c.merchant_id = v_change.merchant_id AND c.id = v_change.id;
  RETURN cardinality(v_ids);
END;
$$;

CREATE FUNCTION search.in_stock_of(p_merchant_id uuid)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  -- What the document says; of a product that waits for the job, what is so now.
  SELECT
    CASE
      WHEN EXISTS (SELECT FROM search.stale_product s WHERE s.merchant_id = p_merchant_id) THEN concat(
        'CASE WHEN d.product_id IN (',
        'SELECT s.product_id FROM search.stale_product s WHERE s.merchant_id = (($1).scope).merchant_id',
        ') THEN search.is_stocked(d.merchant_id, d.product_id) ELSE d.in_stock END'
      )
      ELSE 'd.in_stock'
    END;
$$;

CREATE FUNCTION search.type_of(p_document search.document)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE
      WHEN p_document.product_id IS NOT NULL THEN 'PRODUCT'
      WHEN p_document.category_id IS NOT NULL THEN 'CATEGORY'
      ELSE 'ARTICLE'
    END;
$$;

CREATE FUNCTION search.rounded_price(p_price bigint)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  -- Each step by itself, because this is computed for every result.
  SELECT
    CASE
      WHEN p_price < 100 THEN p_price
      WHEN p_price < 1000 THEN p_price - p_price % 10
      WHEN p_price < 10000 THEN p_price - p_price % 100
      WHEN p_price < 100000 THEN p_price - p_price % 1000
      WHEN p_price < 1000000 THEN p_price - p_price % 10000
      WHEN p_price < 10000000 THEN p_price - p_price % 100000
      WHEN p_price < 100000000 THEN p_price - p_price % 1000000
      WHEN p_price < 1000000000 THEN p_price - p_price % 10000000
      WHEN p_price < 10000000000 THEN p_price - p_price % 100000000
      WHEN p_price < 100000000000 THEN p_price - p_price % 1000000000
      WHEN p_price < 1000000000000 THEN p_price - p_price % 10000000000
      WHEN p_price < 10000000000000 THEN p_price - p_price % 100000000000
      WHEN p_price < 100000000000000 THEN p_price - p_price % 1000000000000
      WHEN p_price < 1000000000000000 THEN p_price - p_price % 10000000000000
      ELSE p_price - p_price % 100000000000000
    END;
$$;

CREATE FUNCTION search.number_of_type(p_type text)
RETURNS integer
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT array_position(ARRAY['PRODUCT', 'CATEGORY', 'ARTICLE'], p_type);
$$;

CREATE FUNCTION search.number_of_status(p_status text)
RETURNS integer
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT array_position(ARRAY['DRAFT', 'ACTIVE', 'ARCHIVED'], p_status);
$$;

CREATE FUNCTION search.tallied_values(
  p_type text,
  p_status text,
  p_lowest_price bigint,
  p_highest_price bigint,
  p_in_stock boolean,
  p_facet_keys bigint[]
)
RETURNS TABLE (kind text, value bigint)
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
ROWS 20
AS $$
  SELECT v.kind, v.value
  FROM
    (
      VALUES
        ('TYPE', search.number_of_type(p_type)::bigint),
        ('STATUS', search.number_of_status(p_status)),
        ('IN_STOCK', p_in_stock::integer),
        ('LOWEST_PRICE', search.rounded_price(p_lowest_price)),
        ('HIGHEST_PRICE', search.rounded_price(p_highest_price))
    ) AS v (kind, value)
  WHERE v.value IS NOT NULL
  UNION ALL
  SELECT 'KEY', k.key
  FROM unnest(p_facet_keys) AS k (key);
$$;

CREATE FUNCTION search.scopes_of(p_merchant_id uuid, p_facet_keys bigint[])
RETURNS TABLE (scope bigint)
LANGUAGE sql
STABLE
ROWS 4
AS $$
  SELECT 0::bigint
  UNION ALL
  SELECT k.key
  FROM unnest(p_facet_keys) AS k (key)
  WHERE
    EXISTS (
      SELECT
      FROM search.facet_value f
      WHERE f.merchant_id = p_merchant_id AND f.key = k.key AND f.kind = 'CATEGORY'
    );
$$;

CREATE FUNCTION search.tally_large_merchants(p_documents integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    noted AS (
      INSERT INTO search.tallied_merchant (merchant_id)
      SELECT m.id
      FROM merchant.merchant m
      WHERE
        EXISTS (SELECT FROM search.document d WHERE d.merchant_id = m.id OFFSET p_documents)
        AND NOT EXISTS (SELECT FROM search.tallied_merchant t WHERE t.merchant_id = m.id)
      ON CONFLICT DO NOTHING
      RETURNING merchant_id
    )
  SELECT count(*)::integer
  FROM noted;
$$;

-- sql/analytics/functions/bounds.sql

CREATE FUNCTION analytics.bounds(p_first date, p_last date, p_interval text, p_time_zone text)
RETURNS TABLE (at timestamptz, before_at timestamptz)
LANGUAGE sql
STABLE
AS $$
  WITH
    step AS (
      SELECT
        CASE p_interval
          WHEN 'WEEK' THEN INTERVAL '7 days'
          WHEN 'MONTH' THEN INTERVAL '1 month'
          WHEN 'QUARTER' THEN INTERVAL '3 months'
          WHEN 'YEAR' THEN INTERVAL '1 year'
          ELSE INTERVAL '1 day'
        END AS length
    ),
    day AS (
      SELECT p_first AS day
      UNION
      SELECT d::date
      FROM
        step,
        generate_series(
          date_trunc(
            CASE
              WHEN p_interval = 'HOUR' THEN 'day'
              ELSE p_interval
            END,
            p_first::timestamp
          ),
          p_last::timestamp,
          length
        ) d
      WHERE d::date > p_first AND p_interval IS NOT NULL
      UNION
      SELECT p_last + 1
    ),
    shift AS (
      SELECT
        CASE
          WHEN coalesce(p_interval, 'DAY') IN ('HOUR', 'DAY') THEN make_interval(days => p_last - p_first + 1)
          ELSE length * (SELECT count(*) - 1 FROM day)
        END AS back
      FROM step
    ),
    bound AS (
      SELECT
        analytics.day_start(d.day, p_time_zone) AS at,
        analytics.day_start((d.day - s.back)::date, p_time_zone) AS before_at
      FROM
        day d,
        shift s
      UNION ALL
      SELECT h, greatest(b.before_start, (h AT TIME ZONE p_time_zone - s.back) AT TIME ZONE p_time_zone)
      FROM
        day d,
        shift s,
        LATERAL (
          SELECT
            analytics.day_start(d.day, p_time_zone) AS start,
            analytics.day_start(d.day + 1, p_time_zone) AS finish,
            analytics.day_start((d.day - s.back)::date, p_time_zone) AS before_start
        ) b,
        generate_series(b.start + INTERVAL '1 hour', b.finish - INTERVAL '1 microsecond', '1 hour') h
      WHERE p_interval = 'HOUR' AND d.day <= p_last
    )
  SELECT b.at, max(b.before_at)
  FROM bound b
  GROUP BY b.at
  ORDER BY b.at;
$$;

-- sql/analytics/functions/customers_by_interval.sql

CREATE FUNCTION analytics.customers_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_currency text
)
RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql
STABLE
AS $$
  WITH
    buyer AS (
      SELECT width_bucket(o.paid_at, p_bounds) AS number, o.customer_id
      FROM ordering.order o
      WHERE
        p_metrics && '{CUSTOMERS,NEW_CUSTOMERS,RETURNING_CUSTOMERS}'
        AND o.merchant_id = p_merchant_id
        AND o.paid_at >= p_bounds[1]
        AND o.paid_at < p_bounds[cardinality(p_bounds)]
        AND (p_currency IS NULL OR o.currency = p_currency)
      GROUP BY 1, 2
    ),
    customer AS (
      SELECT
        b.customer_id,
        (
          SELECT min(o.paid_at)
          FROM ordering.order o
          WHERE o.merchant_id = p_merchant_id AND o.customer_id = b.customer_id AND o.paid_at IS NOT NULL
        ) AS first_paid_at
      FROM buyer b
      GROUP BY 1
    ),
    counted AS (
      SELECT
        b.number,
        count(*) AS customers,
        count(*) FILTER (WHERE c.first_paid_at < p_bounds[b.number]) AS returning_customers,
        NULL::bigint AS registrations
      FROM
        buyer b
        JOIN customer c USING (customer_id)
      GROUP BY 1
      UNION ALL
      SELECT width_bucket(c.created_at, p_bounds), NULL, NULL, count(*)
      FROM crm.customer c
      WHERE
        'REGISTRATIONS' = ANY (p_metrics)
        AND c.merchant_id = p_merchant_id
        AND c.created_at >= p_bounds[1]
        AND c.created_at < p_bounds[cardinality(p_bounds)]
      GROUP BY 1
    )
  SELECT c.number, NULL, m.metric, NULL, m.value
  FROM
    counted c
    CROSS JOIN LATERAL (
      VALUES
        ('CUSTOMERS', c.customers),
        ('NEW_CUSTOMERS', c.customers - c.returning_customers),
        ('RETURNING_CUSTOMERS', c.returning_customers),
        ('REGISTRATIONS', c.registrations)
    ) AS m (metric, value)
  WHERE m.metric = ANY (p_metrics) AND m.value IS NOT NULL;
$$;

-- sql/analytics/functions/products_by_interval.sql

CREATE FUNCTION analytics.products_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_currency text,
  p_product_ids uuid[]
)
RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql
STABLE
AS $$
  WITH
    stale AS (
      SELECT s.bucket
      FROM analytics.stale_bucket s
      WHERE s.merchant_id = p_merchant_id AND s.bucket >= p_bounds[1] AND s.bucket < p_bounds[cardinality(p_bounds)]
    ),
    fact AS (
      SELECT r.bucket AS at, r.product_id, r.currency, r.orders, r.units, r.gross, r.discount, r.uncaptured, r.tax
      FROM analytics.product_rollup r
      WHERE
        p_group_by IN ('PRODUCT', 'CATEGORY')
        AND r.merchant_id = p_merchant_id
        AND r.bucket >= p_bounds[1]
        AND r.bucket < p_bounds[cardinality(p_bounds)]
        AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
      UNION ALL
      SELECT f.*
      FROM
        analytics.stale_spans(p_merchant_id, p_bounds[1], p_bounds[cardinality(p_bounds)]) s,
        analytics.product_facts(p_merchant_id, s.span_from, s.span_to) f
      WHERE p_group_by IN ('PRODUCT', 'CATEGORY')
    ),
    by_product AS (
      SELECT
        width_bucket(f.at, p_bounds) AS number,
        f.product_id,
        f.currency,
        sum(f.orders) AS orders,
        sum(f.units) AS units,
        sum(f.gross) AS gross,
        sum(f.discount) AS discount,
        sum(f.uncaptured) AS uncaptured,
        sum(f.tax) AS tax,
        NULL::numeric AS views
      FROM fact f
      WHERE
        (p_currency IS NULL OR f.currency = p_currency)
        AND (p_product_ids IS NULL OR f.product_id = ANY (p_product_ids))
      GROUP BY 1, 2, 3
      UNION ALL
      SELECT width_bucket(v.bucket, p_bounds), v.product_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, sum(v.views)
      FROM analytics.product_view v
      WHERE
        'VIEWS' = ANY (p_metrics)
        AND v.merchant_id = p_merchant_id
        AND v.bucket >= p_bounds[1]
        AND v.bucket < p_bounds[cardinality(p_bounds)]
        AND (p_product_ids IS NULL OR v.product_id = ANY (p_product_ids))
      GROUP BY 1, 2
    )
  SELECT s.number, k.group_key, m.metric, m.currency, sum(m.value)
  FROM
    by_product s
    LEFT JOIN catalog.product_category c
      ON p_group_by = 'CATEGORY' AND c.merchant_id = p_merchant_id AND c.product_id = s.product_id
    CROSS JOIN LATERAL (
      SELECT
        CASE p_group_by
          WHEN 'PRODUCT' THEN s.product_id::text
          WHEN 'CATEGORY' THEN c.category_id::text
        END AS group_key
    ) k
    CROSS JOIN LATERAL (
      VALUES
        ('ORDERS', NULL, s.orders),
        ('UNITS', NULL, s.units),
        ('VIEWS', NULL, s.views),
        ('GROSS_SALES', s.currency, s.gross),
        ('DISCOUNTS', s.currency, s.discount),
        ('REVENUE', s.currency, s.gross - s.discount - s.uncaptured),
        ('TAX', s.currency, s.tax)
    ) AS m (metric, currency, value)
  WHERE m.metric = ANY (p_metrics) AND m.value IS NOT NULL
  GROUP BY 1, 2, 3, 4;
$$;

-- sql/analytics/functions/refresh.sql

CREATE FUNCTION analytics.refresh(p_merchant_id uuid, p_limit integer, p_now timestamptz)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  c_length CONSTANT interval := '15 minutes';
  v_open timestamptz := analytics.bucket_of(p_now);
  v_buckets timestamptz[];
  -- Where each of them ends. Behind row security, an index takes no bound that is computed from another row: the
  -- addition could fail, and the error would tell of rows that the caller doesn't see.
  v_ends timestamptz[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('analytics.refresh ' || p_merchant_id, 0)) THEN
    RETURN 0;
  END IF;
  v_buckets := ARRAY(
    SELECT DISTINCT s.bucket
    FROM analytics.stale_bucket s
    WHERE s.merchant_id = p_merchant_id AND s.bucket < v_open
    ORDER BY s.bucket
    LIMIT p_limit
  );
  v_ends := ARRAY(SELECT b + c_length FROM unnest(v_buckets) AS b);
  DELETE FROM analytics.stale_bucket s WHERE s.merchant_id = p_merchant_id AND s.bucket = ANY (v_buckets);
  DELETE FROM analytics.sales_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  DELETE FROM analytics.product_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  DELETE FROM analytics.stock_rollup r WHERE r.merchant_id = p_merchant_id AND r.bucket = ANY (v_buckets);
  INSERT INTO analytics.sales_rollup
  SELECT
    p_merchant_id,
    b.start,
    f.currency,
    f.status,
    sum(f.placed),
    sum(f.cancelled),
    sum(f.orders),
    sum(f.units),
    sum(f.gross),
    sum(f.discount),
    sum(f.uncaptured),
    sum(f.shipping),
    sum(f.tax),
    sum(f.total),
    sum(f.refunds),
    sum(f.refunded)
  FROM
    unnest(v_buckets, v_ends) AS b (start, finish)
    CROSS JOIN LATERAL analytics.sales_facts(p_merchant_id, b.start, b.finish) f
  GROUP BY b.start, f.currency, f.status;
  INSERT INTO analytics.product_rollup
  SELECT
    p_merchant_id,
    b.start,
    f.product_id,
    f.currency,
    sum(f.orders),
    sum(f.units),
    sum(f.gross),
    sum(f.discount),
    sum(f.uncaptured),
    sum(f.tax)
  FROM
    unnest(v_buckets, v_ends) AS b (start, finish)
    CROSS JOIN LATERAL analytics.product_facts(p_merchant_id, b.start, b.finish) f
  GROUP BY b.start, f.product_id, f.currency;
  INSERT INTO analytics.stock_rollup
  SELECT p_merchant_id, b.start, f.product_id, sum(f.received), sum(f.removed), sum(f.moved)
  FROM
    unnest(v_buckets, v_ends) AS b (start, finish)
    CROSS JOIN LATERAL analytics.stock_facts(p_merchant_id, b.start, b.finish) f
  GROUP BY b.start, f.product_id;
  -- One mark is enough for what is left.
  DELETE FROM analytics.stale_bucket s
  WHERE
    s.merchant_id = p_merchant_id
    AND s.bucket >= v_open
    AND EXISTS (
      SELECT
      FROM analytics.stale_bucket o
      WHERE o.merchant_id = s.merchant_id AND o.bucket = s.bucket AND o.id < s.id
    );
  RETURN cardinality(v_buckets);
END;
$$;

-- sql/analytics/functions/sales_facts.sql

CREATE FUNCTION analytics.sales_facts(p_merchant_id uuid, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (
  at timestamptz,
  currency text,
  status text,
  placed bigint,
  cancelled bigint,
  orders bigint,
  units bigint,
  gross bigint,
  discount bigint,
  uncaptured bigint,
  shipping bigint,
  tax bigint,
  total bigint,
  refunds bigint,
  refunded bigint
)
LANGUAGE sql
STABLE
AS $$
  SELECT
    o.created_at,
    o.currency,
    o.status,
    1::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint,
    0::bigint
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.created_at >= p_from AND o.created_at < p_to
  UNION ALL
  SELECT o.cancelled_at, o.currency, o.status, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.cancelled_at >= p_from AND o.cancelled_at < p_to
  UNION ALL
  SELECT
    o.paid_at,
    o.currency,
    o.status,
    0,
    0,
    1,
    l.units,
    o.subtotal,
    o.discount - o.shipping_discount,
    l.uncaptured,
    o.shipping - o.shipping_discount - o.uncaptured_shipping,
    o.tax - l.uncaptured_tax,
    o.total - o.uncaptured,
    0,
    0
  FROM
    ordering.order o
    CROSS JOIN LATERAL (
      SELECT
        sum(i.quantity) AS units,
        sum(i.uncaptured)::bigint AS uncaptured,
        sum(i.uncaptured_tax)::bigint AS uncaptured_tax
      FROM ordering.order_item i
      WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
    ) l
  WHERE o.merchant_id = p_merchant_id AND o.paid_at >= p_from AND o.paid_at < p_to
  UNION ALL
  SELECT r.succeeded_at, p.currency, o.status, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, r.amount
  FROM
    payment.refund r
    JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
    JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
  WHERE
    r.merchant_id = p_merchant_id
    AND r.succeeded_at >= p_from
    AND r.succeeded_at < p_to
    AND r.status = 'SUCCEEDED'
    -- A refund from before the order was paid, or of one that never was, is no part of a sale.
    AND r.succeeded_at >= o.paid_at;
$$;

-- sql/analytics/functions/sales_by_interval.sql

CREATE FUNCTION analytics.sales_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_currency text
)
RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql
STABLE
AS $$
  WITH
    stale AS (
      SELECT s.bucket
      FROM analytics.stale_bucket s
      WHERE s.merchant_id = p_merchant_id AND s.bucket >= p_bounds[1] AND s.bucket < p_bounds[cardinality(p_bounds)]
    ),
    fact AS (
      SELECT
        r.bucket AS at,
        r.currency,
        r.status,
        r.placed,
        r.cancelled,
        r.orders,
        r.units,
        r.gross,
        r.discount,
        r.uncaptured,
        r.shipping,
        r.tax,
        r.total,
        r.refunds,
        r.refunded
      FROM analytics.sales_rollup r
      WHERE
        r.merchant_id = p_merchant_id
        AND r.bucket >= p_bounds[1]
        AND r.bucket < p_bounds[cardinality(p_bounds)]
        AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
      UNION ALL
      SELECT f.*
      FROM
        analytics.stale_spans(p_merchant_id, p_bounds[1], p_bounds[cardinality(p_bounds)]) s,
        analytics.sales_facts(p_merchant_id, s.span_from, s.span_to) f
    ),
    summed AS (
      SELECT
        width_bucket(f.at, p_bounds) AS number,
        CASE p_group_by
          WHEN 'CURRENCY' THEN f.currency
          WHEN 'STATUS' THEN f.status
        END AS group_key,
        f.currency,
        sum(f.placed) AS placed,
        sum(f.cancelled) AS cancelled,
        sum(f.orders) AS orders,
        sum(f.units) AS units,
        sum(f.gross) AS gross,
        sum(f.discount) AS discount,
        sum(f.uncaptured) AS uncaptured,
        sum(f.shipping) AS shipping,
        sum(f.tax) AS tax,
        sum(f.total) AS total,
        sum(f.refunds) AS refunds,
        sum(f.refunded) AS refunded
      FROM fact f
      WHERE p_currency IS NULL OR f.currency = p_currency
      GROUP BY 1, 2, 3
    )
  SELECT s.number, s.group_key, m.metric, m.currency, sum(m.value)
  FROM
    summed s
    CROSS JOIN LATERAL (
      VALUES
        ('ORDERS_PLACED', NULL, s.placed),
        ('ORDERS_CANCELLED', NULL, s.cancelled),
        ('ORDERS', NULL, s.orders),
        ('UNITS', NULL, s.units),
        ('REFUNDS', NULL, s.refunds),
        ('GROSS_SALES', s.currency, s.gross),
        ('DISCOUNTS', s.currency, s.discount),
        ('REVENUE', s.currency, s.gross - s.discount - s.uncaptured),
        ('SHIPPING', s.currency, s.shipping),
        ('TAX', s.currency, s.tax),
        ('TOTAL_SALES', s.currency, s.total),
        -- One row for each currency, so nothing is added to it.
        ('AVERAGE_ORDER_VALUE', s.currency, round(s.total / nullif(s.orders, 0))),
        ('REFUNDED', s.currency, s.refunded)
    ) AS m (metric, currency, value)
  WHERE m.metric = ANY (p_metrics) AND m.value IS NOT NULL
  GROUP BY 1, 2, 3, 4;
$$;

-- sql/analytics/functions/stock_by_interval.sql

CREATE FUNCTION analytics.stock_by_interval(
  p_merchant_id uuid,
  p_bounds timestamptz[],
  p_metrics text[],
  p_group_by text,
  p_product_ids uuid[]
)
RETURNS TABLE (number integer, group_key text, metric text, currency text, value numeric)
LANGUAGE sql
STABLE
AS $$
  WITH
    range AS (
      SELECT
        CASE
          WHEN 'STOCK_LEVEL' = ANY (p_metrics) THEN '-infinity'
          ELSE p_bounds[1]
        END AS first,
        p_bounds[cardinality(p_bounds)] AS last
    ),
    stale AS (
      SELECT s.bucket
      FROM
        range,
        analytics.stale_bucket s
      WHERE s.merchant_id = p_merchant_id AND s.bucket >= range.first AND s.bucket < range.last
    ),
    fact AS (
      SELECT r.bucket AS at, r.product_id, r.received, r.removed, r.moved
      FROM
        range,
        analytics.stock_rollup r
      WHERE
        r.merchant_id = p_merchant_id
        AND r.bucket >= range.first
        AND r.bucket < range.last
        AND r.bucket NOT IN (SELECT s.bucket FROM stale s)
      UNION ALL
      SELECT f.*
      FROM
        range,
        analytics.stale_spans(p_merchant_id, range.first, range.last) s,
        analytics.stock_facts(p_merchant_id, s.span_from, s.span_to) f
    ),
    summed AS (
      SELECT
        width_bucket(f.at, p_bounds) AS number,
        CASE p_group_by
          WHEN 'PRODUCT' THEN f.product_id::text
        END AS group_key,
        sum(f.received) AS received,
        sum(f.removed) AS removed,
        sum(f.received - f.removed + f.moved) AS delta
      FROM fact f
      WHERE p_product_ids IS NULL OR f.product_id = ANY (p_product_ids)
      GROUP BY 1, 2
    )
  SELECT s.number, s.group_key, m.metric, NULL, m.value
  FROM
    summed s
    CROSS JOIN LATERAL (
      VALUES
        ('STOCK_RECEIVED', s.received),
        ('STOCK_REMOVED', s.removed)
    ) AS m (metric, value)
  WHERE s.number > 0 AND m.metric = ANY (p_metrics)
  UNION ALL
  SELECT
    n,
    NULL,
    'STOCK_LEVEL',
    NULL,
    sum(
      coalesce(s.delta, 0) + CASE
        WHEN n = 1 THEN coalesce(b.delta, 0)
        ELSE 0
      END
    ) OVER (ORDER BY n)
  FROM
    generate_series(1, cardinality(p_bounds) - 1) AS n
    LEFT JOIN summed s ON s.number = n
    LEFT JOIN summed b ON b.number = 0
  WHERE 'STOCK_LEVEL' = ANY (p_metrics);
$$;

-- sql/audit/functions/record_rows.sql

CREATE FUNCTION audit.record_rows()
RETURNS trigger
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
  EXECUTE format('SELECT array_agg(c.id) FROM (SELECT %I AS id FROM changed LIMIT 100) c', TG_ARGV[1])
  INTO v_ids;
  IF v_ids IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit.entry
    (
      merchant_id,
      actor_kind,
      actor_id,
      client_address,
      request_id,
      source,
      operation_name,
      operation,
      record,
      change,
      target_ids,
      outcome
    )
  VALUES
    (
      (v_session ->> 'x-hasura-merchant-id')::uuid,
      CASE
        WHEN v_actor.kind = 'CUSTOMER' THEN 'CUSTOMER'
        WHEN v_session ? 'x-hasura-user-id' THEN 'USER'
        ELSE 'KEY'
      END,
      v_actor.id,
      left(v_session ->> 'x-hasura-client-address', 64),
      left(v_session ->> 'x-hasura-request-id', 128),
      CASE
        WHEN v_root_field IS NULL THEN 'HASURA'
        ELSE 'CONTRACT'
      END,
      left(v_session ->> 'x-hasura-operation-name', 200),
      -- Hasura doesn't say which of its root fields it was.
      coalesce(v_root_field, concat_ws('_', lower(TG_OP), TG_TABLE_SCHEMA, TG_TABLE_NAME)),
      TG_ARGV[0],
      CASE TG_OP
        WHEN 'INSERT' THEN 'CREATED'
        WHEN 'UPDATE' THEN 'UPDATED'
        ELSE 'DELETED'
      END,
      v_ids,
      'DONE'
    );
  RETURN NULL;
END;
$$;

-- sql/booking/functions/book.sql

CREATE FUNCTION booking.book(
  p_merchant_id uuid,
  p_service_id uuid,
  p_staff_id uuid,
  p_customer_id uuid,
  p_start timestamptz,
  p_notes text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_service booking.service;
  v_refusals jsonb;
  v_prepayment bigint;
  v_end timestamptz;
  v_staff_id uuid;
  v_resource_ids uuid[];
  v_reason text;
  v_reasons text[] := '{}';
  v_appointment_id uuid := platform.uuid_v7();
BEGIN
  SELECT * INTO v_service FROM booking.service s WHERE s.merchant_id = p_merchant_id AND s.id = p_service_id;
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', field, 'reason', reason)), '[]')
  INTO v_refusals
  FROM
    (
      VALUES
        (
          'serviceId',
          CASE
            WHEN v_service.id IS NULL THEN 'unknown_service'
            WHEN NOT v_service.active THEN 'service_not_active'
            WHEN booking.lacks_resources(p_merchant_id, p_service_id) THEN 'too_few_resources'
          END
        ),
        (
          'staffId',
          CASE
            WHEN p_staff_id IS NOT NULL THEN nullif(
              booking.staff_refusal(p_merchant_id, p_staff_id, p_service_id),
              -- Of an unknown service there is nothing more to say.
              CASE
                WHEN v_service.id IS NULL THEN 'service_not_offered'
              END
            )
          END
        ),
        (
          'customerId',
          CASE
            WHEN NOT EXISTS (
              SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id
            ) THEN 'unknown_customer'
          END
        ),
        ('startTime', booking.start_refusal(p_start))
    ) AS r (field, reason)
  WHERE reason IS NOT NULL;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  v_prepayment := booking.prepayment(v_service);
  v_end := p_start + make_interval(mins => v_service.duration);
  -- In one order for everybody, so that no two bookings wait for each other's calendars.
  FOR v_staff_id IN SELECT m.id
  FROM
    booking.staff_service o
    JOIN booking.staff_member m ON m.merchant_id = o.merchant_id AND m.id = o.staff_id AND m.active
  WHERE
    o.merchant_id = p_merchant_id
    AND o.service_id = p_service_id
    AND (p_staff_id IS NULL OR o.staff_id = p_staff_id)
  ORDER BY m.priority, m.id LOOP
    v_reason := booking.hold_time(p_merchant_id, v_staff_id, p_start, v_end, NULL);
    IF v_reason IS NULL THEN
      v_resource_ids := booking.hold_resources(p_merchant_id, p_service_id, p_start, v_end, NULL);
      IF v_resource_ids IS NULL THEN
        -- They are taken for every other staff member as well.
        v_reasons := ARRAY['resources_taken'];
        EXIT;
      END IF;
      INSERT INTO booking.appointment
        (
          merchant_id,
          id,
          service_id,
          staff_id,
          customer_id,
          start_time,
          end_time,
          notes,
          booked_here,
          price,
          currency,
          prepayment,
          no_show_fee,
          cancellation_minutes,
          payment_due_at
        )
      VALUES
        (
          p_merchant_id,
          v_appointment_id,
          p_service_id,
          v_staff_id,
          p_customer_id,
          p_start,
          v_end,
          p_notes,
          TRUE,
          v_service.price,
          v_service.currency,
          v_prepayment,
          least(v_service.price, coalesce(v_service.no_show_fee, v_prepayment)),
          v_service.cancellation_minutes,
          CASE
            WHEN v_prepayment > 0 THEN least(
              p_start,
              now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD'))
            )
          END
        );
      PERFORM booking.assign_resources(p_merchant_id, v_appointment_id, v_resource_ids);
      RETURN jsonb_build_object('outcome', 'changed', 'appointmentId', v_appointment_id);
    END IF;
    v_reasons := v_reasons || v_reason;
  END LOOP;
  RETURN jsonb_build_object(
    'outcome',
    'invalid',
    'refusals',
    jsonb_build_array(
      CASE
        WHEN v_reasons = '{}' THEN jsonb_build_object('field', 'serviceId', 'reason', 'nobody_offers_it')
        WHEN 'resources_taken' = ANY (v_reasons) THEN jsonb_build_object(
          'field',
          'startTime',
          'reason',
          'resources_taken'
        )
        WHEN 'taken' = ANY (v_reasons) THEN jsonb_build_object('field', 'startTime', 'reason', 'taken')
        ELSE jsonb_build_object('field', 'startTime', 'reason', 'outside_working_hours')
      END
    )
  );
END;
$$;

-- sql/booking/functions/change_status.sql

CREATE FUNCTION booking.change_status(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_owner_id uuid,
  p_from text[],
  p_to text,
  p_when text,
  p_fee text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
  v_reason text;
  v_ends boolean := p_to IN ('CANCELLED', 'NO_SHOW');
  v_open_id uuid;
  v_refund_ids uuid[] := '{}';
BEGIN
  SELECT *
  INTO v_appointment
  FROM booking.appointment a
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id AND (p_owner_id IS NULL OR a.customer_id = p_owner_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_appointment.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_appointment.status);
  END IF;
  v_reason := CASE
    WHEN p_when = 'begun'
    AND v_appointment.start_time > now() THEN 'not_begun'
    WHEN p_when = 'ahead'
    AND v_appointment.start_time <= now() THEN 'already_begun'
  END;
  IF v_reason IS NOT NULL THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'id', 'reason', v_reason))
    );
  END IF;
  IF v_ends THEN
    v_open_id := (payment.open_payment_of_appointment(p_merchant_id, p_appointment_id)).id;
    IF v_open_id IS NOT NULL THEN
      RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open_id);
    END IF;
  END IF;
  -- Whatever the shop says of an appointment, it is no longer kept for the prepayment only.
  UPDATE booking.appointment a
  SET
    status = p_to,
    payment_due_at = NULL,
    fee = CASE
      WHEN a.payment_due_at IS NULL
      AND (
        p_fee = 'ALWAYS'
        OR p_fee = 'LATE'
        AND a.start_time - make_interval(mins => a.cancellation_minutes) <= now()
      ) THEN a.no_show_fee
      ELSE 0
    END
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id
  RETURNING *
  INTO v_appointment;
  IF v_ends THEN
    v_refund_ids := booking.refund_beyond(
      p_merchant_id,
      p_appointment_id,
      v_appointment.fee,
      CASE p_to
        WHEN 'CANCELLED' THEN 'The appointment was cancelled'
        ELSE 'The customer did not come'
      END
    );
  END IF;
  RETURN jsonb_build_object(
    'outcome',
    'changed',
    'appointmentId',
    p_appointment_id,
    'refundIds',
    to_jsonb(v_refund_ids)
  );
END;
$$;

-- sql/booking/functions/hold_resources.sql

CREATE FUNCTION booking.hold_resources(
  p_merchant_id uuid,
  p_service_id uuid,
  p_start timestamptz,
  p_end timestamptz,
  p_except uuid
)
RETURNS uuid[]
LANGUAGE plpgsql
AS $$
DECLARE
  v_kinds citext[];
  v_quantities integer[];
  v_locked_ids uuid[];
  v_chosen_ids uuid[];
BEGIN
  -- Read once: the merchant may change them at this moment.
  SELECT array_agg(q.kind), array_agg(q.quantity)
  INTO v_kinds, v_quantities
  FROM booking.resource_requirement q
  WHERE q.merchant_id = p_merchant_id AND q.service_id = p_service_id;
  IF v_kinds IS NULL THEN
    RETURN '{}';
  END IF;
  -- In one order for every booking, after the staff members, so that no two bookings wait for each other.
  SELECT coalesce(array_agg(locked.id), '{}')
  INTO v_locked_ids
  FROM
    (
      SELECT r.id
      FROM booking.resource r
      WHERE r.merchant_id = p_merchant_id AND r.kind = ANY (v_kinds) AND r.active
      ORDER BY r.id
      FOR NO KEY UPDATE
    ) AS locked;
  -- A statement of its own: it sees what the bookings that held the locks have written.
  SELECT coalesce(array_agg(chosen.id), '{}')
  INTO v_chosen_ids
  FROM
    unnest(v_kinds, v_quantities) AS q (kind, quantity)
    CROSS JOIN LATERAL (
      SELECT r.id
      FROM
        booking.resource r
        LEFT JOIN booking.appointment_resource kept
          ON kept.merchant_id = r.merchant_id AND kept.appointment_id = p_except AND kept.resource_id = r.id
      WHERE
        r.merchant_id = p_merchant_id
        AND r.id = ANY (v_locked_ids)
        AND r.kind = q.kind
        AND NOT EXISTS (
          SELECT
          FROM booking.appointment_resource a
          WHERE
            a.merchant_id = r.merchant_id
            AND a.resource_id = r.id
            AND a.takes_time
            AND tstzrange(a.start_time, a.end_time) && tstzrange(p_start, p_end)
            AND a.appointment_id IS DISTINCT FROM p_except
        )
      ORDER BY kept.resource_id IS NULL, r.priority, r.id
      LIMIT q.quantity
    ) AS chosen;
  RETURN CASE
    WHEN cardinality(v_chosen_ids) = (SELECT sum(quantity) FROM unnest(v_quantities) AS quantity) THEN v_chosen_ids
  END;
END;
$$;

-- sql/booking/functions/lapse_unpaid.sql

CREATE FUNCTION booking.lapse_unpaid(p_merchant_id uuid, p_limit integer, p_from text[], p_to text)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment_ids uuid[];
  v_appointment booking.appointment;
  v_count integer := 0;
BEGIN
  v_appointment_ids := ARRAY(
    SELECT a.id
    FROM booking.appointment a
    WHERE
      a.merchant_id = p_merchant_id
      AND a.payment_due_at <= now()
      AND a.status = ANY (p_from)
      AND NOT booking.payment_is_under_way(a.merchant_id, a.id)
    ORDER BY a.payment_due_at
    LIMIT p_limit
    FOR UPDATE SKIP LOCKED
  );
  -- Looked at once more now that they are locked: a payment may have begun or been settled meanwhile.
  FOR v_appointment IN UPDATE booking.appointment a
  SET
    status = p_to,
    payment_due_at = NULL,
    lapsed = TRUE
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = ANY (v_appointment_ids)
    AND a.payment_due_at <= now()
    AND a.status = ANY (p_from)
    AND NOT booking.payment_is_under_way(a.merchant_id, a.id)
  RETURNING a.* LOOP
    UPDATE payment.payment p
    SET status = 'CANCELLED'
    WHERE p.merchant_id = p_merchant_id AND p.appointment_id = v_appointment.id AND p.awaited AND p.status = 'PENDING';
    PERFORM booking.refund_beyond(p_merchant_id, v_appointment.id, 0, 'The appointment was not paid in time');
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END;
$$;

-- sql/booking/functions/reschedule.sql

CREATE FUNCTION booking.reschedule(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_owner_id uuid,
  p_start timestamptz,
  p_staff_id uuid,
  p_from text[],
  p_to text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
  v_refusals jsonb;
  v_end timestamptz;
  v_staff_id uuid;
  v_resource_ids uuid[];
  v_reason text;
BEGIN
  SELECT *
  INTO v_appointment
  FROM booking.appointment a
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id AND (p_owner_id IS NULL OR a.customer_id = p_owner_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_appointment.status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_appointment.status);
  END IF;
  v_staff_id := coalesce(p_staff_id, v_appointment.staff_id);
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', field, 'reason', reason)), '[]')
  INTO v_refusals
  FROM
    (
      VALUES
        (
          'id',
          CASE
            WHEN p_owner_id IS NOT NULL
            AND v_appointment.start_time <= now() THEN 'already_begun'
            WHEN booking.lacks_resources(p_merchant_id, v_appointment.service_id) THEN 'too_few_resources'
          END
        ),
        ('startTime', booking.start_refusal(p_start)),
        ('staffId', booking.staff_refusal(p_merchant_id, v_staff_id, v_appointment.service_id))
    ) AS r (field, reason)
  WHERE reason IS NOT NULL;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_end := p_start + make_interval(mins => v_appointment.duration);
  v_reason := booking.hold_time(p_merchant_id, v_staff_id, p_start, v_end, p_appointment_id);
  IF v_reason IS NULL THEN
    v_resource_ids := booking.hold_resources(p_merchant_id, v_appointment.service_id, p_start, v_end, p_appointment_id);
    v_reason := CASE
      WHEN v_resource_ids IS NULL THEN 'resources_taken'
    END;
  END IF;
  IF v_reason IS NOT NULL THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'startTime', 'reason', v_reason))
    );
  END IF;
  -- Before the move: what it had may be taken at the new time.
  DELETE FROM booking.appointment_resource r
  WHERE r.merchant_id = p_merchant_id AND r.appointment_id = p_appointment_id;
  UPDATE booking.appointment a
  SET
    start_time = p_start,
    end_time = v_end,
    staff_id = v_staff_id,
    status = p_to
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id;
  PERFORM booking.assign_resources(p_merchant_id, p_appointment_id, v_resource_ids);
  RETURN jsonb_build_object('outcome', 'changed', 'appointmentId', p_appointment_id);
END;
$$;

-- sql/cart/functions/apply_coupon.sql

CREATE FUNCTION cart.apply_coupon(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_code text,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
  v_cart cart.cart;
  v_promotion promotion.promotion;
  v_refusal text;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT *
  INTO v_promotion
  FROM promotion.promotion p
  WHERE p.merchant_id = p_merchant_id AND p.code = p_code::citext
  FOR KEY SHARE;
  SELECT * INTO v_cart FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  v_cart.promotion_id := v_promotion.id;
  v_cart.coupon_code := v_promotion.code;
  v_refusal := CASE
    WHEN v_promotion.id IS NULL THEN 'unknown_coupon'
    ELSE cart.coupon_refusal(v_cart)
  END;
  IF v_refusal IS NOT NULL THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(promotion.refusal('code', v_refusal, v_promotion))
    );
  END IF;
  UPDATE cart.cart c
  SET
    promotion_id = v_promotion.id,
    coupon_code = v_promotion.code,
    expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;

-- sql/cart/functions/create_cart.sql

CREATE FUNCTION cart.create_cart(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_currency text,
  p_lines jsonb,
  p_lifetime interval,
  p_max_lines integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_cart_id uuid := platform.uuid_v7();
  v_currency text := coalesce(
    p_currency,
    (SELECT s.currency FROM merchant.settings s WHERE s.merchant_id = p_merchant_id)
  );
  v_outcome jsonb;
BEGIN
  IF
    p_customer_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id)
  THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer'))
    );
  END IF;
  IF v_currency IS NULL THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'currency', 'reason', 'currency_required'))
    );
  END IF;
  INSERT INTO cart.cart (merchant_id, id, customer_id, secret_hash, currency, expires_at)
  VALUES (p_merchant_id, v_cart_id, p_customer_id, p_secret_hash, v_currency, now() + p_lifetime);
  v_outcome := cart.put_lines(p_merchant_id, v_cart_id, v_currency, p_lines, 'items', p_max_lines);
  IF v_outcome ->> 'outcome' <> 'changed' THEN
    DELETE FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = v_cart_id;
  END IF;
  RETURN v_outcome;
END;
$$;

-- sql/cart/functions/merge.sql

CREATE FUNCTION cart.merge(
  p_merchant_id uuid,
  p_guest_cart_id uuid,
  p_secret_hash bytea,
  p_customer_id uuid,
  p_lifetime interval,
  p_max_lines integer
)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_guest cart.cart;
  v_own cart.cart;
  v_lines jsonb;
  v_refusal text;
BEGIN
  -- One merge of a customer at a time: two that saw no cart would both make one.
  PERFORM pg_advisory_xact_lock(hashtextextended('cart.merge ' || p_merchant_id || p_customer_id, 0));
  -- Both carts in one order, so that merges and checkouts wait for each other and never in a circle.
  PERFORM
  FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND (
      c.id = p_guest_cart_id
      OR (c.customer_id = p_customer_id AND c.checked_out_at IS NULL AND c.expires_at > now())
    )
  ORDER BY c.id
  FOR UPDATE;
  SELECT *
  INTO v_guest
  FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.id = p_guest_cart_id
    AND c.customer_id IS NULL
    AND (p_secret_hash IS NULL OR c.secret_hash = p_secret_hash)
    AND c.checked_out_at IS NULL
    AND c.expires_at > now();
  IF v_guest.id IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT *
  INTO v_own
  FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.customer_id = p_customer_id
    AND c.checked_out_at IS NULL
    AND c.expires_at > now()
    AND c.currency = v_guest.currency
  ORDER BY c.created_at DESC, c.id DESC
  LIMIT 1;

  IF v_own.id IS NULL THEN
    v_own := v_guest;
    v_own.customer_id := p_customer_id;
  ELSE
    SELECT
      jsonb_agg(cart.line(i) ORDER BY i.created_at, i.id)
    INTO v_lines
    FROM cart.cart_item i
    WHERE i.merchant_id = p_merchant_id AND i.cart_id = v_guest.id;
    INSERT INTO cart.cart_item AS i (
      merchant_id,
      cart_id,
      product_id,
      variant_id,
      quantity,
      properties,
      line_key,
      metadata,
      private_metadata
    )
    SELECT
      p_merchant_id,
      v_own.id,
      w.product_id,
      w.variant_id,
      w.merged_quantity,
      w.properties,
      w.line_key,
      coalesce(w.kept -> 'metadata', '{}'),
      coalesce(w.kept -> 'privateMetadata', '{}')
    FROM
      (
        SELECT
          x.*,
          row_number() OVER (
            PARTITION BY x.is_new
            ORDER BY x.position
          ) AS place
        FROM
          (
            SELECT
              l.*,
              o.id IS NULL AS is_new,
              -- Lines of one stock item share what is there: those that stay as they are come first.
              least(
                coalesce(o.quantity, 0) + l.quantity,
                s.available - others.quantity - coalesce(
                  sum(coalesce(o.quantity, 0) + l.quantity) OVER (
                    PARTITION BY l.stock_item_id
                    ORDER BY l.position
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                  ),
                  0
                ),
                999999
              )::integer AS merged_quantity
            FROM
              catalog.sellable_lines(p_merchant_id, coalesce(v_lines, '[]'), v_own.currency) l
              JOIN inventory.sku_inventory s ON s.merchant_id = p_merchant_id AND s.stock_item_id = l.stock_item_id
              LEFT JOIN cart.cart_item o
                ON o.merchant_id = p_merchant_id
                AND o.cart_id = v_own.id
                AND o.product_id = l.product_id
                AND o.variant_id IS NOT DISTINCT FROM l.variant_id
                AND o.line_key = l.line_key
              CROSS JOIN LATERAL (
                SELECT coalesce(sum(x.quantity), 0) AS quantity
                FROM cart.cart_item x
                WHERE
                  x.merchant_id = p_merchant_id
                  AND x.cart_id = v_own.id
                  AND x.product_id = l.product_id
                  AND x.variant_id IS NOT DISTINCT FROM l.variant_id
                  AND NOT EXISTS (
                    SELECT
                    FROM cart.cart_item g
                    WHERE
                      g.merchant_id = p_merchant_id
                      AND g.cart_id = v_guest.id
                      AND g.product_id = x.product_id
                      AND g.variant_id IS NOT DISTINCT FROM x.variant_id
                      AND g.line_key = x.line_key
                  )
              ) others
            WHERE l.refusal IS NULL
          ) x
        WHERE x.merged_quantity > 0
      ) AS w
    WHERE
      NOT w.is_new
      OR w.place <= p_max_lines - (
        SELECT count(*) FROM cart.cart_item x WHERE x.merchant_id = p_merchant_id AND x.cart_id = v_own.id
      )
    ON CONFLICT ON CONSTRAINT cart_item_line_key DO UPDATE
      SET
        quantity = greatest(i.quantity, excluded.quantity),
        metadata = excluded.metadata,
        private_metadata = excluded.private_metadata;
    DELETE FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = v_guest.id;
  END IF;

  IF v_own.promotion_id IS NULL OR v_own.id = v_guest.id THEN
    v_own.promotion_id := v_guest.promotion_id;
    v_own.coupon_code := v_guest.coupon_code;
    v_refusal := cart.coupon_refusal(v_own);
    IF v_refusal IS NOT NULL THEN
      v_own.promotion_id := NULL;
      v_own.coupon_code := NULL;
    END IF;
  END IF;
  UPDATE cart.cart c
  SET
    customer_id = p_customer_id,
    secret_hash = NULL,
    promotion_id = v_own.promotion_id,
    coupon_code = v_own.coupon_code,
    expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = v_own.id;
  RETURN v_own.id;
END;
$$;

-- sql/cart/functions/put_lines.sql

CREATE FUNCTION cart.put_lines(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_currency text,
  p_lines jsonb,
  p_list text,
  p_max_lines integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
  v_shortages jsonb;
BEGIN
  SELECT coalesce(array_agg(l ORDER BY l.position), '{}')
  INTO v_lines
  FROM catalog.sellable_lines(p_merchant_id, p_lines, p_currency) l;
  v_refusals := catalog.line_refusals(v_lines, p_list);
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  -- The quantities that the cart would have.
  SELECT
    coalesce(
      array_agg(
        (
          l.position,
          l.product_id,
          l.variant_id,
          l.quantity + coalesce(i.quantity, 0),
          NULL,
          l.stock_item_id,
          l.sku,
          l.price,
          l.currency,
          l.name,
          l.image,
          l.properties,
          l.line_key,
          l.kept
        )::catalog.sellable_line
        ORDER BY l.position
      ),
      '{}'
    )
  INTO v_lines
  FROM
    unnest(v_lines) l
    LEFT JOIN cart.cart_item i
      ON i.merchant_id = p_merchant_id
      AND i.cart_id = p_cart_id
      AND i.product_id = l.product_id
      AND i.variant_id IS NOT DISTINCT FROM l.variant_id
      AND i.line_key = l.line_key;
  v_shortages := cart.shortages(p_merchant_id, p_cart_id, v_lines);
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;
  SELECT coalesce(jsonb_agg(r), '[]')
  INTO v_refusals
  FROM
    (
      SELECT format('%s.%s.quantity', p_list, l.position) AS field, 'quantity_too_large' AS reason
      FROM unnest(v_lines) l
      WHERE l.quantity > 999999
      UNION ALL
      SELECT format('%s.%s.quantity', p_list, d.position), 'total_too_large'
      FROM cart.line_too_dear(p_merchant_id, p_cart_id, v_lines) AS d (position)
      WHERE d.position IS NOT NULL
      UNION ALL
      SELECT p_list, 'too_many_lines'
      WHERE
        p_max_lines < (
          SELECT count(*)
          FROM
            (
              SELECT i.product_id, i.variant_id, i.line_key
              FROM cart.cart_item i
              WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id
              UNION
              SELECT l.product_id, l.variant_id, l.line_key FROM unnest(v_lines) l
            ) u
        )
    ) r;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  INSERT INTO cart.cart_item AS i (
    merchant_id,
    cart_id,
    product_id,
    variant_id,
    quantity,
    properties,
    line_key,
    external_id,
    metadata,
    private_metadata
  )
  SELECT
    p_merchant_id,
    p_cart_id,
    l.product_id,
    l.variant_id,
    l.quantity,
    l.properties,
    l.line_key,
    l.kept ->> 'externalId',
    coalesce(l.kept -> 'metadata', '{}'),
    coalesce(l.kept -> 'privateMetadata', '{}')
  FROM unnest(v_lines) l
  ON CONFLICT ON CONSTRAINT cart_item_line_key DO UPDATE
    SET
      quantity = excluded.quantity,
      external_id = coalesce(excluded.external_id, i.external_id),
      metadata = excluded.metadata,
      private_metadata = excluded.private_metadata;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;

-- sql/cart/functions/set_line_quantity.sql

CREATE FUNCTION cart.set_line_quantity(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_item_id uuid,
  p_quantity integer,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
  v_item cart.cart_item;
  v_lines catalog.sellable_line[];
  v_shortages jsonb;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT *
  INTO v_item
  FROM cart.cart_item i
  WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id AND i.id = p_item_id;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_item');
  END IF;
  IF p_quantity = 0 THEN
    DELETE FROM cart.cart_item i WHERE i.merchant_id = p_merchant_id AND i.id = p_item_id;
  ELSE
    SELECT array_agg(l)
    INTO v_lines
    FROM
      cart.cart c,
      catalog.sellable_lines(
        p_merchant_id,
        jsonb_build_array(
          jsonb_build_object(
            'productId',
            v_item.product_id,
            'variantId',
            v_item.variant_id,
            'quantity',
            p_quantity,
            'properties',
            v_item.properties
          )
        ),
        c.currency
      ) l
    WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
    IF v_lines[1].refusal IS NOT NULL THEN
      RETURN jsonb_build_object(
        'outcome',
        'invalid',
        'refusals',
        jsonb_build_array(
          jsonb_build_object('field', 'itemId', 'reason', v_lines[1].refusal, 'currency', v_lines[1].currency)
        )
      );
    END IF;
    v_shortages := cart.shortages(p_merchant_id, p_cart_id, v_lines);
    IF v_shortages IS NOT NULL THEN
      RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
    END IF;
    IF cart.line_too_dear(p_merchant_id, p_cart_id, v_lines) IS NOT NULL THEN
      RETURN jsonb_build_object(
        'outcome',
        'invalid',
        'refusals',
        jsonb_build_array(jsonb_build_object('field', 'quantity', 'reason', 'total_too_large'))
      );
    END IF;
    UPDATE cart.cart_item i SET quantity = p_quantity WHERE i.merchant_id = p_merchant_id AND i.id = p_item_id;
  END IF;
  PERFORM cart.renew(p_merchant_id, p_cart_id, p_lifetime);
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;

-- sql/cart/functions/set_shipping_address.sql

CREATE FUNCTION cart.set_shipping_address(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_address jsonb,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  INSERT INTO cart.cart_address
    (merchant_id, cart_id, line1, line2, city, state, postal_code, country, phone, recipient_name, company)
  VALUES
    (
      p_merchant_id,
      p_cart_id,
      p_address ->> 'line1',
      p_address ->> 'line2',
      p_address ->> 'city',
      p_address ->> 'state',
      p_address ->> 'postalCode',
      p_address ->> 'country',
      p_address ->> 'phone',
      p_address ->> 'recipientName',
      p_address ->> 'company'
    )
  ON CONFLICT (merchant_id, cart_id) DO UPDATE
    SET
      line1 = excluded.line1,
      line2 = excluded.line2,
      city = excluded.city,
      state = excluded.state,
      postal_code = excluded.postal_code,
      country = excluded.country,
      phone = excluded.phone,
      recipient_name = excluded.recipient_name,
      company = excluded.company;
  UPDATE cart.cart c
  SET
    expires_at = now() + p_lifetime,
    shipping_method_id = CASE
      WHEN ordering.shipping_refusal(
        p_merchant_id,
        c.shipping_method_id,
        p_address ->> 'country',
        c.currency
      ) IS NULL THEN c.shipping_method_id
    END
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;

-- sql/cart/functions/set_shipping_method.sql

CREATE FUNCTION cart.set_shipping_method(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_secret_hash bytea,
  p_shipping_method_id uuid,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id, p_secret_hash);
  v_country text;
  v_refusal jsonb;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT a.country
  INTO v_country
  FROM cart.cart_address a
  WHERE a.merchant_id = p_merchant_id AND a.cart_id = p_cart_id;
  IF p_shipping_method_id IS NOT NULL THEN
    v_refusal := CASE
      WHEN NOT FOUND THEN jsonb_build_object('field', 'shippingMethodId', 'reason', 'address_required')
      ELSE (
        SELECT ordering.shipping_refusal(p_merchant_id, p_shipping_method_id, v_country, c.currency)
        FROM cart.cart c
        WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id
      )
    END;
  END IF;
  IF v_refusal IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(v_refusal));
  END IF;
  UPDATE cart.cart c
  SET
    shipping_method_id = p_shipping_method_id,
    expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END;
$$;

-- sql/catalog/functions/category_of_path.sql

CREATE FUNCTION catalog.category_of_path(p_merchant_id uuid, p_path text[])
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid;
  v_parent uuid;
  v_name text;
BEGIN
  FOREACH v_name IN ARRAY p_path LOOP
    SELECT c.id
    INTO v_id
    FROM catalog.category c
    WHERE c.merchant_id = p_merchant_id AND c.parent_id IS NOT DISTINCT FROM v_parent AND c.name = v_name
    ORDER BY c.created_at, c.id
    LIMIT 1;
    IF NOT FOUND THEN
      INSERT INTO catalog.category (merchant_id, parent_id, name)
      VALUES (p_merchant_id, v_parent, v_name)
      RETURNING id
      INTO v_id;
    END IF;
    v_parent := v_id;
  END LOOP;
  RETURN v_id;
END;
$$;

-- sql/catalog/functions/import_categories.sql

CREATE FUNCTION catalog.import_categories(p_merchant_id uuid, p_batch jsonb, p_update boolean)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_row record;
  v_outcome text;

  v_before text;
  v_target uuid;
  v_is_new boolean;
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id);
  FOR v_row IN SELECT *
  FROM
    jsonb_to_recordset(p_batch -> 'categories') AS c (
      id uuid,
      key text,
      external_id text,
      fingerprint text,
      path text[],
      slug text,
      description text,
      position integer,
      seo_title text,
      seo_description text
    ) LOOP
    SELECT c.id, r.fingerprint
    INTO v_target, v_before
    FROM
      bulk.imported_record r
      JOIN catalog.category c ON c.merchant_id = r.merchant_id AND c.id = r.record_id
    WHERE r.merchant_id = p_merchant_id AND r.record_type = 'CATEGORY' AND r.external_id = v_row.key;
    v_is_new := v_target IS NULL;
    IF v_is_new THEN
      v_target := catalog.category_of_path(p_merchant_id, v_row.path);
    END IF;
    IF
      EXISTS (
        SELECT
        FROM catalog.category c
        WHERE c.merchant_id = p_merchant_id AND c.slug = v_row.slug AND c.id <> v_target
      )
    THEN
      RETURN QUERY SELECT v_row.id, 'refused', 'slug', 'slug_taken';
      CONTINUE;
    END IF;
    IF v_is_new OR p_update AND v_before <> v_row.fingerprint THEN
      UPDATE catalog.category c
      SET
        external_id = coalesce(v_row.external_id, c.external_id),
        slug = coalesce(v_row.slug, c.slug),
        description = coalesce(v_row.description, c.description),
        position = coalesce(v_row.position, c.position),
        seo_title = coalesce(v_row.seo_title, c.seo_title),
        seo_description = coalesce(v_row.seo_description, c.seo_description)
      WHERE c.merchant_id = p_merchant_id AND c.id = v_target;
      INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
      VALUES (p_merchant_id, 'CATEGORY', v_row.key, v_target, v_row.fingerprint)
      ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
        SET
          record_id = excluded.record_id,
          fingerprint = excluded.fingerprint,
          imported_at = now();
      v_outcome := 'imported';
    ELSE
      v_outcome := 'unchanged';
    END IF;
    RETURN QUERY SELECT v_row.id, v_outcome, NULL::text, NULL::text;
  END LOOP;
END;
$$;

-- sql/catalog/functions/import_products.sql

CREATE FUNCTION catalog.import_products(p_merchant_id uuid, p_batch jsonb, p_update boolean, p_check_only boolean)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_targets jsonb;
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id, p_check_only);
  PERFORM set_config('search.follows_later', 'on', TRUE);
  v_targets := catalog.targets_of_import(p_merchant_id, p_batch, p_update);
  PERFORM catalog.write_imported_products(p_merchant_id, p_batch, v_targets);
  PERFORM catalog.write_imported_variants(p_merchant_id, p_batch, v_targets, p_check_only);
  PERFORM catalog.link_imported_products(p_merchant_id, p_batch, v_targets);
  INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
  SELECT p_merchant_id, 'PRODUCT', p.key, t.target, p.fingerprint
  FROM
    jsonb_to_recordset(p_batch -> 'products') AS p (id uuid, key text, fingerprint text)
    JOIN jsonb_to_recordset(v_targets) AS t (id uuid, target uuid, written boolean) ON t.id = p.id AND t.written
  ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
    SET
      record_id = excluded.record_id,
      fingerprint = excluded.fingerprint,
      imported_at = now();
  IF NOT p_check_only THEN
    PERFORM catalog.put_imported_products(p_merchant_id, p_batch, v_targets);
    PERFORM
      inventory.keep_standing(
        p_merchant_id,
        ARRAY(
          SELECT i.id
          FROM
            jsonb_to_recordset(v_targets) AS t (target uuid, written boolean)
            JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.product_id = t.target
          WHERE t.written
        )
      );
    PERFORM
      search.follow_import(
        p_merchant_id,
        ARRAY(SELECT t.target FROM jsonb_to_recordset(v_targets) AS t (target uuid, written boolean) WHERE t.written)
      );
  END IF;
  RETURN QUERY SELECT
      t.id,
      CASE
        WHEN t.reason IS NOT NULL THEN 'refused'
        WHEN t.written THEN 'imported'
        ELSE 'unchanged'
      END,
      t.field,
      t.reason
    FROM jsonb_to_recordset(v_targets) AS t (id uuid, written boolean, field text, reason text);
END;
$$;

-- sql/catalog/functions/import_reviews.sql

CREATE FUNCTION catalog.import_reviews(p_merchant_id uuid, p_batch jsonb, p_import_id uuid)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_reviews jsonb;
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id);
  SELECT
    jsonb_agg(
      r || jsonb_build_object(
        'product_id',
        p.product_id,
        'customer_id',
        (SELECT c.id FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.email = w.email AND c.has_account),
        'known',
        k.record_id IS NOT NULL,
        'unknown',
        k.record_id IS NULL
        AND p.product_id IS NULL
        AND NOT EXISTS (
          SELECT
          FROM bulk.import_key i
          WHERE i.merchant_id = p_merchant_id AND i.import_id = p_import_id AND i.kind = 'SKU' AND i.key = w.sku
        )
      )
    )
  INTO v_reviews
  FROM
    jsonb_array_elements(p_batch -> 'reviews') AS r
    CROSS JOIN LATERAL jsonb_to_record(r) AS w (key text, sku text, email citext)
    LEFT JOIN LATERAL catalog.product_of_history(p_merchant_id, w.sku, NULL) p ON TRUE
    LEFT JOIN LATERAL (
      SELECT k.record_id
      FROM
        bulk.imported_record k
        JOIN catalog.review x ON x.merchant_id = k.merchant_id AND x.id = k.record_id
      WHERE k.merchant_id = p_merchant_id AND k.record_type = 'REVIEW' AND k.external_id = w.key
    ) k
      ON TRUE;
  INSERT INTO catalog.review
    (merchant_id, id, product_id, customer_id, author_name, rating, title, body, status, created_at)
  SELECT
    p_merchant_id,
    r.id,
    r.product_id,
    r.customer_id,
    r.author_name,
    r.rating,
    r.title,
    r.body,
    coalesce(r.status, 'PENDING'),
    coalesce(r.created_at, now())
  FROM
    jsonb_populate_recordset(NULL::catalog.review, v_reviews) r
    JOIN jsonb_to_recordset(v_reviews) AS w (id uuid, known boolean) ON w.id = r.id AND NOT w.known
  WHERE r.product_id IS NOT NULL;
  INSERT INTO bulk.imported_record AS k (merchant_id, record_type, external_id, record_id, fingerprint)
  SELECT p_merchant_id, 'REVIEW', w.key, w.id, w.fingerprint
  FROM jsonb_to_recordset(v_reviews) AS w (id uuid, key text, fingerprint text, known boolean, product_id uuid)
  WHERE NOT w.known AND w.product_id IS NOT NULL
  ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
    SET
      record_id = excluded.record_id,
      fingerprint = excluded.fingerprint,
      imported_at = now();
  RETURN QUERY SELECT
      w.id,
      CASE
        WHEN w.unknown THEN 'refused'
        WHEN w.known THEN 'unchanged'
        ELSE 'imported'
      END,
      CASE
        WHEN w.unknown THEN 'sku'
      END,
      CASE
        WHEN w.unknown THEN 'unknown_product'
      END
    FROM jsonb_to_recordset(v_reviews) AS w (id uuid, known boolean, unknown boolean);
END;
$$;

-- sql/catalog/functions/link_imported_products.sql

CREATE FUNCTION catalog.link_imported_products(p_merchant_id uuid, p_batch jsonb, p_targets jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_targets uuid[] := ARRAY(
    SELECT t.target
    FROM jsonb_to_recordset(p_targets) AS t (target uuid, known boolean, written boolean)
    WHERE t.written AND t.known
  );
BEGIN
  DELETE FROM catalog.product_image i
  WHERE
    i.merchant_id = p_merchant_id
    AND i.product_id IN (
      SELECT t.target
      FROM
        jsonb_to_recordset(p_batch -> 'images') AS x (product uuid)
        JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid) ON t.id = x.product
      WHERE t.target = ANY (v_targets)
    );
  INSERT INTO catalog.product_image (merchant_id, product_id, url, alt, width, height, position)
  SELECT p_merchant_id, t.target, i.url, i.alt, i.width, i.height, i.position
  FROM
    jsonb_to_recordset(p_batch -> 'images') AS i (
      product uuid,
      url text,
      alt text,
      width integer,
      height integer,
      position integer
    )
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, written boolean) ON t.id = i.product AND t.written;
  WITH
    warehouse AS MATERIALIZED (
      SELECT x.code, inventory.warehouse_of_import(p_merchant_id, x.code) AS id
      FROM (SELECT DISTINCT warehouse AS code FROM jsonb_to_recordset(p_batch -> 'stock') AS s (warehouse text)) x
    )
  INSERT INTO inventory.stock_level AS l (merchant_id, stock_item_id, warehouse_id, available)
  SELECT p_merchant_id, k.id, w.id, max(s.available)
  FROM
    warehouse w
    JOIN jsonb_to_recordset(p_batch -> 'stock') AS s (product uuid, sku text, warehouse text, available integer)
      ON s.warehouse IS NOT DISTINCT FROM w.code
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, written boolean) ON t.id = s.product AND t.written
    CROSS JOIN LATERAL (
      SELECT k.id
      FROM inventory.stock_item k
      WHERE k.merchant_id = p_merchant_id AND k.sku = s.sku AND k.product_id = t.target
      -- The table looks empty while rows are checked, and would be read whole.
      OFFSET 0
    ) k
  GROUP BY k.id, w.id
  ON CONFLICT (merchant_id, stock_item_id, warehouse_id) DO UPDATE SET available = excluded.available;
END;
$$;

CREATE FUNCTION catalog.put_imported_products(p_merchant_id uuid, p_batch jsonb, p_targets jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
  SELECT DISTINCT p_merchant_id, t.target, p.category_id
  FROM
    (
      SELECT q.path, catalog.category_of_path(p_merchant_id, q.path) AS category_id
      FROM
        (
          SELECT DISTINCT c.path
          FROM
            jsonb_to_recordset(p_batch -> 'categories') AS c (product uuid, path text[])
            JOIN jsonb_to_recordset(p_targets) AS t (id uuid, written boolean) ON t.id = c.product AND t.written
        ) q
    ) p
    JOIN jsonb_to_recordset(p_batch -> 'categories') AS c (product uuid, path text[]) ON c.path = p.path
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, written boolean) ON t.id = c.product AND t.written
  ON CONFLICT DO NOTHING;
END;
$$;

-- sql/catalog/functions/products_of_history.sql

CREATE FUNCTION catalog.products_of_history(p_merchant_id uuid, p_wanted jsonb)
RETURNS TABLE (number bigint, product_id uuid, variant_id uuid)
LANGUAGE plpgsql
AS $$
DECLARE
  v_missing jsonb;
BEGIN
  SELECT jsonb_agg(to_jsonb(w))
  INTO v_missing
  FROM
    (
      SELECT DISTINCT ON (w.sku) w.sku, w.name, w.price, w.currency, w.at
      FROM
        jsonb_to_recordset(p_wanted) AS w (
          sku text,
          external_id text,
          name text,
          price bigint,
          currency text,
          at timestamptz
        )
      WHERE NOT EXISTS (SELECT FROM catalog.product_of_history(p_merchant_id, w.sku, w.external_id))
      ORDER BY w.sku, w.at
    ) w;
  INSERT INTO catalog.product (merchant_id, id, name, sku, price, currency, status, slug, created_at)
  SELECT p_merchant_id, m.id, m.name, m.sku, greatest(m.price, 1), m.currency, 'ARCHIVED', 'former-' || m.id, m.at
  FROM
    (
      SELECT platform.uuid_v7() AS id, m.*
      FROM jsonb_to_recordset(v_missing) AS m (sku text, name text, price bigint, currency text, at timestamptz)
    ) m;
  RETURN QUERY SELECT w.number, f.product_id, f.variant_id
    FROM
      jsonb_to_recordset(p_wanted) AS w (number bigint, sku text, external_id text)
      CROSS JOIN LATERAL catalog.product_of_history(p_merchant_id, w.sku, w.external_id) f;
END;
$$;

-- sql/catalog/functions/sellable_lines.sql

CREATE FUNCTION catalog.sellable_lines(p_merchant_id uuid, p_lines jsonb, p_currency text)
RETURNS SETOF catalog.sellable_line
LANGUAGE sql
STABLE
AS $$
  WITH
    wanted AS (
      SELECT
        min(l.position)::integer - 1 AS position,
        l.product_id,
        l.variant_id,
        sum(l.quantity) AS quantity,
        k.line_key,
        (array_agg(coalesce(nullif(l.properties, 'null'), '[]') ORDER BY l.position))[1] AS properties,
        (
          array_agg(
            jsonb_build_object(
              'externalId',
              l.external_id,
              'metadata',
              coalesce(nullif(l.metadata, 'null'), '{}'),
              'privateMetadata',
              coalesce(nullif(l.private_metadata, 'null'), '{}')
            )
            ORDER BY l.position
          )
        )[1] AS kept
      FROM
        ROWS FROM (
          jsonb_to_recordset(p_lines) AS (
            "productId" uuid,
            "variantId" uuid,
            quantity integer,
            properties jsonb,
            "externalId" text,
            metadata jsonb,
            "privateMetadata" jsonb
          )
        ) WITH ORDINALITY AS l (
          product_id,
          variant_id,
          quantity,
          properties,
          external_id,
          metadata,
          private_metadata,
          position
        )
        CROSS JOIN LATERAL (SELECT catalog.line_key(l.properties) AS line_key) k
      GROUP BY l.product_id, l.variant_id, k.line_key
    ),
    found AS (
      SELECT
        w.*,
        p.id AS found_product,
        p.status,
        p.currency,
        p.name,
        v.id AS found_variant,
        coalesce(v.price, p.price) AS price,
        first_value(p.currency) OVER (ORDER BY p.id IS NULL, w.position) AS first_currency
      FROM
        wanted w
        -- By its key for each line, also where Postgres would rather read a small table whole: an order has few lines.
        LEFT JOIN LATERAL (
          SELECT p.id, p.status, p.currency, p.name, p.price
          FROM catalog.product p
          WHERE p.merchant_id = p_merchant_id AND p.id = w.product_id AND p.deleted_at IS NULL
          LIMIT 1
        ) p
          ON TRUE
        LEFT JOIN LATERAL (
          SELECT v.id, v.price
          FROM catalog.product_variant v
          WHERE v.merchant_id = p_merchant_id AND v.product_id = p.id AND v.id = w.variant_id AND v.deleted_at IS NULL
          LIMIT 1
        ) v
          ON TRUE
    )
  SELECT
    f.position,
    f.product_id,
    f.variant_id,
    f.quantity,
    CASE
      WHEN f.found_product IS NULL THEN 'unknown_product'
      WHEN f.status <> 'ACTIVE' THEN 'product_not_active'
      WHEN f.variant_id IS NOT NULL
      AND f.found_variant IS NULL THEN 'unknown_variant'
      WHEN f.variant_id IS NULL
      AND (SELECT v.has_variants FROM catalog.has_variants(p_merchant_id, f.product_id) v) THEN 'variant_required'
      WHEN f.currency <> coalesce(p_currency, f.first_currency) THEN 'currency_mismatch'
      WHEN f.quantity > 999999 THEN 'quantity_too_large'
    END,
    i.id,
    i.sku,
    f.price,
    coalesce(p_currency, f.first_currency),
    f.name,
    (
      SELECT g.url
      FROM catalog.product_image g
      WHERE g.merchant_id = p_merchant_id AND g.product_id = f.product_id
      ORDER BY g.position, g.id
      LIMIT 1
    ),
    f.properties,
    f.line_key,
    f.kept
  FROM
    found f
    LEFT JOIN LATERAL (
      SELECT i.id, i.sku
      FROM inventory.stock_item i
      WHERE
        i.merchant_id = p_merchant_id
        AND i.product_id = f.found_product
        AND i.variant_id IS NOT DISTINCT FROM f.variant_id
      LIMIT 1
    ) i
      ON TRUE
  ORDER BY f.position;
$$;

-- sql/catalog/functions/targets_of_import.sql

CREATE FUNCTION catalog.targets_of_import(p_merchant_id uuid, p_batch jsonb, p_update boolean)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  WITH
    unknown_warehouse AS MATERIALIZED (
      SELECT x.code
      FROM (SELECT DISTINCT warehouse AS code FROM jsonb_to_recordset(p_batch -> 'stock') AS s (warehouse text)) x
      WHERE inventory.warehouse_of_import(p_merchant_id, x.code) IS NULL
    ),
    row AS MATERIALIZED (
      SELECT
        p.id,
        p.slug,
        p.fingerprint,
        r.fingerprint AS fingerprint_before,
        coalesce(r.record_id, e.id, s.id) AS known
      FROM
        jsonb_to_recordset(p_batch -> 'products') AS p (
          id uuid,
          key text,
          external_id text,
          fingerprint text,
          sku text,
          slug text
        )
        LEFT JOIN LATERAL (
          SELECT r.record_id, r.fingerprint
          FROM
            bulk.imported_record r
            JOIN catalog.product x ON x.merchant_id = r.merchant_id AND x.id = r.record_id AND x.deleted_at IS NULL
          WHERE r.merchant_id = p_merchant_id AND r.record_type = 'PRODUCT' AND r.external_id = p.key
        ) r
          ON TRUE
        LEFT JOIN catalog.product e
          ON e.merchant_id = p_merchant_id AND e.external_id = p.external_id AND e.deleted_at IS NULL
        LEFT JOIN catalog.product s ON s.merchant_id = p_merchant_id AND s.sku = p.sku AND s.deleted_at IS NULL
    ),
    fault AS MATERIALIZED (
      SELECT DISTINCT ON (f.id) f.id, f.field, f.reason
      FROM
        (
          SELECT w.id, s.field, 'sku_taken' AS reason
          FROM
            row w
            JOIN jsonb_to_recordset(p_batch -> 'skus') AS s (product uuid, sku text, field text) ON s.product = w.id
            JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.sku = s.sku
          WHERE i.product_id IS DISTINCT FROM w.known
          UNION ALL
          SELECT w.id, 'slug', 'slug_taken'
          FROM
            row w
            JOIN catalog.product o ON o.merchant_id = p_merchant_id AND o.slug = w.slug
          WHERE o.id IS DISTINCT FROM w.known
          UNION ALL
          SELECT w.id, s.field, 'unknown_warehouse'
          FROM
            row w
            JOIN jsonb_to_recordset(p_batch -> 'stock') AS s (product uuid, warehouse text, field text)
              ON s.product = w.id
            JOIN unknown_warehouse u ON u.code IS NOT DISTINCT FROM s.warehouse
        ) f
      ORDER BY f.id, f.field
    )
  SELECT
    jsonb_agg(
      jsonb_build_object(
        'id',
        w.id,
        'target',
        coalesce(w.known, w.id),
        'known',
        w.known IS NOT NULL,
        'written',
        f.reason IS NULL AND (w.known IS NULL OR p_update AND w.fingerprint_before IS DISTINCT FROM w.fingerprint),
        'field',
        f.field,
        'reason',
        CASE
          WHEN w.known IS NULL
          OR p_update
          AND w.fingerprint_before IS DISTINCT FROM w.fingerprint THEN f.reason
        END
      )
    )
  FROM
    row w
    LEFT JOIN fault f ON f.id = w.id;
$$;

-- sql/catalog/functions/write_imported_products.sql

CREATE FUNCTION catalog.write_imported_products(p_merchant_id uuid, p_batch jsonb, p_targets jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO catalog.product
    (
      merchant_id,
      id,
      external_id,
      name,
      description,
      sku,
      variant_skus,
      price,
      lowest_price,
      highest_price,
      currency,
      compare_at_price,
      cost_per_item,
      status,
      featured,
      slug,
      tags,
      seo_title,
      seo_description,
      created_at
    )
  SELECT
    p_merchant_id,
    t.target,
    p.external_id,
    p.name,
    p.description,
    p.sku,
    coalesce(v.skus, ''),
    p.price,
    coalesce(v.lowest, p.price),
    coalesce(v.highest, p.price),
    p.currency,
    p.compare_at_price,
    p.cost_per_item,
    coalesce(p.status, 'DRAFT'),
    coalesce(p.featured, FALSE),
    p.slug,
    coalesce(p.tags, '{}'),
    p.seo_title,
    p.seo_description,
    coalesce(p.created_at, now())
  FROM
    jsonb_populate_recordset(NULL::catalog.product, p_batch -> 'products') p
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, known boolean, written boolean)
      ON t.id = p.id AND t.written AND NOT t.known
    LEFT JOIN (
      SELECT
        w.product,
        min(coalesce(w.price, o.price)) AS lowest,
        max(coalesce(w.price, o.price)) AS highest,
        string_agg(w.sku, E'\n' ORDER BY w.position, w.id) AS skus
      FROM
        jsonb_to_recordset(p_batch -> 'variants') AS w (id uuid, product uuid, sku text, price bigint, position integer)
        JOIN jsonb_to_recordset(p_batch -> 'products') AS o (id uuid, price bigint) ON o.id = w.product
      GROUP BY w.product
    ) v
      ON v.product = p.id;
  UPDATE catalog.product o
  SET
    external_id = coalesce(p.external_id, o.external_id),
    name = p.name,
    description = coalesce(p.description, o.description),
    sku = p.sku,
    price = p.price,
    currency = p.currency,
    compare_at_price = coalesce(p.compare_at_price, o.compare_at_price),
    cost_per_item = coalesce(p.cost_per_item, o.cost_per_item),
    status = coalesce(p.status, o.status),
    featured = coalesce(p.featured, o.featured),
    slug = coalesce(p.slug, o.slug),
    tags = coalesce(p.tags, o.tags),
    seo_title = coalesce(p.seo_title, o.seo_title),
    seo_description = coalesce(p.seo_description, o.seo_description)
  FROM
    jsonb_populate_recordset(NULL::catalog.product, p_batch -> 'products') p
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, known boolean, written boolean)
      ON t.id = p.id AND t.written AND t.known
  WHERE o.merchant_id = p_merchant_id AND o.id = t.target;
END;
$$;

-- sql/catalog/functions/write_imported_variants.sql

CREATE FUNCTION catalog.write_imported_variants(
  p_merchant_id uuid,
  p_batch jsonb,
  p_targets jsonb,
  p_check_only boolean
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_variants jsonb;
  v_product_ids uuid[];
BEGIN
  SELECT
    jsonb_agg(v || jsonb_build_object('product', t.target, 'target', coalesce(o.id, w.id), 'known', o.id IS NOT NULL))
  INTO v_variants
  FROM
    jsonb_array_elements(p_batch -> 'variants') AS v
    CROSS JOIN LATERAL jsonb_to_record(v) AS w (id uuid, product uuid, sku text)
    JOIN jsonb_to_recordset(p_targets) AS t (id uuid, target uuid, written boolean) ON t.id = w.product AND t.written
    LEFT JOIN catalog.product_variant o
      ON o.merchant_id = p_merchant_id AND o.product_id = t.target AND o.sku = w.sku AND o.deleted_at IS NULL;
  IF v_variants IS NULL THEN
    RETURN;
  END IF;
  UPDATE catalog.product_variant o
  SET
    price = w.price,
    compare_at_price = w.compare_at_price,
    position = w.position
  FROM
    jsonb_to_recordset(v_variants) AS w (
      target uuid,
      known boolean,
      price bigint,
      compare_at_price bigint,
      position integer
    )
  WHERE o.merchant_id = p_merchant_id AND o.id = w.target AND w.known;
  INSERT INTO catalog.product_variant (merchant_id, id, product_id, sku, price, compare_at_price, position)
  SELECT p_merchant_id, w.target, w.product, w.sku, w.price, w.compare_at_price, w.position
  FROM
    jsonb_to_recordset(v_variants) AS w (
      target uuid,
      product uuid,
      known boolean,
      sku text,
      price bigint,
      compare_at_price bigint,
      position integer
    )
  WHERE NOT w.known;
  DELETE FROM catalog.variant_option o
  USING jsonb_to_recordset(v_variants) AS w (target uuid, known boolean)
  WHERE o.merchant_id = p_merchant_id AND o.variant_id = w.target AND w.known;
  INSERT INTO catalog.variant_option (merchant_id, variant_id, name, value, position)
  SELECT p_merchant_id, w.target, o.name, o.value, o.position
  FROM
    jsonb_to_recordset(p_batch -> 'options') AS o (variant uuid, name text, value text, position integer)
    JOIN jsonb_to_recordset(v_variants) AS w (id uuid, target uuid) ON w.id = o.variant;
  v_product_ids := ARRAY(SELECT DISTINCT w.product FROM jsonb_to_recordset(v_variants) AS w (product uuid));
  PERFORM catalog.require_variant_options(p_merchant_id, v_product_ids);
  IF NOT p_check_only THEN
    PERFORM catalog.sum_up_variants(p_merchant_id, v_product_ids);
  END IF;
END;
$$;

-- sql/crm/functions/anonymize_customer.sql

CREATE FUNCTION crm.anonymize_customer(p_merchant_id uuid, p_customer_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_email citext;
  v_ids uuid[];
BEGIN
  -- Orders and appointments hold on to the customer's row: none can come between looking and forgetting.
  SELECT c.email
  INTO v_email
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  -- The person's purchases as a guest have records of their own, with the same address.
  SELECT array_agg(x.id)
  INTO v_ids
  FROM
    (
      SELECT c.id
      FROM crm.customer c
      WHERE c.merchant_id = p_merchant_id AND (c.id = p_customer_id OR (c.email = v_email AND NOT c.has_account))
      ORDER BY c.id
      FOR UPDATE
    ) x;
  IF
    EXISTS (
      SELECT
      FROM ordering.order o
      WHERE
        o.merchant_id = p_merchant_id
        AND o.customer_id = ANY (v_ids)
        AND o.status IN ('PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED')
    )
  THEN
    RETURN jsonb_build_object('outcome', 'orders_under_way');
  END IF;
  IF
    EXISTS (
      SELECT
      FROM booking.appointment a
      WHERE
        a.merchant_id = p_merchant_id
        AND a.customer_id = ANY (v_ids)
        AND a.status IN ('SCHEDULED', 'CONFIRMED', 'IN_PROGRESS')
    )
  THEN
    RETURN jsonb_build_object('outcome', 'appointments_ahead');
  END IF;
  -- Requests with an Idempotency-Key by the customer or about it, before the ids that identify them are
  -- gone.
  DELETE FROM platform.idempotency_record r
  WHERE
    r.merchant_id = p_merchant_id
    AND (
      r.caller = ANY (SELECT 'customer:' || x FROM unnest(v_ids) x)
      OR r.record_ids && v_ids
      OR r.record_ids && ARRAY(
        SELECT a.id FROM crm.address a WHERE a.merchant_id = p_merchant_id AND a.customer_id = ANY (v_ids)
        UNION ALL
        SELECT i.id FROM crm.interaction i WHERE i.merchant_id = p_merchant_id AND i.customer_id = ANY (v_ids)
        UNION ALL
        SELECT c.id FROM crm.contact c WHERE c.merchant_id = p_merchant_id AND c.customer_id = ANY (v_ids)
      )
    );
  DELETE FROM crm.address a WHERE a.merchant_id = p_merchant_id AND a.customer_id = ANY (v_ids);
  DELETE FROM crm.interaction i WHERE i.merchant_id = p_merchant_id AND i.customer_id = ANY (v_ids);
  DELETE FROM crm.contact c WHERE c.merchant_id = p_merchant_id AND c.customer_id = ANY (v_ids);
  DELETE FROM identity.credential x WHERE x.merchant_id = p_merchant_id AND x.customer_id = ANY (v_ids);
  DELETE FROM identity.session x WHERE x.merchant_id = p_merchant_id AND x.customer_id = ANY (v_ids);
  DELETE FROM identity.known_client x WHERE x.merchant_id = p_merchant_id AND x.customer_id = ANY (v_ids);
  DELETE FROM identity.one_time_token x WHERE x.merchant_id = p_merchant_id AND x.customer_id = ANY (v_ids);
  DELETE FROM identity.sign_in_attempt x
  WHERE x.merchant_id = p_merchant_id AND x.subject = 'CUSTOMER' AND x.email = v_email;
  DELETE FROM inventory.stock_alert a WHERE a.merchant_id = p_merchant_id AND a.email = v_email;
  DELETE FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.customer_id = ANY (v_ids)
    AND NOT EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = c.merchant_id AND o.cart_id = c.id);
  UPDATE catalog.review r
  SET author_name = 'Anonymous'
  WHERE r.merchant_id = p_merchant_id AND r.customer_id = ANY (v_ids);
  UPDATE booking.appointment a
  SET
    notes = NULL,
    metadata = metadata.emptied(a.metadata),
    private_metadata = metadata.emptied(a.private_metadata)
  WHERE a.merchant_id = p_merchant_id AND a.customer_id = ANY (v_ids);
  UPDATE crm.customer c
  SET
    -- A domain that RFC 2606 reserves.
    email = 'anonymized-' || c.id || '@customer.invalid',
    name = 'Anonymized customer',
    phone = NULL,
    notes = NULL,
    tags = '{}',
    marketing_opt_in = FALSE,
    external_id = NULL,
    metadata = metadata.emptied(c.metadata),
    private_metadata = metadata.emptied(c.private_metadata),
    email_verified = FALSE,
    blocked_at = NULL,
    blocked_reason = NULL,
    anonymized_at = coalesce(c.anonymized_at, now())
  WHERE c.merchant_id = p_merchant_id AND c.id = ANY (v_ids);
  -- The customer's notes ("leave it with ..."), and their earlier wordings in the orders' histories.
  UPDATE ordering.order o
  SET notes = NULL
  WHERE o.merchant_id = p_merchant_id AND o.customer_id = ANY (v_ids) AND o.notes IS NOT NULL;
  -- What they wanted of a line ("Engraving: for Grace"). The line's key keeps lines of one product apart.
  UPDATE ordering.order_item i
  SET
    properties = '[]',
    line_key = i.id::text
  FROM ordering.order o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.customer_id = ANY (v_ids)
    AND i.merchant_id = o.merchant_id
    AND i.order_id = o.id
    AND i.properties <> '[]';
  UPDATE ordering.draft_order_item i
  SET
    properties = '[]',
    line_key = i.id::text
  FROM ordering.draft_order d
  WHERE
    d.merchant_id = p_merchant_id
    AND d.customer_id = ANY (v_ids)
    AND i.merchant_id = d.merchant_id
    AND i.draft_order_id = d.id
    AND i.properties <> '[]';
  UPDATE cart.cart_item i
  SET
    properties = '[]',
    line_key = i.id::text
  FROM cart.cart c
  WHERE
    c.merchant_id = p_merchant_id
    AND c.customer_id = ANY (v_ids)
    AND i.merchant_id = c.merchant_id
    AND i.cart_id = c.id
    AND i.properties <> '[]';
  UPDATE ordering.history_entry h
  SET note = NULL
  FROM ordering.order o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.customer_id = ANY (v_ids)
    AND h.merchant_id = o.merchant_id
    AND h.order_id = o.id
    AND h.type = 'NOTES_CHANGED'
    AND h.note IS NOT NULL;
  -- After the orders, as payments lock them. The processor deletes its record too: payment.remove_at_processor.
  DELETE FROM payment.processor_customer h WHERE h.merchant_id = p_merchant_id AND h.customer_id = ANY (v_ids);
  -- What the merchant's other systems have kept with the person's records.
  UPDATE ordering.order o
  SET
    metadata = metadata.emptied(o.metadata),
    private_metadata = metadata.emptied(o.private_metadata)
  WHERE o.merchant_id = p_merchant_id AND o.customer_id = ANY (v_ids);
  -- Files with the person's data: bulk.withdraw_export.
  UPDATE bulk.export e
  SET customer_id = NULL
  WHERE e.merchant_id = p_merchant_id AND e.customer_id = ANY (v_ids);
  PERFORM events.forget_address(p_merchant_id, v_email);
  PERFORM events.forget_customer(p_merchant_id, x) FROM unnest(v_ids) x;
  RETURN jsonb_build_object('outcome', 'changed', 'customerId', p_customer_id);
END;
$$;

-- sql/crm/functions/customers_of_history.sql

CREATE FUNCTION crm.customers_of_history(p_merchant_id uuid, p_wanted jsonb)
RETURNS TABLE (number bigint, customer_id uuid)
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO crm.customer (merchant_id, email, has_account, name, phone, created_at)
  SELECT DISTINCT ON (w.email) p_merchant_id, w.email, FALSE, w.name, w.phone, w.at
  FROM jsonb_to_recordset(p_wanted) AS w (external_id text, email citext, name text, phone text, at timestamptz)
  WHERE
    NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.email = w.email AND c.has_account)
    AND NOT EXISTS (
      SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.email = w.email AND NOT c.has_account
    )
    AND NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.external_id = w.external_id)
  ORDER BY w.email, w.at;
  RETURN QUERY SELECT
      w.number,
      coalesce(
        (
          SELECT c.id
          FROM crm.customer c
          WHERE c.merchant_id = p_merchant_id AND c.external_id = w.external_id
        ),
        (
          SELECT c.id
          FROM crm.customer c
          WHERE c.merchant_id = p_merchant_id AND c.email = w.email AND c.has_account
        ),
        (
          SELECT c.id
          FROM crm.customer c
          WHERE c.merchant_id = p_merchant_id AND c.email = w.email AND NOT c.has_account
          ORDER BY c.created_at, c.id
          LIMIT 1
        )
      )
    FROM jsonb_to_recordset(p_wanted) AS w (number bigint, external_id text, email citext);
END;
$$;

-- sql/crm/functions/import_customers.sql

CREATE FUNCTION crm.import_customers(p_merchant_id uuid, p_batch jsonb, p_update boolean)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_targets jsonb;
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id);
  SELECT
    jsonb_agg(
      jsonb_build_object(
        'id',
        w.id,
        'target',
        coalesce(r.record_id, e.id, a.id, w.id),
        'known',
        coalesce(r.record_id, e.id, a.id) IS NOT NULL,
        'written',
        coalesce(r.record_id, e.id, a.id) IS NULL
        OR p_update
        AND r.fingerprint IS DISTINCT FROM w.fingerprint
        AND (a.id IS NULL OR a.id = coalesce(r.record_id, e.id, a.id)),
        'reason',
        CASE
          WHEN p_update
          AND coalesce(r.record_id, e.id) <> a.id THEN 'email_taken'
        END
      )
    )
  INTO v_targets
  FROM
    jsonb_to_recordset(p_batch -> 'customers') AS w (
      id uuid,
      key text,
      external_id text,
      fingerprint text,
      email citext
    )
    LEFT JOIN crm.customer a ON a.merchant_id = p_merchant_id AND a.email = w.email AND a.has_account
    LEFT JOIN crm.customer e ON e.merchant_id = p_merchant_id AND e.external_id = w.external_id
    LEFT JOIN LATERAL (
      SELECT r.record_id, r.fingerprint
      FROM
        bulk.imported_record r
        JOIN crm.customer c ON c.merchant_id = r.merchant_id AND c.id = r.record_id AND c.anonymized_at IS NULL
      WHERE r.merchant_id = p_merchant_id AND r.record_type = 'CUSTOMER' AND r.external_id = w.key
    ) r
      ON TRUE;
  INSERT INTO crm.customer (merchant_id, id, external_id, email, name, phone, marketing_opt_in, tags, notes, created_at)
  SELECT
    p_merchant_id,
    t.target,
    c.external_id,
    c.email,
    c.name,
    c.phone,
    coalesce(c.marketing_opt_in, FALSE),
    coalesce(c.tags, '{}'),
    c.notes,
    coalesce(c.created_at, now())
  FROM
    jsonb_populate_recordset(NULL::crm.customer, p_batch -> 'customers') c
    JOIN jsonb_to_recordset(v_targets) AS t (id uuid, target uuid, known boolean, written boolean)
      ON t.id = c.id AND t.written AND NOT t.known;
  UPDATE crm.customer o
  SET
    external_id = coalesce(c.external_id, o.external_id),
    email = c.email,
    name = c.name,
    phone = coalesce(c.phone, o.phone),
    marketing_opt_in = coalesce(c.marketing_opt_in, o.marketing_opt_in),
    tags = coalesce(c.tags, o.tags),
    notes = coalesce(c.notes, o.notes)
  FROM
    jsonb_populate_recordset(NULL::crm.customer, p_batch -> 'customers') c
    JOIN jsonb_to_recordset(v_targets) AS t (id uuid, target uuid, known boolean, written boolean)
      ON t.id = c.id AND t.written AND t.known
  WHERE o.merchant_id = p_merchant_id AND o.id = t.target;
  INSERT INTO crm.address
    (
      merchant_id,
      customer_id,
      recipient_name,
      company,
      line1,
      line2,
      city,
      state,
      postal_code,
      country,
      phone,
      is_default
    )
  SELECT
    p_merchant_id,
    t.target,
    a.recipient_name,
    a.company,
    a.line1,
    a.line2,
    a.city,
    a.state,
    a.postal_code,
    a.country,
    a.phone,
    a.is_default
  FROM
    jsonb_populate_recordset(NULL::crm.address, p_batch -> 'addresses') a
    JOIN jsonb_to_recordset(v_targets) AS t (id uuid, target uuid, written boolean)
      ON t.id = a.customer_id AND t.written
  WHERE
    NOT EXISTS (
      SELECT
      FROM crm.address x
      WHERE
        x.merchant_id = p_merchant_id
        AND x.customer_id = t.target
        AND (x.line1, x.city, x.postal_code, x.country) = (a.line1, a.city, a.postal_code, a.country)
    )
  ORDER BY t.target, a.is_default DESC;
  INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
  SELECT p_merchant_id, 'CUSTOMER', c.key, t.target, c.fingerprint
  FROM
    jsonb_to_recordset(p_batch -> 'customers') AS c (id uuid, key text, fingerprint text)
    JOIN jsonb_to_recordset(v_targets) AS t (id uuid, target uuid, written boolean, reason text)
      ON t.id = c.id AND t.written AND t.reason IS NULL
  ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
    SET
      record_id = excluded.record_id,
      fingerprint = excluded.fingerprint,
      imported_at = now();
  RETURN QUERY SELECT
      t.id,
      CASE
        WHEN t.reason IS NOT NULL THEN 'refused'
        WHEN t.written THEN 'imported'
        ELSE 'unchanged'
      END,
      CASE
        WHEN t.reason IS NOT NULL THEN 'email'
      END,
      t.reason
    FROM jsonb_to_recordset(v_targets) AS t (id uuid, written boolean, reason text);
END;
$$;

-- sql/crm/functions/keep_points_of_payment.sql

CREATE FUNCTION crm.keep_points_of_payment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer_id uuid;
  v_program crm.loyalty_program;
  v_account crm.loyalty_account;
  -- The amount that was taken before.
  v_before bigint := CASE TG_OP
    WHEN 'INSERT' THEN 0
    ELSE OLD.captured_amount
  END;
  v_earned bigint;
  v_points bigint;
BEGIN
  SELECT o.customer_id
  INTO v_customer_id
  FROM ordering.order o
  WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id;
  IF NEW.captured_amount > v_before THEN
    SELECT g.*
    INTO v_program
    FROM
      crm.loyalty_program g
      JOIN merchant.settings s ON s.merchant_id = g.merchant_id AND s.currency = NEW.currency
    WHERE g.merchant_id = NEW.merchant_id AND g.enabled;
    -- Points are of accounts.
    IF
      FOUND
      AND EXISTS (
        SELECT FROM crm.customer c WHERE c.merchant_id = NEW.merchant_id AND c.id = v_customer_id AND c.has_account
      )
    THEN
      v_account := crm.hold_loyalty_account(NEW.merchant_id, v_customer_id);
      -- Money that is taken in parts earns as many points as at once.
      v_points := least(
        div(NEW.captured_amount::numeric * v_program.earn_points, v_program.earn_amount) - div(
          v_before::numeric * v_program.earn_points,
          v_program.earn_amount
        ),
        2147483647 - v_account.points
      );
      IF v_points > 0 THEN
        INSERT INTO crm.loyalty_entry
          (merchant_id, customer_id, type, points, payment_id, captured_amount, expires_at)
        VALUES
          (
            NEW.merchant_id,
            v_customer_id,
            'EARNED',
            v_points,
            NEW.id,
            NEW.captured_amount,
            crm.points_expire_at(NEW.merchant_id)
          );
      END IF;
    END IF;
  END IF;
  SELECT sum(e.points)
  INTO v_earned
  FROM crm.loyalty_entry e
  WHERE e.merchant_id = NEW.merchant_id AND e.payment_id = NEW.id AND e.type = 'EARNED';
  IF v_earned > 0 AND NEW.refunded_amount > 0 THEN
    v_account := crm.hold_loyalty_account(NEW.merchant_id, v_customer_id);
    -- Of all that it earned, the part of all that was given back: so refunds in parts take back as much as one of the
    -- whole.
    SELECT
      (platform.allocate(v_earned, ARRAY[NEW.refunded_amount, NEW.captured_amount - NEW.refunded_amount]))[
        1
      ] + coalesce(sum(e.points), 0)
    INTO v_points
    FROM crm.loyalty_entry e
    WHERE e.merchant_id = NEW.merchant_id AND e.payment_id = NEW.id AND e.type = 'TAKEN_BACK';
    v_points := least(v_points, v_account.points);
    IF v_points > 0 THEN
      INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, payment_id)
      VALUES (NEW.merchant_id, v_customer_id, 'TAKEN_BACK', -v_points, NEW.id);
    END IF;
  END IF;
  RETURN NULL;
END;
$$;

-- sql/crm/functions/merge_guests.sql

CREATE FUNCTION crm.merge_guests(p_merchant_id uuid, p_account_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_guests uuid[];
BEGIN
  SELECT array_agg(g.id)
  INTO v_guests
  FROM
    crm.customer a
    JOIN LATERAL (
      SELECT g.id
      FROM crm.customer g
      WHERE
        g.merchant_id = a.merchant_id
        AND g.email = a.email
        AND NOT g.has_account
        AND g.blocked_at IS NULL
        AND g.anonymized_at IS NULL
      ORDER BY g.id
      FOR UPDATE
    ) g
      ON TRUE
  WHERE a.merchant_id = p_merchant_id AND a.id = p_account_id AND a.has_account;
  IF v_guests IS NULL THEN
    RETURN;
  END IF;
  UPDATE ordering.order o
  SET customer_id = p_account_id
  WHERE o.merchant_id = p_merchant_id AND o.customer_id = ANY (v_guests);
  UPDATE ordering.draft_order d
  SET customer_id = p_account_id
  WHERE d.merchant_id = p_merchant_id AND d.customer_id = ANY (v_guests);
  UPDATE booking.appointment a
  SET customer_id = p_account_id
  WHERE a.merchant_id = p_merchant_id AND a.customer_id = ANY (v_guests);
  UPDATE cart.cart c
  SET customer_id = p_account_id
  WHERE c.merchant_id = p_merchant_id AND c.customer_id = ANY (v_guests) AND c.checked_out_at IS NOT NULL;
  UPDATE catalog.review r
  SET customer_id = p_account_id
  WHERE r.merchant_id = p_merchant_id AND r.customer_id = ANY (v_guests);
  UPDATE email.delivery d
  SET customer_id = p_account_id
  WHERE d.merchant_id = p_merchant_id AND d.customer_id = ANY (v_guests);
  -- One to whom the merchant has given points by hand keeps them, without orders.
  DELETE FROM crm.customer g
  WHERE
    g.merchant_id = p_merchant_id
    AND g.id = ANY (v_guests)
    AND NOT EXISTS (SELECT FROM crm.loyalty_account l WHERE l.merchant_id = g.merchant_id AND l.customer_id = g.id);
END;
$$;

-- sql/crm/functions/redeem_reward.sql

CREATE FUNCTION crm.redeem_reward(p_merchant_id uuid, p_customer_id uuid, p_reward_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_reward crm.loyalty_reward;
  v_account crm.loyalty_account;
  v_entry_id uuid := platform.uuid_v7();
  v_promotion_id uuid := platform.uuid_v7();
  -- 64 random bits can't be guessed, and another customer couldn't use the code anyway. They are letters, because
  -- digits can look like a card number, which no column takes.
  v_code text := 'REWARD-' || translate(
    right(replace(gen_random_uuid()::text, '-', ''), 16),
    '0123456789abcdef',
    'GHJKLMNPQRABCDEF'
  );
BEGIN
  IF NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id) THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  SELECT * INTO v_reward FROM crm.loyalty_reward r WHERE r.merchant_id = p_merchant_id AND r.id = p_reward_id;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_reward');
  END IF;
  IF NOT v_reward.active THEN
    RETURN jsonb_build_object('outcome', 'reward_not_active');
  END IF;
  IF NOT EXISTS (SELECT FROM crm.loyalty_program g WHERE g.merchant_id = p_merchant_id AND g.enabled) THEN
    RETURN jsonb_build_object('outcome', 'program_not_enabled');
  END IF;
  v_account := crm.hold_loyalty_account(p_merchant_id, p_customer_id);
  IF v_account.points < v_reward.points THEN
    RETURN jsonb_build_object('outcome', 'not_enough_points', 'points', v_account.points);
  END IF;
  INSERT INTO promotion.promotion
    (
      merchant_id,
      id,
      name,
      code,
      discount_type,
      discount_value,
      start_date,
      end_date,
      usage_limit,
      min_purchase_amount,
      customer_ids
    )
  VALUES
    (
      p_merchant_id,
      v_promotion_id,
      v_reward.name,
      v_code,
      'FIXED_AMOUNT',
      v_reward.discount_amount,
      now(),
      now() + make_interval(days => v_reward.valid_days),
      1,
      v_reward.min_purchase_amount,
      ARRAY[p_customer_id]
    );
  INSERT INTO crm.loyalty_entry (merchant_id, id, customer_id, type, points, promotion_id, coupon_code)
  VALUES (p_merchant_id, v_entry_id, p_customer_id, 'REDEEMED', -v_reward.points, v_promotion_id, v_code);
  RETURN jsonb_build_object('outcome', 'changed', 'entryId', v_entry_id);
END;
$$;

-- sql/crm/functions/unspent_expired_points.sql

CREATE FUNCTION crm.unspent_expired_points(
  p_merchant_id uuid,
  p_customer_id uuid,
  OUT expired bigint,
  OUT next_expiry timestamptz
)
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_entry record;
  v_lot integer;
  v_due bigint;
  v_taken bigint;
  -- Of each time that points came: how many are left, and when they expire.
  v_left bigint[] := '{}';
  v_expiry timestamptz[] := '{}';
BEGIN
  FOR v_entry IN SELECT e.points, coalesce(e.expires_at, 'infinity') AS expires_at
  FROM crm.loyalty_entry e
  WHERE e.merchant_id = p_merchant_id AND e.customer_id = p_customer_id
  ORDER BY e.created_at, e.id LOOP
    IF v_entry.points > 0 THEN
      v_left := v_left || v_entry.points::bigint;
      v_expiry := v_expiry || v_entry.expires_at;
      CONTINUE;
    END IF;
    v_due := -v_entry.points;
    FOR v_lot IN SELECT l.n
    FROM unnest(v_expiry) WITH ORDINALITY AS l (expiry, n)
    WHERE v_left[l.n] > 0
    ORDER BY l.expiry, l.n LOOP
      EXIT WHEN v_due = 0;
      v_taken := least(v_left[v_lot], v_due);
      v_left[v_lot] := v_left[v_lot] - v_taken;
      v_due := v_due - v_taken;
    END LOOP;
  END LOOP;
  SELECT
    coalesce(sum(l.points) FILTER (WHERE l.expiry <= now()), 0),
    min(l.expiry) FILTER (WHERE l.expiry > now() AND l.expiry < 'infinity' AND l.points > 0)
  INTO expired, next_expiry
  FROM unnest(v_left, v_expiry) AS l (points, expiry);
END;
$$;

-- sql/email/functions/advance_campaign.sql

CREATE FUNCTION email.advance_campaign(p_merchant_id uuid, p_limit integer)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_campaign email.campaign;
  v_last uuid;
  v_found integer;
BEGIN
  SELECT *
  INTO v_campaign
  FROM email.campaign c
  WHERE
    c.merchant_id = p_merchant_id
    AND (
      (c.status = 'SCHEDULED' AND c.scheduled_at <= now())
      OR (
        c.status = 'SENDING'
        AND (
          NOT c.addressed
          OR NOT EXISTS (
            SELECT
            FROM email.delivery d
            WHERE d.merchant_id = c.merchant_id AND d.campaign_id = c.id AND d.status IN ('QUEUED', 'SENDING')
          )
        )
      )
    )
  ORDER BY c.scheduled_at
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN FALSE;
  END IF;
  IF v_campaign.addressed THEN
    UPDATE email.campaign c
    SET
      status = 'SENT',
      finished_at = now()
    WHERE c.merchant_id = p_merchant_id AND c.id = v_campaign.id;
    RETURN TRUE;
  END IF;
  WITH
    batch AS (
      SELECT c.id, c.email, c.name
      FROM email.recipients(p_merchant_id, v_campaign.segment_id) c
      WHERE v_campaign.addressed_to IS NULL OR c.id > v_campaign.addressed_to
      ORDER BY c.id
      LIMIT p_limit
    ),
    written AS (
      INSERT INTO email.delivery
        (merchant_id, kind, subject_key, recipient, recipient_name, customer_id, campaign_id, facts, status, reason)
      SELECT
        p_merchant_id,
        'CAMPAIGN',
        v_campaign.id::text,
        b.email,
        b.name,
        b.id,
        v_campaign.id,
        jsonb_build_object('customer', jsonb_build_object('name', b.name, 'email', b.email)),
        CASE
          WHEN r.bounced THEN 'SUPPRESSED'
          ELSE 'QUEUED'
        END,
        CASE
          WHEN r.bounced THEN 'An earlier message to this address bounced'
        END
      FROM
        batch b,
        LATERAL (SELECT email.has_bounced(p_merchant_id, b.email) AS bounced) r
      ORDER BY b.id
      ON CONFLICT ON CONSTRAINT delivery_once DO NOTHING
    )
  SELECT count(*), (array_agg(b.id ORDER BY b.id DESC))[1]
  INTO v_found, v_last
  FROM batch b;
  UPDATE email.campaign c
  SET
    status = 'SENDING',
    started_at = coalesce(c.started_at, now()),
    addressed_to = coalesce(v_last, c.addressed_to),
    addressed = v_found < p_limit
  WHERE c.merchant_id = p_merchant_id AND c.id = v_campaign.id;
  RETURN TRUE;
END;
$$;

-- sql/email/functions/change_campaign.sql

CREATE FUNCTION email.change_campaign(
  p_merchant_id uuid,
  p_campaign_id uuid,
  p_from text[],
  p_to text,
  p_scheduled_at timestamptz DEFAULT NULL
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_status text;
BEGIN
  SELECT c.status
  INTO v_status
  FROM email.campaign c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_campaign_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_status <> ALL (p_from) THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_status);
  END IF;
  UPDATE email.campaign c
  SET
    status = p_to,
    scheduled_at = coalesce(p_scheduled_at, c.scheduled_at),
    finished_at = CASE
      WHEN p_to = 'CANCELLED' THEN now()
    END
  WHERE c.merchant_id = p_merchant_id AND c.id = p_campaign_id;
  CASE p_to
    WHEN 'CANCELLED' THEN
      UPDATE email.delivery d
      SET
        status = 'CANCELLED',
        reason = 'The campaign was cancelled',
        held = FALSE
      WHERE d.merchant_id = p_merchant_id AND d.campaign_id = p_campaign_id AND d.status = 'QUEUED';
    WHEN 'PAUSED' THEN
      UPDATE email.delivery d
      SET held = TRUE
      WHERE d.merchant_id = p_merchant_id AND d.campaign_id = p_campaign_id AND d.status = 'QUEUED';
    WHEN 'SENDING' THEN
      UPDATE email.delivery d
      SET held = FALSE
      WHERE d.merchant_id = p_merchant_id AND d.campaign_id = p_campaign_id AND d.status = 'QUEUED' AND d.held;
    ELSE
      NULL;
  END CASE;
  RETURN jsonb_build_object('outcome', 'changed', 'campaignId', p_campaign_id);
END;
$$;

-- sql/email/functions/claim.sql

CREATE FUNCTION email.claim(p_limit integer, p_lease interval, p_max_attempts integer)
RETURNS TABLE (
  merchant_id uuid,
  id uuid,
  kind text,
  subject_key text,
  recipient text,
  recipient_name text,
  attempt integer,
  facts jsonb,
  unsubscribe_token uuid,
  shop jsonb,
  template jsonb,
  test jsonb,
  token jsonb,
  order_link text,
  place text,
  trace_context text
)
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE email.delivery d
  SET
    status = CASE
      WHEN d.attempts < p_max_attempts THEN 'QUEUED'
      ELSE 'FAILED'
    END,
    reason = 'The sender ended before it recorded an outcome',
    claimed_until = NULL
  WHERE
    (d.merchant_id, d.id) IN (
      SELECT x.merchant_id, x.id
      FROM email.delivery x
      WHERE x.status = 'SENDING' AND x.claimed_until < now()
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    );
  RETURN QUERY WITH
      due AS MATERIALIZED (
        SELECT x.merchant_id, x.id
        FROM email.delivery x
        WHERE
          x.status = 'QUEUED'
          AND NOT x.held
          AND x.next_attempt_at <= now()
          AND merchant.is_active(x.merchant_id)
          -- A message that came back to the queue after its campaign was paused isn't held.
          AND (
            SELECT p.status FROM email.campaign p WHERE p.merchant_id = x.merchant_id AND p.id = x.campaign_id
          ) IS DISTINCT FROM 'PAUSED'
        ORDER BY (x.campaign_id IS NOT NULL), x.next_attempt_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      ),
      judged AS (
        SELECT
          d.merchant_id,
          d.id,
          k.token,
          CASE
            WHEN k.is_for_token
            AND k.token IS NULL THEN 'SUPPRESSED'
            WHEN d.campaign_id IS NULL THEN 'SENDING'
            WHEN g.status = 'CANCELLED' THEN 'CANCELLED'
            WHEN c.marketing_opt_in IS NOT TRUE
            OR c.blocked_at IS NOT NULL THEN 'SUPPRESSED'
            ELSE 'SENDING'
          END AS status
        FROM
          due u
          JOIN email.delivery d ON d.merchant_id = u.merchant_id AND d.id = u.id
          LEFT JOIN email.campaign g ON g.merchant_id = d.merchant_id AND g.id = d.campaign_id
          LEFT JOIN crm.customer c ON c.merchant_id = d.merchant_id AND c.id = d.customer_id
          CROSS JOIN LATERAL (
            SELECT
              x.is_for_token,
              (
                SELECT
                  jsonb_build_object(
                    'hash',
                    encode(t.hash, 'hex'),
                    'sealed',
                    t.undelivered,
                    'url',
                    (SELECT l.url FROM email.link l WHERE l.merchant_id = d.merchant_id AND l.kind = d.kind)
                  )
                FROM identity.one_time_token t
                WHERE
                  x.is_for_token
                  AND t.merchant_id = d.merchant_id
                  AND t.id = CASE
                    WHEN x.is_for_token THEN d.subject_key::uuid
                  END
                  AND t.undelivered IS NOT NULL
                  AND t.expires_at > now()
              ) AS token
            FROM
              (SELECT d.kind ~ '_(INVITATION|PASSWORD_RESET|EMAIL_VERIFICATION)$' AND NOT d.is_test AS is_for_token) x
          ) k
      ),
      taken AS (
        UPDATE email.delivery d
        SET
          status = j.status,
          reason = CASE j.status
            WHEN 'CANCELLED' THEN 'The campaign was cancelled'
            WHEN 'SUPPRESSED' THEN CASE
              WHEN d.campaign_id IS NULL THEN 'Its token has expired, was used, or a newer one has taken its place'
              WHEN EXISTS (
                SELECT
                FROM crm.customer c
                WHERE c.merchant_id = d.merchant_id AND c.id = d.customer_id AND c.blocked_at IS NOT NULL
              ) THEN 'The customer is blocked'
              ELSE 'The customer has not opted in to marketing'
            END
          END,
          attempts = d.attempts + CASE j.status
            WHEN 'SENDING' THEN 1
            ELSE 0
          END,
          claimed_until = CASE j.status
            WHEN 'SENDING' THEN now() + p_lease
          END
        FROM judged j
        WHERE d.merchant_id = j.merchant_id AND d.id = j.id
        RETURNING d.*, j.token
      )
    SELECT
      t.merchant_id,
      t.id,
      t.kind,
      t.subject_key,
      t.recipient::text,
      t.recipient_name,
      t.attempts,
      t.facts,
      t.unsubscribe_token,
      notification.shop_facts(t.merchant_id),
      coalesce(
        (
          SELECT jsonb_build_object('subject', g.subject, 'html', g.html, 'text', g.text)
          FROM email.campaign g
          WHERE g.merchant_id = t.merchant_id AND g.id = t.campaign_id
        ),
        (
          SELECT jsonb_build_object('subject', o.subject, 'html', o.html, 'text', o.text)
          FROM email.template o
          WHERE o.merchant_id = t.merchant_id AND o.kind = t.kind
        )
      ),
      CASE
        WHEN t.is_test THEN t.facts
      END,
      t.token,
      -- Of an order that was placed without an account: there is no other way back to it.
      (
        SELECT l.url
        FROM
          email.link l
          JOIN crm.customer c ON c.merchant_id = l.merchant_id
        WHERE
          l.merchant_id = t.merchant_id
          AND l.kind = 'GUEST_ORDER'
          AND t.kind ~ '^ORDER_'
          AND c.id = t.customer_id
          AND NOT c.has_account
      ),
      platform.place(),
      t.trace_context
    FROM taken t
    WHERE t.status = 'SENDING'
    ORDER BY t.next_attempt_at;
END;
$$;

-- sql/email/functions/queue_test.sql

CREATE FUNCTION email.queue_test(p_merchant_id uuid, p_user_id uuid, p_kind text, p_message jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  c_an_hour CONSTANT integer := 20;
  v_user identity.user;
  v_earliest timestamptz;
  v_id uuid;
BEGIN
  -- The lock lets requests at the same time be counted one after the other.
  SELECT *
  INTO v_user
  FROM identity.user u
  WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id AND u.status = 'ACTIVE' AND u.email_verified
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unconfirmed');
  END IF;
  SELECT d.created_at
  INTO v_earliest
  FROM email.delivery d
  WHERE
    d.merchant_id = p_merchant_id
    AND d.recipient = v_user.email
    AND d.is_test
    AND d.created_at > now() - INTERVAL '1 hour'
  ORDER BY d.created_at DESC
  OFFSET c_an_hour - 1
  LIMIT 1;
  IF FOUND THEN
    RETURN jsonb_build_object(
      'outcome',
      'too_many',
      'retryAfter',
      ceil(EXTRACT(EPOCH FROM v_earliest + INTERVAL '1 hour' - now()))::integer
    );
  END IF;
  INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, recipient_name, facts, is_test)
  VALUES (p_merchant_id, p_kind, concat('test ', gen_random_uuid()), v_user.email, v_user.name, p_message, TRUE)
  RETURNING id
  INTO v_id;
  RETURN jsonb_build_object('outcome', 'queued', 'deliveryId', v_id);
END;
$$;

-- sql/events/functions/claim_deliveries.sql

CREATE FUNCTION events.claim_deliveries(p_limit integer, p_at_once integer, p_lease interval)
RETURNS TABLE (
  merchant_id uuid,
  id uuid,
  endpoint_id uuid,
  url text,
  secret text,
  previous_secret text,
  body text,
  attempt integer,
  topic text,
  trace_context text
)
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE events.delivery d
  SET
    status = 'PENDING',
    claimed_until = NULL
  WHERE
    (d.merchant_id, d.id) IN (
      SELECT x.merchant_id, x.id
      FROM events.delivery x
      WHERE x.status = 'SENDING' AND x.claimed_until < now()
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    );
  RETURN QUERY WITH
      endpoint AS MATERIALIZED (
        SELECT
          e.*,
          CASE
            WHEN e.failing_since IS NULL THEN p_at_once
            ELSE 1
          END - (
            SELECT count(*)
            FROM events.delivery s
            WHERE s.merchant_id = e.merchant_id AND s.endpoint_id = e.id AND s.status = 'SENDING'
          ) AS free
        FROM events.endpoint e
        WHERE
          e.status = 'ENABLED'
          AND EXISTS (
            SELECT
            FROM events.delivery d
            WHERE
              d.merchant_id = e.merchant_id
              AND d.endpoint_id = e.id
              AND d.status = 'PENDING'
              AND d.body IS NOT NULL
              AND d.next_attempt_at <= now()
          )
          AND merchant.is_active(e.merchant_id)
        ORDER BY random()
      ),
      due AS MATERIALIZED (
        SELECT e.merchant_id, x.id, e.url, s.secret, s.previous_secret, e.previous_secret_until
        FROM
          endpoint e
          JOIN events.endpoint_secret s ON s.merchant_id = e.merchant_id AND s.endpoint_id = e.id
          CROSS JOIN LATERAL (
            SELECT d.id
            FROM events.delivery d
            WHERE
              d.merchant_id = e.merchant_id
              AND d.endpoint_id = e.id
              AND d.status = 'PENDING'
              AND d.body IS NOT NULL
              AND d.next_attempt_at <= now()
              AND NOT EXISTS (
                SELECT
                FROM events.delivery b
                WHERE
                  b.merchant_id = d.merchant_id
                  AND b.endpoint_id = d.endpoint_id
                  AND b.record_id = d.record_id
                  AND b.status IN ('PENDING', 'SENDING')
                  AND b.position < d.position
                  AND NOT d.is_test
                  AND NOT b.is_test
              )
            ORDER BY d.next_attempt_at, d.position
            LIMIT greatest(e.free, 0)
            FOR UPDATE OF d SKIP LOCKED
          ) x
        LIMIT p_limit
      ),
      taken AS (
        UPDATE events.delivery d
        SET
          status = 'SENDING',
          attempts = d.attempts + 1,
          claimed_until = now() + p_lease
        FROM due u
        WHERE d.merchant_id = u.merchant_id AND d.id = u.id
        RETURNING d.*, u.url, u.secret, u.previous_secret, u.previous_secret_until
      )
    SELECT
      t.merchant_id,
      t.id,
      t.endpoint_id,
      t.url,
      t.secret,
      CASE
        WHEN t.previous_secret_until > now() THEN t.previous_secret
      END,
      t.body,
      t.attempts,
      t.topic,
      t.trace_context
    FROM taken t
    ORDER BY t.position;
END;
$$;

-- sql/events/functions/claim_renderings.sql

CREATE FUNCTION events.claim_renderings(p_limit integer, p_batch integer, p_lease interval)
RETURNS TABLE (
  merchant_id uuid,
  endpoint_id uuid,
  query text,
  permissions text[],
  id uuid,
  attempt integer,
  event jsonb
)
LANGUAGE sql
VOLATILE
AS $$
  WITH
    waiting AS MATERIALIZED (
      SELECT DISTINCT d.merchant_id, d.endpoint_id
      FROM
        (
          SELECT x.merchant_id, x.endpoint_id
          FROM events.delivery x
          WHERE x.body IS NULL AND x.status = 'PENDING' AND x.next_attempt_at <= now()
          ORDER BY x.created_at
          LIMIT 10000
        ) d
    ),
    chosen AS MATERIALIZED (
      SELECT e.*
      FROM
        waiting w
        JOIN events.endpoint e ON e.merchant_id = w.merchant_id AND e.id = w.endpoint_id
      WHERE
        NOT EXISTS (
          SELECT
          FROM events.delivery d
          WHERE
            d.merchant_id = e.merchant_id
            AND d.endpoint_id = e.id
            AND d.body IS NULL
            AND d.status = 'PENDING'
            AND d.claimed_until > now()
        )
      ORDER BY random()
      LIMIT p_limit
    ),
    taken AS (
      UPDATE events.delivery d
      SET
        claimed_until = now() + p_lease,
        rendering_attempts = d.rendering_attempts + 1
      FROM
        chosen c
        CROSS JOIN LATERAL (
          SELECT x.id
          FROM events.delivery x
          WHERE
            x.merchant_id = c.merchant_id
            AND x.endpoint_id = c.id
            AND x.body IS NULL
            AND x.status = 'PENDING'
            AND x.next_attempt_at <= now()
          ORDER BY x.position
          LIMIT p_batch
          FOR UPDATE SKIP LOCKED
        ) due
      WHERE d.merchant_id = c.merchant_id AND d.id = due.id
      RETURNING d.merchant_id, d.endpoint_id, c.query, c.permissions, d.id, d.rendering_attempts, d.event_id, d.position
    )
  SELECT
    t.merchant_id,
    t.endpoint_id,
    t.query,
    t.permissions,
    t.id,
    t.rendering_attempts,
    jsonb_build_object(
      'id',
      e.id,
      'topic',
      e.topic,
      'position',
      e.position,
      'recordType',
      e.record_type,
      'recordId',
      e.record_id,
      'version',
      e.version,
      'occurredAt',
      e.occurred_at,
      'record',
      e.record,
      'changes',
      e.changes
    )
  FROM
    taken t
    JOIN events.event e ON e.merchant_id = t.merchant_id AND e.id = t.event_id
  ORDER BY t.endpoint_id, t.position;
$$;

-- sql/events/functions/matches.sql

CREATE FUNCTION events.matches(p_filter jsonb, p_record jsonb, p_changes jsonb)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT
    coalesce(
      bool_and(
        CASE
          WHEN (c ->> 'changed')::boolean THEN p_changes ? (c ->> 'field')
          ELSE TRUE
        END
        AND CASE
          WHEN c ->> 'equals' IS NOT NULL THEN coalesce(v.value = c ->> 'equals', FALSE)
          ELSE TRUE
        END
        AND CASE
          WHEN jsonb_typeof(c -> 'oneOf') = 'array' THEN coalesce((c -> 'oneOf') ? v.value, FALSE)
          ELSE TRUE
        END
        AND CASE
          WHEN c ->> 'atLeast' IS NULL THEN TRUE
          WHEN jsonb_typeof(p_record -> (c ->> 'field')) = 'number' THEN v.value::numeric >= (c ->> 'atLeast')::numeric
          ELSE FALSE
        END
        AND CASE
          WHEN c ->> 'atMost' IS NULL THEN TRUE
          WHEN jsonb_typeof(p_record -> (c ->> 'field')) = 'number' THEN v.value::numeric <= (c ->> 'atMost')::numeric
          ELSE FALSE
        END
      ),
      TRUE
    )
  FROM
    jsonb_array_elements(p_filter) c
    CROSS JOIN LATERAL (SELECT p_record ->> (c ->> 'field') AS value) v;
$$;

-- sql/events/functions/queue_test.sql

CREATE FUNCTION events.queue_test(p_merchant_id uuid, p_endpoint_id uuid, p_topic text, p_body text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_endpoint events.endpoint;
  v_event events.event;
  v_id uuid;
BEGIN
  SELECT * INTO v_endpoint FROM events.endpoint e WHERE e.merchant_id = p_merchant_id AND e.id = p_endpoint_id;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_endpoint');
  END IF;
  SELECT *
  INTO v_event
  FROM events.event e
  WHERE e.merchant_id = p_merchant_id AND e.topic = p_topic AND e.permission = ANY (v_endpoint.permissions)
  ORDER BY e.position DESC
  LIMIT 1;
  INSERT INTO events.delivery (merchant_id, endpoint_id, event_id, is_test, topic, record_id, position, body)
  VALUES
    (
      p_merchant_id,
      p_endpoint_id,
      v_event.id,
      TRUE,
      coalesce(v_event.topic, 'webhook.test'),
      v_event.record_id,
      coalesce(v_event.position, lpad('0', 16, '0')),
      CASE
        WHEN v_event.id IS NULL THEN p_body
      END
    )
  RETURNING id
  INTO v_id;
  RETURN jsonb_build_object('outcome', 'queued', 'webhookDeliveryId', v_id);
END;
$$;

-- sql/events/functions/replay.sql

CREATE FUNCTION events.replay(
  p_merchant_id uuid,
  p_endpoint_id uuid,
  p_from timestamptz,
  p_to timestamptz,
  p_delivery_ids uuid[],
  p_only_undelivered boolean,
  p_limit integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_endpoint events.endpoint;
  v_count integer;
  v_events integer;
  v_until timestamptz;
  v_unknown integer;
BEGIN
  SELECT *
  INTO v_endpoint
  FROM events.endpoint e
  WHERE e.merchant_id = p_merchant_id AND e.id = p_endpoint_id
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_endpoint');
  END IF;
  SELECT n.number - 1
  INTO v_unknown
  FROM unnest(p_delivery_ids) WITH ORDINALITY AS n (id, number)
  WHERE
    NOT EXISTS (
      SELECT
      FROM events.delivery d
      WHERE d.merchant_id = p_merchant_id AND d.endpoint_id = p_endpoint_id AND d.id = n.id
    )
  ORDER BY n.number
  LIMIT 1;
  IF FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_delivery', 'index', v_unknown);
  END IF;
  WITH
    wanted AS MATERIALIZED (
      SELECT e.merchant_id, e.id, e.topic, e.record_id, e.position, e.occurred_at
      FROM events.event e
      WHERE
        e.merchant_id = p_merchant_id
        AND p_delivery_ids IS NULL
        AND e.occurred_at >= coalesce(p_from, '-infinity')
        AND e.occurred_at <= coalesce(p_to, 'infinity')
        AND e.permission = ANY (v_endpoint.permissions)
        AND events.hears(v_endpoint.topics, e.topic)
        AND events.matches(v_endpoint.filter, e.record, e.changes)
        AND (
          NOT p_only_undelivered
          OR NOT EXISTS (
            SELECT
            FROM events.delivery d
            WHERE
              d.merchant_id = e.merchant_id
              AND d.endpoint_id = p_endpoint_id
              AND d.event_id = e.id
              AND NOT d.is_test
              AND d.status = 'DELIVERED'
          )
        )
      ORDER BY e.position
      LIMIT p_limit
    ),
    added AS (
      INSERT INTO events.delivery (merchant_id, endpoint_id, event_id, topic, record_id, position)
      SELECT w.merchant_id, p_endpoint_id, w.id, w.topic, w.record_id, w.position
      FROM wanted w
      ON CONFLICT (merchant_id, endpoint_id, event_id) WHERE NOT is_test DO UPDATE
        SET
          status = 'PENDING',
          tries = 0,
          claimed_until = NULL,
          next_attempt_at = now(),
          delivered_at = NULL
        WHERE delivery.status IN ('DELIVERED', 'FAILED', 'PENDING')
      RETURNING 1
    ),
    named AS (
      UPDATE events.delivery d
      SET
        status = 'PENDING',
        tries = 0,
        claimed_until = NULL,
        next_attempt_at = now(),
        delivered_at = NULL
      WHERE
        d.merchant_id = p_merchant_id
        AND d.endpoint_id = p_endpoint_id
        AND d.id = ANY (p_delivery_ids)
        AND d.status <> 'SENDING'
        AND NOT (p_only_undelivered AND d.status = 'DELIVERED')
      RETURNING 1
    )
  SELECT
    (SELECT count(*) FROM added) + (SELECT count(*) FROM named),
    (SELECT count(*) FROM wanted),
    (SELECT max(w.occurred_at) FROM wanted w)
  INTO v_count, v_events, v_until;
  RETURN jsonb_build_object(
    'outcome',
    'replayed',
    'count',
    v_count,
    'until',
    CASE
      WHEN v_events = p_limit THEN to_json(v_until) #>> '{}'
    END
  );
END;
$$;

-- sql/events/functions/sequence.sql

CREATE FUNCTION events.sequence(p_limit integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_answer jsonb;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('events.sequence', 0)) THEN
    RETURN jsonb_build_object('outcome', 'sequenced', 'taken', 0, 'topics', '{}'::jsonb);
  END IF;
  WITH
    taken AS (
      DELETE FROM events.change c
      WHERE c.version IN (SELECT x.version FROM events.change x ORDER BY x.version LIMIT p_limit)
      RETURNING c.*
    ),
    happened AS (
      SELECT
        t.*,
        s.record_type,
        s.permission,
        (coalesce(t.after, t.before) ->> s.id_column)::uuid AS record_id,
        CASE
          WHEN t.before IS NULL THEN 'CREATED'
          WHEN t.after IS NULL THEN 'DELETED'
          ELSE 'UPDATED'
        END AS change,
        f.record,
        coalesce(f.changes, '{}') AS changes
      FROM
        taken t
        JOIN events.source s ON s.name = t.source
        JOIN merchant.merchant m ON m.id = t.merchant_id
        CROSS JOIN LATERAL (
          SELECT
            jsonb_object_agg(events.field_name(c), coalesce(t.after, t.before) -> c) AS record,
            jsonb_object_agg(
              events.field_name(c),
              jsonb_build_object('old', t.before -> c, 'new', t.after -> c)
            ) FILTER (
              WHERE t.before IS NOT NULL AND t.after IS NOT NULL AND t.before -> c IS DISTINCT FROM t.after -> c
            ) AS changes
          FROM unnest(s.columns) c
        ) f
    ),
    told AS (
      INSERT INTO events.event
        (merchant_id, topic, record_type, record_id, version, permission, record, changes, occurred_at)
      SELECT
        h.merchant_id,
        t.name,
        h.record_type,
        h.record_id,
        h.version,
        h.permission,
        h.record,
        h.changes,
        h.occurred_at
      FROM
        happened h
        JOIN events.topic t ON t.source = h.source AND t.change = h.change
      WHERE
        h.record_id IS NOT NULL
        AND CASE
          WHEN t.column_name IS NULL THEN h.change <> 'UPDATED'
          OR h.changes <> '{}'
          ELSE h.after ->> t.column_name IS DISTINCT FROM h.before ->> t.column_name
          AND CASE
            WHEN t.value IS NULL THEN h.after ->> t.column_name IS NOT NULL
            ELSE h.after ->> t.column_name = t.value
          END
        END
      ORDER BY h.version, t.column_name IS NOT NULL, t.name
      RETURNING *
    ),
    queued AS (
      INSERT INTO events.delivery (merchant_id, endpoint_id, event_id, topic, record_id, position, trace_context)
      SELECT t.merchant_id, w.id, t.id, t.topic, t.record_id, t.position, c.trace_context
      FROM
        told t
        JOIN taken c ON c.merchant_id = t.merchant_id AND c.version = t.version
        JOIN events.endpoint w ON w.merchant_id = t.merchant_id AND w.status = 'ENABLED'
      WHERE
        t.permission = ANY (w.permissions)
        AND events.hears(w.topics, t.topic)
        AND events.matches(w.filter, t.record, t.changes)
      ORDER BY t.position
    )
  SELECT
    jsonb_build_object(
      'outcome',
      'sequenced',
      'taken',
      (SELECT count(*) FROM taken),
      'topics',
      (
        SELECT coalesce(jsonb_object_agg(c.topic, c.count), '{}')
        FROM (SELECT t.topic, count(*) AS count FROM told t GROUP BY t.topic) c
      )
    )
  INTO v_answer;
  RETURN v_answer;
END;
$$;

-- sql/events/functions/settle_delivery.sql

CREATE FUNCTION events.settle_delivery(
  p_merchant_id uuid,
  p_id uuid,
  p_attempt integer,
  p_outcome text,
  p_url text,
  p_request_headers jsonb,
  p_response_status integer,
  p_response_headers jsonb,
  p_response_body text,
  p_error text,
  p_started_at timestamptz,
  p_duration_ms integer,
  p_retry_after integer,
  p_delays integer[],
  p_switch_off_after interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_delivery events.delivery;
  v_endpoint events.endpoint;
  v_reason text;
BEGIN
  SELECT * INTO v_delivery FROM events.delivery d WHERE d.merchant_id = p_merchant_id AND d.id = p_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  INSERT INTO events.attempt
    (
      merchant_id,
      delivery_id,
      number,
      url,
      request_headers,
      response_status,
      response_headers,
      response_body,
      error,
      started_at,
      duration_ms
    )
  VALUES
    (
      p_merchant_id,
      p_id,
      p_attempt,
      p_url,
      p_request_headers,
      p_response_status,
      p_response_headers,
      p_response_body,
      p_error,
      p_started_at,
      p_duration_ms
    );
  IF v_delivery.status <> 'SENDING' OR v_delivery.attempts <> p_attempt THEN
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  UPDATE events.delivery d
  SET
    status = CASE
      WHEN p_outcome = 'delivered' THEN 'DELIVERED'
      WHEN d.is_test
      OR d.tries >= cardinality(p_delays) THEN 'FAILED'
      ELSE 'PENDING'
    END,
    tries = d.tries + 1,
    claimed_until = NULL,
    response_status = p_response_status,
    error = p_error,
    delivered_at = CASE
      WHEN p_outcome = 'delivered' THEN clock_timestamp()
    END,
    next_attempt_at = now() + make_interval(
      secs => greatest(coalesce(p_delays[d.tries + 1], 0) * (1 + random() / 5), coalesce(p_retry_after, 0))
    )
  WHERE d.merchant_id = p_merchant_id AND d.id = p_id;
  -- A test says nothing about the deliveries.
  IF v_delivery.is_test THEN
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  IF p_outcome = 'delivered' THEN
    UPDATE events.endpoint e
    SET failing_since = NULL
    WHERE e.merchant_id = p_merchant_id AND e.id = v_delivery.endpoint_id AND e.failing_since IS NOT NULL;
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  SELECT *
  INTO v_endpoint
  FROM events.endpoint e
  WHERE e.merchant_id = p_merchant_id AND e.id = v_delivery.endpoint_id
  FOR NO KEY UPDATE;
  v_reason := CASE
    WHEN p_outcome = 'gone' THEN 'GONE'
    WHEN v_endpoint.failing_since < now() - p_switch_off_after THEN 'FAILING'
  END;
  IF v_endpoint.status <> 'ENABLED' OR (v_reason IS NULL AND v_endpoint.failing_since IS NOT NULL) THEN
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  UPDATE events.endpoint e
  SET
    failing_since = coalesce(e.failing_since, now()),
    status = CASE
      WHEN v_reason IS NULL THEN e.status
      ELSE 'DISABLED'
    END,
    disabled_reason = v_reason,
    disabled_at = CASE
      WHEN v_reason IS NOT NULL THEN now()
    END
  WHERE e.merchant_id = p_merchant_id AND e.id = v_endpoint.id
  RETURNING *
  INTO v_endpoint;
  IF v_reason IS NULL THEN
    RETURN jsonb_build_object('outcome', 'settled');
  END IF;
  RETURN jsonb_build_object(
    'outcome',
    'switched_off',
    'disabledAt',
    to_json(v_endpoint.disabled_at) #>> '{}',
    'message',
    notification.merchant_message(
      p_merchant_id,
      jsonb_build_object(
        'endpoint',
        jsonb_build_object(
          'id',
          v_endpoint.id,
          'url',
          v_endpoint.url,
          'reason',
          v_reason,
          'failingSince',
          v_endpoint.failing_since,
          'error',
          p_error
        )
      )
    )
  );
END;
$$;

-- sql/events/functions/watch.sql

CREATE FUNCTION events.watch(p_source events.source)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_table regclass := p_source.table_name::regclass;
  v_watched text[];
  v_hidden text[];
  v_change text;
BEGIN
  v_watched := ARRAY(
    SELECT c FROM unnest(p_source.columns) c
    UNION
    SELECT t.column_name
    FROM events.topic t
    WHERE t.source = p_source.name AND t.column_name IS NOT NULL
    ORDER BY 1
  );
  v_hidden := ARRAY(
    SELECT a.attname
    FROM pg_attribute a
    WHERE
      a.attrelid = v_table
      AND a.attnum > 0
      AND NOT a.attisdropped
      AND a.attname <> ALL (v_watched || ARRAY[p_source.id_column])
    ORDER BY a.attname
  );
  FOR v_change IN SELECT DISTINCT t.change FROM events.topic t WHERE t.source = p_source.name ORDER BY 1 LOOP
    EXECUTE
      format(
        'CREATE TRIGGER event_%s AFTER %s ON %s FOR EACH ROW
         WHEN (current_setting(''platform.importing'', TRUE) IS DISTINCT FROM ''on''%s)
         EXECUTE FUNCTION events.capture(%L, %L)',
        lower(v_change),
        CASE v_change
          WHEN 'CREATED' THEN 'INSERT'
          WHEN 'UPDATED' THEN 'UPDATE'
          ELSE 'DELETE'
        END,
        v_table,
        CASE v_change
          WHEN 'UPDATED' THEN (
            SELECT
              format(
                ' AND (%s) IS DISTINCT FROM (%s)',
                string_agg(format('OLD.%I', c), ', '),
                string_agg(format('NEW.%I', c), ', ')
              )
            FROM unnest(v_watched) c
          )
          ELSE ''
        END,
        p_source.name,
        v_hidden
      );
  END LOOP;
END;
$$;

-- sql/identity/functions/account_of_mailed_token.sql

CREATE FUNCTION identity.account_of_mailed_token(p_merchant_id uuid, p_customer_id uuid, p_sets_password boolean)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer crm.customer;
  v_account crm.customer;
BEGIN
  SELECT * INTO v_customer FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id;
  IF v_customer.id IS NULL THEN
    RETURN NULL;
  END IF;
  IF v_customer.has_account THEN
    v_account := v_customer;
  ELSE
    INSERT INTO crm.customer AS c (merchant_id, email, name, phone)
    SELECT v_customer.merchant_id, v_customer.email, v_customer.name, v_customer.phone
    WHERE p_sets_password
    ON CONFLICT (merchant_id, email) WHERE has_account DO NOTHING;
    SELECT *
    INTO v_account
    FROM crm.customer c
    WHERE
      c.merchant_id = p_merchant_id
      AND c.email = v_customer.email
      AND c.has_account
      AND c.blocked_at IS NULL
      -- The address of an account that never confirmed it may have been given by anyone.
      AND (p_sets_password OR c.email_verified);
  END IF;
  IF v_account.id IS NULL THEN
    RETURN v_customer.id;
  END IF;
  PERFORM crm.merge_guests(p_merchant_id, v_account.id);
  RETURN v_account.id;
END;
$$;

-- sql/identity/functions/begin_sign_in.sql

CREATE FUNCTION identity.begin_sign_in(
  p_merchant_id uuid,
  p_subject text,
  p_email text,
  p_client text,
  p_of_client identity.attempt_limit,
  p_of_all identity.attempt_limit,
  p_longest interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_seconds integer := identity.count_attempt(
    p_merchant_id,
    p_subject,
    p_email,
    p_client,
    p_of_client,
    p_of_all,
    p_longest
  );
  v_known jsonb;
BEGIN
  IF v_seconds IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'blocked', 'seconds', v_seconds);
  END IF;
  IF p_subject = 'USER' THEN
    SELECT jsonb_build_object('outcome', 'known', 'id', u.id, 'passwordHash', c.password_hash, 'totpSecret', t.secret)
    INTO v_known
    FROM
      identity.user u
      JOIN identity.credential c ON c.merchant_id = u.merchant_id AND c.user_id = u.id
      LEFT JOIN identity.totp t ON t.merchant_id = u.merchant_id AND t.user_id = u.id AND t.confirmed_at IS NOT NULL
    WHERE u.merchant_id = p_merchant_id AND u.email = p_email::citext AND u.status = 'ACTIVE';
  ELSE
    SELECT jsonb_build_object('outcome', 'known', 'id', x.id, 'passwordHash', c.password_hash, 'totpSecret', NULL)
    INTO v_known
    FROM
      crm.customer x
      JOIN identity.credential c ON c.merchant_id = x.merchant_id AND c.customer_id = x.id
    WHERE x.merchant_id = p_merchant_id AND x.email = p_email::citext AND x.has_account AND x.blocked_at IS NULL;
  END IF;
  RETURN coalesce(v_known, jsonb_build_object('outcome', 'unknown'));
END;
$$;

-- sql/identity/functions/count_attempt.sql

CREATE FUNCTION identity.count_attempt(
  p_merchant_id uuid,
  p_subject text,
  p_email text,
  p_client text,
  p_of_client identity.attempt_limit,
  p_of_all identity.attempt_limit,
  p_longest interval
)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_client text := coalesce(p_client, 'unknown');
  v_counted text[] := CASE
    WHEN p_client IS NOT NULL
    AND identity.is_known_client(p_merchant_id, p_subject, p_email, p_client) THEN ARRAY[v_client]
    ELSE ARRAY['', v_client]
  END;
  v_until timestamptz;
BEGIN
  INSERT INTO identity.sign_in_attempt (merchant_id, subject, email, client)
  SELECT p_merchant_id, p_subject, p_email, x FROM unnest(v_counted) x ORDER BY x
  ON CONFLICT DO NOTHING;
  PERFORM
  FROM identity.sign_in_attempt a
  WHERE
    a.merchant_id = p_merchant_id
    AND a.subject = p_subject
    AND a.email = p_email::citext
    AND a.client = ANY (v_counted)
  ORDER BY a.client
  FOR UPDATE;
  SELECT max(a.blocked_until)
  INTO v_until
  FROM identity.sign_in_attempt a
  WHERE
    a.merchant_id = p_merchant_id
    AND a.subject = p_subject
    AND a.email = p_email::citext
    AND a.client = ANY (v_counted);
  IF v_until > now() THEN
    RETURN ceil(EXTRACT(EPOCH FROM v_until - now()));
  END IF;
  UPDATE identity.sign_in_attempt a
  SET
    attempts = a.attempts + 1,
    last_at = now(),
    blocked_until = CASE
      WHEN a.attempts + 1 >= l.free THEN now() + least(
        p_longest,
        l.block * power(2, least(a.attempts + 1 - l.free, 20))
      )
    END
  FROM
    (
      VALUES
        (v_client, (p_of_client).free, (p_of_client).block),
        ('', (p_of_all).free, (p_of_all).block)
    ) AS l (client, free, block)
  WHERE
    a.merchant_id = p_merchant_id
    AND a.subject = p_subject
    AND a.email = p_email::citext
    AND a.client = ANY (v_counted)
    AND a.client = l.client;
  RETURN NULL;
END;
$$;

-- sql/identity/functions/create_user.sql

CREATE FUNCTION identity.create_user(
  p_merchant_id uuid,
  p_own text[],
  p_email text,
  p_name text,
  p_phone text,
  p_role_ids uuid[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
  v_refusals jsonb[];
BEGIN
  SELECT
    array_agg(
      CASE
        WHEN r.id IS NULL THEN identity.refusal('roleIds.' || (w.position - 1), 'unknown_role')
        ELSE identity.refusal('roleIds.' || (w.position - 1), 'beyond_own', identity.beyond(r.permissions, p_own))
      END
      ORDER BY w.position
    )
  INTO v_refusals
  FROM
    unnest(p_role_ids) WITH ORDINALITY AS w (id, position)
    LEFT JOIN identity.role r ON r.merchant_id = p_merchant_id AND r.id = w.id
  WHERE r.id IS NULL OR identity.beyond(r.permissions, p_own) IS NOT NULL;
  IF
    EXISTS (
      SELECT
      FROM identity.user u
      WHERE u.merchant_id = p_merchant_id AND u.email = p_email::citext AND u.status <> 'DELETED'
    )
  THEN
    v_refusals := identity.refusal('email', 'taken') || v_refusals;
  END IF;
  IF v_refusals IS NOT NULL THEN
    RETURN identity.refused(v_refusals);
  END IF;
  INSERT INTO identity.user (merchant_id, id, email, name, phone)
  VALUES (p_merchant_id, v_id, p_email, coalesce(p_name, p_email), p_phone);
  INSERT INTO identity.user_role (merchant_id, user_id, role_id)
  SELECT DISTINCT p_merchant_id, v_id, x FROM unnest(p_role_ids) x;
  RETURN jsonb_build_object('outcome', 'changed', 'id', v_id);
EXCEPTION WHEN unique_violation THEN -- Another request invited the same address at the same time.
  RETURN identity.refused(ARRAY[identity.refusal('email', 'taken')]);
END;
$$;

-- sql/identity/functions/guest_of_order.sql

CREATE FUNCTION identity.guest_of_order(p_merchant_id uuid, p_order_id uuid)
RETURNS uuid
LANGUAGE sql
STABLE
AS $$
  SELECT c.id
  FROM
    ordering.order o
    JOIN crm.customer c ON c.merchant_id = o.merchant_id AND c.id = o.customer_id
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = p_order_id
    AND o.created_at > now() - INTERVAL '1 year'
    AND NOT c.has_account
    AND c.blocked_at IS NULL
    AND c.anonymized_at IS NULL;
$$;

-- sql/identity/functions/issue_one_time_token.sql

CREATE FUNCTION identity.issue_one_time_token(
  p_merchant_id uuid,
  p_purpose text,
  p_user_id uuid,
  p_customer_id uuid,
  p_token text,
  p_hash bytea,
  p_lifetime interval,
  p_pause interval
)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_email citext;
BEGIN
  -- The lock lets one of several requests at once make the token.
  IF p_user_id IS NOT NULL THEN
    SELECT u.email
    INTO v_email
    FROM identity.user u
    WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id
    FOR NO KEY UPDATE;
  ELSE
    SELECT x.email
    INTO v_email
    FROM crm.customer x
    WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id AND x.blocked_at IS NULL
    FOR NO KEY UPDATE;
  END IF;
  IF
    v_email IS NULL
    OR EXISTS (
      SELECT
      FROM identity.one_time_token t
      WHERE
        t.merchant_id = p_merchant_id
        AND t.purpose = p_purpose
        AND t.created_at > now() - p_pause
        AND (t.user_id = p_user_id OR t.customer_id = p_customer_id)
        AND t.used_at IS NULL
        AND t.email = v_email
    )
  THEN
    RETURN FALSE;
  END IF;
  DELETE FROM identity.one_time_token t
  WHERE
    t.merchant_id = p_merchant_id
    AND t.purpose = p_purpose
    AND (t.user_id = p_user_id OR t.customer_id = p_customer_id);
  INSERT INTO identity.one_time_token (merchant_id, purpose, user_id, customer_id, email, hash, undelivered, expires_at)
  VALUES (p_merchant_id, p_purpose, p_user_id, p_customer_id, v_email, p_hash, p_token, now() + p_lifetime);
  RETURN TRUE;
END;
$$;

-- sql/identity/functions/keep_an_owner.sql

CREATE FUNCTION identity.keep_an_owner()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_owners bigint;
BEGIN
  -- With the merchant itself everybody goes.
  IF NOT EXISTS (SELECT FROM merchant.merchant m WHERE m.id = OLD.merchant_id) THEN
    RETURN NULL;
  END IF;
  IF TG_TABLE_NAME = 'user_role' THEN
    IF
      NOT EXISTS (
        SELECT
        FROM
          identity.user u
          JOIN identity.role r ON r.merchant_id = u.merchant_id
        WHERE
          u.merchant_id = OLD.merchant_id
          AND u.id = OLD.user_id
          AND u.status = 'ACTIVE'
          AND r.id = OLD.role_id
          AND r.kind = 'OWNER'
      )
    THEN
      RETURN NULL;
    END IF;
  ELSEIF
    NOT EXISTS (
      SELECT
      FROM
        identity.user_role l
        JOIN identity.role r ON r.merchant_id = l.merchant_id AND r.id = l.role_id
      WHERE l.merchant_id = OLD.merchant_id AND l.user_id = OLD.id AND r.kind = 'OWNER'
    )
  THEN
    RETURN NULL;
  END IF;
  PERFORM identity.lock_ownership(OLD.merchant_id);
  SELECT count(*)
  INTO v_owners
  FROM
    identity.role r
    JOIN identity.user_role l ON l.merchant_id = r.merchant_id AND l.role_id = r.id
    JOIN identity.user u ON u.merchant_id = l.merchant_id AND u.id = l.user_id
  WHERE r.merchant_id = OLD.merchant_id AND r.kind = 'OWNER' AND u.status = 'ACTIVE';
  IF v_owners = 0 THEN
    PERFORM platform.violate('identity.user', 'user_last_owner');
  END IF;
  RETURN NULL;
END;
$$;

-- sql/identity/functions/open_backend_session.sql

CREATE FUNCTION identity.open_backend_session(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_client text,
  p_device text,
  p_opened_by jsonb,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_session_id uuid := platform.uuid_v7();
  v_customer crm.customer;
BEGIN
  SELECT * INTO v_customer FROM crm.customer x WHERE x.merchant_id = p_merchant_id AND x.id = p_customer_id FOR SHARE;
  IF v_customer.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  ELSEIF v_customer.anonymized_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'anonymized');
  ELSEIF v_customer.blocked_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'blocked');
  END IF;
  INSERT INTO identity.session
    (merchant_id, id, customer_id, origin, opened_by_kind, opened_by_id, device, network, expires_at)
  VALUES
    (
      p_merchant_id,
      v_session_id,
      p_customer_id,
      'BACKEND',
      p_opened_by ->> 'kind',
      (p_opened_by ->> 'id')::uuid,
      p_device,
      p_client,
      now() + p_lifetime
    );
  RETURN jsonb_build_object('outcome', 'opened', 'id', v_session_id);
END;
$$;

-- sql/identity/functions/open_session.sql

CREATE FUNCTION identity.open_session(
  p_merchant_id uuid,
  p_subject text,
  p_id uuid,
  p_client text,
  p_device text,
  p_opened_by jsonb,
  p_refresh_hash bytea,
  p_refresh_lifetime interval,
  p_session_lifetime interval
)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_session_id uuid := platform.uuid_v7();
  v_email citext;
  v_proves boolean := TRUE;
BEGIN
  IF p_subject = 'USER' THEN
    UPDATE identity.user u
    SET last_login_at = now()
    WHERE u.merchant_id = p_merchant_id AND u.id = p_id AND u.status = 'ACTIVE'
    RETURNING u.email
    INTO v_email;
  ELSE
    -- The lock keeps a block from coming between looking and opening.
    SELECT x.email, x.has_account
    INTO v_email, v_proves
    FROM crm.customer x
    WHERE x.merchant_id = p_merchant_id AND x.id = p_id AND x.blocked_at IS NULL
    FOR SHARE;
  END IF;
  IF v_email IS NULL THEN
    RETURN NULL;
  END IF;
  -- Attempts of other clients stay counted. A guest has proved nothing about the address.
  DELETE FROM identity.sign_in_attempt a
  WHERE
    v_proves
    AND a.merchant_id = p_merchant_id
    AND a.subject = p_subject
    AND a.email = v_email
    AND a.client IN ('', coalesce(p_client, 'unknown'));
  PERFORM
    identity.remember_client(
      p_merchant_id,
      CASE
        WHEN p_subject = 'USER' THEN p_id
      END,
      CASE
        WHEN p_subject = 'CUSTOMER' THEN p_id
      END,
      CASE
        WHEN v_proves THEN p_client
      END
    );
  INSERT INTO identity.session
    (merchant_id, id, user_id, customer_id, opened_by_kind, opened_by_id, device, network, idle_until, expires_at)
  VALUES
    (
      p_merchant_id,
      v_session_id,
      CASE
        WHEN p_subject = 'USER' THEN p_id
      END,
      CASE
        WHEN p_subject = 'CUSTOMER' THEN p_id
      END,
      p_opened_by ->> 'kind',
      (p_opened_by ->> 'id')::uuid,
      p_device,
      p_client,
      now() + least(p_refresh_lifetime, p_session_lifetime),
      now() + p_session_lifetime
    );
  INSERT INTO identity.refresh_token (merchant_id, hash, session_id, expires_at)
  VALUES (p_merchant_id, p_refresh_hash, v_session_id, now() + least(p_refresh_lifetime, p_session_lifetime));
  RETURN v_session_id;
END;
$$;

-- sql/identity/functions/purge_expired.sql

CREATE FUNCTION identity.has_left_nothing(p_merchant_id uuid, p_customer_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    NOT EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.customer_id = p_customer_id)
    AND NOT EXISTS (
      SELECT FROM booking.appointment a WHERE a.merchant_id = p_merchant_id AND a.customer_id = p_customer_id
    )
    AND NOT EXISTS (SELECT FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.customer_id = p_customer_id)
    AND NOT EXISTS (
      SELECT FROM crm.loyalty_account l WHERE l.merchant_id = p_merchant_id AND l.customer_id = p_customer_id
    );
$$;

CREATE FUNCTION identity.merchants_to_purge(p_limit integer, p_sessions_kept interval)
RETURNS TABLE (merchant_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT s.merchant_id
  FROM identity.session s
  WHERE s.expires_at < now() AND (s.origin = 'BACKEND' OR s.expires_at < now() - p_sessions_kept)
  UNION
  SELECT t.merchant_id FROM identity.one_time_token t WHERE t.expires_at < now() - INTERVAL '1 day'
  UNION
  SELECT a.merchant_id FROM identity.sign_in_attempt a WHERE a.last_at < now() - INTERVAL '1 day'
  UNION
  SELECT k.merchant_id FROM identity.known_client k WHERE k.last_at < now() - INTERVAL '90 days'
  UNION
  SELECT g.merchant_id
  FROM crm.customer g
  WHERE
    NOT g.has_account
    AND g.created_at BETWEEN now() - INTERVAL '62 days' AND now() - INTERVAL '31 days'
    AND identity.has_left_nothing(g.merchant_id, g.id)
  LIMIT p_limit;
$$;

CREATE FUNCTION identity.purge_expired(p_merchant_id uuid, p_limit integer, p_sessions_kept interval)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    sessions AS (
      DELETE FROM identity.session s
      WHERE
        (s.merchant_id, s.id) IN (
          SELECT x.merchant_id, x.id
          FROM identity.session x
          -- A backend's session has no refresh token.
          WHERE
            x.merchant_id = p_merchant_id
            AND x.expires_at < now()
            AND (x.origin = 'BACKEND' OR x.expires_at < now() - p_sessions_kept)
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING s.id
    ),
    tokens AS (
      DELETE FROM identity.one_time_token t
      WHERE
        (t.merchant_id, t.id) IN (
          SELECT x.merchant_id, x.id
          FROM identity.one_time_token x
          WHERE x.merchant_id = p_merchant_id AND x.expires_at < now() - INTERVAL '1 day'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING t.id
    ),
    attempts AS (
      DELETE FROM identity.sign_in_attempt a
      WHERE
        (a.merchant_id, a.subject, a.email, a.client) IN (
          SELECT x.merchant_id, x.subject, x.email, x.client
          FROM identity.sign_in_attempt x
          WHERE x.merchant_id = p_merchant_id AND x.last_at < now() - INTERVAL '1 day'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING a.email
    ),
    clients AS (
      DELETE FROM identity.known_client k
      WHERE
        (k.merchant_id, k.id) IN (
          SELECT x.merchant_id, x.id
          FROM identity.known_client x
          WHERE x.merchant_id = p_merchant_id AND x.last_at < now() - INTERVAL '90 days'
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING k.id
    ),
    guests AS (
      DELETE FROM crm.customer g
      WHERE
        (g.merchant_id, g.id) IN (
          SELECT x.merchant_id, x.id
          FROM crm.customer x
          WHERE
            x.merchant_id = p_merchant_id
            AND NOT x.has_account
            AND x.created_at BETWEEN now() - INTERVAL '62 days' AND now() - INTERVAL '31 days'
            AND identity.has_left_nothing(x.merchant_id, x.id)
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING g.id
    )
  SELECT
    (
      (SELECT count(*) FROM sessions) + (SELECT count(*) FROM tokens) + (SELECT count(*) FROM attempts) + (
        SELECT count(*) FROM clients
      ) + (SELECT count(*) FROM guests)
    )::integer;
$$;

-- sql/identity/functions/rotate_refresh_token.sql

CREATE FUNCTION identity.rotate_refresh_token(
  p_merchant_id uuid,
  p_hash bytea,
  p_next_hash bytea,
  p_user_lifetime interval,
  p_customer_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_token identity.refresh_token;
  v_session identity.session;
  v_idle_until timestamptz;
BEGIN
  SELECT *
  INTO v_token
  FROM identity.refresh_token t
  WHERE t.merchant_id = p_merchant_id AND t.hash = p_hash
  FOR UPDATE;
  IF v_token.hash IS NULL THEN
    RETURN jsonb_build_object('outcome', 'refused');
  END IF;
  SELECT *
  INTO v_session
  FROM identity.session s
  WHERE s.merchant_id = p_merchant_id AND s.id = v_token.session_id
  FOR UPDATE;
  IF v_token.used_at IS NOT NULL THEN
    PERFORM identity.revoke_session(p_merchant_id, v_session.id, 'REUSED');
    RETURN jsonb_build_object('outcome', 'refused');
  END IF;
  IF
    v_session.revoked_at IS NOT NULL
    OR least(v_session.expires_at, v_token.expires_at) <= now()
    OR EXISTS (
      SELECT
      FROM identity.user u
      WHERE u.merchant_id = p_merchant_id AND u.id = v_session.user_id AND u.status <> 'ACTIVE'
    )
    OR EXISTS (
      SELECT
      FROM crm.customer x
      WHERE x.merchant_id = p_merchant_id AND x.id = v_session.customer_id AND x.blocked_at IS NOT NULL
    )
  THEN
    RETURN jsonb_build_object('outcome', 'refused');
  END IF;
  v_idle_until := least(
    v_session.expires_at,
    now() + CASE
      WHEN v_session.user_id IS NULL THEN p_customer_lifetime
      ELSE p_user_lifetime
    END
  );
  UPDATE identity.refresh_token t SET used_at = now() WHERE t.merchant_id = p_merchant_id AND t.hash = p_hash;
  INSERT INTO identity.refresh_token (merchant_id, hash, session_id, expires_at)
  VALUES (p_merchant_id, p_next_hash, v_session.id, v_idle_until);
  UPDATE identity.session s
  SET
    idle_until = v_idle_until,
    last_used_at = now()
  WHERE s.merchant_id = p_merchant_id AND s.id = v_session.id;
  RETURN jsonb_build_object(
    'outcome',
    'rotated',
    'sessionId',
    v_session.id,
    'subject',
    CASE
      WHEN v_session.user_id IS NULL THEN 'CUSTOMER'
      ELSE 'USER'
    END,
    'id',
    coalesce(v_session.user_id, v_session.customer_id)
  );
END;
$$;

-- sql/identity/functions/set_role.sql

CREATE FUNCTION identity.set_role(p_merchant_id uuid, p_own text[], p_user_id uuid, p_role_id uuid, p_held boolean)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := identity.lock_user(p_merchant_id, p_own, p_user_id, 'userId');
  v_role identity.role;
  v_status text;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_role FROM identity.role r WHERE r.merchant_id = p_merchant_id AND r.id = p_role_id FOR SHARE;
  IF NOT FOUND THEN
    RETURN identity.refused(ARRAY[identity.refusal('roleId', 'unknown_role')]);
  END IF;
  IF identity.beyond(v_role.permissions, p_own) IS NOT NULL THEN
    RETURN identity.refused(
      ARRAY[identity.refusal('roleId', 'beyond_own', identity.beyond(v_role.permissions, p_own))]
    );
  END IF;
  SELECT u.status INTO v_status FROM identity.user u WHERE u.merchant_id = p_merchant_id AND u.id = p_user_id;
  IF v_status = 'DELETED' THEN
    RETURN jsonb_build_object('outcome', 'not_allowed', 'status', v_status);
  END IF;
  IF p_held THEN
    INSERT INTO identity.user_role (merchant_id, user_id, role_id)
    VALUES (p_merchant_id, p_user_id, p_role_id)
    ON CONFLICT DO NOTHING;
  ELSE
    IF v_role.kind = 'OWNER' AND identity.is_last_owner(p_merchant_id, p_user_id) THEN
      RETURN identity.refused(ARRAY[identity.refusal('roleId', 'last_owner')]);
    END IF;
    DELETE FROM identity.user_role l
    WHERE l.merchant_id = p_merchant_id AND l.user_id = p_user_id AND l.role_id = p_role_id;
  END IF;
  RETURN jsonb_build_object('outcome', 'changed', 'id', p_user_id);
END;
$$;

-- sql/identity/functions/start_guest_checkout.sql

CREATE FUNCTION identity.start_guest_checkout(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_secret_hash bytea,
  p_email text,
  p_name text,
  p_phone text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, NULL, p_secret_hash);
  v_customer_id uuid := platform.uuid_v7();
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  PERFORM
  FROM cart.cart c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id AND c.customer_id IS NULL;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_cart');
  END IF;
  INSERT INTO crm.customer (merchant_id, id, email, name, phone, has_account)
  VALUES (p_merchant_id, v_customer_id, p_email, p_name, p_phone, FALSE);
  UPDATE cart.cart c
  SET
    customer_id = v_customer_id,
    secret_hash = NULL
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'started', 'customerId', v_customer_id);
END;
$$;

-- sql/inventory/functions/change_level.sql

CREATE FUNCTION inventory.change_level(
  p_merchant_id uuid,
  p_sku text,
  p_warehouse_id uuid,
  p_available integer,
  p_delta integer,
  p_reason text,
  p_principal text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  -- sums over many warehouses stay within an integer
  c_max CONSTANT integer := 999999;
  v_refusals jsonb := inventory.place_refusals(p_merchant_id, p_sku, p_warehouse_id);
  v_level inventory.stock_level;
  v_available bigint;
BEGIN
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_level := inventory.lock_level(
    p_merchant_id,
    (SELECT i.id FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku),
    inventory.warehouse_or_first(p_merchant_id, p_warehouse_id)
  );
  v_available := coalesce(p_available, v_level.available::bigint + p_delta);
  IF v_available NOT BETWEEN 0 AND c_max THEN
    RETURN jsonb_build_object('outcome', 'out_of_range', 'available', v_level.available, 'max', c_max);
  END IF;
  IF v_available > v_level.available THEN
    v_refusals := inventory.intake_refusals(p_merchant_id, p_sku);
    IF v_refusals <> '[]' THEN
      RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
    END IF;
  END IF;

  PERFORM
    inventory.because(
      CASE
        WHEN p_available IS NULL THEN 'ADJUSTMENT'
        ELSE 'STOCKTAKE'
      END,
      p_reason,
      NULL,
      NULL,
      p_principal
    );
  UPDATE inventory.stock_level l
  SET
    available = v_available,
    last_restocked_at = CASE
      WHEN v_available > l.available THEN now()
      ELSE l.last_restocked_at
    END
  WHERE
    l.merchant_id = p_merchant_id
    AND l.stock_item_id = v_level.stock_item_id
    AND l.warehouse_id = v_level.warehouse_id;
  RETURN jsonb_build_object('outcome', 'changed', 'stockItemId', v_level.stock_item_id);
END;
$$;

-- sql/inventory/functions/draft_transfer.sql

CREATE FUNCTION inventory.draft_transfer(
  p_merchant_id uuid,
  p_from_warehouse_id uuid,
  p_to_warehouse_id uuid,
  p_lines jsonb,
  p_expected_date date,
  p_notes text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
  v_refusals jsonb;
BEGIN
  SELECT coalesce(jsonb_agg(r), '[]')
  INTO v_refusals
  FROM
    (
      SELECT w.field, 'unknown_warehouse' AS reason
      FROM
        (
          VALUES
            ('fromWarehouseId', p_from_warehouse_id),
            ('toWarehouseId', p_to_warehouse_id)
        ) AS w (field, id)
      WHERE NOT EXISTS (SELECT FROM inventory.warehouse x WHERE x.merchant_id = p_merchant_id AND x.id = w.id)
      UNION ALL
      SELECT 'toWarehouseId', 'same_warehouse' WHERE p_from_warehouse_id = p_to_warehouse_id
    ) r;
  v_refusals := v_refusals || inventory.transfer_line_refusals(p_merchant_id, p_lines);
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  INSERT INTO inventory.transfer (merchant_id, id, from_warehouse_id, to_warehouse_id, expected_date, notes)
  VALUES (p_merchant_id, v_id, p_from_warehouse_id, p_to_warehouse_id, p_expected_date, p_notes);
  INSERT INTO inventory.transfer_line (merchant_id, transfer_id, stock_item_id, quantity)
  SELECT p_merchant_id, v_id, l.stock_item_id, l.quantity FROM inventory.transfer_lines(p_merchant_id, p_lines) l;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', v_id);
END;
$$;

-- sql/inventory/functions/end_part_of_reservation.sql

CREATE FUNCTION inventory.end_part_of_reservation(
  p_merchant_id uuid,
  p_order_id uuid,
  p_stock_item_ids uuid[],
  p_quantities integer[],
  p_status text
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
  v_rest_id uuid := platform.uuid_v7();
BEGIN
  IF
    v_reservation.id IS NULL
    AND EXISTS (
      SELECT
      FROM ordering.order o
      WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.imported_at IS NOT NULL
    )
  THEN
    -- An order from another system has never held stock here.
    RETURN;
  END IF;
  IF v_reservation.status IS DISTINCT FROM 'COMMITTED' THEN
    RAISE EXCEPTION 'order % has no committed reservation', p_order_id;
  END IF;
  INSERT INTO inventory.reservation (merchant_id, id, status, expires_at)
  VALUES (p_merchant_id, v_rest_id, 'COMMITTED', v_reservation.expires_at);
  WITH
    part AS (
      SELECT
        h.stock_item_id,
        h.warehouse_id,
        h.quantity - least(
          h.quantity,
          greatest(0, coalesce(w.quantity, 0) - coalesce(sum(h.quantity) OVER before, 0))
        )::integer AS rest
      FROM
        inventory.reservation_line h
        JOIN inventory.warehouse p ON p.merchant_id = h.merchant_id AND p.id = h.warehouse_id
        LEFT JOIN (
          -- Two lines of an order may have the same product, with other properties.
          SELECT u.stock_item_id, sum(u.quantity) AS quantity
          FROM unnest(p_stock_item_ids, p_quantities) AS u (stock_item_id, quantity)
          GROUP BY u.stock_item_id
        ) w
          ON w.stock_item_id = h.stock_item_id
      WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_reservation.id
      WINDOW
        before AS (
          PARTITION BY h.stock_item_id
          ORDER BY p.priority, h.warehouse_id
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
    ),
    moved AS (
      INSERT INTO inventory.reservation_line (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
      SELECT p_merchant_id, v_rest_id, part.stock_item_id, part.warehouse_id, part.rest FROM part WHERE part.rest > 0
    ),
    gone AS (
      DELETE FROM inventory.reservation_line h
      USING part
      WHERE
        h.merchant_id = p_merchant_id
        AND h.reservation_id = v_reservation.id
        AND h.stock_item_id = part.stock_item_id
        AND h.warehouse_id = part.warehouse_id
        AND h.quantity = part.rest
    )
  UPDATE inventory.reservation_line h
  SET quantity = h.quantity - part.rest
  FROM part
  WHERE
    h.merchant_id = p_merchant_id
    AND h.reservation_id = v_reservation.id
    AND h.stock_item_id = part.stock_item_id
    AND h.warehouse_id = part.warehouse_id
    AND part.rest > 0
    AND part.rest < h.quantity;
  IF
    (
      SELECT coalesce(sum(h.quantity), 0)
      FROM inventory.reservation_line h
      WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_reservation.id
    ) <> (SELECT sum(q) FROM unnest(p_quantities) q)
  THEN
    RAISE EXCEPTION 'the reservation of order % does not hold what is to leave it', p_order_id;
  END IF;

  CASE p_status
    WHEN 'CONSUMED' THEN
      PERFORM inventory.consume_reservation(p_merchant_id, p_order_id);
    WHEN 'RELEASED' THEN
      PERFORM inventory.release_reservation_of_order(p_merchant_id, p_order_id, 'RELEASED');
  END CASE;
  IF
    EXISTS (
      SELECT FROM inventory.reservation_line h WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_rest_id
    )
  THEN
    UPDATE inventory.reservation r SET order_id = p_order_id WHERE r.merchant_id = p_merchant_id AND r.id = v_rest_id;
  ELSE
    DELETE FROM inventory.reservation r WHERE r.merchant_id = p_merchant_id AND r.id = v_rest_id;
  END IF;
END;
$$;

-- sql/inventory/functions/hold.sql

CREATE FUNCTION inventory.hold(
  p_merchant_id uuid,
  p_reservation_id uuid,
  p_order_id uuid,
  p_expires_at timestamptz,
  p_stock_item_ids uuid[],
  p_quantities integer[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_expired uuid[];
  v_own_items uuid[] := inventory.held_stock_items(p_merchant_id, ARRAY[p_reservation_id]);
  v_shortages jsonb;
BEGIN
  -- Expiry is checked at use too: stock that a job hasn't fetched back yet can be sold all the same.
  v_expired := inventory.lock_expired(p_merchant_id, 20);
  v_expired := array_remove(v_expired, p_reservation_id);
  IF cardinality(v_expired) = 0 THEN
    PERFORM inventory.lock_levels(p_merchant_id, p_stock_item_ids || v_own_items);
  ELSE
    PERFORM
      inventory.lock_levels(
        p_merchant_id,
        p_stock_item_ids || v_own_items || inventory.held_stock_items(p_merchant_id, v_expired)
      );
    PERFORM inventory.give_back(p_merchant_id, v_expired, 'EXPIRED');
  END IF;

  -- The units that the reservation itself holds count as available to it.
  SELECT
    jsonb_agg(
      jsonb_build_object(
        'stockItemId',
        w.stock_item_id,
        'sku',
        (SELECT i.sku FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.id = w.stock_item_id),
        'available',
        c.capacity,
        'requested',
        w.quantity
      )
      ORDER BY w.position
    )
  INTO v_shortages
  FROM
    (
      SELECT u.stock_item_id, sum(u.quantity) AS quantity, min(u.position) AS position
      FROM unnest(p_stock_item_ids, p_quantities) WITH ORDINALITY AS u (stock_item_id, quantity, position)
      GROUP BY u.stock_item_id
    ) w
    CROSS JOIN LATERAL (
      SELECT
        coalesce(
          sum(
            CASE
              WHEN p.active THEN l.available
              ELSE 0
            END + coalesce(h.quantity, 0)
          ),
          0
        ) AS capacity
      FROM
        inventory.stock_level l
        JOIN inventory.warehouse p ON p.merchant_id = l.merchant_id AND p.id = l.warehouse_id
        LEFT JOIN inventory.reservation_line h
          ON h.merchant_id = l.merchant_id
          AND h.reservation_id = p_reservation_id
          AND h.stock_item_id = l.stock_item_id
          AND h.warehouse_id = l.warehouse_id
      WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = w.stock_item_id
    ) c
  WHERE c.capacity < w.quantity;
  IF v_shortages IS NOT NULL THEN
    RETURN v_shortages;
  END IF;

  INSERT INTO inventory.reservation AS r (merchant_id, id, order_id, expires_at)
  VALUES (p_merchant_id, p_reservation_id, p_order_id, p_expires_at)
  ON CONFLICT (merchant_id, id) DO UPDATE
    SET
      order_id = excluded.order_id,
      expires_at = excluded.expires_at;

  PERFORM inventory.because_of_reservation(p_reservation_id, p_order_id, NULL);
  WITH
    place AS (
      SELECT
        l.stock_item_id,
        l.warehouse_id,
        p.priority,
        coalesce(h.quantity, 0) AS held,
        CASE
          WHEN p.active THEN l.available
          ELSE 0
        END + coalesce(h.quantity, 0) AS capacity
      FROM
        inventory.stock_level l
        JOIN inventory.warehouse p ON p.merchant_id = l.merchant_id AND p.id = l.warehouse_id
        LEFT JOIN inventory.reservation_line h
          ON h.merchant_id = l.merchant_id
          AND h.reservation_id = p_reservation_id
          AND h.stock_item_id = l.stock_item_id
          AND h.warehouse_id = l.warehouse_id
      WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = ANY (p_stock_item_ids || v_own_items)
    ),
    -- Each place gives what it has, until the places before it have given enough.
    allocation AS (
      SELECT
        place.stock_item_id,
        place.warehouse_id,
        place.held,
        least(
          place.capacity,
          greatest(0, coalesce(w.quantity, 0) - coalesce(sum(place.capacity) OVER before, 0))
        )::integer AS quantity
      FROM
        place
        LEFT JOIN (
          -- Two lines of an order may have the same product, with other properties.
          SELECT u.stock_item_id, sum(u.quantity) AS quantity
          FROM unnest(p_stock_item_ids, p_quantities) AS u (stock_item_id, quantity)
          GROUP BY u.stock_item_id
        ) w
          ON w.stock_item_id = place.stock_item_id
      WINDOW
        before AS (
          PARTITION BY place.stock_item_id
          ORDER BY place.priority, place.warehouse_id
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
    ),
    moved AS (
      UPDATE inventory.stock_level l
      SET
        available = l.available + a.held - a.quantity,
        reserved = l.reserved + a.quantity - a.held
      FROM allocation a
      WHERE
        l.merchant_id = p_merchant_id
        AND l.stock_item_id = a.stock_item_id
        AND l.warehouse_id = a.warehouse_id
        AND a.held <> a.quantity
    ),
    dropped AS (
      DELETE FROM inventory.reservation_line h
      USING allocation a
      WHERE
        h.merchant_id = p_merchant_id
        AND h.reservation_id = p_reservation_id
        AND h.stock_item_id = a.stock_item_id
        AND h.warehouse_id = a.warehouse_id
        AND a.quantity = 0
    )
  INSERT INTO inventory.reservation_line AS h (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
  SELECT p_merchant_id, p_reservation_id, a.stock_item_id, a.warehouse_id, a.quantity
  FROM allocation a
  WHERE a.quantity > 0
  ON CONFLICT (merchant_id, reservation_id, stock_item_id, warehouse_id) DO UPDATE SET quantity = excluded.quantity;
  RETURN NULL;
END;
$$;

-- sql/inventory/functions/receive_transfer.sql

CREATE FUNCTION inventory.receive_transfer(
  p_merchant_id uuid,
  p_id uuid,
  p_lines jsonb,
  p_from text[],
  p_part text,
  p_all text,
  p_principal text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_transfer(p_merchant_id, p_id, p_from);
  v_refusal jsonb;
  v_arrived record;
  v_complete boolean;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  SELECT
    jsonb_agg(
      CASE
        WHEN n.id IS NULL THEN jsonb_build_object(
          'field',
          format('lines.%s.sku', l.position),
          'reason',
          'not_in_transfer'
        )
        ELSE jsonb_build_object(
          'field',
          format('lines.%s.quantity', l.position),
          'reason',
          'too_many',
          'awaited',
          coalesce(n.awaited, 0)
        )
      END
      ORDER BY l.position
    )
  INTO v_refusal
  FROM
    inventory.transfer_lines(p_merchant_id, p_lines) l
    LEFT JOIN inventory.incoming_stock n
      ON n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.stock_item_id = l.stock_item_id
  WHERE l.quantity > coalesce(n.awaited, 0);
  IF v_refusal IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusal);
  END IF;

  PERFORM
    inventory.lock_levels(
      p_merchant_id,
      ARRAY(
        SELECT l.stock_item_id
        FROM inventory.transfer_line l
        WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id
      )
    );
  FOR v_arrived IN SELECT n AS incoming, coalesce(l.quantity, n.awaited)::integer AS quantity
  FROM
    inventory.incoming_stock n
    LEFT JOIN inventory.transfer_lines(p_merchant_id, p_lines) l ON l.stock_item_id = n.stock_item_id
  WHERE
    n.merchant_id = p_merchant_id
    AND n.transfer_id = p_id
    AND n.awaited IS NOT NULL
    AND (p_lines IS NULL OR l.quantity IS NOT NULL)
  ORDER BY n.stock_item_id LOOP
    PERFORM inventory.shelve(v_arrived.incoming, v_arrived.quantity, p_principal);
  END LOOP;
  v_complete := NOT EXISTS (
    SELECT
    FROM inventory.incoming_stock n
    WHERE n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.awaited IS NOT NULL
  );
  UPDATE inventory.transfer t
  SET
    status = CASE
      WHEN v_complete THEN p_all
      ELSE p_part
    END,
    received_at = CASE
      WHEN v_complete THEN now()
    END
  WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END;
$$;

-- sql/inventory/functions/record_movements.sql

CREATE FUNCTION inventory.record_movements()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_cause jsonb := nullif(current_setting('inventory.cause', TRUE), '')::jsonb;
  v_principal text := coalesce(v_cause ->> 'principal', inventory.acting_principal());
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO inventory.stock_movement
      (
        merchant_id,
        stock_item_id,
        warehouse_id,
        product_id,
        kind,
        on_hand_delta,
        reserved_delta,
        on_hand,
        reserved,
        reason,
        reference_type,
        reference_id,
        principal
      )
    SELECT
      a.merchant_id,
      a.stock_item_id,
      a.warehouse_id,
      (SELECT i.product_id FROM inventory.stock_item i WHERE i.merchant_id = a.merchant_id AND i.id = a.stock_item_id),
      k.kind,
      a.available + a.reserved,
      a.reserved,
      a.available + a.reserved,
      a.reserved,
      coalesce(v_cause ->> 'reason', inventory.reason_of_movement(k.kind)),
      v_cause ->> 'referenceType',
      (v_cause ->> 'referenceId')::uuid,
      v_principal
    FROM
      after a
      CROSS JOIN LATERAL (SELECT coalesce(v_cause ->> 'kind', 'OPENING') AS kind) k
    WHERE a.available + a.reserved <> 0;
  ELSE
    INSERT INTO inventory.stock_movement
      (
        merchant_id,
        stock_item_id,
        warehouse_id,
        product_id,
        kind,
        on_hand_delta,
        reserved_delta,
        on_hand,
        reserved,
        reason,
        reference_type,
        reference_id,
        principal
      )
    SELECT
      a.merchant_id,
      a.stock_item_id,
      a.warehouse_id,
      (SELECT i.product_id FROM inventory.stock_item i WHERE i.merchant_id = a.merchant_id AND i.id = a.stock_item_id),
      k.kind,
      d.on_hand,
      d.reserved,
      a.available + a.reserved,
      a.reserved,
      coalesce(v_cause ->> 'reason', inventory.reason_of_movement(k.kind)),
      v_cause ->> 'referenceType',
      (v_cause ->> 'referenceId')::uuid,
      v_principal
    FROM
      after a
      JOIN before b USING (merchant_id, stock_item_id, warehouse_id)
      CROSS JOIN LATERAL (
        SELECT a.available + a.reserved - b.available - b.reserved AS on_hand, a.reserved - b.reserved AS reserved
      ) d
      CROSS JOIN LATERAL (
        SELECT coalesce(v_cause ->> 'kind', inventory.kind_of_movement(d.on_hand, d.reserved)) AS kind
      ) k
    WHERE d.on_hand <> 0 OR d.reserved <> 0;
  END IF;
  PERFORM set_config('inventory.cause', '', TRUE);
  RETURN NULL;
END;
$$;

-- sql/inventory/functions/reserve.sql

CREATE FUNCTION inventory.reserve(p_merchant_id uuid, p_skus text[], p_quantities integer[], p_seconds integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation_id uuid := platform.uuid_v7();
  v_expires_at timestamptz := now() + make_interval(secs => p_seconds);
  v_stock_item_ids uuid[];
  v_quantities integer[];
  v_unknown jsonb;
  v_items jsonb;
  v_shortages jsonb;
BEGIN
  SELECT jsonb_agg(w.position - 1 ORDER BY w.position)
  INTO v_unknown
  FROM unnest(p_skus) WITH ORDINALITY AS w (sku, position)
  WHERE NOT EXISTS (SELECT FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = w.sku);
  IF v_unknown IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_sku', 'positions', v_unknown);
  END IF;

  SELECT
    array_agg(m.id ORDER BY m.position),
    array_agg(m.quantity ORDER BY m.position),
    jsonb_agg(jsonb_build_object('sku', m.sku, 'quantity', m.quantity, 'reserved', m.quantity) ORDER BY m.position)
  INTO v_stock_item_ids, v_quantities, v_items
  FROM
    (
      SELECT i.id, i.sku, sum(w.quantity)::integer AS quantity, min(w.position) AS position
      FROM
        unnest(p_skus, p_quantities) WITH ORDINALITY AS w (sku, quantity, position)
        JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.sku = w.sku
      GROUP BY i.id, i.sku
    ) m;

  v_shortages := inventory.hold(p_merchant_id, v_reservation_id, NULL, v_expires_at, v_stock_item_ids, v_quantities);
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;
  RETURN jsonb_build_object(
    'outcome',
    'reserved',
    'reservationId',
    v_reservation_id,
    'expiresAt',
    v_expires_at,
    'items',
    v_items
  );
END;
$$;

-- sql/inventory/functions/ship_transfer.sql

CREATE FUNCTION inventory.ship_transfer(p_merchant_id uuid, p_id uuid, p_from text[], p_to text, p_principal text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_transfer(p_merchant_id, p_id, p_from);
  v_transfer inventory.transfer := v_locked.transfer;
  v_shortages jsonb;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  PERFORM
    inventory.lock_levels(
      p_merchant_id,
      ARRAY(
        SELECT l.stock_item_id
        FROM inventory.transfer_line l
        WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id
      )
    );
  SELECT
    jsonb_agg(
      jsonb_build_object('sku', i.sku, 'available', coalesce(s.available, 0), 'requested', l.quantity)
      ORDER BY i.sku
    )
  INTO v_shortages
  FROM
    inventory.transfer_line l
    JOIN inventory.stock_item i ON i.merchant_id = l.merchant_id AND i.id = l.stock_item_id
    LEFT JOIN inventory.stock_level s
      ON s.merchant_id = l.merchant_id
      AND s.stock_item_id = l.stock_item_id
      AND s.warehouse_id = v_transfer.from_warehouse_id
  WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id AND coalesce(s.available, 0) < l.quantity;
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;

  PERFORM inventory.because('TRANSFER_OUT', 'Sent to another warehouse', 'TRANSFER', p_id, p_principal);
  UPDATE inventory.stock_level s
  SET available = s.available - l.quantity
  FROM inventory.transfer_line l
  WHERE
    l.merchant_id = p_merchant_id
    AND l.transfer_id = p_id
    AND s.merchant_id = l.merchant_id
    AND s.stock_item_id = l.stock_item_id
    AND s.warehouse_id = v_transfer.from_warehouse_id;
  INSERT INTO inventory.incoming_stock (merchant_id, stock_item_id, warehouse_id, transfer_id, quantity, expected_date)
  SELECT p_merchant_id, l.stock_item_id, v_transfer.to_warehouse_id, p_id, l.quantity, v_transfer.expected_date
  FROM inventory.transfer_line l
  WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id;
  UPDATE inventory.transfer t
  SET
    status = p_to,
    shipped_at = now()
  WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END;
$$;

-- sql/inventory/functions/subscribe_stock_alert.sql

CREATE FUNCTION inventory.subscribe_stock_alert(
  p_merchant_id uuid,
  p_sku text,
  p_email citext,
  p_customer_id uuid,
  p_most integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_stock_item_id uuid;
  v_alert inventory.stock_alert;
BEGIN
  SELECT i.id
  INTO v_stock_item_id
  FROM
    inventory.stock_item i
    JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku AND (p_customer_id IS NULL OR p.status = 'ACTIVE');
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_sku');
  END IF;
  IF inventory.is_available(p_merchant_id, v_stock_item_id) THEN
    RETURN jsonb_build_object('outcome', 'available');
  END IF;
  -- A shopper who could name any address would have the shop mail strangers.
  IF
    p_customer_id IS NOT NULL
    AND NOT EXISTS (
      SELECT
      FROM crm.customer c
      WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id AND c.email = p_email AND c.email_verified
    )
  THEN
    RETURN jsonb_build_object('outcome', 'not_own_email');
  END IF;
  IF
    (
      SELECT count(*)
      FROM
        (
          SELECT
          FROM inventory.stock_alert a
          WHERE
            a.merchant_id = p_merchant_id
            AND a.email = p_email
            AND a.status = 'PENDING'
            AND a.stock_item_id <> v_stock_item_id
          LIMIT p_most
        ) open_alerts
    ) >= p_most
  THEN
    RETURN jsonb_build_object('outcome', 'too_many');
  END IF;
  INSERT INTO inventory.stock_alert AS a (merchant_id, stock_item_id, email, customer_id)
  VALUES (p_merchant_id, v_stock_item_id, p_email, p_customer_id)
  ON CONFLICT (merchant_id, stock_item_id, email) WHERE status = 'PENDING' DO UPDATE
    SET customer_id = coalesce(a.customer_id, excluded.customer_id)
  RETURNING *
  INTO v_alert;
  RETURN jsonb_build_object(
    'outcome',
    'subscribed',
    'alertId',
    v_alert.id,
    'status',
    v_alert.status,
    'estimatedDate',
    (
      SELECT min(n.expected_date)
      FROM inventory.incoming_stock n
      WHERE n.merchant_id = p_merchant_id AND n.stock_item_id = v_stock_item_id AND n.awaited IS NOT NULL
    )
  );
END;
$$;

-- sql/inventory/functions/take_back.sql

CREATE FUNCTION inventory.take_back(
  p_merchant_id uuid,
  p_order_id uuid,
  p_sku text,
  p_warehouse_id uuid,
  p_quantity integer,
  p_reason text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  c_max CONSTANT integer := 999999;
  v_refusals jsonb := inventory.place_refusals(p_merchant_id, p_sku, p_warehouse_id);
  v_level inventory.stock_level;
BEGIN
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_level := inventory.lock_level(
    p_merchant_id,
    (SELECT i.id FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku),
    inventory.warehouse_or_first(p_merchant_id, p_warehouse_id)
  );
  IF v_level.available + p_quantity > c_max THEN
    RETURN jsonb_build_object('outcome', 'out_of_range');
  END IF;
  PERFORM inventory.because('RETURN', p_reason, 'ORDER', p_order_id, NULL);
  UPDATE inventory.stock_level l
  SET available = l.available + p_quantity
  WHERE
    l.merchant_id = p_merchant_id
    AND l.stock_item_id = v_level.stock_item_id
    AND l.warehouse_id = v_level.warehouse_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;

-- sql/merchant/functions/delete_rows.sql

CREATE FUNCTION merchant.delete_rows(p_merchant_id uuid, p_limit integer)
RETURNS jsonb
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  v_merchant merchant.merchant;
  v_table record;
  v_gone integer;
  v_rows integer := 0;
BEGIN
  SELECT * INTO v_merchant FROM merchant.merchant m WHERE m.id = p_merchant_id FOR UPDATE;
  IF NOT merchant.deletion_is_due(p_merchant_id) THEN
    RETURN jsonb_build_object('outcome', 'not_due');
  END IF;
  -- A rule that is checked at the end of a transaction is to refuse its own statement, not all of them.
  EXECUTE 'SET CONSTRAINTS ALL IMMEDIATE';
  FOR v_table IN SELECT
    c.oid::regclass AS name,
    -- Rows that refer to rows of the same table go in one statement.
    CASE
      WHEN EXISTS (
        SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.confrelid = c.oid AND k.contype = 'f'
      ) THEN NULL
      ELSE p_limit
    END AS rows
  FROM
    pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'merchant_id' AND NOT a.attisdropped
  WHERE
    c.relkind = 'r'
    AND c.oid <> 'merchant.merchant'::regclass
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  -- Tables that no other refers to first: the others are free then.
  ORDER BY
    (SELECT count(*) FROM pg_constraint k WHERE k.confrelid = c.oid AND k.contype = 'f' AND k.confdeltype = 'a'),
    c.oid LOOP
    EXIT WHEN v_rows >= p_limit;
    BEGIN
      EXECUTE
        format(
          'WITH gone AS (
           DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT t.ctid FROM %1$s t WHERE t.merchant_id = $1 LIMIT $2))
           RETURNING 1
         )
         SELECT count(*) FROM gone',
          v_table.name
        )
      INTO v_gone
      USING p_merchant_id, v_table.rows;
      v_rows := v_rows + v_gone;
    EXCEPTION WHEN foreign_key_violation OR restrict_violation OR check_violation OR raise_exception THEN
      NULL;
    END;
  END LOOP;
  IF v_rows > 0 THEN
    RETURN jsonb_build_object('outcome', 'more', 'rows', v_rows);
  END IF;
  -- The next round of the job finds the merchant again, without its twin.
  IF EXISTS (SELECT FROM merchant.merchant m WHERE m.twin_of = p_merchant_id) THEN
    RETURN jsonb_build_object('outcome', 'more', 'rows', 0);
  END IF;
  IF v_merchant.id IS NOT NULL THEN
    INSERT INTO operator.deleted_merchant (id, name, created_at, closed_at)
    VALUES (v_merchant.id, v_merchant.name, v_merchant.created_at, v_merchant.status_since);
    DELETE FROM merchant.merchant m WHERE m.id = p_merchant_id;
  END IF;
  RETURN jsonb_build_object('outcome', 'deleted');
END;
$$;

REVOKE EXECUTE ON FUNCTION merchant.delete_rows(uuid, integer) FROM PUBLIC;

-- sql/merchant/functions/open_merchant.sql

CREATE FUNCTION merchant.open_merchant(
  p_name text,
  p_email text,
  p_country text,
  p_currency text,
  p_timezone text,
  p_language text,
  p_keys jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant_id uuid := platform.uuid_v7();
  v_owner_id uuid := platform.uuid_v7();
BEGIN
  IF p_language IS NOT NULL AND NOT EXISTS (SELECT FROM platform.language l WHERE l.code = p_language) THEN
    RETURN jsonb_build_object('outcome', 'unknown_language');
  END IF;
  INSERT INTO merchant.merchant (id, name, email, country) VALUES (v_merchant_id, p_name, p_email, p_country);
  UPDATE merchant.settings s
  SET
    currency = p_currency,
    timezone = coalesce(p_timezone, s.timezone),
    language = coalesce(p_language, s.language)
  WHERE s.merchant_id = v_merchant_id;
  WITH
    new_key AS MATERIALIZED (
      SELECT platform.uuid_v7() AS id, k.mode, k.name, k.prefix, decode(k.hash, 'hex') AS hash
      FROM jsonb_to_recordset(p_keys) AS k (mode text, name text, prefix text, hash text)
    ),
    added AS (
      INSERT INTO merchant.api_key (merchant_id, id, name, mode, prefix, permissions)
      SELECT
        v_merchant_id,
        k.id,
        k.name,
        k.mode,
        k.prefix,
        (SELECT array_agg(p.name ORDER BY p.name) FROM merchant.permission p)
      FROM new_key k
    )
  INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash)
  SELECT v_merchant_id, k.id, k.hash
  FROM new_key k;
  INSERT INTO identity.user (merchant_id, id, email, name) VALUES (v_merchant_id, v_owner_id, p_email, p_email);
  INSERT INTO identity.user_role (merchant_id, user_id, role_id)
  SELECT v_merchant_id, v_owner_id, r.id
  FROM identity.role r
  WHERE r.merchant_id = v_merchant_id AND r.kind = 'OWNER';
  RETURN jsonb_build_object('outcome', 'opened', 'merchantId', v_merchant_id, 'ownerId', v_owner_id);
END;
$$;

-- sql/merchant/functions/record_sender_check.sql

CREATE FUNCTION merchant.record_sender_check(
  p_merchant_id uuid,
  p_token text,
  p_records jsonb,
  p_answered boolean,
  p_problem text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_before merchant.sender;
  v_after text;
BEGIN
  SELECT *
  INTO v_before
  FROM merchant.sender s
  WHERE s.merchant_id = p_merchant_id AND s.token = p_token
  FOR NO KEY UPDATE;
  IF v_before.merchant_id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  v_after := CASE
    WHEN p_problem IS NULL THEN 'CONFIRMED'
    WHEN v_before.status <> 'CONFIRMED' THEN v_before.status
    WHEN p_answered
    OR v_before.confirmed_at < now() - INTERVAL '3 days' THEN 'LOST'
    ELSE 'CONFIRMED'
  END;
  PERFORM merchant.set_sender_records(p_merchant_id, p_token, p_records);
  UPDATE merchant.sender s
  SET
    status = v_after,
    problem = CASE
      WHEN v_after <> 'CONFIRMED' THEN p_problem
    END,
    confirmed_at = CASE
      WHEN p_problem IS NULL THEN now()
      ELSE s.confirmed_at
    END,
    checked_at = now(),
    next_check_at = merchant.next_sender_check(v_after, s.created_at)
  WHERE s.merchant_id = p_merchant_id;
  IF v_after = 'CONFIRMED' THEN
    RETURN jsonb_build_object('outcome', 'confirmed');
  END IF;
  IF v_before.status <> 'CONFIRMED' THEN
    RETURN jsonb_build_object('outcome', 'pending');
  END IF;
  RETURN jsonb_build_object(
    'outcome',
    'lost',
    'lostAt',
    to_json(now()) #>> '{}',
    'message',
    notification.merchant_message(
      p_merchant_id,
      jsonb_build_object(
        'sender',
        jsonb_build_object('address', v_before.address, 'domain', v_before.domain, 'problem', p_problem)
      )
    )
  );
END;
$$;

-- sql/merchant/functions/rotate_api_key.sql

CREATE FUNCTION merchant.rotate_api_key(
  p_merchant_id uuid,
  p_own text[],
  p_id uuid,
  p_prefix text,
  p_hash bytea,
  p_publishable_key text,
  p_overlap interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_key merchant.api_key;
  v_beyond text;
  v_new_id uuid := platform.uuid_v7();
BEGIN
  SELECT * INTO v_key FROM merchant.api_key k WHERE k.merchant_id = p_merchant_id AND k.id = p_id FOR UPDATE;
  IF v_key.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_key.revoked_at IS NOT NULL OR v_key.expires_at <= now() THEN
    RETURN jsonb_build_object('outcome', 'ended');
  END IF;
  v_beyond := (SELECT min(x) FROM unnest(v_key.permissions) x WHERE x <> ALL (p_own));
  IF v_beyond IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'beyond_own', 'permission', v_beyond);
  END IF;
  INSERT INTO merchant.api_key
    (merchant_id, id, name, kind, mode, prefix, publishable_key, origins, max_age, permissions, expires_at)
  VALUES
    (
      p_merchant_id,
      v_new_id,
      v_key.name,
      v_key.kind,
      v_key.mode,
      p_prefix,
      p_publishable_key,
      v_key.origins,
      v_key.max_age,
      v_key.permissions,
      v_key.expires_at
    );
  INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) VALUES (p_merchant_id, v_new_id, p_hash);
  UPDATE merchant.api_key k
  SET expires_at = least(k.expires_at, now() + p_overlap)
  WHERE k.merchant_id = p_merchant_id AND k.id = p_id;
  RETURN jsonb_build_object('outcome', 'rotated', 'apiKeyId', v_new_id);
END;
$$;

-- sql/merchant/functions/set_sender.sql

CREATE FUNCTION merchant.set_sender(p_merchant_id uuid, p_address citext, p_domain text, p_token text, p_records jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE merchant.sender s SET address = p_address WHERE s.merchant_id = p_merchant_id AND s.domain = p_domain;
  IF FOUND THEN
    RETURN;
  END IF;
  DELETE FROM merchant.sender s WHERE s.merchant_id = p_merchant_id;
  INSERT INTO merchant.sender (merchant_id, address, domain, token)
  VALUES (p_merchant_id, p_address, p_domain, p_token);
  PERFORM merchant.set_sender_records(p_merchant_id, p_token, p_records);
END;
$$;

-- sql/merchant/functions/test_twin.sql

CREATE FUNCTION merchant.test_twin(p_merchant_id uuid)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_twin_id uuid := platform.uuid_v7();
BEGIN
  -- A concurrent change of the status or the plan ends first, and is copied here; or it waits, and changes the twin.
  PERFORM FROM merchant.merchant m WHERE m.id = p_merchant_id FOR SHARE;
  PERFORM FROM merchant.subscription s WHERE s.merchant_id = p_merchant_id FOR SHARE;
  INSERT INTO merchant.merchant
    (id, twin_of, name, email, phone, website, country, status, status_since, status_reason, deletes_at)
  SELECT
    v_twin_id,
    m.id,
    m.name,
    m.email,
    m.phone,
    m.website,
    m.country,
    m.status,
    m.status_since,
    m.status_reason,
    m.deletes_at
  FROM merchant.merchant m
  WHERE m.id = p_merchant_id
  ON CONFLICT (twin_of) DO NOTHING;
  IF NOT FOUND THEN
    RETURN (SELECT m.id FROM merchant.merchant m WHERE m.twin_of = p_merchant_id);
  END IF;
  UPDATE merchant.settings t
  SET
    currency = s.currency,
    timezone = s.timezone,
    language = s.language,
    tax_rate = s.tax_rate
  FROM merchant.settings s
  WHERE t.merchant_id = v_twin_id AND s.merchant_id = p_merchant_id;
  PERFORM merchant.copy_plan_to_twin(p_merchant_id);
  RETURN v_twin_id;
END;
$$;

-- sql/notification/functions/announce.sql

CREATE FUNCTION notification.announce(
  p_merchant_id uuid,
  p_kind text,
  p_subject_key text,
  p_customer_id uuid,
  p_recipient citext,
  p_recipient_name text,
  p_title text,
  p_body text,
  p_data jsonb,
  p_facts jsonb
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_audience text := (SELECT min(k.audience) FROM notification.kind_channel k WHERE k.kind = p_kind);
  v_is_guest boolean := v_audience = 'CUSTOMER' AND p_customer_id IS NULL;
  v_wanted boolean := v_is_guest OR notification.wants(p_merchant_id, p_customer_id, p_kind, 'EMAIL');
BEGIN
  INSERT INTO email.delivery
    (merchant_id, kind, subject_key, recipient, recipient_name, customer_id, facts, status, reason)
  VALUES
    (
      p_merchant_id,
      p_kind,
      p_subject_key,
      p_recipient,
      p_recipient_name,
      p_customer_id,
      p_facts,
      CASE
        WHEN v_wanted THEN 'QUEUED'
        ELSE 'SUPPRESSED'
      END,
      CASE
        WHEN NOT v_wanted THEN 'Switched off in the preferences'
      END
    )
  ON CONFLICT ON CONSTRAINT delivery_once DO NOTHING;
  IF v_is_guest THEN
    RETURN;
  END IF;
  IF notification.wants(p_merchant_id, p_customer_id, p_kind, 'IN_APP') THEN
    INSERT INTO notification.notification (merchant_id, customer_id, kind, subject_key, title, body, data)
    VALUES (p_merchant_id, p_customer_id, p_kind, p_subject_key, p_title, p_body, p_data)
    ON CONFLICT ON CONSTRAINT notification_once DO NOTHING;
  END IF;
  IF notification.wants(p_merchant_id, p_customer_id, p_kind, 'PUSH') THEN
    INSERT INTO notification.push_delivery (merchant_id, device_id, customer_id, kind, subject_key, title, body, data)
    SELECT d.merchant_id, d.id, p_customer_id, p_kind, p_subject_key, p_title, p_body, p_data
    FROM notification.device d
    WHERE d.merchant_id = p_merchant_id AND d.customer_id IS NOT DISTINCT FROM p_customer_id AND d.gone_at IS NULL
    ON CONFLICT ON CONSTRAINT push_delivery_once DO NOTHING;
  END IF;
END;
$$;

-- sql/notification/functions/claim_payment_reminders.sql

CREATE FUNCTION notification.payment_reminder_is_due(p_reservation inventory.reservation, p_order ordering.order)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    now() >= p_reservation.expires_at - (p_reservation.expires_at - p_order.created_at) / 4
    AND p_order.status = 'PENDING'
    AND p_order.reminded_of IS DISTINCT FROM p_reservation.expires_at
    AND NOT ordering.payment_is_under_way(p_order.merchant_id, p_order.id);
$$;

CREATE FUNCTION notification.merchants_with_payment_reminders(p_limit integer)
RETURNS TABLE (merchant_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT DISTINCT o.merchant_id
  FROM
    inventory.reservation r
    JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
  WHERE
    r.status = 'ACTIVE'
    AND r.expires_at > now()
    AND r.expires_at <= now() + INTERVAL '1 day'
    AND notification.payment_reminder_is_due(r, o)
  LIMIT p_limit;
$$;

CREATE FUNCTION notification.claim_payment_reminders(p_merchant_id uuid, p_limit integer)
RETURNS TABLE (subject_key text, message jsonb)
LANGUAGE sql
VOLATILE
AS $$
  WITH
    due AS (
      SELECT o.id, r.expires_at
      FROM
        inventory.reservation r
        JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
      WHERE
        r.merchant_id = p_merchant_id
        AND r.status = 'ACTIVE'
        AND r.expires_at > now()
        AND r.expires_at <= now() + INTERVAL '1 day'
        AND notification.payment_reminder_is_due(r, o)
      ORDER BY r.expires_at
      LIMIT p_limit
      FOR UPDATE OF o SKIP LOCKED
    ),
    claimed AS (
      UPDATE ordering.order o
      SET reminded_of = d.expires_at
      FROM due d
      WHERE o.merchant_id = p_merchant_id AND o.id = d.id
      RETURNING o.id, d.expires_at
    )
  SELECT
    c.id || ' ' || EXTRACT(EPOCH FROM c.expires_at),
    jsonb_insert(
      notification.order_message(p_merchant_id, c.id),
      '{facts,payment}',
      jsonb_build_object(
        'dueAt',
        c.expires_at,
        'method',
        (SELECT p.method FROM payment.open_payment(p_merchant_id, c.id) p WHERE p.awaited)
      )
    )
  FROM claimed c;
$$;

-- sql/notification/functions/claim_pushes.sql

CREATE FUNCTION notification.claim_pushes(p_limit integer, p_lease interval, p_max_attempts integer)
RETURNS TABLE (
  merchant_id uuid,
  id uuid,
  attempt integer,
  platform text,
  token text,
  kind text,
  title text,
  body text,
  data jsonb,
  trace_context text
)
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE notification.push_delivery d
  SET
    status = CASE
      WHEN d.attempts < p_max_attempts THEN 'QUEUED'
      ELSE 'FAILED'
    END,
    reason = 'The sender ended before it recorded an outcome',
    claimed_until = NULL
  WHERE
    (d.merchant_id, d.id) IN (
      SELECT x.merchant_id, x.id
      FROM notification.push_delivery x
      WHERE x.status = 'SENDING' AND x.claimed_until < now()
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    );
  RETURN QUERY WITH
      due AS MATERIALIZED (
        SELECT x.merchant_id, x.id
        FROM notification.push_delivery x
        WHERE x.status = 'QUEUED' AND x.next_attempt_at <= now() AND merchant.is_active(x.merchant_id)
        ORDER BY x.next_attempt_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      ),
      taken AS (
        UPDATE notification.push_delivery d
        SET
          status = 'SENDING',
          attempts = d.attempts + 1,
          claimed_until = now() + p_lease
        FROM
          due u,
          notification.device v
        WHERE d.merchant_id = u.merchant_id AND d.id = u.id AND v.merchant_id = d.merchant_id AND v.id = d.device_id
        RETURNING d.merchant_id, d.id, d.attempts, v.platform, v.token, d.kind, d.title, d.body, d.data, d.trace_context
      )
    SELECT t.merchant_id, t.id, t.attempts, t.platform, t.token, t.kind, t.title, t.body, t.data, t.trace_context
    FROM taken t;
END;
$$;

-- sql/operator/functions/dead_letters.sql

CREATE FUNCTION operator.dead_letters()
RETURNS TABLE (
  id uuid,
  kind text,
  queue text,
  name text,
  source_id text,
  merchant_id uuid,
  attempts integer,
  error text,
  created_at timestamptz,
  failed_at timestamptz
)
LANGUAGE plpgsql
STABLE
-- The parts have no rights in the tables of the queues and of Hasura, or in some.
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  v_most CONSTANT integer := 1000;
BEGIN
  RETURN QUERY SELECT
      operator.dead_letter_id('WEBHOOK_DELIVERY', 'webhooks', d.id::text),
      'WEBHOOK_DELIVERY',
      'webhooks',
      d.topic,
      d.id::text,
      d.merchant_id,
      d.attempts,
      left(coalesce(d.error, 'status ' || d.response_status), 1000),
      d.created_at,
      coalesce(a.started_at, d.next_attempt_at)
    FROM
      (
        SELECT *
        FROM events.delivery f
        WHERE f.status = 'FAILED' AND NOT f.is_test
        ORDER BY f.next_attempt_at DESC
        LIMIT v_most
      ) d
      LEFT JOIN LATERAL (
        SELECT x.started_at
        FROM events.attempt x
        WHERE x.merchant_id = d.merchant_id AND x.delivery_id = d.id
        ORDER BY x.number DESC
        LIMIT 1
      ) a
        ON TRUE;
  IF to_regclass('bullmq.job') IS NOT NULL THEN
    RETURN QUERY SELECT
        operator.dead_letter_id('JOB', j.queue, j.id),
        'JOB',
        j.queue,
        j.name,
        j.id,
        coalesce(j.data #>> '{new,merchant_id}', j.data #>> '{old,merchant_id}')::uuid,
        j.attempts_made,
        left(j.failed_reason, 1000),
        to_timestamp(j.added_at_ms / 1000.0),
        to_timestamp(coalesce(j.finished_at_ms, j.added_at_ms) / 1000.0)
      FROM bullmq.job j
      WHERE j.state = 'failed'
      ORDER BY j.finished_at_ms DESC
      LIMIT v_most;
  END IF;
  IF to_regclass('hdb_catalog.event_log') IS NOT NULL THEN
    RETURN QUERY SELECT
        operator.dead_letter_id('EVENT', 'hasura', e.id),
        'EVENT',
        'hasura',
        e.trigger_name,
        e.id,
        coalesce(e.payload #>> '{data,new,merchant_id}', e.payload #>> '{data,old,merchant_id}')::uuid,
        e.tries,
        left(i.response #>> '{data,message}', 1000),
        e.created_at AT TIME ZONE 'UTC',
        coalesce(i.created_at::timestamptz, e.created_at AT TIME ZONE 'UTC')
      FROM
        (
          SELECT *
          FROM hdb_catalog.event_log l
          WHERE l.error AND NOT l.archived
          ORDER BY l.created_at DESC
          LIMIT v_most
        ) e
        LEFT JOIN LATERAL (
          SELECT l.response, l.created_at
          FROM hdb_catalog.event_invocation_logs l
          WHERE l.event_id = e.id
          ORDER BY l.created_at DESC
          LIMIT 1
        ) i
          ON TRUE;
  END IF;
  IF to_regclass('hdb_catalog.hdb_cron_events') IS NOT NULL THEN
    RETURN QUERY SELECT
        operator.dead_letter_id('CRON_EVENT', 'hasura', e.id),
        'CRON_EVENT',
        'hasura',
        e.trigger_name,
        e.id,
        NULL::uuid,
        e.tries,
        left(coalesce(i.response #>> '{data,message}', e.status), 1000),
        e.created_at,
        coalesce(i.created_at::timestamptz, e.scheduled_time)
      FROM
        (
          SELECT *
          FROM hdb_catalog.hdb_cron_events c
          WHERE c.status IN ('error', 'dead')
          ORDER BY c.scheduled_time DESC
          LIMIT v_most
        ) e
        LEFT JOIN LATERAL (
          SELECT l.response, l.created_at
          FROM hdb_catalog.hdb_cron_event_invocation_logs l
          WHERE l.event_id = e.id
          ORDER BY l.created_at DESC
          LIMIT 1
        ) i
          ON TRUE;
    RETURN QUERY SELECT
        operator.dead_letter_id('ONE_OFF_EVENT', 'hasura', e.id),
        'ONE_OFF_EVENT',
        'hasura',
        coalesce(e.comment, 'a scheduled event'),
        e.id,
        NULL::uuid,
        e.tries,
        left(coalesce(i.response #>> '{data,message}', e.status), 1000),
        e.created_at,
        coalesce(i.created_at::timestamptz, e.scheduled_time)
      FROM
        (
          SELECT *
          FROM hdb_catalog.hdb_scheduled_events s
          WHERE s.status IN ('error', 'dead')
          ORDER BY s.scheduled_time DESC
          LIMIT v_most
        ) e
        LEFT JOIN LATERAL (
          SELECT l.response, l.created_at
          FROM hdb_catalog.hdb_scheduled_event_invocation_logs l
          WHERE l.event_id = e.id
          ORDER BY l.created_at DESC
          LIMIT 1
        ) i
          ON TRUE;
  END IF;
END;
$$;

REVOKE EXECUTE ON FUNCTION operator.dead_letters() FROM PUBLIC;

-- sql/operator/functions/request_sign_up.sql

CREATE FUNCTION operator.request_sign_up(
  p_email citext,
  p_account jsonb,
  p_network text,
  p_hash bytea,
  p_token text,
  p_lifetime interval
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  c_from_network CONSTANT integer := 20;
  c_in_all CONSTANT integer := 1000;
  v_recent timestamptz := now() - INTERVAL '1 hour';
BEGIN
  -- Requests at the same time are counted one after the other.
  PERFORM pg_advisory_xact_lock(hashtext('operator.sign_up'));
  IF
    (SELECT count(*) FROM operator.sign_up s WHERE s.network = p_network AND s.created_at > v_recent) >= c_from_network
    OR (SELECT count(*) FROM operator.sign_up s WHERE s.created_at > v_recent) >= c_in_all
  THEN
    RETURN jsonb_build_object('outcome', 'too_many', 'retryAfter', 3600);
  END IF;
  INSERT INTO operator.sign_up (email, account, network, hash, undelivered, expires_at)
  SELECT
    p_email,
    p_account,
    p_network,
    p_hash,
    CASE
      WHEN NOT m.mailed_now
      AND m.mailed_today < 5 THEN p_token
    END,
    now() + p_lifetime
  FROM
    (
      SELECT
        coalesce(bool_or(s.created_at > now() - INTERVAL '10 minutes'), FALSE) AS mailed_now,
        count(*) AS mailed_today
      FROM operator.sign_up s
      WHERE
        s.email = p_email
        AND s.created_at > now() - INTERVAL '1 day'
        AND (s.attempts > 0 OR s.undelivered IS NOT NULL)
    ) m;
  RETURN jsonb_build_object('outcome', 'requested');
END;
$$;

-- sql/operator/views.sql

CREATE VIEW operator.dead_letter AS
  SELECT * FROM operator.dead_letters();

-- sql/operator/functions/settle_dead_letter.sql

CREATE FUNCTION operator.settle_dead_letter(p_letter operator.dead_letter, p_retry boolean)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_id CONSTANT text := p_letter.source_id;
BEGIN
  CASE p_letter.kind
    WHEN 'JOB' THEN
      IF p_retry THEN
        RETURN bullmq.reprocess_job(p_letter.queue, v_id, 'failed', FALSE, TRUE, TRUE) = 1;
      END IF;
      PERFORM FROM bullmq.job j WHERE j.queue = p_letter.queue AND j.id = v_id AND j.state = 'failed' FOR UPDATE;
      RETURN FOUND AND bullmq.remove(p_letter.queue, v_id, TRUE) = 1;
    WHEN 'EVENT' THEN
      UPDATE hdb_catalog.event_log e
      SET
        error = FALSE,
        delivered = FALSE,
        tries = 0,
        next_retry_at = NULL,
        archived = NOT p_retry
      WHERE e.id = v_id AND e.error AND NOT e.archived;
    WHEN 'CRON_EVENT' THEN
      IF p_retry THEN
        -- Due now: one that is overdue for too long is given up without an attempt.
        UPDATE hdb_catalog.hdb_cron_events e
        SET
          status = 'scheduled',
          tries = 0,
          next_retry_at = NULL,
          scheduled_time = clock_timestamp()
        WHERE e.id = v_id AND e.status IN ('error', 'dead');
      ELSE
        DELETE FROM hdb_catalog.hdb_cron_events e WHERE e.id = v_id AND e.status IN ('error', 'dead');
      END IF;
    WHEN 'ONE_OFF_EVENT' THEN
      IF p_retry THEN
        UPDATE hdb_catalog.hdb_scheduled_events e
        SET
          status = 'scheduled',
          tries = 0,
          next_retry_at = NULL,
          scheduled_time = clock_timestamp()
        WHERE e.id = v_id AND e.status IN ('error', 'dead');
      ELSE
        DELETE FROM hdb_catalog.hdb_scheduled_events e WHERE e.id = v_id AND e.status IN ('error', 'dead');
      END IF;
    WHEN 'WEBHOOK_DELIVERY' THEN
      IF p_retry THEN
        UPDATE events.delivery d
        SET
          status = 'PENDING',
          tries = 0,
          claimed_until = NULL,
          next_attempt_at = now()
        WHERE d.merchant_id = p_letter.merchant_id AND d.id = v_id::uuid AND d.status = 'FAILED';
      ELSE
        DELETE FROM events.delivery d
        WHERE d.merchant_id = p_letter.merchant_id AND d.id = v_id::uuid AND d.status = 'FAILED';
      END IF;
  END CASE;
  RETURN FOUND;
END;
$$;

-- sql/operator/functions/settle_dead_letters.sql

CREATE FUNCTION operator.settle_dead_letters(p_ids uuid[], p_retry boolean)
RETURNS jsonb
LANGUAGE plpgsql
-- The parts have no rights in the tables of the queues and of Hasura, or in some.
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  v_letters operator.dead_letter[];
  v_letter operator.dead_letter;
  v_unknown integer;
  v_count integer := 0;
BEGIN
  SELECT coalesce(array_agg(d), '{}') INTO v_letters FROM operator.dead_letter d WHERE d.id = ANY (p_ids);
  SELECT n.number - 1
  INTO v_unknown
  FROM unnest(p_ids) WITH ORDINALITY AS n (id, number)
  WHERE NOT EXISTS (SELECT FROM unnest(v_letters) l WHERE l.id = n.id)
  ORDER BY n.number
  LIMIT 1;
  IF FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown', 'index', v_unknown);
  END IF;
  FOREACH v_letter IN ARRAY v_letters LOOP
    IF operator.settle_dead_letter(v_letter, p_retry) THEN
      v_count := v_count + 1;
    END IF;
  END LOOP;
  RETURN jsonb_build_object('outcome', 'settled', 'count', v_count);
END;
$$;

REVOKE EXECUTE ON FUNCTION operator.settle_dead_letters(uuid[], boolean) FROM PUBLIC;

-- sql/ordering/functions/advance_shipment.sql

CREATE FUNCTION ordering.advance_shipment(
  p_merchant_id uuid,
  p_shipment_id uuid,
  p_event text,
  p_move jsonb,
  p_shipment jsonb,
  p_moves jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_shipment ordering.shipment;
BEGIN
  PERFORM
  FROM ordering.order o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = (SELECT s.order_id FROM ordering.shipment s WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id)
  FOR UPDATE;
  SELECT *
  INTO v_shipment
  FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_shipment');
  END IF;
  IF NOT p_move -> 'from' ? v_shipment.status THEN
    RETURN jsonb_build_object(
      'outcome',
      'shipment_refused',
      'orderId',
      v_shipment.order_id,
      'status',
      v_shipment.status
    );
  END IF;
  UPDATE ordering.shipment s
  SET
    carrier = coalesce(p_shipment ->> 'carrier', s.carrier),
    tracking_number = coalesce(p_shipment ->> 'trackingNumber', s.tracking_number),
    estimated_delivery_at = coalesce((p_shipment ->> 'estimatedDeliveryAt')::timestamptz, s.estimated_delivery_at)
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id AND jsonb_strip_nulls(p_shipment) <> '{}';
  CASE p_event
    WHEN 'ship' THEN
      PERFORM ordering.send(p_merchant_id, v_shipment.order_id, p_shipment_id, p_move ->> 'to');
    WHEN 'cancel' THEN
      PERFORM ordering.unpack(p_merchant_id, ARRAY[p_shipment_id]);
    WHEN 'deliver' THEN
      UPDATE ordering.shipment s
      SET
        status = p_move ->> 'to',
        delivered_at = now()
      WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id;
    WHEN 'update' THEN
      NULL;
  END CASE;
  PERFORM ordering.follow_shipments(p_merchant_id, v_shipment.order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', v_shipment.order_id, 'shipmentId', p_shipment_id);
END;
$$;

-- sql/ordering/functions/cancel_order.sql

CREATE FUNCTION ordering.cancel_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_customer_id uuid,
  p_reason text,
  p_from text[],
  p_to text,
  p_payment_from text[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_open payment.payment;
  v_held bigint;
  v_refund_ids uuid[] := '{}';
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF NOT v_order.status = ANY (p_from) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF
    EXISTS (
      SELECT
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.fulfilled_quantity > 0
    )
  THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status, 'reason', 'partly_shipped');
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open.id, 'status', v_open.status);
  END IF;
  v_held := ordering.refundable(p_merchant_id, p_order_id, p_payment_from);
  IF v_held > 0 THEN
    v_refund_ids := ordering.insert_refunds(
      p_merchant_id,
      p_order_id,
      ARRAY(
        SELECT x
        FROM
          ordering.refund_parts(
            p_merchant_id,
            p_order_id,
            (
              SELECT
                jsonb_agg(
                  jsonb_build_object('id', i.id, 'quantity', i.quantity - i.refunded_quantity)
                  ORDER BY i.position, i.id
                )
              FROM ordering.order_item i
              WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.quantity > i.refunded_quantity
            ),
            FALSE
          ) x
        -- A part that was paid is for no lines in particular.
        WHERE v_order.paid_at IS NOT NULL
      ),
      ordering.unrefunded_shipping(v_order),
      v_held,
      p_reason
    );
  END IF;
  UPDATE ordering.order o
  SET
    status = p_to,
    cancel_reason = p_reason,
    cancelled_at = now()
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
  IF v_order.paid_at IS NOT NULL THEN
    PERFORM ordering.give_up_unsent(p_merchant_id, p_order_id);
  ELSE
    PERFORM inventory.release_reservation_of_order(p_merchant_id, p_order_id, 'RELEASED');
  END IF;
  UPDATE ordering.fulfillment f
  SET status = 'UNFULFILLED'
  WHERE f.merchant_id = p_merchant_id AND f.order_id = p_order_id;
  RETURN jsonb_build_object('outcome', 'cancelled', 'orderId', p_order_id, 'refundIds', to_jsonb(v_refund_ids));
END;
$$;

-- sql/ordering/functions/check_out_cart.sql

CREATE FUNCTION ordering.check_out_cart(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_owner_id uuid,
  p_customer_id uuid,
  p_shipping_address jsonb,
  p_billing_address jsonb,
  p_shipping_method_id uuid,
  p_reservation_id uuid,
  p_coupon_code text,
  p_expected_total bigint,
  p_notes text,
  p_pay jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_owner_id, NULL);
  v_cart cart.cart;
  v_customer_id uuid;
  v_address jsonb := p_shipping_address;
  v_refusals jsonb := '[]';
  v_lines jsonb;
  v_total bigint;
BEGIN
  IF v_outcome ->> 'outcome' = 'checked_out' THEN
    RETURN (
      SELECT jsonb_build_object('outcome', 'placed', 'orderId', o.id)
      FROM ordering.order o
      WHERE o.merchant_id = p_merchant_id AND o.cart_id = p_cart_id
    );
  END IF;
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_cart FROM cart.cart c WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  v_customer_id := coalesce(v_cart.customer_id, p_customer_id);
  IF v_address IS NULL THEN
    SELECT
      jsonb_build_object(
        'line1',
        a.line1,
        'line2',
        a.line2,
        'city',
        a.city,
        'state',
        a.state,
        'postalCode',
        a.postal_code,
        'country',
        a.country,
        'phone',
        a.phone,
        'recipientName',
        a.recipient_name,
        'company',
        a.company
      )
    INTO v_address
    FROM cart.cart_address a
    WHERE a.merchant_id = p_merchant_id AND a.cart_id = p_cart_id;
  END IF;
  IF v_customer_id IS NULL OR v_customer_id <> coalesce(p_customer_id, v_customer_id) THEN
    v_refusals := v_refusals || jsonb_build_object(
      'field',
      'customerId',
      'reason',
      CASE
        WHEN v_customer_id IS NULL THEN 'customer_required'
        ELSE 'not_the_carts_customer'
      END
    );
    IF v_address IS NULL THEN
      v_refusals := v_refusals || jsonb_build_object('field', 'shippingAddress', 'reason', 'address_required');
    END IF;
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  SELECT
    jsonb_agg(cart.line(i) ORDER BY i.created_at, i.id)
  INTO v_lines
  FROM cart.cart_item i
  WHERE i.merchant_id = p_merchant_id AND i.cart_id = p_cart_id;
  IF v_lines IS NULL THEN
    RETURN jsonb_build_object('outcome', 'empty');
  END IF;
  BEGIN
    -- What the merchant keeps with the lines was checked when it was written. A younger definition stops no checkout.
    PERFORM set_config('metadata.checked', 'on', TRUE);
    v_outcome := ordering.place_order(
      p_merchant_id,
      v_customer_id,
      v_lines,
      v_cart.currency,
      v_address,
      p_billing_address,
      coalesce(p_shipping_method_id, v_cart.shipping_method_id),
      p_reservation_id,
      coalesce(
        p_coupon_code,
        CASE
          WHEN v_cart.promotion_id IS NOT NULL THEN v_cart.coupon_code
        END
      ),
      p_notes,
      p_cart_id,
      NULL,
      p_owner_id IS NOT NULL,
      p_pay
    );
    PERFORM set_config('metadata.checked', '', TRUE);
    SELECT o.total
    INTO v_total
    FROM ordering.order o
    WHERE o.merchant_id = p_merchant_id AND o.id = (v_outcome ->> 'orderId')::uuid;
    IF v_total <> p_expected_total THEN
      RAISE EXCEPTION USING ERRCODE = 'CG001';
    END IF;
  EXCEPTION WHEN SQLSTATE 'CG001' THEN
    -- Nothing of the order stays.
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'expectedTotal', 'reason', 'other_total', 'total', v_total))
    );
  END;
  IF v_outcome ->> 'outcome' = 'placed' THEN
    UPDATE cart.cart c SET checked_out_at = now() WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  END IF;
  RETURN v_outcome;
END;
$$;

-- sql/ordering/functions/complete_draft.sql

CREATE FUNCTION ordering.complete_draft(p_merchant_id uuid, p_draft_id uuid, p_pay jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_draft ordering.draft_order;
  v_lines jsonb;
  v_refusals jsonb;
  v_outcome jsonb;
BEGIN
  SELECT *
  INTO v_draft
  FROM ordering.draft_order d
  WHERE d.merchant_id = p_merchant_id AND d.id = p_draft_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_draft');
  END IF;
  IF v_draft.order_id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'placed', 'orderId', v_draft.order_id);
  END IF;
  IF v_draft.expires_at <= now() THEN
    RETURN jsonb_build_object('outcome', 'draft_refused', 'status', 'EXPIRED');
  END IF;
  v_lines := ordering.draft_lines(p_merchant_id, p_draft_id);
  SELECT jsonb_agg(jsonb_build_object('field', x.field, 'reason', 'missing'))
  INTO v_refusals
  FROM
    (
      VALUES
        ('customerId', v_draft.customer_id IS NULL),
        ('shippingAddress', v_draft.line1 IS NULL),
        ('items', v_lines = '[]')
    ) AS x (field, missing)
  WHERE x.missing;
  IF v_refusals IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_outcome := ordering.place_order(
    p_merchant_id,
    v_draft.customer_id,
    v_lines,
    NULL,
    jsonb_build_object(
      'line1',
      v_draft.line1,
      'line2',
      v_draft.line2,
      'city',
      v_draft.city,
      'state',
      v_draft.state,
      'postalCode',
      v_draft.postal_code,
      'country',
      v_draft.country,
      'phone',
      v_draft.phone,
      'recipientName',
      v_draft.recipient_name,
      'company',
      v_draft.company
    ),
    NULL,
    v_draft.shipping_method_id,
    NULL,
    v_draft.coupon_code::text,
    v_draft.notes,
    NULL,
    NULL,
    FALSE,
    p_pay
  );
  IF v_outcome ->> 'outcome' = 'placed' THEN
    UPDATE ordering.draft_order d
    SET order_id = (v_outcome ->> 'orderId')::uuid
    WHERE d.merchant_id = p_merchant_id AND d.id = p_draft_id;
    UPDATE ordering.order o
    SET tags = v_draft.tags
    WHERE o.merchant_id = p_merchant_id AND o.id = (v_outcome ->> 'orderId')::uuid AND v_draft.tags <> '{}';
  END IF;
  RETURN v_outcome;
END;
$$;

-- sql/ordering/functions/follow_shipments.sql

CREATE FUNCTION ordering.follow_shipments(p_merchant_id uuid, p_order_id uuid, p_moves jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_due bigint;
  v_packed bigint;
  v_left bigint;
  v_returned bigint;
  v_delivered bigint;
  v_latest ordering.shipment;
BEGIN
  SELECT
    sum(i.quantity - i.cancelled_quantity),
    sum(i.packed_quantity),
    sum(i.fulfilled_quantity),
    sum(i.returned_quantity)
  INTO v_due, v_packed, v_left, v_returned
  FROM ordering.order_item i
  WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id;
  SELECT coalesce(sum(l.quantity), 0)
  INTO v_delivered
  FROM
    ordering.shipment s
    JOIN ordering.shipment_line l ON l.merchant_id = s.merchant_id AND l.shipment_id = s.id
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND s.status = 'DELIVERED';
  SELECT *
  INTO v_latest
  FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND s.status <> 'CANCELLED'
  ORDER BY s.shipped_at DESC NULLS LAST, s.created_at DESC, s.id DESC
  LIMIT 1;
  UPDATE ordering.fulfillment f
  SET
    status = CASE
      WHEN v_left > 0
      AND v_left = v_due
      AND v_returned = v_left THEN 'RETURNED'
      WHEN v_packed = 0 THEN 'UNFULFILLED'
      WHEN v_packed < v_due THEN 'PARTIAL'
      WHEN v_left < v_due THEN 'FULFILLED'
      WHEN v_delivered < v_due THEN 'SHIPPED'
      ELSE 'DELIVERED'
    END,
    carrier = v_latest.carrier,
    tracking_number = v_latest.tracking_number,
    shipped_at = v_latest.shipped_at,
    estimated_delivery_at = v_latest.estimated_delivery_at,
    delivered_at = CASE
      WHEN v_packed > 0
      AND v_delivered = v_due THEN coalesce(f.delivered_at, now())
    END
  WHERE f.merchant_id = p_merchant_id AND f.order_id = p_order_id;
  IF v_packed > 0 THEN
    PERFORM ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'fulfill');
  END IF;
  IF v_left > 0 AND v_left = v_due THEN
    PERFORM ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'ship');
  END IF;
  IF v_delivered > 0 AND v_delivered = v_due THEN
    PERFORM ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'deliver');
  END IF;
END;
$$;

-- sql/ordering/functions/fulfill_order.sql

CREATE FUNCTION ordering.fulfill_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_lines jsonb,
  p_shipment jsonb,
  p_ship jsonb,
  p_moves jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_awaited boolean;
  v_shipment_id uuid := platform.uuid_v7();
  v_refusals jsonb;
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  v_awaited := v_order.status = 'PENDING' AND (payment.open_payment(p_merchant_id, p_order_id)).awaited IS TRUE;
  IF NOT (p_moves #> '{fulfill,from}' ? v_order.status OR v_awaited) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  SELECT coalesce(jsonb_agg(r ORDER BY r.field), '[]')
  INTO v_refusals
  FROM
    (
      SELECT
        CASE
          WHEN i.id IS NULL THEN format('items.%s.orderItemId', w.position - 1)
          ELSE format('items.%s.quantity', w.position - 1)
        END AS field,
        CASE
          WHEN i.id IS NULL THEN 'unknown_item'
          ELSE 'more_than_left'
        END AS reason,
        i.quantity - i.packed_quantity - i.cancelled_quantity AS left
      FROM
        ROWS FROM (jsonb_to_recordset(coalesce(p_lines, '[]')) AS (id uuid, quantity integer)) WITH ORDINALITY AS w (
          id,
          quantity,
          position
        )
        LEFT JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
      WHERE i.id IS NULL OR w.quantity > i.quantity - i.packed_quantity - i.cancelled_quantity
      UNION ALL
      SELECT 'items', 'nothing_left', 0
      WHERE
        p_lines IS NULL
        AND NOT EXISTS (
          SELECT
          FROM ordering.order_item i
          WHERE
            i.merchant_id = p_merchant_id
            AND i.order_id = p_order_id
            AND i.quantity > i.packed_quantity + i.cancelled_quantity
        )
    ) r;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  IF v_awaited THEN
    PERFORM inventory.commit_reservation(p_merchant_id, p_order_id);
  END IF;
  INSERT INTO ordering.shipment (merchant_id, id, order_id, carrier, tracking_number, estimated_delivery_at)
  VALUES
    (
      p_merchant_id,
      v_shipment_id,
      p_order_id,
      p_shipment ->> 'carrier',
      p_shipment ->> 'trackingNumber',
      (p_shipment ->> 'estimatedDeliveryAt')::timestamptz
    );
  INSERT INTO ordering.shipment_line (merchant_id, shipment_id, order_item_id, quantity)
  SELECT p_merchant_id, v_shipment_id, w.id, w.quantity
  FROM jsonb_to_recordset(p_lines) AS w (id uuid, quantity integer)
  WHERE p_lines IS NOT NULL
  UNION ALL
  SELECT p_merchant_id, v_shipment_id, i.id, i.quantity - i.packed_quantity - i.cancelled_quantity
  FROM ordering.order_item i
  WHERE
    p_lines IS NULL
    AND i.merchant_id = p_merchant_id
    AND i.order_id = p_order_id
    AND i.quantity > i.packed_quantity + i.cancelled_quantity;
  UPDATE ordering.order_item i
  SET packed_quantity = i.packed_quantity + l.quantity
  FROM ordering.shipment_line l
  WHERE
    l.merchant_id = p_merchant_id
    AND l.shipment_id = v_shipment_id
    AND i.merchant_id = l.merchant_id
    AND i.id = l.order_item_id;
  IF p_ship IS NOT NULL THEN
    PERFORM ordering.send(p_merchant_id, p_order_id, v_shipment_id, p_ship ->> 'to');
  END IF;
  PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', p_order_id, 'shipmentId', v_shipment_id);
END;
$$;

-- sql/ordering/functions/import_orders.sql

CREATE FUNCTION ordering.import_orders(p_merchant_id uuid, p_batch jsonb, p_check_only boolean)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_new uuid[];
  v_outcomes jsonb;
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id, p_check_only);
  IF p_check_only THEN
    PERFORM set_config('search.follows_later', 'on', TRUE);
  END IF;
  SELECT
    jsonb_agg(
      jsonb_build_object(
        'id',
        o.id,
        'reason',
        CASE
          WHEN r.record_id IS NULL
          AND n.id IS NOT NULL THEN 'number_taken'
          WHEN r.record_id IS NULL
          AND e.id IS NOT NULL THEN 'external_id_taken'
          WHEN r.fingerprint <> o.fingerprint THEN 'imported_differently'
        END,
        'known',
        r.record_id IS NOT NULL
      )
    )
  INTO v_outcomes
  FROM
    jsonb_to_recordset(p_batch -> 'orders') AS o (
      id uuid,
      key text,
      external_id text,
      fingerprint text,
      order_number text
    )
    LEFT JOIN bulk.imported_record r
      ON r.merchant_id = p_merchant_id
      AND r.record_type = 'ORDER'
      AND r.external_id = o.key
      AND EXISTS (SELECT FROM ordering.order x WHERE x.merchant_id = p_merchant_id AND x.id = r.record_id)
    LEFT JOIN ordering.order n ON n.merchant_id = p_merchant_id AND n.order_number = o.order_number
    LEFT JOIN ordering.order e ON e.merchant_id = p_merchant_id AND e.external_id = o.external_id;
  v_new := ARRAY(
    SELECT x.id
    FROM jsonb_to_recordset(v_outcomes) AS x (id uuid, reason text, known boolean)
    WHERE x.reason IS NULL AND NOT x.known
  );
  PERFORM ordering.write_imported_orders(p_merchant_id, p_batch, v_new);
  PERFORM ordering.write_imported_events(p_merchant_id, p_batch, v_new);
  PERFORM ordering.note_imported_orders(p_merchant_id, p_batch, v_new);
  RETURN QUERY SELECT
      x.id,
      CASE
        WHEN x.reason IS NOT NULL THEN 'refused'
        WHEN x.known THEN 'unchanged'
        ELSE 'imported'
      END,
      NULL::text,
      x.reason
    FROM jsonb_to_recordset(v_outcomes) AS x (id uuid, reason text, known boolean);
END;
$$;

-- sql/ordering/functions/lapse_unpaid_orders.sql

CREATE FUNCTION ordering.lapse_unpaid_orders(p_merchant_id uuid, p_limit integer, p_from text[], p_to text)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_order_ids uuid[];
  v_reservation_ids uuid[];
BEGIN
  v_order_ids := ARRAY(
    SELECT o.id
    FROM
      inventory.reservation r
      JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
    WHERE
      r.merchant_id = p_merchant_id
      AND r.status = 'ACTIVE'
      AND r.expires_at <= now()
      AND o.status = ANY (p_from)
      AND NOT ordering.payment_is_under_way(o.merchant_id, o.id)
    ORDER BY r.expires_at
    LIMIT p_limit
    FOR UPDATE OF o SKIP LOCKED
  );
  -- Looked at once more now that the orders are locked: a payment may have begun or been settled meanwhile.
  v_order_ids := ARRAY(
    SELECT o.id
    FROM ordering.order o
    WHERE
      o.merchant_id = p_merchant_id
      AND o.id = ANY (v_order_ids)
      AND o.status = ANY (p_from)
      AND NOT ordering.payment_is_under_way(o.merchant_id, o.id)
      AND ordering.payment_window_is_over(o.merchant_id, o.id)
  );
  -- Their coupons' uses go back with the orders' status (promotion.count_usage); several promotions are locked in one
  -- order, and before reservations and levels, as placing an order does.
  PERFORM
  FROM promotion.promotion p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.id IN (
      SELECT o.promotion_id FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.id = ANY (v_order_ids)
    )
  ORDER BY p.id
  FOR NO KEY UPDATE;
  UPDATE payment.payment p
  SET status = 'CANCELLED'
  WHERE p.merchant_id = p_merchant_id AND p.order_id = ANY (v_order_ids) AND p.awaited AND p.status = 'PENDING';
  -- Parts that were paid go back; the reconciler asks the processors for that.
  PERFORM
    payment.insert_refund(
      p.merchant_id,
      p.id,
      p.captured_amount - p.refund_requested_amount,
      0,
      'The payment window has ended'
    )
  FROM payment.payment p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.order_id = ANY (v_order_ids)
    AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED')
    AND p.captured_amount > p.refund_requested_amount;
  v_reservation_ids := ARRAY(
    SELECT r.id
    FROM inventory.reservation r
    WHERE r.merchant_id = p_merchant_id AND r.order_id = ANY (v_order_ids) AND r.status = 'ACTIVE'
    FOR UPDATE
  );
  PERFORM inventory.give_back(p_merchant_id, v_reservation_ids, 'EXPIRED');
  UPDATE ordering.order o
  SET
    status = p_to,
    cancelled_at = now(),
    cancel_reason = 'The payment window has ended',
    lapsed = TRUE
  WHERE o.merchant_id = p_merchant_id AND o.id = ANY (v_order_ids);
  RETURN cardinality(v_order_ids);
END;
$$;

-- sql/ordering/functions/modified_lines.sql

CREATE FUNCTION ordering.modified_lines(
  p_merchant_id uuid,
  p_order_id uuid,
  p_added catalog.sellable_line[],
  p_update jsonb,
  p_remove uuid[]
)
RETURNS catalog.sellable_line[]
LANGUAGE sql
STABLE
AS $$
  WITH
    kept AS (
      SELECT
        i.position,
        i.product_id,
        i.variant_id,
        i.sku,
        i.price,
        i.product_name,
        i.product_image,
        i.properties,
        i.line_key,
        coalesce(
          (SELECT (u ->> 'quantity')::bigint FROM jsonb_array_elements(p_update) u WHERE (u ->> 'id')::uuid = i.id),
          i.quantity
        ) AS quantity
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND NOT i.id = ANY (p_remove)
    ),
    line AS (
      SELECT
        coalesce(k.position, 1000 + a.position) AS position,
        coalesce(k.product_id, a.product_id) AS product_id,
        CASE
          WHEN k.product_id IS NOT NULL THEN k.variant_id
          ELSE a.variant_id
        END AS variant_id,
        coalesce(k.quantity, 0) + coalesce(a.quantity, 0) AS quantity,
        coalesce(k.sku, a.sku) AS sku,
        coalesce(k.price, a.price) AS price,
        a.currency,
        coalesce(k.product_name, a.name) AS name,
        CASE
          WHEN k.product_id IS NOT NULL THEN k.product_image
          ELSE a.image
        END AS image,
        coalesce(k.properties, a.properties) AS properties,
        coalesce(k.line_key, a.line_key) AS line_key,
        a.kept
      FROM
        kept k
        FULL JOIN unnest(p_added) a
          ON a.product_id = k.product_id
          AND coalesce(a.variant_id::text, '') = coalesce(k.variant_id::text, '')
          AND a.line_key = k.line_key
    )
  SELECT
    coalesce(
      array_agg(
        (
          l.position,
          l.product_id,
          l.variant_id,
          l.quantity,
          NULL,
          s.id,
          l.sku,
          l.price,
          l.currency,
          l.name,
          l.image,
          l.properties,
          l.line_key,
          l.kept
        )::catalog.sellable_line
        ORDER BY l.position
      ),
      '{}'
    )
  FROM
    line l
    JOIN inventory.stock_item s
      ON s.merchant_id = p_merchant_id
      AND s.product_id = l.product_id
      AND s.variant_id IS NOT DISTINCT FROM l.variant_id;
$$;

-- sql/ordering/functions/modify_order.sql

CREATE FUNCTION ordering.modify_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_add jsonb,
  p_update jsonb,
  p_remove uuid[],
  p_shipping_address jsonb,
  p_billing_address jsonb,
  p_notes text,
  p_from text[],
  p_pay jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_open payment.payment;
  v_reservation inventory.reservation;
  v_added catalog.sellable_line[];
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
  v_subtotal numeric;
  v_purchase promotion.purchase;
  v_promotions promotion.promotion[];
  v_own promotion.promotion;
  v_pricing ordering.pricing;
  v_shortages jsonb;
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF NOT v_order.status = ANY (p_from) OR ordering.payment_window_is_over(p_merchant_id, p_order_id) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF
    EXISTS (
      SELECT
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.packed_quantity > 0
    )
  THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status, 'reason', 'partly_shipped');
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  IF v_open.id IS NULL THEN
    -- A part that is paid already.
    SELECT *
    INTO v_open
    FROM payment.payment p
    WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED')
    LIMIT 1;
  END IF;
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open.id, 'status', v_open.status);
  END IF;

  SELECT coalesce(array_agg(l ORDER BY l.position), '{}')
  INTO v_added
  FROM catalog.sellable_lines(p_merchant_id, p_add, v_order.currency) l;
  v_refusals := catalog.line_refusals(v_added, 'addItems') || ordering.unknown_item_refusals(
    p_merchant_id,
    p_order_id,
    p_update,
    p_remove
  ) || coalesce(
    CASE
      WHEN p_shipping_address IS NOT NULL THEN ordering.shipping_refusal(
        p_merchant_id,
        v_order.shipping_method_id,
        p_shipping_address ->> 'country',
        v_order.currency
      ) || jsonb_build_object('field', 'shippingAddress.country')
    END,
    '[]'
  );
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  v_lines := ordering.modified_lines(p_merchant_id, p_order_id, v_added, p_update, p_remove);
  SELECT sum(l.price::numeric * l.quantity) INTO v_subtotal FROM unnest(v_lines) l;
  SELECT coalesce(jsonb_agg(r), '[]')
  INTO v_refusals
  FROM
    (
      SELECT 'removeItemIds' AS field, 'no_lines_left' AS reason WHERE cardinality(v_lines) = 0
      UNION ALL
      SELECT 'addItems', 'quantity_too_large' FROM unnest(v_lines) l WHERE l.quantity > 999999
      UNION ALL
      SELECT 'addItems', 'total_too_large'
      WHERE v_subtotal + ordering.tax_on(p_merchant_id, v_subtotal) + v_order.shipping > platform.most_money()
      UNION ALL
      SELECT 'addItems', 'too_many_lines' WHERE cardinality(v_lines) > 200
    ) r;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  v_purchase.merchant_id := p_merchant_id;
  v_purchase.customer_id := v_order.customer_id;
  v_purchase.currency := v_order.currency;
  v_purchase.order_id := p_order_id;
  v_purchase := ordering.with_lines(v_purchase, v_lines, v_order.shipping);
  v_promotions := promotion.lock_usable(v_purchase, NULL, v_order.promotion_id);
  SELECT * INTO v_own FROM unnest(v_promotions) p WHERE p.id = v_order.promotion_id;
  v_pricing := ordering.price(v_purchase, promotion.choose(v_purchase, v_own, NULL, v_promotions));
  IF v_pricing.promotion_id IS NULL AND v_order.coupon_code IS NOT NULL THEN
    v_pricing.promotion_id := v_order.promotion_id;
  END IF;

  v_reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
  SELECT
    inventory.hold(
      p_merchant_id,
      v_reservation.id,
      p_order_id,
      v_reservation.expires_at,
      array_agg(l.stock_item_id ORDER BY l.position),
      array_agg(l.quantity::integer ORDER BY l.position)
    )
  INTO v_shortages
  FROM unnest(v_lines) l;
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;

  PERFORM ordering.replace_lines(p_merchant_id, p_order_id, v_lines, v_pricing);
  IF p_shipping_address IS NOT NULL THEN
    PERFORM ordering.insert_address(p_merchant_id, v_order.shipping_address_id, p_order_id, p_shipping_address);
  END IF;
  IF p_billing_address IS NOT NULL THEN
    v_order.billing_address_id := coalesce(v_order.billing_address_id, platform.uuid_v7());
    PERFORM ordering.insert_address(p_merchant_id, v_order.billing_address_id, p_order_id, p_billing_address);
  END IF;
  UPDATE ordering.order o
  SET
    subtotal = v_pricing.subtotal,
    tax = v_pricing.tax,
    discount = v_pricing.discount,
    shipping_discount = v_pricing.shipping_discount,
    total = v_pricing.total,
    promotion_id = v_pricing.promotion_id,
    coupon_code = CASE
      WHEN v_pricing.promotion_id = o.promotion_id THEN o.coupon_code
    END,
    billing_address_id = v_order.billing_address_id,
    notes = coalesce(p_notes, o.notes)
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
  PERFORM ordering.record(p_merchant_id, p_order_id, 'MODIFIED', p_amount => v_pricing.total);
  PERFORM ordering.confirm_if_free(p_merchant_id, p_order_id, p_pay);
  RETURN jsonb_build_object('outcome', 'modified', 'orderId', p_order_id);
END;
$$;

-- sql/ordering/functions/move_refunded_units.sql

CREATE FUNCTION ordering.move_refunded_units(
  p_merchant_id uuid,
  p_order_id uuid,
  p_parts ordering.refund_part[],
  p_reason text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_items uuid[] := ARRAY(SELECT x.order_item_id FROM unnest(p_parts) WITH ORDINALITY x ORDER BY x.ordinality);
  v_released ordering.stock_units;
  v_written_off ordering.stock_units;
BEGIN
  v_released := ordering.stock_units(
    p_merchant_id,
    v_items,
    ARRAY(
      SELECT
        CASE
          WHEN x.restock IS NOT FALSE THEN x.unsent
          ELSE 0
        END
      FROM unnest(p_parts) WITH ORDINALITY x
      ORDER BY x.ordinality
    )
  );
  v_written_off := ordering.stock_units(
    p_merchant_id,
    v_items,
    ARRAY(
      SELECT
        CASE
          WHEN x.restock IS FALSE THEN x.unsent
          ELSE 0
        END
      FROM unnest(p_parts) WITH ORDINALITY x
      ORDER BY x.ordinality
    )
  );
  -- The reservation before the levels, and all levels at once: see the lock order in stock_rules.
  PERFORM inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
  PERFORM
    inventory.lock_levels(
      p_merchant_id,
      (ordering.stock_units(p_merchant_id, v_items, array_fill(1, ARRAY[cardinality(v_items)]))).stock_item_ids
    );
  IF cardinality(v_released.quantities) > 0 THEN
    PERFORM
      inventory.end_part_of_reservation(
        p_merchant_id,
        p_order_id,
        v_released.stock_item_ids,
        v_released.quantities,
        'RELEASED'
      );
  END IF;
  IF cardinality(v_written_off.quantities) > 0 THEN
    PERFORM
      inventory.end_part_of_reservation(
        p_merchant_id,
        p_order_id,
        v_written_off.stock_item_ids,
        v_written_off.quantities,
        'CONSUMED'
      );
  END IF;
  RETURN ordering.restock(
    p_merchant_id,
    p_order_id,
    v_items,
    ARRAY(
      SELECT
        CASE
          WHEN x.restock THEN x.sent
          ELSE 0
        END
      FROM unnest(p_parts) WITH ORDINALITY x
      ORDER BY x.ordinality
    ),
    NULL,
    p_reason
  );
END;
$$;

-- sql/ordering/functions/note_imported_orders.sql

CREATE FUNCTION ordering.note_imported_orders(p_merchant_id uuid, p_batch jsonb, p_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_largest bigint;
BEGIN
  INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
  SELECT p_merchant_id, 'ORDER', o.key, o.id, o.fingerprint
  FROM jsonb_to_recordset(p_batch -> 'orders') AS o (id uuid, key text, fingerprint text)
  WHERE o.id = ANY (p_ids)
  ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
    SET
      record_id = excluded.record_id,
      fingerprint = excluded.fingerprint,
      imported_at = now();
  PERFORM
    analytics.mark_stale(
      p_merchant_id,
      ARRAY(
        SELECT t.at
        FROM
          ordering.order o
          CROSS JOIN LATERAL (
            VALUES
              (o.created_at),
              (o.paid_at),
              (o.cancelled_at)
          ) AS t (at)
        WHERE o.merchant_id = p_merchant_id AND o.id = ANY (p_ids)
        UNION
        SELECT r.created_at
        FROM jsonb_to_recordset(p_batch -> 'refunds') AS r (order_id uuid, created_at timestamptz)
        WHERE r.order_id = ANY (p_ids)
      )
    );
  SELECT max(substring(o.order_number, '^ORD-([0-9]{1,15})$')::bigint)
  INTO v_largest
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = ANY (p_ids);
  IF v_largest IS NOT NULL THEN
    INSERT INTO ordering.order_number_counter AS c (merchant_id, last_number)
    VALUES (p_merchant_id, greatest(v_largest, 1000))
    ON CONFLICT (merchant_id) DO UPDATE SET last_number = greatest(c.last_number, excluded.last_number);
  END IF;
END;
$$;

-- sql/ordering/functions/note_uncaptured.sql

CREATE FUNCTION ordering.note_uncaptured()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_lines ordering.order_item[];
  v_uncaptured bigint;
  v_shares bigint[];
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id
  FOR UPDATE;
  v_uncaptured := greatest(
    0,
    v_order.total - (
      SELECT sum(p.captured_amount)
      FROM payment.payment p
      WHERE p.merchant_id = NEW.merchant_id AND p.order_id = NEW.order_id
    )
  );
  IF v_uncaptured = v_order.uncaptured THEN
    RETURN NULL;
  END IF;
  v_lines := ARRAY(
    SELECT i
    FROM ordering.order_item i
    WHERE i.merchant_id = NEW.merchant_id AND i.order_id = NEW.order_id
    ORDER BY i.position, i.id
  );
  v_shares := platform.allocate(
    v_uncaptured,
    ARRAY(SELECT l.subtotal - l.discount FROM unnest(v_lines) WITH ORDINALITY l ORDER BY l.ordinality) || ARRAY(
      SELECT l.tax FROM unnest(v_lines) WITH ORDINALITY l ORDER BY l.ordinality
    ) || (v_order.shipping - v_order.shipping_discount)
  );
  UPDATE ordering.order_item i
  SET
    uncaptured = v_shares[l.ordinality],
    uncaptured_tax = v_shares[cardinality(v_lines) + l.ordinality]
  FROM unnest(v_lines) WITH ORDINALITY l
  WHERE i.merchant_id = l.merchant_id AND i.id = l.id;
  UPDATE ordering.order o
  SET
    uncaptured = v_uncaptured,
    uncaptured_shipping = v_shares[cardinality(v_shares)]
  WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id;
  RETURN NULL;
END;
$$;

-- sql/ordering/functions/place_order.sql

CREATE FUNCTION ordering.place_order(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_lines jsonb,
  p_currency text,
  p_shipping_address jsonb,
  p_billing_address jsonb,
  p_shipping_method_id uuid,
  p_reservation_id uuid,
  p_coupon_code text,
  p_notes text,
  p_cart_id uuid,
  p_kept jsonb,
  p_by_shopper boolean,
  p_pay jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
  v_currency text;
  v_is_blocked boolean;
  v_subtotal numeric;
  v_shipping bigint;
  v_purchase promotion.purchase;
  v_promotions promotion.promotion[];
  v_coupon promotion.promotion;
  v_coupon_refusal text;
  v_pricing ordering.pricing;
  v_shortages jsonb;
  v_order_id uuid := platform.uuid_v7();
  v_shipping_address_id uuid := platform.uuid_v7();
  v_billing_address_id uuid := CASE
    WHEN p_billing_address IS NOT NULL THEN platform.uuid_v7()
  END;
BEGIN
  SELECT array_agg(l ORDER BY l.position)
  INTO v_lines
  FROM catalog.sellable_lines(p_merchant_id, p_lines, p_currency) l;
  v_refusals := catalog.line_refusals(v_lines, 'items');
  v_currency := v_lines[1].currency;
  SELECT c.blocked_at IS NOT NULL
  INTO v_is_blocked
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id;
  IF v_is_blocked IS NULL THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer');
  ELSEIF v_is_blocked THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'customer_blocked');
  END IF;
  IF p_shipping_address IS NULL THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'shippingAddress', 'reason', 'address_required');
  END IF;
  v_refusals := v_refusals || coalesce(
    ordering.shipping_refusal(p_merchant_id, p_shipping_method_id, p_shipping_address ->> 'country', v_currency),
    '[]'
  );
  IF p_reservation_id IS NOT NULL THEN
    PERFORM
    FROM inventory.reservation r
    WHERE
      r.merchant_id = p_merchant_id
      AND r.id = p_reservation_id
      AND r.status = 'ACTIVE'
      AND r.order_id IS NULL
      AND r.expires_at > now()
    FOR UPDATE;
    IF NOT FOUND THEN
      v_refusals := v_refusals || jsonb_build_object('field', 'reservationId', 'reason', 'reservation_not_active');
    END IF;
  END IF;
  IF p_by_shopper AND v_refusals = '[]' THEN
    v_refusals := ordering.unpaid_refusals(
      p_merchant_id,
      p_customer_id,
      (SELECT sum(l.quantity) FROM unnest(v_lines) l)
    );
  END IF;
  v_purchase.merchant_id := p_merchant_id;
  v_purchase.customer_id := p_customer_id;
  v_purchase.currency := v_currency;
  v_promotions := promotion.lock_usable(v_purchase, p_coupon_code::citext, NULL);
  IF p_coupon_code IS NOT NULL THEN
    SELECT * INTO v_coupon FROM unnest(v_promotions) p WHERE p.code = p_coupon_code::citext;
    v_coupon_refusal := promotion.use_refusal(v_coupon, v_purchase);
  END IF;
  -- Only lines that can be sold have a price.
  IF v_refusals = '[]' THEN
    SELECT sum(l.price::numeric * l.quantity) INTO v_subtotal FROM unnest(v_lines) l;
    SELECT coalesce(max(m.price), 0)
    INTO v_shipping
    FROM merchant.shipping_method m
    WHERE m.merchant_id = p_merchant_id AND m.id = p_shipping_method_id;
    IF v_subtotal + ordering.tax_on(p_merchant_id, v_subtotal) + v_shipping > platform.most_money() THEN
      v_refusals := jsonb_build_array(jsonb_build_object('field', 'items', 'reason', 'total_too_large'));
    ELSE
      v_purchase := ordering.with_lines(v_purchase, v_lines, v_shipping);
      v_pricing := ordering.price(v_purchase, promotion.choose(v_purchase, v_coupon, v_coupon_refusal, v_promotions));
      v_coupon_refusal := v_pricing.coupon_refusal;
    END IF;
  END IF;
  IF v_coupon_refusal IS NOT NULL THEN
    v_refusals := v_refusals || promotion.refusal('couponCode', v_coupon_refusal, v_coupon);
  END IF;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  SELECT
    inventory.hold(
      p_merchant_id,
      coalesce(p_reservation_id, platform.uuid_v7()),
      v_order_id,
      now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD')),
      array_agg(l.stock_item_id ORDER BY l.position),
      array_agg(l.quantity::integer ORDER BY l.position)
    )
  INTO v_shortages
  FROM unnest(v_lines) l;
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', ordering.shortages_at(v_shortages, v_lines));
  END IF;

  PERFORM ordering.insert_address(p_merchant_id, v_shipping_address_id, v_order_id, p_shipping_address);
  IF p_billing_address IS NOT NULL THEN
    PERFORM ordering.insert_address(p_merchant_id, v_billing_address_id, v_order_id, p_billing_address);
  END IF;
  INSERT INTO ordering.order
    (
      merchant_id,
      id,
      order_number,
      customer_id,
      currency,
      subtotal,
      tax,
      shipping,
      discount,
      shipping_discount,
      total,
      shipping_address_id,
      billing_address_id,
      shipping_method_id,
      promotion_id,
      coupon_code,
      cart_id,
      notes,
      external_id,
      metadata,
      private_metadata
    )
  VALUES
    (
      p_merchant_id,
      v_order_id,
      ordering.next_order_number(p_merchant_id),
      p_customer_id,
      v_currency,
      v_pricing.subtotal,
      v_pricing.tax,
      v_shipping,
      v_pricing.discount,
      v_pricing.shipping_discount,
      v_pricing.total,
      v_shipping_address_id,
      v_billing_address_id,
      p_shipping_method_id,
      v_pricing.promotion_id,
      CASE
        WHEN v_pricing.promotion_id = v_coupon.id THEN v_coupon.code
      END,
      p_cart_id,
      p_notes,
      p_kept ->> 'externalId',
      coalesce(nullif(p_kept -> 'metadata', 'null'), '{}'),
      coalesce(nullif(p_kept -> 'privateMetadata', 'null'), '{}')
    );
  PERFORM set_config('ordering.placing', v_order_id::text, TRUE);
  INSERT INTO ordering.order_item
    (
      merchant_id,
      order_id,
      position,
      product_id,
      variant_id,
      quantity,
      price,
      subtotal,
      discount,
      tax,
      sku,
      product_name,
      product_image,
      properties,
      line_key,
      external_id,
      metadata,
      private_metadata
    )
  SELECT
    p_merchant_id,
    v_order_id,
    l.position,
    l.product_id,
    l.variant_id,
    l.quantity,
    l.price,
    l.price * l.quantity,
    v_pricing.line_discounts[l.ordinality],
    v_pricing.line_taxes[l.ordinality],
    l.sku,
    l.name,
    l.image,
    l.properties,
    l.line_key,
    l.kept ->> 'externalId',
    coalesce(l.kept -> 'metadata', '{}'),
    coalesce(l.kept -> 'privateMetadata', '{}')
  FROM unnest(v_lines) WITH ORDINALITY AS l;
  PERFORM set_config('ordering.placing', '', TRUE);
  INSERT INTO ordering.fulfillment (merchant_id, order_id) VALUES (p_merchant_id, v_order_id);
  PERFORM ordering.confirm_if_free(p_merchant_id, v_order_id, p_pay);
  RETURN jsonb_build_object('outcome', 'placed', 'orderId', v_order_id);
END;
$$;

-- sql/ordering/functions/quote_draft.sql

CREATE FUNCTION ordering.quote_draft(p_draft ordering.draft_order)
RETURNS ordering.pricing
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_lines catalog.sellable_line[];
  v_shipping bigint;
  v_subtotal numeric;
  v_purchase promotion.purchase;
  v_coupon promotion.promotion;
  v_refusal text;
BEGIN
  SELECT coalesce(array_agg(l ORDER BY l.position), '{}')
  INTO v_lines
  FROM catalog.sellable_lines(p_draft.merchant_id, ordering.draft_lines(p_draft.merchant_id, p_draft.id), NULL) l
  WHERE l.refusal IS NULL;
  SELECT coalesce(max(m.price), 0)
  INTO v_shipping
  FROM merchant.shipping_method m
  WHERE m.merchant_id = p_draft.merchant_id AND m.id = p_draft.shipping_method_id;
  IF cardinality(v_lines) = 0 THEN
    RETURN ROW(NULL, NULL, NULL, 0, 0, 0, 0, v_shipping, '{}', '{}')::ordering.pricing;
  END IF;
  SELECT sum(l.price::numeric * l.quantity) INTO v_subtotal FROM unnest(v_lines) l;
  IF v_subtotal + ordering.tax_on(p_draft.merchant_id, v_subtotal) + v_shipping > platform.most_money() THEN
    RETURN NULL;
  END IF;
  v_purchase.merchant_id := p_draft.merchant_id;
  v_purchase.customer_id := p_draft.customer_id;
  v_purchase.currency := v_lines[1].currency;
  v_purchase := ordering.with_lines(v_purchase, v_lines, v_shipping);
  SELECT *
  INTO v_coupon
  FROM promotion.promotion p
  WHERE p.merchant_id = p_draft.merchant_id AND p.code = p_draft.coupon_code;
  v_refusal := promotion.use_refusal(v_coupon, v_purchase);
  RETURN ordering.price(
    v_purchase,
    promotion.choose(v_purchase, v_coupon, v_refusal, promotion.automatic(p_draft.merchant_id))
  );
END;
$$;

-- sql/ordering/functions/receive_return.sql

CREATE FUNCTION ordering.receive_return(
  p_merchant_id uuid,
  p_return_id uuid,
  p_restock jsonb,
  p_warehouse_id uuid,
  p_move jsonb,
  p_moves jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return := ordering.lock_return(p_merchant_id, p_return_id, NULL);
  v_items uuid[];
  v_quantities integer[];
  v_refusals jsonb;
BEGIN
  IF v_return.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_return');
  END IF;
  IF
    p_warehouse_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM inventory.warehouse w WHERE w.merchant_id = p_merchant_id AND w.id = p_warehouse_id)
  THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'warehouseId', 'reason', 'unknown_warehouse'))
    );
  END IF;
  IF NOT p_move -> 'from' ? v_return.status THEN
    RETURN jsonb_build_object('outcome', 'return_refused', 'status', v_return.status);
  END IF;
  SELECT
    jsonb_agg(
      jsonb_build_object(
        'field',
        format(
          'restock.%s.%s',
          w.position - 1,
          CASE
            WHEN l.order_item_id IS NULL THEN 'orderItemId'
            ELSE 'quantity'
          END
        ),
        'reason',
        CASE
          WHEN l.order_item_id IS NULL THEN 'unknown_item'
          ELSE 'more_than_returned'
        END,
        'left',
        l.quantity
      )
      ORDER BY w.position
    )
  INTO v_refusals
  FROM
    ROWS FROM (jsonb_to_recordset(p_restock) AS (id uuid, quantity integer)) WITH ORDINALITY AS w (
      id,
      quantity,
      position
    )
    LEFT JOIN ordering.return_line l
      ON l.merchant_id = p_merchant_id AND l.return_id = p_return_id AND l.order_item_id = w.id
  WHERE l.order_item_id IS NULL OR w.quantity > l.quantity;
  IF v_refusals IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  SELECT coalesce(array_agg(w.id ORDER BY w.position), '{}'), coalesce(array_agg(w.quantity ORDER BY w.position), '{}')
  INTO v_items, v_quantities
  FROM
    ROWS FROM (jsonb_to_recordset(p_restock) AS (id uuid, quantity integer)) WITH ORDINALITY AS w (
      id,
      quantity,
      position
    );
  PERFORM
    inventory.lock_levels(p_merchant_id, (ordering.stock_units(p_merchant_id, v_items, v_quantities)).stock_item_ids);
  v_refusals := ordering.restock(
    p_merchant_id,
    v_return.order_id,
    v_items,
    v_quantities,
    p_warehouse_id,
    'Return ' || v_return.return_number
  );
  IF v_refusals IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'CG001', MESSAGE = 'stock can not take the units back', DETAIL = v_refusals::text;
  END IF;
  UPDATE ordering.return_line l
  SET restocked_quantity = w.quantity
  FROM unnest(v_items, v_quantities) AS w (id, quantity)
  WHERE l.merchant_id = p_merchant_id AND l.return_id = p_return_id AND l.order_item_id = w.id;
  UPDATE ordering.order_item i
  SET returned_quantity = i.returned_quantity + l.quantity
  FROM ordering.return_line l
  WHERE
    l.merchant_id = p_merchant_id
    AND l.return_id = p_return_id
    AND i.merchant_id = l.merchant_id
    AND i.id = l.order_item_id;
  UPDATE ordering.order_return r
  SET
    status = p_move ->> 'to',
    received_at = now()
  WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id;
  PERFORM ordering.follow_shipments(p_merchant_id, v_return.order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'returnId', p_return_id);
EXCEPTION WHEN SQLSTATE 'CG001' THEN -- By now something may be written, which this undoes.
  RETURN jsonb_build_object(
    'outcome',
    'invalid',
    'refusals',
    jsonb_build_array(
      CASE
        WHEN v_refusals -> 'refusals' @> '[{"field": "warehouseId"}]' THEN jsonb_build_object(
          'field',
          'warehouseId',
          'reason',
          'unknown_warehouse'
        )
        ELSE jsonb_build_object(
          'field',
          format('restock.%s.orderItemId', v_refusals ->> 'position'),
          'reason',
          'not_restockable'
        )
      END
    )
  );
END;
$$;

-- sql/ordering/functions/refund_order.sql

CREATE FUNCTION ordering.refund_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_lines jsonb,
  p_shipping boolean,
  p_amount bigint,
  p_reason text,
  p_sent_only boolean,
  p_payment_from text[],
  p_moves jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_held boolean;
  v_parts ordering.refund_part[];
  v_shipping bigint := 0;
  v_worth bigint;
  v_left bigint;
  v_refund_ids uuid[];
  v_refusals jsonb;
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  v_refusals := ordering.refund_refusals(p_merchant_id, p_order_id, p_lines, p_sent_only);
  IF v_refusals @> '[{"reason": "unknown_item"}]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_held := EXISTS (
    SELECT
    FROM payment.payment p
    WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status = ANY (p_payment_from)
  );
  IF v_order.total = 0 THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status, 'reason', 'nothing_paid');
  END IF;
  -- A cancelled order's money is on its way back as a whole.
  IF NOT v_held OR NOT p_moves #> '{refund,from}' ? v_order.status THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_parts := ARRAY(SELECT x FROM ordering.refund_parts(p_merchant_id, p_order_id, p_lines, p_sent_only) x);
  IF p_shipping THEN
    v_shipping := ordering.unrefunded_shipping(v_order);
  END IF;
  v_worth := v_shipping + (SELECT coalesce(sum(x.amount), 0) FROM unnest(v_parts) x);
  v_left := least(v_worth, ordering.refundable(p_merchant_id, p_order_id, p_payment_from));
  IF coalesce(p_amount, v_worth) NOT BETWEEN 1 AND v_left THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(
        CASE
          WHEN v_left = 0 THEN jsonb_build_object('field', 'items', 'reason', 'nothing_paid')
          ELSE jsonb_build_object('field', 'amount', 'reason', 'more_than_paid', 'left', v_left)
        END
      )
    );
  END IF;
  v_refund_ids := ordering.insert_refunds(
    p_merchant_id,
    p_order_id,
    v_parts,
    v_shipping,
    coalesce(p_amount, v_worth),
    p_reason
  );
  UPDATE ordering.order_item i
  SET
    refunded_quantity = i.refunded_quantity + x.quantity,
    cancelled_quantity = i.cancelled_quantity + x.unsent
  FROM unnest(v_parts) x
  WHERE i.merchant_id = p_merchant_id AND i.id = x.order_item_id;
  IF NOT p_sent_only THEN
    v_refusals := ordering.move_refunded_units(
      p_merchant_id,
      p_order_id,
      v_parts,
      'Refund of ' || v_order.order_number
    );
    IF v_refusals IS NOT NULL THEN
      RAISE EXCEPTION USING ERRCODE = 'CG001', MESSAGE = 'stock can not take the units back', DETAIL = v_refusals::text;
    END IF;
  END IF;
  PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  RETURN jsonb_build_object(
    'outcome',
    'begun',
    'orderId',
    p_order_id,
    'refundId',
    v_refund_ids[1],
    'refundIds',
    to_jsonb(v_refund_ids)
  );
EXCEPTION WHEN SQLSTATE 'CG001' THEN -- By now something was written, which this undoes.
  RETURN jsonb_build_object(
    'outcome',
    'invalid',
    'refusals',
    jsonb_build_array(
      jsonb_build_object('field', format('items.%s.restock', v_refusals ->> 'position'), 'reason', 'not_restockable')
    )
  );
END;
$$;

-- sql/ordering/functions/refund_return.sql

CREATE FUNCTION ordering.refund_return(
  p_merchant_id uuid,
  p_return_id uuid,
  p_shipping boolean,
  p_amount bigint,
  p_move jsonb,
  p_payment_from text[],
  p_moves jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return := ordering.lock_return(p_merchant_id, p_return_id, NULL);
  v_outcome jsonb;
BEGIN
  IF v_return.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_return');
  END IF;
  IF NOT p_move -> 'from' ? v_return.status OR v_return.refund_id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'return_refused', 'status', v_return.status);
  END IF;
  v_outcome := ordering.refund_order(
    p_merchant_id,
    v_return.order_id,
    (
      SELECT jsonb_agg(jsonb_build_object('id', l.order_item_id, 'quantity', l.quantity) ORDER BY l.position)
      FROM ordering.return_line l
      WHERE l.merchant_id = p_merchant_id AND l.return_id = p_return_id
    ),
    p_shipping,
    p_amount,
    'Return ' || v_return.return_number,
    TRUE,
    p_payment_from,
    p_moves
  );
  IF v_outcome ->> 'outcome' = 'begun' THEN
    UPDATE ordering.order_return r
    SET refund_id = (v_outcome ->> 'refundId')::uuid
    WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id;
    v_outcome := v_outcome || jsonb_build_object('returnId', p_return_id);
  END IF;
  RETURN v_outcome;
END;
$$;

-- sql/ordering/functions/request_return.sql

CREATE FUNCTION ordering.request_return(
  p_merchant_id uuid,
  p_order_id uuid,
  p_customer_id uuid,
  p_lines jsonb,
  p_note text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return_id uuid := platform.uuid_v7();
  v_refusals jsonb;
  v_number bigint;
BEGIN
  PERFORM
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  SELECT
    jsonb_agg(
      jsonb_build_object(
        'field',
        format(
          'items.%s.%s',
          w.position - 1,
          CASE
            WHEN i.id IS NULL THEN 'orderItemId'
            ELSE 'quantity'
          END
        ),
        'reason',
        CASE
          WHEN i.id IS NULL THEN 'unknown_item'
          ELSE 'more_than_sent'
        END,
        'left',
        i.fulfilled_quantity - i.returning_quantity
      )
      ORDER BY w.position
    )
  INTO v_refusals
  FROM
    ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer)) WITH ORDINALITY AS w (id, quantity, position)
    LEFT JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
  WHERE i.id IS NULL OR w.quantity > i.fulfilled_quantity - i.returning_quantity;
  IF v_refusals IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  INSERT INTO ordering.return_number_counter AS c (merchant_id, last_number)
  VALUES (p_merchant_id, 1001)
  ON CONFLICT (merchant_id) DO UPDATE SET last_number = c.last_number + 1
  RETURNING c.last_number
  INTO v_number;
  INSERT INTO ordering.order_return (merchant_id, id, return_number, order_id, note)
  VALUES (p_merchant_id, v_return_id, 'RMA-' || lpad(v_number::text, 8, '0'), p_order_id, p_note);
  INSERT INTO ordering.return_line (merchant_id, return_id, order_item_id, position, quantity, reason)
  SELECT p_merchant_id, v_return_id, w.id, w.position - 1, w.quantity, w.reason
  FROM
    ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer, reason text)) WITH ORDINALITY AS w (
      id,
      quantity,
      reason,
      position
    );
  UPDATE ordering.order_item i
  SET returning_quantity = i.returning_quantity + l.quantity
  FROM ordering.return_line l
  WHERE
    l.merchant_id = p_merchant_id
    AND l.return_id = v_return_id
    AND i.merchant_id = l.merchant_id
    AND i.id = l.order_item_id;
  RETURN jsonb_build_object('outcome', 'requested', 'returnId', v_return_id);
END;
$$;

-- sql/ordering/functions/restock.sql

CREATE FUNCTION ordering.restock(
  p_merchant_id uuid,
  p_order_id uuid,
  p_item_ids uuid[],
  p_quantities integer[],
  p_warehouse_id uuid,
  p_reason text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_line record;
  v_outcome jsonb;
BEGIN
  FOR v_line IN SELECT x.position, x.quantity, k.sku
  FROM
    unnest(p_item_ids, p_quantities) WITH ORDINALITY AS x (id, quantity, position)
    JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.id = x.id
    JOIN inventory.stock_item k
      ON k.merchant_id = i.merchant_id
      AND k.product_id = i.product_id
      AND k.variant_id IS NOT DISTINCT FROM i.variant_id
  WHERE x.quantity > 0
  ORDER BY k.id LOOP
    v_outcome := inventory.take_back(p_merchant_id, p_order_id, v_line.sku, p_warehouse_id, v_line.quantity, p_reason);
    IF v_outcome ->> 'outcome' <> 'changed' THEN
      RETURN v_outcome || jsonb_build_object('position', v_line.position - 1);
    END IF;
  END LOOP;
  RETURN NULL;
END;
$$;

-- sql/ordering/functions/save_draft.sql

CREATE FUNCTION ordering.save_draft(p_merchant_id uuid, p_draft_id uuid, p_input jsonb)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_draft ordering.draft_order;
  v_items jsonb := nullif(p_input -> 'items', 'null');
  v_address jsonb := nullif(p_input -> 'shippingAddress', 'null');
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
BEGIN
  IF p_draft_id IS NOT NULL THEN
    SELECT *
    INTO v_draft
    FROM ordering.draft_order d
    WHERE d.merchant_id = p_merchant_id AND d.id = p_draft_id
    FOR UPDATE;
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'unknown_draft');
    END IF;
  END IF;
  SELECT coalesce(array_agg(l ORDER BY l.position), '{}')
  INTO v_lines
  FROM catalog.sellable_lines(p_merchant_id, coalesce(v_items, '[]'), NULL) l;
  v_refusals := catalog.line_refusals(v_lines, 'items');
  IF
    NOT EXISTS (
      SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = (p_input ->> 'customerId')::uuid
    )
    AND p_input ->> 'customerId' IS NOT NULL
  THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer');
  END IF;
  IF
    NOT EXISTS (
      SELECT
      FROM merchant.shipping_method m
      WHERE m.merchant_id = p_merchant_id AND m.id = (p_input ->> 'shippingMethodId')::uuid AND m.active
    )
    AND p_input ->> 'shippingMethodId' IS NOT NULL
  THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'shippingMethodId', 'reason', 'unknown_shipping_method');
  END IF;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  IF v_draft.order_id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'draft_refused', 'status', 'COMPLETED');
  END IF;

  IF p_draft_id IS NULL THEN
    v_draft.id := platform.uuid_v7();
    INSERT INTO ordering.draft_order (merchant_id, id) VALUES (p_merchant_id, v_draft.id);
  END IF;
  UPDATE ordering.draft_order d
  SET
    customer_id = coalesce((p_input ->> 'customerId')::uuid, d.customer_id),
    shipping_method_id = coalesce((p_input ->> 'shippingMethodId')::uuid, d.shipping_method_id),
    coupon_code = coalesce((p_input ->> 'couponCode')::citext, d.coupon_code),
    notes = coalesce(p_input ->> 'notes', d.notes),
    tags = CASE
      WHEN jsonb_typeof(p_input -> 'tags') = 'array' THEN ARRAY(SELECT jsonb_array_elements_text(p_input -> 'tags'))
      ELSE d.tags
    END,
    expires_at = coalesce((p_input ->> 'expiresAt')::timestamptz, d.expires_at),
    line1 = CASE
      WHEN v_address IS NULL THEN d.line1
      ELSE v_address ->> 'line1'
    END,
    line2 = CASE
      WHEN v_address IS NULL THEN d.line2
      ELSE v_address ->> 'line2'
    END,
    city = CASE
      WHEN v_address IS NULL THEN d.city
      ELSE v_address ->> 'city'
    END,
    state = CASE
      WHEN v_address IS NULL THEN d.state
      ELSE v_address ->> 'state'
    END,
    postal_code = CASE
      WHEN v_address IS NULL THEN d.postal_code
      ELSE v_address ->> 'postalCode'
    END,
    country = CASE
      WHEN v_address IS NULL THEN d.country
      ELSE v_address ->> 'country'
    END,
    phone = CASE
      WHEN v_address IS NULL THEN d.phone
      ELSE v_address ->> 'phone'
    END,
    recipient_name = CASE
      WHEN v_address IS NULL THEN d.recipient_name
      ELSE v_address ->> 'recipientName'
    END,
    company = CASE
      WHEN v_address IS NULL THEN d.company
      ELSE v_address ->> 'company'
    END
  WHERE d.merchant_id = p_merchant_id AND d.id = v_draft.id;
  IF v_items IS NOT NULL THEN
    DELETE FROM ordering.draft_order_item i WHERE i.merchant_id = p_merchant_id AND i.draft_order_id = v_draft.id;
    INSERT INTO ordering.draft_order_item
      (merchant_id, draft_order_id, position, product_id, variant_id, quantity, properties, line_key)
    SELECT
      p_merchant_id,
      v_draft.id,
      l.position,
      l.product_id,
      l.variant_id,
      l.quantity,
      l.properties,
      l.line_key
    FROM unnest(v_lines) l;
  END IF;
  RETURN jsonb_build_object('outcome', 'saved', 'draftOrderId', v_draft.id);
END;
$$;

-- sql/ordering/functions/write_imported_events.sql

CREATE FUNCTION ordering.write_imported_events(p_merchant_id uuid, p_batch jsonb, p_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO ordering.fulfillment
    (merchant_id, order_id, status, carrier, tracking_number, shipped_at, delivered_at, created_at)
  SELECT
    p_merchant_id,
    f.order_id,
    f.status,
    f.carrier,
    f.tracking_number,
    f.shipped_at,
    f.delivered_at,
    f.created_at
  FROM jsonb_populate_recordset(NULL::ordering.fulfillment, p_batch -> 'fulfillments') f
  WHERE f.order_id = ANY (p_ids);
  INSERT INTO ordering.shipment
    (merchant_id, id, order_id, status, carrier, tracking_number, shipped_at, delivered_at, created_at)
  SELECT
    p_merchant_id,
    s.id,
    s.order_id,
    s.status,
    s.carrier,
    s.tracking_number,
    s.shipped_at,
    s.delivered_at,
    s.created_at
  FROM jsonb_populate_recordset(NULL::ordering.shipment, p_batch -> 'shipments') s
  WHERE s.order_id = ANY (p_ids);
  INSERT INTO ordering.shipment_line (merchant_id, shipment_id, order_item_id, quantity)
  SELECT p_merchant_id, l.shipment_id, l.order_item_id, l.quantity
  FROM
    jsonb_to_recordset(p_batch -> 'shipment_lines') AS l (
      order_id uuid,
      shipment_id uuid,
      order_item_id uuid,
      quantity integer
    )
  WHERE l.order_id = ANY (p_ids);
  INSERT INTO payment.payment
    (
      merchant_id,
      id,
      order_id,
      amount,
      currency,
      status,
      method,
      processor,
      reference,
      captured_amount,
      refunded_amount,
      refund_requested_amount,
      created_at
    )
  SELECT
    p_merchant_id,
    p.id,
    p.order_id,
    p.amount,
    p.currency,
    p.status,
    'EXTERNAL',
    'manual',
    p.reference,
    p.amount,
    p.refunded_amount,
    p.refunded_amount,
    p.created_at
  FROM jsonb_populate_recordset(NULL::payment.payment, p_batch -> 'payments') p
  WHERE p.order_id = ANY (p_ids);
  INSERT INTO payment.refund
    (merchant_id, id, payment_id, amount, shipping_amount, reason, status, created_at, attempted_at, succeeded_at)
  SELECT
    p_merchant_id,
    r.id,
    r.payment_id,
    r.amount,
    r.shipping_amount,
    r.reason,
    'SUCCEEDED',
    r.created_at,
    r.created_at,
    r.created_at
  FROM
    jsonb_populate_recordset(NULL::payment.refund, p_batch -> 'refunds') r
    JOIN jsonb_to_recordset(p_batch -> 'refunds') AS w (id uuid, order_id uuid) ON w.id = r.id
  WHERE w.order_id = ANY (p_ids);
  INSERT INTO payment.refund_line (merchant_id, refund_id, order_item_id, quantity, amount)
  SELECT p_merchant_id, l.refund_id, l.order_item_id, l.quantity, l.amount
  FROM
    jsonb_to_recordset(p_batch -> 'refund_lines') AS l (
      order_id uuid,
      refund_id uuid,
      order_item_id uuid,
      quantity integer,
      amount bigint
    )
  WHERE l.order_id = ANY (p_ids);
  INSERT INTO ordering.history_entry
    (merchant_id, order_id, type, from_status, to_status, amount, note, subject_id, actor, created_at)
  SELECT
    p_merchant_id,
    h.order_id,
    h.type,
    h.from_status,
    h.to_status,
    h.amount,
    h.note,
    h.subject_id,
    'SYSTEM',
    h.created_at
  FROM jsonb_populate_recordset(NULL::ordering.history_entry, p_batch -> 'history') h
  WHERE h.order_id = ANY (p_ids);
END;
$$;

-- sql/ordering/functions/write_imported_orders.sql

CREATE FUNCTION ordering.write_imported_orders(p_merchant_id uuid, p_batch jsonb, p_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO ordering.order
    (
      merchant_id,
      id,
      external_id,
      order_number,
      customer_id,
      status,
      currency,
      subtotal,
      tax,
      shipping,
      discount,
      shipping_discount,
      total,
      shipping_address_id,
      billing_address_id,
      promotion_name,
      coupon_code,
      notes,
      tags,
      cancel_reason,
      cancelled_at,
      paid_at,
      created_at,
      imported_at
    )
  SELECT
    p_merchant_id,
    o.id,
    o.external_id,
    o.order_number,
    c.customer_id,
    o.status,
    o.currency,
    o.subtotal,
    o.tax,
    o.shipping,
    o.discount,
    o.shipping_discount,
    o.total,
    o.shipping_address_id,
    o.billing_address_id,
    o.coupon_code,
    o.coupon_code,
    o.notes,
    o.tags,
    o.cancel_reason,
    o.cancelled_at,
    o.paid_at,
    o.created_at,
    now()
  FROM
    jsonb_populate_recordset(NULL::ordering.order, p_batch -> 'orders') o
    JOIN jsonb_to_recordset(p_batch -> 'orders') AS w (id uuid, customer bigint) ON w.id = o.id
    JOIN crm.customers_of_history(
      p_merchant_id,
      (
        SELECT jsonb_agg(x)
        FROM jsonb_array_elements(p_batch -> 'customers') AS x
        WHERE
          (x ->> 'number')::bigint IN (
            SELECT u.customer
            FROM jsonb_to_recordset(p_batch -> 'orders') AS u (id uuid, customer bigint)
            WHERE u.id = ANY (p_ids)
          )
      )
    ) c
      ON c.number = w.customer
  WHERE o.id = ANY (p_ids);
  INSERT INTO ordering.order_address
    (merchant_id, id, order_id, recipient_name, company, line1, line2, city, state, postal_code, country, phone)
  SELECT
    p_merchant_id,
    a.id,
    a.order_id,
    a.recipient_name,
    a.company,
    a.line1,
    a.line2,
    a.city,
    a.state,
    a.postal_code,
    a.country,
    a.phone
  FROM jsonb_populate_recordset(NULL::ordering.order_address, p_batch -> 'addresses') a
  WHERE a.order_id = ANY (p_ids);
  INSERT INTO ordering.order_item
    (
      merchant_id,
      id,
      order_id,
      position,
      product_id,
      variant_id,
      occurrence,
      quantity,
      price,
      subtotal,
      discount,
      tax,
      sku,
      product_name,
      packed_quantity,
      fulfilled_quantity,
      cancelled_quantity,
      refunded_quantity
    )
  SELECT
    p_merchant_id,
    l.id,
    l.order_id,
    l.position,
    p.product_id,
    p.variant_id,
    row_number() OVER (
      PARTITION BY l.order_id, p.product_id, p.variant_id
      ORDER BY l.position
    ) - 1,
    l.quantity,
    l.price,
    l.price * l.quantity,
    l.discount,
    l.tax,
    l.sku,
    l.product_name,
    l.packed_quantity,
    l.fulfilled_quantity,
    l.cancelled_quantity,
    l.refunded_quantity
  FROM
    jsonb_populate_recordset(NULL::ordering.order_item, p_batch -> 'lines') l
    JOIN jsonb_to_recordset(p_batch -> 'lines') AS w (id uuid, product bigint) ON w.id = l.id
    JOIN catalog.products_of_history(
      p_merchant_id,
      (
        SELECT jsonb_agg(x)
        FROM jsonb_array_elements(p_batch -> 'products') AS x
        WHERE
          (x ->> 'number')::bigint IN (
            SELECT u.product
            FROM jsonb_to_recordset(p_batch -> 'lines') AS u (order_id uuid, product bigint)
            WHERE u.order_id = ANY (p_ids)
          )
      )
    ) p
      ON p.number = w.product
  WHERE l.order_id = ANY (p_ids);
END;
$$;

-- sql/payment/functions/begin_appointment_payment.sql

CREATE FUNCTION payment.begin_appointment_payment(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_customer_id uuid,
  p_method text,
  p_amount bigint,
  p_processor text,
  p_account_id uuid,
  p_payment_method_id text,
  p_return_url text,
  p_awaited boolean
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
  v_open payment.payment;
  v_payment_id uuid := platform.uuid_v7();
BEGIN
  SELECT *
  INTO v_appointment
  FROM booking.appointment a
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = p_appointment_id
    AND (p_customer_id IS NULL OR a.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_appointment');
  END IF;
  IF v_appointment.amount_due = 0 THEN
    RETURN jsonb_build_object('outcome', 'nothing_to_pay', 'status', v_appointment.status);
  END IF;
  IF
    NOT payment.accepts_method(
      p_merchant_id,
      NULL,
      v_appointment.currency,
      NULL,
      v_appointment.price,
      p_method,
      p_customer_id IS NOT NULL
    )
  THEN
    RETURN jsonb_build_object('outcome', 'method_not_accepted');
  END IF;
  -- The customer is sent to PayPal, and has to come back.
  IF p_method = 'PAYPAL' AND p_return_url IS NULL THEN
    RETURN jsonb_build_object('outcome', 'return_url_missing');
  END IF;
  -- Locked against the merchant, who may be disabling it.
  IF p_account_id IS NOT NULL THEN
    PERFORM
    FROM payment.account a
    WHERE a.merchant_id = p_merchant_id AND a.id = p_account_id AND a.status = 'ACTIVE'
    FOR SHARE;
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'method_not_accepted');
    END IF;
  END IF;
  -- Errors of the request are returned before an open payment is given up.
  IF p_amount > v_appointment.amount_due THEN
    RETURN jsonb_build_object('outcome', 'amount_mismatch', 'total', v_appointment.amount_due);
  END IF;
  v_open := payment.open_payment_of_appointment(p_merchant_id, p_appointment_id);
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open.id);
  END IF;
  -- One that the job hasn't cancelled yet is over all the same.
  IF v_appointment.payment_due_at <= now() THEN
    RETURN jsonb_build_object('outcome', 'too_late');
  END IF;
  INSERT INTO payment.payment
    (
      merchant_id,
      id,
      appointment_id,
      amount,
      currency,
      method,
      processor,
      account_id,
      processor_payment_method_id,
      return_url,
      awaited,
      instructions,
      reference
    )
  VALUES
    (
      p_merchant_id,
      v_payment_id,
      p_appointment_id,
      coalesce(
        p_amount,
        CASE
          WHEN v_appointment.payment_due_at IS NOT NULL THEN v_appointment.prepayment - v_appointment.paid_amount
          ELSE v_appointment.amount_due
        END
      ),
      v_appointment.currency,
      p_method,
      p_processor,
      p_account_id,
      p_payment_method_id,
      p_return_url,
      p_awaited,
      CASE
        WHEN p_awaited THEN (
          SELECT o.instructions
          FROM payment.payment_option o
          WHERE o.merchant_id = p_merchant_id AND o.method = p_method
        )
      END,
      CASE
        WHEN p_awaited THEN payment.creditor_reference(platform.place(), right(p_appointment_id::text, 12))
      END
    );
  IF p_awaited THEN
    PERFORM booking.await_payment(p_merchant_id, p_appointment_id, p_method);
  END IF;
  RETURN jsonb_build_object('outcome', 'begun', 'paymentId', v_payment_id);
END;
$$;

-- sql/payment/functions/begin_payment.sql

CREATE FUNCTION payment.begin_payment(
  p_merchant_id uuid,
  p_order_id uuid,
  p_customer_id uuid,
  p_method text,
  p_amount bigint,
  p_processor text,
  p_account_id uuid,
  p_payment_method_id text,
  p_return_url text,
  p_capture_method text,
  p_awaited boolean,
  p_partial boolean,
  p_order_from text[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_open payment.payment;
  -- The amount that no other payment has taken or may take.
  v_left bigint;
  v_amount bigint;
  -- What the balance covers that it is paid with; NULL: it is paid with none.
  v_covered bigint;
  v_payment_id uuid := platform.uuid_v7();
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF v_order.total = 0 THEN
    RETURN jsonb_build_object('outcome', 'nothing_to_pay', 'status', v_order.status);
  END IF;
  IF NOT payment.is_accepted(v_order, p_method, p_customer_id IS NOT NULL) THEN
    RETURN jsonb_build_object('outcome', 'method_not_accepted');
  END IF;
  -- The customer is sent to PayPal, and has to come back.
  IF p_method = 'PAYPAL' AND p_return_url IS NULL THEN
    RETURN jsonb_build_object('outcome', 'return_url_missing');
  END IF;
  -- Locked against the merchant, who may be disabling it.
  IF p_account_id IS NOT NULL THEN
    PERFORM
    FROM payment.account a
    WHERE a.merchant_id = p_merchant_id AND a.id = p_account_id AND a.status = 'ACTIVE'
    FOR SHARE;
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'method_not_accepted');
    END IF;
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  -- A whole payment takes the place of those that are open; a part comes beside them.
  v_left := v_order.total - payment.promised(p_merchant_id, p_order_id, NOT p_partial);
  v_covered := CASE
    WHEN p_method = 'LOYALTY_POINTS' THEN crm.hold_points_worth(p_merchant_id, v_order.customer_id, v_order.currency)
  END;
  v_amount := coalesce(
    p_amount,
    CASE
      WHEN p_partial THEN least(v_left, v_covered)
      ELSE v_left
    END
  );
  -- Errors of the request are returned before an open payment is given up.
  IF v_amount > v_covered OR v_covered = 0 THEN
    RETURN jsonb_build_object('outcome', 'balance_too_low', 'covers', v_covered);
  END IF;
  IF v_open.awaited AND NOT p_partial AND p_amount <> v_left THEN
    RETURN jsonb_build_object('outcome', 'amount_mismatch', 'total', v_left);
  END IF;
  IF v_open.id IS NOT NULL AND (NOT p_partial OR v_left = 0) THEN
    RETURN jsonb_build_object(
      'outcome',
      'payment_open',
      'paymentId',
      v_open.id,
      'status',
      v_open.status,
      'authorized',
      v_open.authorized_at IS NOT NULL
    );
  END IF;
  -- The window is checked here too: an order that the job hasn't cancelled yet is over all the same.
  IF NOT v_order.status = ANY (p_order_from) OR ordering.payment_window_is_over(p_merchant_id, p_order_id) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF v_amount = 0 OR v_amount > v_left OR v_amount < v_left AND NOT p_partial THEN
    RETURN jsonb_build_object('outcome', 'amount_mismatch', 'total', v_left);
  END IF;
  INSERT INTO payment.payment
    (
      merchant_id,
      id,
      order_id,
      amount,
      currency,
      method,
      processor,
      account_id,
      processor_payment_method_id,
      return_url,
      capture_method,
      awaited,
      instructions,
      reference
    )
  VALUES
    (
      p_merchant_id,
      v_payment_id,
      p_order_id,
      v_amount,
      v_order.currency,
      p_method,
      p_processor,
      p_account_id,
      p_payment_method_id,
      p_return_url,
      p_capture_method,
      p_awaited,
      CASE
        WHEN p_awaited THEN (
          SELECT o.instructions
          FROM payment.payment_option o
          WHERE o.merchant_id = p_merchant_id AND o.method = p_method
        )
      END,
      CASE
        WHEN p_awaited THEN payment.creditor_reference(platform.place(), v_order.order_number)
      END
    );
  IF p_awaited THEN
    PERFORM ordering.await_payment(p_merchant_id, p_order_id, p_method);
  END IF;
  RETURN jsonb_build_object('outcome', 'begun', 'paymentId', v_payment_id);
END;
$$;

-- sql/payment/functions/begin_saved_method.sql

CREATE FUNCTION payment.begin_saved_method(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_processor text,
  p_account_id uuid,
  p_method_id text,
  p_return_url text,
  p_payment_id uuid
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer crm.customer;
  v_most integer := 20;
  v_processor_customer_id uuid;
  v_id uuid := platform.uuid_v7();
BEGIN
  -- Methods that are saved at the same time are counted one after the other.
  SELECT *
  INTO v_customer
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_customer');
  END IF;
  IF NOT v_customer.has_account OR v_customer.anonymized_at IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'no_account');
  END IF;
  IF
    (
      SELECT count(*)
      FROM payment.saved_method s
      WHERE s.merchant_id = p_merchant_id AND s.customer_id = p_customer_id
    ) >= v_most
  THEN
    RETURN jsonb_build_object('outcome', 'too_many', 'most', v_most);
  END IF;
  -- Locked against the merchant, who may be disabling it.
  IF p_account_id IS NOT NULL THEN
    PERFORM
    FROM payment.account a
    WHERE a.merchant_id = p_merchant_id AND a.id = p_account_id AND a.status = 'ACTIVE'
    FOR SHARE;
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'method_not_accepted');
    END IF;
  END IF;
  INSERT INTO payment.processor_customer (merchant_id, customer_id, processor, account_id)
  VALUES (p_merchant_id, p_customer_id, p_processor, p_account_id)
  ON CONFLICT DO NOTHING;
  SELECT h.id
  INTO v_processor_customer_id
  FROM payment.processor_customer h
  WHERE
    h.merchant_id = p_merchant_id
    AND h.customer_id = p_customer_id
    AND h.processor = p_processor
    AND h.account_id IS NOT DISTINCT FROM p_account_id;
  INSERT INTO payment.saved_method
    (merchant_id, id, customer_id, processor_customer_id, requested_method_id, return_url, payment_id)
  VALUES
    (p_merchant_id, v_id, p_customer_id, v_processor_customer_id, p_method_id, p_return_url, p_payment_id);
  UPDATE payment.payment p
  SET saved_method = 'KEPT'
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  RETURN jsonb_build_object('outcome', 'begun', 'savedMethodId', v_id);
END;
$$;

-- sql/payment/functions/change_saved_method.sql

CREATE FUNCTION payment.lock_saved_method(p_merchant_id uuid, p_id uuid, p_customer_id uuid)
RETURNS payment.saved_method
LANGUAGE plpgsql
AS $$
DECLARE
  v_method payment.saved_method;
BEGIN
  PERFORM
  FROM
    crm.customer c
    JOIN payment.saved_method s ON s.merchant_id = c.merchant_id AND s.customer_id = c.id
  WHERE s.merchant_id = p_merchant_id AND s.id = p_id
  FOR NO KEY UPDATE OF c;
  SELECT *
  INTO v_method
  FROM payment.saved_method s
  WHERE
    s.merchant_id = p_merchant_id
    AND s.id = p_id
    AND (p_customer_id IS NULL OR s.customer_id = p_customer_id)
    AND s.status IN ('ACTIVE', 'REMOVING')
  FOR UPDATE;
  RETURN v_method;
END;
$$;

CREATE FUNCTION payment.begin_method_removal(p_merchant_id uuid, p_id uuid, p_customer_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_method payment.saved_method := payment.lock_saved_method(p_merchant_id, p_id, p_customer_id);
BEGIN
  IF v_method.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_method');
  END IF;
  UPDATE payment.saved_method s
  SET
    status = 'REMOVING',
    is_default = FALSE
  WHERE s.merchant_id = p_merchant_id AND s.id = p_id;
  PERFORM payment.keep_default_method(p_merchant_id, v_method.customer_id);
  RETURN jsonb_build_object('outcome', 'begun', 'savedMethodId', p_id);
END;
$$;

CREATE FUNCTION payment.set_default_method(p_merchant_id uuid, p_id uuid, p_customer_id uuid)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_method payment.saved_method := payment.lock_saved_method(p_merchant_id, p_id, p_customer_id);
BEGIN
  IF
    NOT EXISTS (
      SELECT
      FROM payment.saved_payment_method s
      WHERE s.merchant_id = p_merchant_id AND s.id = v_method.id AND s.offered
    )
  THEN
    RETURN jsonb_build_object('outcome', 'unknown_method');
  END IF;
  PERFORM payment.put_default_method(p_merchant_id, v_method.customer_id, p_id);
  RETURN jsonb_build_object('outcome', 'changed', 'savedMethodId', p_id);
END;
$$;

-- sql/payment/functions/follow_processor.sql

CREATE FUNCTION payment.follow_processor(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_refunds jsonb,
  p_disputes jsonb,
  p_part jsonb,
  p_full jsonb,
  p_moves jsonb
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment := payment.lock_payment(p_merchant_id, p_payment_id);
  v_made jsonb;
  v_refund payment.refund;
  v_to text;
BEGIN
  UPDATE payment.payment p
  SET attention = NULL
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id AND p.attention = 'MISMATCH';
  FOR v_made IN SELECT x
  FROM jsonb_array_elements(p_refunds) WITH ORDINALITY AS x (x, position)
  ORDER BY x.position LOOP
    v_to := v_made ->> 'status';
    -- Ours by its id there, or by the key that our request had; or one of ours that failed and was then made there.
    SELECT *
    INTO v_refund
    FROM payment.refund r
    WHERE
      r.merchant_id = p_merchant_id
      AND r.payment_id = p_payment_id
      AND (
        r.processor_refund_id = v_made ->> 'refundId'
        OR (
          r.processor_refund_id IS NULL
          AND v_made ->> 'request' = r.id::text || CASE
            WHEN r.attempt > 1 THEN ':' || r.attempt
            ELSE ''
          END
        )
        OR (
          v_made ->> 'request' IS NULL
          AND v_to <> 'FAILED'
          AND r.status = 'FAILED'
          AND r.amount = (v_made ->> 'amount')::bigint
        )
      )
    ORDER BY (r.processor_refund_id = v_made ->> 'refundId') DESC NULLS LAST, r.created_at
    LIMIT 1;
    IF v_refund.id IS NULL THEN
      -- One that failed there gave nothing back, and an attempt of ours before the present one is over.
      CONTINUE WHEN v_to = 'FAILED' OR v_made ->> 'request' IS NOT NULL;
      IF v_payment.captured_amount - v_payment.refund_requested_amount < (v_made ->> 'amount')::bigint THEN
        UPDATE payment.payment p
        SET attention = 'MISMATCH'
        WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
        CONTINUE;
      END IF;
      v_refund.id := payment.insert_refund(
        p_merchant_id,
        p_payment_id,
        (v_made ->> 'amount')::bigint,
        0,
        'Refunded at the payment processor'
      );
    ELSEIF v_refund.status = 'SUCCEEDED' AND v_to = 'FAILED' THEN
      PERFORM payment.take_back_refund(p_merchant_id, v_refund.id, v_made ->> 'reason');
    ELSEIF
      v_refund.status = 'FAILED'
      AND v_to <> 'FAILED'
      AND v_refund.processor_refund_id IS DISTINCT FROM v_made ->> 'refundId'
    THEN
      UPDATE payment.refund r
      SET
        status = 'PENDING',
        failure_reason = NULL,
        processor_refund_id = v_made ->> 'refundId'
      WHERE r.merchant_id = p_merchant_id AND r.id = v_refund.id;
    END IF;
    PERFORM
      payment.settle_refund(
        p_merchant_id,
        v_refund.id,
        v_to,
        v_made ->> 'refundId',
        CASE
          WHEN v_to = 'FAILED' THEN v_made ->> 'reason'
        END,
        p_part,
        p_full,
        p_moves
      );
    v_payment := payment.lock_payment(p_merchant_id, p_payment_id);
  END LOOP;
  PERFORM payment.follow_disputes(p_merchant_id, p_payment_id, p_disputes);
  PERFORM payment.note_attention(p_merchant_id, p_payment_id);
END;
$$;

-- sql/payment/functions/keep_default_method.sql

CREATE FUNCTION payment.keep_default_method(p_merchant_id uuid, p_customer_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT s.id
  INTO v_id
  FROM payment.saved_payment_method s
  WHERE s.merchant_id = p_merchant_id AND s.customer_id = p_customer_id AND s.offered
  ORDER BY s.is_default DESC, s.created_at DESC, s.id DESC
  LIMIT 1;
  IF FOUND THEN
    PERFORM payment.put_default_method(p_merchant_id, p_customer_id, v_id);
  END IF;
END;
$$;

CREATE FUNCTION payment.put_default_method(p_merchant_id uuid, p_customer_id uuid, p_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE payment.saved_method s
  SET is_default = FALSE
  WHERE s.merchant_id = p_merchant_id AND s.customer_id = p_customer_id AND s.is_default AND s.id <> p_id;
  UPDATE payment.saved_method s
  SET is_default = TRUE
  WHERE s.merchant_id = p_merchant_id AND s.id = p_id AND NOT s.is_default;
END;
$$;

-- sql/payment/functions/settle_payment.sql

CREATE FUNCTION payment.settle_payment(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_from text[],
  p_to text,
  p_answer jsonb,
  p_moves jsonb
)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
BEGIN
  -- The order first: see the lock order in stock_rules.
  v_payment := payment.lock_payment(p_merchant_id, p_payment_id);
  IF v_payment.id IS NULL THEN
    RAISE EXCEPTION 'payment % does not exist', p_payment_id;
  END IF;
  IF NOT v_payment.status = ANY (p_from) THEN
    RETURN v_payment.status;
  END IF;
  -- Nothing was taken when the processor was asked. Since then, it may have been.
  IF (p_answer ->> 'untaken')::boolean AND v_payment.approved_at IS NOT NULL THEN
    RETURN v_payment.status;
  END IF;
  UPDATE payment.payment p
  SET
    status = p_to,
    processor_payment_intent_id = coalesce(p_answer ->> 'intentId', p.processor_payment_intent_id),
    -- A method that is saved gets an id of its own.
    processor_payment_method_id = coalesce(p_answer ->> 'methodId', p.processor_payment_method_id),
    last4 = coalesce(p_answer ->> 'last4', p.last4),
    brand = coalesce(p_answer ->> 'brand', p.brand),
    expiry_month = coalesce((p_answer ->> 'expiryMonth')::integer, p.expiry_month),
    expiry_year = coalesce((p_answer ->> 'expiryYear')::integer, p.expiry_year),
    failure_reason = coalesce(p_answer ->> 'failureReason', p.failure_reason),
    failure_code = coalesce(p_answer ->> 'failureCode', p.failure_code),
    decline_code = coalesce(p_answer ->> 'declineCode', p.decline_code),
    authorized_at = CASE
      WHEN p_answer ? 'captureBefore' THEN coalesce(p.authorized_at, now())
      ELSE p.authorized_at
    END,
    approved_at = CASE
      WHEN (p_answer ->> 'approved')::boolean THEN coalesce(p.approved_at, now())
      ELSE p.approved_at
    END,
    capture_before = coalesce((p_answer ->> 'captureBefore')::timestamptz, p.capture_before),
    capturable_amount = CASE
      WHEN p_to = 'PROCESSING'
      AND NOT p_answer ? 'captureBefore' THEN p.capturable_amount
      ELSE coalesce((p_answer ->> 'capturableAmount')::bigint, 0)
    END,
    captured_amount = CASE
      WHEN p_to = 'SUCCEEDED' THEN coalesce((p_answer ->> 'capturedAmount')::bigint, p.amount)
      ELSE p.captured_amount
    END,
    attention = NULL
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  IF v_payment.appointment_id IS NOT NULL THEN
    IF p_to = 'SUCCEEDED' THEN
      PERFORM
        booking.confirm_if_prepaid(p_merchant_id, v_payment.appointment_id, p_moves -> 'confirmAppointment');
    ELSEIF p_to = 'CANCELLED' AND v_payment.awaited THEN
      PERFORM booking.end_awaiting(p_merchant_id, v_payment.appointment_id);
    END IF;
  ELSEIF p_to = 'SUCCEEDED' AND payment.pays_order(p_merchant_id, v_payment.order_id) THEN
    PERFORM ordering.confirm_order(p_merchant_id, v_payment.order_id, p_moves);
  ELSEIF
    p_to = 'CANCELLED'
    AND v_payment.awaited
    AND (payment.open_payment(p_merchant_id, v_payment.order_id)).awaited IS NOT TRUE
  THEN
    PERFORM ordering.end_awaiting(p_merchant_id, v_payment.order_id);
  END IF;
  RETURN p_to;
END;
$$;

-- sql/payment/functions/settle_refund.sql

CREATE FUNCTION payment.settle_refund(
  p_merchant_id uuid,
  p_refund_id uuid,
  p_to text,
  p_processor_refund_id text,
  p_failure_reason text,
  p_part jsonb,
  p_full jsonb,
  p_moves jsonb
)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
  v_refund payment.refund;
  v_move jsonb;
BEGIN
  v_payment := payment.lock_payment(
    p_merchant_id,
    (SELECT r.payment_id FROM payment.refund r WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id)
  );
  SELECT *
  INTO v_refund
  FROM payment.refund r
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'refund % does not exist', p_refund_id;
  END IF;
  IF v_refund.status <> 'PENDING' THEN
    RETURN v_refund.status;
  END IF;
  UPDATE payment.refund r
  SET
    status = p_to,
    processor_refund_id = coalesce(p_processor_refund_id, r.processor_refund_id),
    failure_reason = p_failure_reason,
    unanswered_calls = 0
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id;
  PERFORM payment.note_attention(p_merchant_id, v_payment.id);
  IF p_to = 'SUCCEEDED' THEN
    v_move := CASE
      WHEN v_payment.refunded_amount + v_refund.amount = v_payment.captured_amount THEN p_full
      ELSE p_part
    END;
    UPDATE payment.payment p
    SET
      status = v_move ->> 'to',
      refunded_amount = p.refunded_amount + v_refund.amount
    WHERE p.merchant_id = p_merchant_id AND p.id = v_payment.id AND v_move -> 'from' ? p.status;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the payment of refund % is in no state to be refunded', p_refund_id;
    END IF;
    IF v_payment.order_id IS NULL THEN
      RETURN p_to;
    END IF;
    PERFORM
      ordering.follow_refund(
        p_merchant_id,
        v_payment.order_id,
        p_refund_id,
        NOT EXISTS (
          SELECT
          FROM payment.payment p
          WHERE
            p.merchant_id = p_merchant_id
            AND p.order_id = v_payment.order_id
            AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED')
        ),
        p_moves
      );
  END IF;
  RETURN p_to;
END;
$$;

-- sql/payment/functions/settle_saved_method.sql

CREATE FUNCTION payment.settle_saved_method(p_merchant_id uuid, p_id uuid, p_status text, p_answer jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer_id uuid := (
    SELECT s.customer_id FROM payment.saved_method s WHERE s.merchant_id = p_merchant_id AND s.id = p_id
  );
BEGIN
  PERFORM FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = v_customer_id FOR NO KEY UPDATE;
  UPDATE payment.saved_method s
  SET
    status = p_status,
    processor_setup_id = coalesce(p_answer ->> 'setupId', s.processor_setup_id),
    processor_method_id = coalesce(p_answer ->> 'methodId', s.processor_method_id),
    last4 = p_answer ->> 'last4',
    brand = p_answer ->> 'brand',
    expiry_month = (p_answer ->> 'expiryMonth')::integer,
    expiry_year = (p_answer ->> 'expiryYear')::integer,
    failure_reason = p_answer ->> 'failureReason',
    failure_code = p_answer ->> 'failureCode',
    decline_code = p_answer ->> 'declineCode',
    unanswered_calls = 0
  WHERE s.merchant_id = p_merchant_id AND s.id = p_id AND s.status = 'PENDING';
  PERFORM payment.keep_default_method(p_merchant_id, v_customer_id);
END;
$$;

-- sql/platform/functions/grant_credentials.sql

CREATE FUNCTION platform.grant_credentials()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_row record;
BEGIN
  FOR v_row IN WITH
    refused AS (
      SELECT c.relation, r.role, r.command, array_agg(c.column_name) AS columns
      FROM
        platform.credential_columns() c
        CROSS JOIN (
          VALUES
            ('commerce_engine', '{SELECT,INSERT,UPDATE}'::text[]),
            ('commerce_actions', '{SELECT,INSERT,UPDATE}'),
            ('commerce_worker', '{SELECT,INSERT,UPDATE}'),
            ('commerce_reader', '{SELECT}')
        ) AS p (role, commands)
        CROSS JOIN LATERAL (SELECT p.role, x.command FROM unnest(p.commands) x (command)) r
      WHERE r.role <> ALL (c.keepers) AND NOT (r.command = 'SELECT' AND r.role = ANY (c.readers))
      GROUP BY c.relation, r.role, r.command
    )
  SELECT f.relation, f.role, f.command, string_agg(quote_ident(a.attname), ', ') AS columns
  FROM
    refused f
    JOIN pg_attribute a
      ON a.attrelid = f.relation AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (f.columns)
  GROUP BY f.relation, f.role, f.command LOOP
    EXECUTE format('REVOKE %s ON %s FROM %I', v_row.command, v_row.relation, v_row.role);
    EXECUTE format('GRANT %s (%s) ON %s TO %I', v_row.command, v_row.columns, v_row.relation, v_row.role);
  END LOOP;
END;
$$;

-- sql/platform/functions/grant_rights.sql

CREATE FUNCTION platform.grant_rights()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_part text;
  v_schema text;
  v_table record;
  -- The comment of the schema says which rights it has.
  v_rights text := (
    SELECT 'rights ' || md5(string_agg(p.prosrc, '' ORDER BY p.proname))
    FROM pg_proc p
    WHERE
      p.pronamespace = 'platform'::regnamespace
      AND p.proname ~ '^(grant_.+|credential_columns|auth_rights|own_schemas|secure_rows)$'
  );
BEGIN
  PERFORM platform.make_roles();
  IF v_rights = obj_description('platform'::regnamespace, 'pg_namespace') AND NOT platform.lacks_rights() THEN
    RETURN;
  END IF;
  PERFORM platform.secure_rows();
  FOR v_schema IN SELECT s.name FROM platform.own_schemas() s LOOP
    EXECUTE
      format(
        'GRANT USAGE ON SCHEMA %I ' 
 'TO commerce_engine, commerce_actions, commerce_auth, commerce_worker, commerce_reader',
        v_schema
      );
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO commerce_reader', v_schema);
    FOREACH v_part IN ARRAY '{commerce_engine,commerce_actions,commerce_worker}'::text[] LOOP
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I', v_schema, v_part);
      EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO %I', v_schema, v_part);
    END LOOP;
  END LOOP;
  FOR v_table IN SELECT r.role, r.relation, r.rights FROM platform.auth_rights() r LOOP
    EXECUTE format('GRANT %s ON %s TO %I', v_table.rights, v_table.relation, v_table.role);
  END LOOP;
  -- Only whoever migrates writes what says which schema there is.
  REVOKE INSERT, UPDATE, DELETE
  ON platform.applied_migration, platform.applied_metadata
  FROM commerce_engine, commerce_actions, commerce_worker;
  -- The functions that run as the owner.
  GRANT EXECUTE ON FUNCTION merchant.delete_rows(uuid, integer) TO commerce_worker;
  GRANT EXECUTE ON FUNCTION audit.prepare_months() TO commerce_worker;
  GRANT EXECUTE ON FUNCTION audit.drop_months_older_than(integer) TO commerce_worker;
  GRANT EXECUTE ON FUNCTION bulk.refresh_statistics(text) TO commerce_worker;
  GRANT EXECUTE ON FUNCTION operator.dead_letters() TO commerce_engine, commerce_actions;
  GRANT EXECUTE ON FUNCTION operator.settle_dead_letters(uuid[], boolean) TO commerce_actions;
  -- Those of search name their merchant, and use indexes that row security would not let them use.
  FOR v_table IN SELECT p.oid::regprocedure AS name
  FROM pg_proc p
  WHERE p.pronamespace = 'search'::regnamespace AND p.prosecdef LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', v_table.name);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO commerce_engine', v_table.name);
  END LOOP;
  PERFORM platform.grant_credentials();
  PERFORM platform.grant_runtime_rights();
  EXECUTE format('COMMENT ON SCHEMA platform IS %L', v_rights);
END;
$$;

-- sql/platform/functions/grant_runtime_rights.sql

CREATE FUNCTION platform.grant_runtime_rights()
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF to_regclass('hdb_catalog.event_log') IS NOT NULL THEN
    GRANT USAGE ON SCHEMA hdb_catalog TO commerce_engine, commerce_actions, commerce_auth, commerce_worker;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hdb_catalog TO commerce_engine;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA hdb_catalog TO commerce_engine;
    -- The job that deletes what Hasura keeps of events (platform.purge_engine_logs).
    GRANT SELECT, UPDATE, DELETE
    ON hdb_catalog.event_invocation_logs,
    hdb_catalog.event_log,
    hdb_catalog.hdb_cron_event_invocation_logs,
    hdb_catalog.hdb_cron_events,
    hdb_catalog.hdb_scheduled_event_invocation_logs,
    hdb_catalog.hdb_scheduled_events
    TO commerce_worker;
    -- The triggers of events write as whoever changes the row.
    GRANT INSERT ON hdb_catalog.event_log TO commerce_actions, commerce_auth, commerce_worker;
    GRANT SELECT ON hdb_catalog.event_log TO commerce_actions, commerce_auth, commerce_worker;
    GRANT SELECT (id, resource_version) ON hdb_catalog.hdb_metadata TO commerce_actions, commerce_auth, commerce_worker;
  END IF;
  IF to_regnamespace('bullmq') IS NOT NULL THEN
    GRANT USAGE ON SCHEMA bullmq TO commerce_actions, commerce_worker;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bullmq TO commerce_actions, commerce_worker;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA bullmq TO commerce_actions, commerce_worker;
  END IF;
  -- The payment sandbox of test deployments, which runs beside the actions and the workers.
  IF to_regnamespace('sandbox_processor') IS NOT NULL THEN
    GRANT USAGE ON SCHEMA sandbox_processor TO commerce_actions, commerce_worker;
    GRANT SELECT, INSERT, UPDATE, DELETE
    ON ALL TABLES IN SCHEMA sandbox_processor
    TO commerce_actions, commerce_worker;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA sandbox_processor TO commerce_actions, commerce_worker;
  END IF;
  -- For the metrics of connections; without it, they show the worker's own alone.
  BEGIN
    GRANT pg_read_all_stats TO commerce_worker;
  EXCEPTION WHEN insufficient_privilege THEN
    NULL;
  END;
END;
$$;

-- sql/platform/functions/holds_card_number.sql

CREATE FUNCTION platform.holds_card_number(p_text text)
RETURNS boolean
LANGUAGE plpgsql
IMMUTABLE
PARALLEL SAFE
AS $$
DECLARE
  v_space CONSTANT text := '\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
  v_rare_dash CONSTANT text := '\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030\u30a0\ufe31\ufe32\U00010ead';
  v_dash CONSTANT text := '\u058a\u05be\u1400\u1806\u2010-\u2015\u2212-';
  v_gap CONSTANT text := '[' || v_space || v_rare_dash || v_dash || ']';
  v_plain text := CASE
    WHEN octet_length(p_text) = char_length(p_text) THEN p_text
    ELSE normalize(p_text, NFKC)
  END;
  v_run text;
  v_groups text[];
  v_digit integer;
  v_length integer;
  -- Luhn's sum of the digits so far, if the last one counts once, and if it counts twice.
  v_once integer;
  v_twice integer;
  v_before integer;
  v_zeros boolean;
BEGIN
  IF v_plain !~ ('[0-9](' || v_gap || '{0,3}[0-9]){11}') THEN
    RETURN FALSE;
  END IF;
  v_plain := platform.without_ibans(v_plain);
  -- URLs, UUIDs, dates, and numbers too long for a card, hexadecimal ones too, are none.
  v_plain := regexp_replace(
    v_plain,
    'https?://[^' || v_space || ']+' 
 '|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}' 
 '|(?<![0-9])(?:19|20)[0-9][0-9]-[01][0-9]-[0-3][0-9](?![0-9])' 
 '|(?<![0-9a-f])[0-9a-f]{24,}',
    ' . ',
    'gi'
  );
  FOR v_run IN SELECT m[1] FROM regexp_matches(v_plain, '([0-9]+(?:' || v_gap || '{1,3}[0-9]+)*)', 'g') m LOOP
    v_groups := ARRAY(SELECT m[1] FROM regexp_matches(v_run, '([0-9]+)', 'g') m);
    FOR v_first IN 1..cardinality(v_groups) LOOP
      v_length := 0;
      v_once := 0;
      v_twice := 0;
      v_zeros := TRUE;
      FOR v_group IN v_first..least(v_first + 18, cardinality(v_groups)) LOOP
        v_length := v_length + char_length(v_groups[v_group]);
        EXIT WHEN v_length > 19;
        FOR v_place IN 1..char_length(v_groups[v_group]) LOOP
          v_digit := substr(v_groups[v_group], v_place, 1)::integer;
          v_before := v_once;
          v_once := v_twice + v_digit;
          v_twice := v_before + v_digit * 2 - CASE
            WHEN v_digit > 4 THEN 9
            ELSE 0
          END;
          v_zeros := v_zeros AND v_digit = 0;
        END LOOP;
        IF
          v_length >= 12
          AND v_once % 10 = 0
          AND NOT v_zeros
          AND NOT (v_group = v_first AND platform.is_barcode(v_groups[v_group]))
        THEN
          RETURN TRUE;
        END IF;
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN FALSE;
END;
$$;

-- sql/platform/functions/keep_key.sql

CREATE FUNCTION platform.keep_key()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  v_session jsonb := current_setting('hasura.user')::jsonb;
  v_about uuid[] := coalesce(v_session ->> 'x-hasura-idempotency-about', '{}')::uuid[];
  v_is_record boolean := v_session ->> 'x-hasura-idempotency-record' = concat_ws('_', TG_TABLE_SCHEMA, TG_TABLE_NAME);
  v_request platform.keyed_request;
  v_ids uuid[];
BEGIN
  EXECUTE format('SELECT array_agg(c.id) FROM (SELECT %I AS id FROM changed LIMIT 100) c', TG_ARGV[0])
  INTO v_ids;
  -- A request that changed nothing isn't recorded, and is processed anew when it is sent again.
  IF v_ids IS NULL THEN
    RETURN NULL;
  END IF;
  v_request := ROW(
    v_session ->> 'x-hasura-merchant-id',
    coalesce('customer:' || (v_session ->> 'x-hasura-customer-id'), 'merchant'),
    v_session ->> 'x-hasura-idempotency-key',
    coalesce(v_session ->> 'x-hasura-idempotency-part', ''),
    v_session ->> 'x-hasura-idempotency-operation',
    ARRAY[v_session ->> 'x-hasura-idempotency-fingerprint']
  );
  -- A mutation beside the one that made the record takes the key, too, but doesn't name the record.
  IF
    v_is_record
    OR NOT EXISTS (
      SELECT
      FROM platform.idempotency_record r
      WHERE
        r.merchant_id = v_request.merchant_id
        AND r.caller = v_request.caller
        AND r.key = v_request.key
        AND r.part = v_request.part
        AND r.transaction_id = pg_current_xact_id()
    )
  THEN
    PERFORM
      platform.remember(
        v_request,
        NULL,
        NULL,
        NULL,
        CASE
          WHEN v_is_record THEN v_ids
          ELSE '{}'
        END || v_about
      );
  END IF;
  RETURN NULL;
END;
$$;

-- sql/platform/functions/make_roles.sql

CREATE FUNCTION platform.make_roles()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_role text;
  v_roles text[] := '{commerce_owner,commerce_engine,commerce_actions,commerce_auth,commerce_worker,commerce_reader}';
  v_missing text[];
BEGIN
  FOREACH v_role IN ARRAY v_roles LOOP
    CONTINUE WHEN to_regrole(v_role) IS NOT NULL;
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
      -- Roles belong to all databases of the server: another one may be migrated at this moment.
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN
        NULL;
      WHEN insufficient_privilege THEN
        v_missing := v_missing || v_role;
    END;
  END LOOP;
  IF v_missing IS NOT NULL THEN
    RAISE EXCEPTION 'The user % may not create roles, and these are missing: %',
      current_user,
      array_to_string(v_missing, ', ')
      USING
        ERRCODE = 'insufficient_privilege',
        HINT = format(
          'Let an administrator of the server run: ALTER ROLE %I CREATEROLE; or %s GRANT commerce_owner TO %I;',
          current_user,
          (SELECT string_agg(format('CREATE ROLE %I NOLOGIN;', r), ' ') FROM unnest(v_missing) r),
          current_user
        );
  END IF;
  IF NOT pg_has_role(current_user, 'commerce_owner', 'USAGE') THEN
    BEGIN
      EXECUTE format('GRANT commerce_owner TO %I', current_user);
    EXCEPTION WHEN insufficient_privilege THEN
      RAISE EXCEPTION 'The user % is not in the role commerce_owner, and may not put itself there', current_user
        USING
          ERRCODE = 'insufficient_privilege',
          HINT = format('Let an administrator of the server run: GRANT commerce_owner TO %I;', current_user);
    END;
  END IF;
END;
$$;

-- sql/platform/functions/purge_engine_logs.sql

CREATE FUNCTION platform.purge_engine_logs(p_events_kept interval, p_invocations_kept interval, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_log record;
  v_gone integer;
  v_sum integer := 0;
BEGIN
  FOR v_log IN SELECT l.name, l.condition
  FROM
    (
      VALUES
        ('event_invocation_logs', 'x.created_at < now() - $2'),
        ('hdb_cron_event_invocation_logs', 'x.created_at < now() - $2'),
        ('hdb_scheduled_event_invocation_logs', 'x.created_at < now() - $2'),
        ('event_log', '(x.delivered OR x.error OR x.archived) AND x.created_at < now() - $1'),
        ('hdb_cron_events', $c$x.status IN ('delivered', 'error', 'dead') AND x.scheduled_time < now() - $1$c$),
        ('hdb_scheduled_events', $c$x.status IN ('delivered', 'error', 'dead') AND x.scheduled_time < now() - $1$c$)
    ) AS l (name, condition)
  WHERE to_regclass('hdb_catalog.' || l.name) IS NOT NULL LOOP
    EXECUTE
      format(
        'WITH gone AS (
           DELETE FROM hdb_catalog.%1$I WHERE id IN (
             SELECT x.id FROM hdb_catalog.%1$I x WHERE %2$s LIMIT $3 FOR UPDATE SKIP LOCKED
           ) RETURNING 1
         ) SELECT count(*)::integer FROM gone',
        v_log.name,
        v_log.condition
      )
    INTO v_gone
    USING p_events_kept, p_invocations_kept, p_limit;
    v_sum := v_sum + v_gone;
  END LOOP;
  RETURN v_sum;
END;
$$;

-- sql/platform/functions/secure_rows.sql

CREATE FUNCTION platform.secure_rows()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_table record;
BEGIN
  FOR v_table IN SELECT
    c.oid::regclass AS name,
    CASE c.oid
      WHEN 'merchant.merchant'::regclass THEN ARRAY['id']
      -- The key of a merchant may reach its test data, which is a merchant of its own.
      WHEN 'merchant.api_key'::regclass THEN ARRAY['merchant_id', 'reaches_merchant_id']
      ELSE ARRAY['merchant_id']
    END AS merchant_ids
  FROM
    pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE
    c.relkind IN ('r', 'p')
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'hdb_catalog', 'bullmq', 'sandbox_processor')
    AND (
      c.oid = 'merchant.merchant'::regclass
      OR EXISTS (
        SELECT
        FROM pg_attribute a
        WHERE
          a.attrelid = c.oid
          AND a.attname = 'merchant_id'
          AND a.atttypid = 'uuid'::regtype
          AND a.attnotnull
          AND NOT a.attisdropped
      )
    )
    AND NOT (
      c.relforcerowsecurity
      AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'of_merchant')
      AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'of_owner')
    ) LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', v_table.name);
    EXECUTE format('DROP POLICY IF EXISTS of_merchant ON %s', v_table.name);
    EXECUTE format('DROP POLICY IF EXISTS of_owner ON %s', v_table.name);
    -- Subqueries without a reference to the row are run once for a statement, and only if it comes to them.
    EXECUTE
      format(
        'CREATE POLICY of_merchant ON %s ' 
 'TO commerce_engine, commerce_actions, commerce_auth, commerce_worker, commerce_reader USING (' 
 '%s OR (SELECT current_setting(''commerce.across_merchants'', true) <> ''''))',
        v_table.name,
        (
          SELECT
            string_agg(
              format('%I = (SELECT nullif(current_setting(''commerce.merchant_id'', true), '''')::uuid)', m),
              ' OR '
            )
          FROM unnest(v_table.merchant_ids) m
        )
      );
    EXECUTE format('CREATE POLICY of_owner ON %s TO commerce_owner USING (true)', v_table.name);
  END LOOP;
  -- A view reads as its owner, unless it says otherwise.
  FOR v_table IN SELECT c.oid::regclass AS name
  FROM
    pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE
    c.relkind = 'v'
    AND n.nspname IN (SELECT s.name FROM platform.own_schemas() s)
    AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), FALSE) LOOP
    EXECUTE format('ALTER VIEW %s SET (security_invoker = true)', v_table.name);
  END LOOP;
END;
$$;

-- sql/platform/functions/without_ibans.sql

CREATE FUNCTION platform.without_ibans(p_text text)
RETURNS text
LANGUAGE plpgsql
IMMUTABLE
PARALLEL SAFE
AS $$
DECLARE
  v_rest text := p_text;
  v_groups text[];
  v_compact text;
  v_number numeric;
BEGIN
  FOR v_groups IN SELECT string_to_array(m[1], ' ')
  FROM
    regexp_matches(
      p_text,
      '((?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}' 
 '(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?)(?![A-Za-z0-9]))',
      'g'
    ) m LOOP
    -- A word may follow an IBAN, so the longest row of groups with the right check digits is one.
    FOR v_last IN REVERSE cardinality(v_groups)..1 LOOP
      v_compact := array_to_string(v_groups[1:v_last], '');
      EXIT WHEN char_length(v_compact) < 15;
      SELECT
        string_agg(
          CASE
            WHEN c.letter >= 'A' COLLATE "C" THEN (ascii(c.letter) - 55)::text
            ELSE c.letter
          END,
          ''
          ORDER BY c.place
        )::numeric
      INTO v_number
      FROM regexp_split_to_table(substr(v_compact, 5) || left(v_compact, 4), '') WITH ORDINALITY c (letter, place);
      IF char_length(v_compact) <= 34 AND v_number % 97 = 1 THEN
        v_rest := replace(v_rest, array_to_string(v_groups[1:v_last], ' '), ' . ');
        EXIT;
      END IF;
    END LOOP;
  END LOOP;
  RETURN v_rest;
END;
$$;

-- sql/promotion/functions/choose.sql

CREATE FUNCTION promotion.choose(
  p_purchase promotion.purchase,
  p_own promotion.promotion,
  p_own_refusal text,
  p_others promotion.promotion[]
)
RETURNS promotion.choice
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_choice promotion.choice;
  v_other promotion.promotion;
  v_discount promotion.discount;
  v_amount numeric;
  v_most numeric := 0;
BEGIN
  v_choice.own_refusal := p_own_refusal;
  IF p_purchase.product_ids IS NULL THEN
    RETURN v_choice;
  END IF;
  IF p_own.id IS NOT NULL AND p_own_refusal IS NULL THEN
    v_discount := promotion.discount_on(p_own, p_purchase);
    v_choice.own_refusal := v_discount.refusal;
    IF v_discount.refusal IS NULL THEN
      v_most := v_discount.shipping + (SELECT sum(x) FROM unnest(v_discount.lines) x);
      v_choice := ROW(NULL, p_own.id, p_own.name, v_discount.lines, v_discount.shipping)::promotion.choice;
    END IF;
  END IF;
  FOREACH v_other IN ARRAY p_others LOOP
    CONTINUE WHEN
      v_other.code IS NOT NULL
      OR v_other.id = p_own.id
      OR promotion.use_refusal(v_other, p_purchase) IS NOT NULL;
    v_discount := promotion.discount_on(v_other, p_purchase);
    v_amount := v_discount.shipping + (SELECT sum(x) FROM unnest(v_discount.lines) x);
    IF v_amount > v_most THEN
      v_most := v_amount;
      v_choice := ROW(
        v_choice.own_refusal,
        v_other.id,
        v_other.name,
        v_discount.lines,
        v_discount.shipping
      )::promotion.choice;
    END IF;
  END LOOP;
  RETURN v_choice;
END;
$$;

-- sql/promotion/functions/discount_on.sql

CREATE FUNCTION promotion.discount_on(p_promotion promotion.promotion, p_purchase promotion.purchase)
RETURNS promotion.discount
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_purchase numeric;
  v_covered numeric;
  v_weights bigint[];
  v_amount numeric;
BEGIN
  SELECT
    sum(l.subtotal),
    sum(l.subtotal) FILTER (WHERE l.covered),
    array_agg(
      CASE
        WHEN l.covered THEN l.subtotal
        ELSE 0
      END
      ORDER BY l.position
    )
  INTO v_purchase, v_covered, v_weights
  FROM
    (
      SELECT
        x.subtotal,
        x.position,
        (p_promotion.product_ids IS NULL OR x.product_id = ANY (p_promotion.product_ids))
        AND (
          p_promotion.category_ids IS NULL
          OR EXISTS (
            SELECT
            FROM catalog.product_category c
            WHERE
              c.merchant_id = p_promotion.merchant_id
              AND c.product_id = x.product_id
              AND c.category_id = ANY (p_promotion.category_ids)
          )
        ) AS covered
      FROM unnest(p_purchase.product_ids, p_purchase.subtotals) WITH ORDINALITY AS x (product_id, subtotal, position)
    ) l;
  IF v_covered IS NULL THEN
    RETURN ROW('coupon_not_for_products', NULL, NULL)::promotion.discount;
  END IF;
  IF v_purchase < p_promotion.min_purchase_amount THEN
    RETURN ROW('coupon_minimum_not_met', NULL, NULL)::promotion.discount;
  END IF;
  -- least() passes over NULL: no maximum.
  v_amount := least(
    p_promotion.max_discount_amount,
    CASE p_promotion.discount_type
      WHEN 'PERCENTAGE' THEN round(v_covered * p_promotion.discount_value / 100)
      WHEN 'FIXED_AMOUNT' THEN least(p_promotion.discount_value, v_covered)
      WHEN 'FREE_SHIPPING' THEN p_purchase.shipping
    END
  );
  IF p_promotion.discount_type = 'FREE_SHIPPING' THEN
    RETURN ROW(NULL, array_fill(0::bigint, ARRAY[cardinality(v_weights)]), v_amount)::promotion.discount;
  END IF;
  RETURN ROW(NULL, platform.allocate(v_amount, v_weights), 0)::promotion.discount;
END;
$$;

-- sql/promotion/functions/import_promotions.sql

CREATE FUNCTION promotion.import_promotions(p_merchant_id uuid, p_batch jsonb)
RETURNS TABLE (id uuid, outcome text, field text, reason text)
LANGUAGE plpgsql
AS $$
DECLARE
  v_new uuid[];
BEGIN
  PERFORM bulk.begin_batch(p_merchant_id);
  v_new := ARRAY(
    SELECT w.id
    FROM jsonb_to_recordset(p_batch -> 'promotions') AS w (id uuid, key text, code citext)
    WHERE
      NOT EXISTS (SELECT FROM promotion.promotion p WHERE p.merchant_id = p_merchant_id AND p.code = w.code)
      AND NOT EXISTS (
        SELECT
        FROM
          bulk.imported_record r
          JOIN promotion.promotion p ON p.merchant_id = r.merchant_id AND p.id = r.record_id
        WHERE r.merchant_id = p_merchant_id AND r.record_type = 'PROMOTION' AND r.external_id = w.key
      )
  );
  INSERT INTO promotion.promotion
    (
      merchant_id,
      id,
      name,
      description,
      code,
      discount_type,
      discount_value,
      start_date,
      end_date,
      disabled,
      usage_limit
    )
  SELECT
    p_merchant_id,
    p.id,
    p.name,
    p.description,
    p.code,
    p.discount_type,
    coalesce(p.discount_value, 0),
    p.start_date,
    p.end_date,
    coalesce(p.disabled, FALSE),
    p.usage_limit
  FROM jsonb_populate_recordset(NULL::promotion.promotion, p_batch -> 'promotions') p
  WHERE p.id = ANY (v_new);
  INSERT INTO bulk.imported_record AS r (merchant_id, record_type, external_id, record_id, fingerprint)
  SELECT p_merchant_id, 'PROMOTION', w.key, w.id, w.fingerprint
  FROM jsonb_to_recordset(p_batch -> 'promotions') AS w (id uuid, key text, fingerprint text)
  WHERE w.id = ANY (v_new)
  ON CONFLICT (merchant_id, record_type, external_id) DO UPDATE
    SET
      record_id = excluded.record_id,
      fingerprint = excluded.fingerprint,
      imported_at = now();
  RETURN QUERY SELECT
      w.id,
      CASE
        WHEN w.id = ANY (v_new) THEN 'imported'
        ELSE 'unchanged'
      END,
      NULL::text,
      NULL::text
    FROM jsonb_to_recordset(p_batch -> 'promotions') AS w (id uuid);
END;
$$;

-- sql/search/functions/count_results.sql

CREATE FUNCTION search.count_results(
  hasura_session json,
  query text DEFAULT NULL,
  types text[] DEFAULT NULL,
  category_id uuid DEFAULT NULL,
  tags text[] DEFAULT NULL,
  options jsonb DEFAULT NULL,
  attributes jsonb DEFAULT NULL,
  price_min bigint DEFAULT NULL,
  price_max bigint DEFAULT NULL,
  in_stock boolean DEFAULT NULL,
  status text DEFAULT NULL,
  sort_by text DEFAULT 'RELEVANCE',
  sort_order text DEFAULT NULL,
  after_value text DEFAULT NULL,
  after_id uuid DEFAULT NULL,
  page_size integer DEFAULT 20,
  page_offset integer DEFAULT 0
)
RETURNS SETOF search.total
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
ROWS 1
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_request search.request := search.request_of(
    hasura_session,
    query,
    types,
    category_id,
    tags,
    options,
    attributes,
    price_min,
    price_max,
    in_stock,
    status,
    sort_by
  );
  v_tallied_scope bigint := CASE
    WHEN v_request.groups IS NULL THEN search.tallied_scope(v_request, category_id)
  END;
BEGIN
  IF NOT ((v_request.scope).products OR (v_request.scope).articles) THEN
    RETURN;
  END IF;
  IF v_tallied_scope IS NOT NULL THEN
    RETURN QUERY EXECUTE
      format(
        $statement$
        WITH
          %s
          total AS (
            SELECT coalesce(sum(v.count), 0)::integer AS count
            FROM counted_value v
            WHERE v.kind = 'TYPE'
          )
        SELECT (($1).scope).merchant_id, t.count
        FROM total t
        $statement$,
        search.facet_counts(v_request, v_tallied_scope)
      )
      USING v_request;
    RETURN;
  END IF;
  RETURN QUERY EXECUTE
    'SELECT (($1).scope).merchant_id, count(*)::integer FROM search.document d WHERE ' || search.matches(
      v_request,
      TRUE
    )
    USING v_request;
END;
$$;

-- sql/search/functions/counts_of_candidates.sql

CREATE FUNCTION search.counts_of_candidates(p_request search.request)
RETURNS text
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_groups search.key_group[] := p_request.groups;
  -- Of a row, how many groups it has nothing of, and the sum of their places: if it is one, its place.
  v_misses text := (
    SELECT string_agg(format('(NOT d.facet_keys && %L::bigint[])::integer', g.keys), ' + ')
    FROM unnest(v_groups) g
  );
  v_missed text := (
    SELECT string_agg(format('%s * (NOT d.facet_keys && %L::bigint[])::integer', g.place, g.keys), ' + ')
    FROM unnest(v_groups) WITH ORDINALITY AS g (name, keys, place)
  );
BEGIN
  RETURN format(
    $statement$
    candidate AS MATERIALIZED (
      SELECT %1$s, %2$s AS misses, %3$s AS missed
      FROM search.document d
      WHERE %4$s
    ),
    hit AS NOT MATERIALIZED (SELECT * FROM candidate c WHERE c.misses = 0),
    counted_value AS MATERIALIZED (%5$s),
    -- A value of an option or attribute is counted as if it had no filter yet: with what misses this filter alone.
    counted_key AS (
      SELECT k.key, (%6$L::text[])[k.missed] AS missed, count(*) AS count
      FROM (SELECT unnest(c.facet_keys) AS key, c.missed FROM candidate c WHERE c.misses < 2) k
      GROUP BY k.key, k.missed
    ),
    $statement$,
    search.counted_columns(p_request.scope),
    v_misses,
    v_missed,
    search.matches(p_request, FALSE),
    search.values_of('hit'),
    ARRAY(SELECT g.name FROM unnest(v_groups) g)
  );
END;
$$;

-- sql/search/functions/counts_of_group.sql

CREATE FUNCTION search.counts_of_group(p_request search.request, p_scope bigint)
RETURNS text
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_group search.key_group := p_request.groups[1];
  -- A document with two of the keys counts twice, so there may be fewer results.
  v_reads_others boolean := (
    SELECT
      coalesce(sum(t.count) FILTER (WHERE t.kind = 'KEY'), 0) * 2 > coalesce(
        sum(t.count) FILTER (WHERE t.kind = 'TYPE'),
        0
      )
    FROM search.tally t
    WHERE
      t.merchant_id = (p_request.scope).merchant_id
      AND t.scope = p_scope
      AND (t.kind = 'KEY' AND t.value = ANY (v_group.keys) OR t.kind = 'TYPE' AND t.value = 1)
      AND (t.public OR NOT (p_request.scope).public_only)
  );
BEGIN
  RETURN format(
    $statement$
    %1$s,
    read AS MATERIALIZED (
      SELECT %2$s
      FROM search.document d
      WHERE %3$s AND %4$s (d.facet_keys && %5$L::bigint[])
    ),
    read_count AS (
      SELECT v.kind, v.value, v.count
      FROM (%6$s) v
      UNION ALL
      SELECT 'KEY', k.key, count(*)
      FROM (SELECT unnest(r.facet_keys) AS key FROM read r) k
      GROUP BY k.key
    ),
    result_count AS MATERIALIZED (%7$s),
    counted_value AS (SELECT t.kind, t.value, t.count FROM result_count t WHERE %8$s),
    -- The group's own values are counted as if it had no filter.
    counted_key AS (
      SELECT t.value AS key, NULL::text AS missed, t.count
      FROM result_count t
      WHERE t.kind = 'KEY' AND %9$L
      UNION ALL
      SELECT t.value, %10$L, t.count
      FROM tallied t
      WHERE t.kind = 'KEY' AND %9$L
      UNION ALL
      SELECT t.value, %10$L, -t.count
      FROM result_count t
      WHERE t.kind = 'KEY' AND %9$L
    ),
    $statement$,
    search.tallied_counts(p_scope, (p_request.scope).public_only),
    search.counted_columns(p_request.scope),
    search.matches(p_request, FALSE),
    CASE
      WHEN v_reads_others THEN 'NOT'
    END,
    v_group.keys,
    search.values_of('read'),
    CASE
      WHEN v_reads_others THEN $others$
      SELECT c.kind, c.value, sum(c.count) AS count
      FROM (
        SELECT t.kind, t.value, t.count FROM tallied t
        UNION ALL
        SELECT r.kind, r.value, -r.count FROM read_count r
      ) c
      GROUP BY c.kind, c.value
      HAVING sum(c.count) > 0
      $others$
      ELSE 'SELECT r.kind, r.value, r.count FROM read_count r'
    END,
    search.is_counted_value(p_request.scope),
    (p_request.scope).products,
    v_group.name
  );
END;
$$;

-- sql/search/functions/tallied_counts.sql

CREATE FUNCTION search.tallied_counts(p_scope bigint, p_public_only boolean)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    format(
      $statement$
      tallied AS MATERIALIZED (
        SELECT t.kind, t.value, sum(t.count) AS count
        FROM
          (
            SELECT x.kind, x.value, x.count
            FROM search.tally x
            WHERE x.merchant_id = (($1).scope).merchant_id AND x.scope = %1$s AND (x.public OR %2$L)
            UNION ALL
            SELECT v.kind, v.value, x.sign
            FROM
              search.tally_change x
              CROSS JOIN LATERAL search.tallied_values(
                x.type,
                x.status,
                x.lowest_price,
                x.highest_price,
                x.in_stock,
                x.facet_keys
              ) v
            WHERE x.merchant_id = (($1).scope).merchant_id AND %3$s
            UNION ALL
            SELECT 'IN_STOCK', v.value, v.sign
            FROM
              (
                SELECT DISTINCT s.product_id
                FROM search.stale_product s
                WHERE s.merchant_id = (($1).scope).merchant_id
              ) s
              JOIN search.document x
                ON x.merchant_id = (($1).scope).merchant_id AND x.product_id = s.product_id AND %3$s
              CROSS JOIN LATERAL (
                VALUES
                  (x.in_stock::integer, -1),
                  (search.is_stocked(x.merchant_id, x.product_id)::integer, 1)
              ) v (value, sign)
          ) t
        GROUP BY t.kind, t.value
        HAVING sum(t.count) > 0
      )
      $statement$,
      p_scope,
      NOT p_public_only,
      CASE
        WHEN p_public_only THEN 'x.public'
        ELSE 'TRUE'
      END || CASE
        WHEN p_scope = 0 THEN ''
        ELSE format(' AND x.facet_keys @> ARRAY[%s]::bigint[]', p_scope)
      END
    );
$$;

-- sql/search/functions/facet_counts.sql

CREATE FUNCTION search.is_counted_value(p_of search.scope)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    concat(
      't.kind <> ''KEY'' AND (t.kind <> ''TYPE'' OR t.value = 1 OR NOT ($1).products_only) AND ',
      CASE
        WHEN p_of.products
        AND p_of.articles THEN 'TRUE'
        WHEN p_of.products THEN '(t.kind <> ''TYPE'' OR t.value < 3)'
        ELSE '(t.kind = ''TYPE'' AND t.value = 3)'
      END
    );
$$;

CREATE FUNCTION search.counts_of_tally(p_of search.scope, p_scope bigint)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    format(
      $statement$
      %1$s,
      counted_value AS (SELECT t.kind, t.value, t.count FROM tallied t WHERE %2$s),
      counted_key AS (
        SELECT t.value AS key, NULL::text AS missed, t.count
        FROM tallied t
        WHERE t.kind = 'KEY' AND %3$L
      ),
      $statement$,
      search.tallied_counts(p_scope, p_of.public_only),
      search.is_counted_value(p_of),
      p_of.products
    );
$$;

CREATE FUNCTION search.counted_columns(p_of search.scope)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    format(
      $columns$
      search.number_of_type(search.type_of(d)) AS type,
      search.number_of_status(d.status) AS status,
      search.rounded_price(d.lowest_price) AS lowest_price,
      search.rounded_price(d.highest_price) AS highest_price,
      d.facet_keys,
      (%s)::integer AS in_stock
      $columns$,
      search.in_stock_of(p_of.merchant_id)
    );
$$;

-- sql/search/functions/matches.sql

CREATE FUNCTION search.matches(p_request search.request, p_of_groups boolean)
RETURNS text
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_scope search.scope := p_request.scope;
  -- Only the conditions of the request, because Postgres plans a short statement better. $1 is the request.
  v_conditions text[] := ARRAY[
    'd.merchant_id = (($1).scope).merchant_id',
    CASE
      WHEN v_scope.public_only THEN 'd.public'
    END,
    CASE
      WHEN NOT v_scope.products THEN 'd.article_id IS NOT NULL'
    END,
    CASE
      WHEN NOT v_scope.articles THEN 'd.article_id IS NULL'
    END,
    CASE
      WHEN p_request.products_only THEN 'd.product_id IS NOT NULL'
    END,
    CASE
      WHEN p_request.types IS NOT NULL THEN 'search.type_of(d) = ANY (($1).types)'
    END,
    CASE
      WHEN p_request.words IS NOT NULL THEN 'd.words @@ ($1).words'
    END,
    CASE
      WHEN p_request.keys IS NOT NULL THEN 'd.facet_keys @> ($1).keys'
    END,
    CASE
      WHEN p_request.price_min IS NOT NULL THEN 'd.highest_price >= ($1).price_min'
    END,
    CASE
      WHEN p_request.price_max IS NOT NULL THEN 'd.lowest_price <= ($1).price_max'
    END,
    CASE
      WHEN p_request.status IS NOT NULL THEN 'd.status = ($1).status'
    END,
    CASE
      WHEN p_request.in_stock IS NOT NULL THEN search.in_stock_of(v_scope.merchant_id) || ' = ($1).in_stock'
    END
  ];
BEGIN
  IF p_of_groups THEN
    v_conditions := v_conditions || ARRAY(
      SELECT format('d.facet_keys && %L::bigint[]', g.keys)
      FROM unnest(p_request.groups) g
    );
  END IF;
  RETURN array_to_string(v_conditions, ' AND ');
END;
$$;

-- sql/search/functions/facet_counts.sql

CREATE FUNCTION search.values_of(p_documents text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    format(
      $statement$
      SELECT x.kind, x.value, x.count
      FROM
        (
          SELECT
            CASE grouping(h.type, h.status, h.in_stock, h.lowest_price, h.highest_price)
              WHEN 15 THEN 'TYPE'
              WHEN 23 THEN 'STATUS'
              WHEN 27 THEN 'IN_STOCK'
              WHEN 29 THEN 'LOWEST_PRICE'
              ELSE 'HIGHEST_PRICE'
            END AS kind,
            coalesce(h.type, h.status, h.in_stock, h.lowest_price, h.highest_price) AS value,
            count(*) AS count
          FROM %I h
          GROUP BY GROUPING SETS ((h.type), (h.status), (h.in_stock), (h.lowest_price), (h.highest_price))
        ) x
      WHERE x.value IS NOT NULL
      $statement$,
      p_documents
    );
$$;

CREATE FUNCTION search.counts_of_results(p_request search.request)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    format(
      $statement$
      result AS MATERIALIZED (SELECT %1$s FROM search.document d WHERE %2$s),
      counted_value AS MATERIALIZED (%3$s),
      counted_key AS (
        SELECT k.key, NULL::text AS missed, count(*) AS count
        FROM (SELECT unnest(r.facet_keys) AS key FROM result r) k
        GROUP BY k.key
      ),
      $statement$,
      search.counted_columns(p_request.scope),
      search.matches(p_request, TRUE),
      search.values_of('result')
    );
$$;

CREATE FUNCTION search.facet_counts(p_request search.request, p_scope bigint)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_request.groups IS NULL
      AND p_scope IS NOT NULL THEN search.counts_of_tally(p_request.scope, p_scope)
      WHEN p_request.groups IS NULL THEN search.counts_of_results(p_request)
      WHEN cardinality(p_request.groups) = 1
      AND p_scope IS NOT NULL THEN search.counts_of_group(p_request, p_scope)
      ELSE search.counts_of_candidates(p_request)
    END;
$$;

CREATE FUNCTION search.tallied_scope(p_request search.request, p_category_id uuid)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_category_id IS NOT NULL THEN p_request.keys[1]
      ELSE 0
    END
  FROM search.tallied_merchant t
  WHERE
    t.merchant_id = (p_request.scope).merchant_id
    AND t.counted
    AND num_nonnulls(
      p_request.words,
      p_request.types,
      p_request.price_min,
      p_request.price_max,
      p_request.in_stock,
      p_request.status
    ) = 0
    AND coalesce(cardinality(p_request.keys), 0) = num_nonnulls(p_category_id);
$$;

-- sql/search/functions/facets.sql

CREATE FUNCTION search.facets(
  hasura_session json,
  query text DEFAULT NULL,
  types text[] DEFAULT NULL,
  category_id uuid DEFAULT NULL,
  tags text[] DEFAULT NULL,
  options jsonb DEFAULT NULL,
  attributes jsonb DEFAULT NULL,
  price_min bigint DEFAULT NULL,
  price_max bigint DEFAULT NULL,
  in_stock boolean DEFAULT NULL,
  status text DEFAULT NULL,
  sort_by text DEFAULT 'RELEVANCE',
  sort_order text DEFAULT NULL,
  after_value text DEFAULT NULL,
  after_id uuid DEFAULT NULL,
  page_size integer DEFAULT 20,
  page_offset integer DEFAULT 0
)
RETURNS SETOF search.facet
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
ROWS 50
-- The counted rows of many products stay in memory.
SET work_mem = '32MB'
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_request search.request := search.request_of(
    hasura_session,
    query,
    types,
    category_id,
    tags,
    options,
    attributes,
    price_min,
    price_max,
    in_stock,
    status,
    sort_by
  );
BEGIN
  RETURN QUERY EXECUTE
    format(
      $statement$
      WITH
        %s
        named AS (
          SELECT v.key, v.kind, v.name, v.value, sum(k.count) AS count
          FROM
            counted_key k
            CROSS JOIN LATERAL (
              SELECT x.*
              FROM search.facet_value x
              WHERE x.merchant_id = (($1).scope).merchant_id AND x.key = k.key
              ORDER BY x.id
              LIMIT 1
            ) v
          WHERE k.missed IS NULL OR search.group_name(v.kind, v.name) = k.missed
          GROUP BY v.key, v.kind, v.name, v.value
          HAVING sum(k.count) > 0
        ),
        most AS (
          SELECT
            n.kind,
            min(n.name) OVER (PARTITION BY n.kind, search.group_name(n.kind, n.name)) AS name,
            n.value,
            n.count,
            row_number() OVER (
              PARTITION BY n.kind, search.group_name(n.kind, n.name)
              ORDER BY n.count DESC, n.value
            ) AS place
          FROM named n
        ),
        -- A step to round by: a power of ten, of which at least five lie between the prices. Prices are counted by
        -- their first two digits, so it is no smaller than those of the highest.
        step AS (
          SELECT
            greatest(
              power(10, floor(log(greatest((max(v.value) - min(v.value)) / 5, 1)))),
              power(10, greatest(floor(log(greatest(max(v.value), 1))) - 1, 0))
            )::bigint AS size
          FROM counted_value v
          WHERE v.kind IN ('LOWEST_PRICE', 'HIGHEST_PRICE')
        ),
        cumulated AS (
          SELECT v.value AS price, sum(v.count) OVER (ORDER BY v.value) AS upto, sum(v.count) OVER () AS count
          FROM counted_value v
          WHERE v.kind = 'LOWEST_PRICE'
        ),
        bound AS (
          SELECT DISTINCT q.price / s.size * s.size AS min
          FROM
            (
              -- The lowest price, and where the second to the fifth part begins.
              SELECT min(c.price) AS price
              FROM
                generate_series(0, 4) AS part
                JOIN cumulated c ON c.upto * 5 >= part * c.count
              GROUP BY part
            ) q,
            step s
        ),
        price_range AS (
          SELECT
            b.min,
            coalesce(
              lead(b.min) OVER (ORDER BY b.min) - 1,
              (
                SELECT (max(v.value) / s.size + 1) * s.size - 1
                FROM
                  counted_value v,
                  step s
                WHERE v.kind = 'HIGHEST_PRICE'
                GROUP BY s.size
              )
            ) AS max
          FROM bound b
        ),
        counted(name, option_name, namespace, key, attribute_name, value, label, count, min, max) AS (
          SELECT
            'TYPE',
            NULL::text,
            NULL::text,
            NULL::text,
            NULL::text,
            x.type,
            initcap(x.type),
            v.count,
            NULL::bigint,
            NULL::bigint
          FROM
            counted_value v
            JOIN unnest(ARRAY['PRODUCT', 'CATEGORY', 'ARTICLE']) AS x (type) ON search.number_of_type(x.type) = v.value
          WHERE v.kind = 'TYPE'
          UNION ALL
          SELECT
            m.kind,
            CASE m.kind
              WHEN 'OPTION' THEN m.name
            END,
            a.namespace,
            a.key,
            a.name,
            m.value,
            coalesce(c.name, m.value),
            m.count,
            NULL,
            NULL
          FROM
            most m
            LEFT JOIN catalog.category c
              ON m.kind = 'CATEGORY' AND c.merchant_id = (($1).scope).merchant_id AND c.id::text = m.value
            LEFT JOIN LATERAL (
              SELECT d.namespace, d.key, d.name
              FROM metadata.definition d
              WHERE
                m.kind = 'ATTRIBUTE'
                AND d.merchant_id = (($1).scope).merchant_id
                AND d.owner_type IN ('PRODUCT', 'PRODUCT_VARIANT')
                AND d.namespace = split_part(m.name, '.', 1)
                AND d.key = split_part(m.name, '.', 2)
                AND d.is_attribute
              ORDER BY d.owner_type
              LIMIT 1
            ) a
              ON TRUE
          WHERE m.place <= 50 AND (m.kind <> 'ATTRIBUTE' OR a.key IS NOT NULL)
          UNION ALL
          SELECT 'PRICE', NULL, NULL, NULL, NULL, r.min || '-' || r.max, r.min || '-' || r.max, c.count, r.min, r.max
          FROM
            price_range r
            CROSS JOIN LATERAL (
              -- All that begin before its end, without those that end before it.
              SELECT
                coalesce(sum(v.count) FILTER (WHERE v.kind = 'LOWEST_PRICE' AND v.value <= r.max), 0) - coalesce(
                  sum(v.count) FILTER (WHERE v.kind = 'HIGHEST_PRICE' AND v.value < r.min),
                  0
                ) AS count
              FROM counted_value v
            ) c
          WHERE c.count > 0
          UNION ALL
          SELECT
            'IN_STOCK',
            NULL,
            NULL,
            NULL,
            NULL,
            (v.value = 1)::text,
            CASE v.value
              WHEN 1 THEN 'In stock'
              ELSE 'Out of stock'
            END,
            v.count,
            NULL,
            NULL
          FROM counted_value v
          WHERE v.kind = 'IN_STOCK'
          UNION ALL
          SELECT 'STATUS', NULL, NULL, NULL, NULL, x.status, initcap(x.status), v.count, NULL, NULL
          FROM
            counted_value v
            JOIN unnest(ARRAY['DRAFT', 'ACTIVE', 'ARCHIVED']) AS x (status)
              ON search.number_of_status(x.status) = v.value
          WHERE v.kind = 'STATUS' AND NOT (($1).scope).public_only
        )
      SELECT
        (($1).scope).merchant_id,
        c.name,
        c.option_name,
        c.namespace,
        c.key,
        c.attribute_name,
        c.value,
        c.label,
        c.count::integer,
        c.min,
        c.max
      FROM counted c
      $statement$,
      search.facet_counts(v_request, search.tallied_scope(v_request, category_id))
    )
    USING v_request;
END;
$$;

-- sql/search/functions/follow_tallies.sql

CREATE FUNCTION search.follow_tallies(p_limit integer)
RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_tallied search.tallied_merchant;
  v_done integer;
BEGIN
  SELECT t.*
  INTO v_tallied
  FROM search.tallied_merchant t
  WHERE
    CASE
      WHEN t.counted THEN EXISTS (SELECT FROM search.tally_change c WHERE c.merchant_id = t.merchant_id)
      ELSE t.waits_for IS NULL
      OR t.waits_for <= pg_snapshot_xmin(pg_current_snapshot())
    END
  ORDER BY t.counted DESC, t.merchant_id
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  IF v_tallied.waits_for IS NULL THEN
    -- Of an earlier time, if the row was deleted so that everything is counted anew.
    DELETE FROM search.tally t WHERE t.merchant_id = v_tallied.merchant_id;
    UPDATE search.tallied_merchant t
    SET waits_for = pg_snapshot_xmax(pg_current_snapshot())
    WHERE t.merchant_id = v_tallied.merchant_id;
    RETURN 1;
  END IF;
  IF NOT v_tallied.counted THEN
    RETURN search.count_documents(v_tallied, p_limit);
  END IF;
  WITH
    taken AS (
      DELETE FROM search.tally_change c
      WHERE
        c.merchant_id = v_tallied.merchant_id
        AND c.id IN (
          SELECT w.id
          FROM search.tally_change w
          WHERE w.merchant_id = v_tallied.merchant_id
          ORDER BY w.id
          LIMIT p_limit
        )
      RETURNING c.*
    ),
    written AS (
      INSERT INTO search.tally AS t (merchant_id, scope, public, kind, value, count)
      SELECT v_tallied.merchant_id, s.scope, c.public, v.kind, v.value, sum(c.sign)
      FROM
        taken c
        CROSS JOIN LATERAL search.scopes_of(c.merchant_id, c.facet_keys) s
        CROSS JOIN LATERAL search.tallied_values(
          c.type,
          c.status,
          c.lowest_price,
          c.highest_price,
          c.in_stock,
          c.facet_keys
        ) v
      GROUP BY s.scope, c.public, v.kind, v.value
      HAVING sum(c.sign) <> 0
      ORDER BY s.scope
      ON CONFLICT (merchant_id, scope, public, kind, value) DO UPDATE SET count = t.count + excluded.count
    )
  SELECT count(*)
  INTO v_done
  FROM taken;
  RETURN v_done;
END;
$$;

CREATE FUNCTION search.count_documents(p_tallied search.tallied_merchant, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_done integer;
BEGIN
  WITH
    part AS MATERIALIZED (
      SELECT d.*
      FROM search.document d
      WHERE
        d.merchant_id = p_tallied.merchant_id
        AND (p_tallied.after_document_id IS NULL OR d.id > p_tallied.after_document_id)
      ORDER BY d.id
      LIMIT p_limit
    ),
    -- The last part has no end, so that it has the changes of all documents that are no more.
    bound AS (
      SELECT
        CASE
          WHEN count(*) = p_limit THEN (array_agg(p.id ORDER BY p.id DESC))[1]
        END AS last_id
      FROM part p
    ),
    dropped AS (
      DELETE FROM search.tally_change c
      USING bound b
      WHERE
        c.merchant_id = p_tallied.merchant_id
        AND (p_tallied.after_document_id IS NULL OR c.document_id > p_tallied.after_document_id)
        AND (b.last_id IS NULL OR c.document_id <= b.last_id)
    ),
    written AS (
      INSERT INTO search.tally AS t (merchant_id, scope, public, kind, value, count)
      SELECT p_tallied.merchant_id, s.scope, p.public, v.kind, v.value, count(*)
      FROM
        part p
        CROSS JOIN LATERAL search.scopes_of(p.merchant_id, p.facet_keys) s
        CROSS JOIN LATERAL search.tallied_values(
          search.type_of(p::search.document),
          p.status,
          p.lowest_price,
          p.highest_price,
          p.in_stock,
          p.facet_keys
        ) v
      GROUP BY s.scope, p.public, v.kind, v.value
      ORDER BY s.scope
      ON CONFLICT (merchant_id, scope, public, kind, value) DO UPDATE SET count = t.count + excluded.count
    ),
    noted AS (
      UPDATE search.tallied_merchant t
      SET
        after_document_id = b.last_id,
        counted = b.last_id IS NULL
      FROM bound b
      WHERE t.merchant_id = p_tallied.merchant_id
    )
  SELECT greatest(count(*), 1)
  INTO v_done
  FROM part;
  RETURN v_done;
END;
$$;

-- sql/search/functions/meant.sql

CREATE FUNCTION search.meant(p_merchant_id uuid, p_word text, p_stemmer text)
RETURNS text
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  -- Of few letters, everything is a likely mistake for everything: of three, only their order may be another.
  v_max_distance integer := CASE
    WHEN char_length(p_word) < 6 THEN 1
    WHEN char_length(p_word) < 9 THEN 2
    ELSE 3
  END;
  v_term text;
  v_words text;
BEGIN
  -- Longer ones are not learned as words.
  IF char_length(p_word) > 60 THEN
    RETURN quote_literal(p_word) || ':*';
  END IF;
  v_term := search.term(p_word, p_stemmer);
  IF
    EXISTS (SELECT FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word LIKE p_word || '%')
    OR EXISTS (SELECT FROM search.document d WHERE d.merchant_id = p_merchant_id AND d.words @@ v_term::tsquery)
  THEN
    RETURN v_term;
  END IF;
  IF char_length(p_word) < 3 THEN
    RETURN NULL;
  END IF;
  SELECT
    string_agg(
      CASE
        WHEN m.distance <= 2 THEN search.term(m.word, p_stemmer)
        ELSE quote_literal(m.word)
      END,
      ' | '
    )
  INTO v_words
  FROM
    (
      SELECT
        c.word,
        CASE
          WHEN search.letters(c.word) = search.letters(p_word) THEN 0
          ELSE levenshtein(c.word, p_word)
        END AS distance
      FROM
        (
          SELECT w.word FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word % p_word
          UNION
          SELECT w.word
          FROM search.word w
          WHERE
            w.merchant_id = p_merchant_id
            AND w.word LIKE left(p_word, 1) || '%'
            AND char_length(w.word) BETWEEN char_length(p_word) - v_max_distance AND char_length(
              p_word
            ) + v_max_distance
            AND levenshtein_less_equal(w.word, p_word, v_max_distance) <= v_max_distance
        ) c
      WHERE
        search.letters(c.word) = search.letters(p_word)
        OR (char_length(p_word) > 3 AND levenshtein_less_equal(c.word, p_word, v_max_distance) <= v_max_distance)
      ORDER BY distance, similarity(c.word, p_word) DESC, c.word
      LIMIT 3
    ) m;
  RETURN '(' || v_words || ')';
END;
$$;

-- sql/search/functions/page.sql

CREATE FUNCTION search.page(
  p_request search.request,
  p_sort_by text,
  p_sort_order text,
  p_after_value text,
  p_after_id uuid,
  p_page_size integer,
  p_page_offset integer
)
RETURNS TABLE (id uuid, sort_value text)
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
ROWS 20
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_column text := CASE
    WHEN p_sort_by = 'RELEVANCE'
    AND p_request.words IS NOT NULL THEN 'rank'
    WHEN p_sort_by = 'PRICE' THEN 'lowest_price'
    WHEN p_sort_by = 'NAME' THEN 'shown_title'
    WHEN p_sort_by = 'BEST_SELLING' THEN 'popularity'
    ELSE 'created_at'
  END;
  v_type text := CASE v_column
    WHEN 'rank' THEN 'real'
    WHEN 'shown_title' THEN 'text'
    WHEN 'created_at' THEN 'timestamptz'
    ELSE 'bigint'
  END;
  v_ascending boolean := v_column <> 'rank'
  AND coalesce(p_sort_order = 'ASC', v_column IN ('lowest_price', 'shown_title'));
  v_direction text := CASE
    WHEN v_ascending THEN 'ASC'
    ELSE 'DESC'
  END;
  v_matches text := search.matches(p_request, TRUE);
  -- A page has up to 100, and one more says whether there is another.
  v_size integer := least(greatest(p_page_size, 0), 101);
  v_offset integer := least(greatest(p_page_offset, 0), 1000);
  v_after text := CASE
    WHEN p_after_id IS NULL THEN 'TRUE'
    ELSE format(
      '(d.%I, d.id) %s (%L::%s, %L::uuid)',
      v_column,
      CASE
        WHEN v_ascending THEN '>'
        ELSE '<'
      END,
      p_after_value,
      v_type,
      p_after_id
    )
  END;
  v_page text := format(
    'SELECT d.id, d.%1$I AS value FROM <source> d WHERE %2$s ORDER BY d.%1$I %3$s, d.id %3$s LIMIT %4$s OFFSET %5$s',
    v_column,
    v_after,
    v_direction,
    v_size,
    v_offset
  );
  v_found text;
BEGIN
  IF v_column = 'rank' THEN
    v_found := replace(v_page, '<source>', format('search.ranked($1, %L)', v_matches));
  ELSEIF num_nonnulls(p_request.words, p_request.keys, p_request.groups) = 0 THEN
    v_found := replace(v_page, '<source>', format('(SELECT d.* FROM search.document d WHERE %s)', v_matches));
  ELSE
    -- Of many matches some are among the first documents in the order of the sort, which an index has. Of few, all are
    -- found first, and sorted then: the index would be read until enough match, which may be all of it.
    v_found := format(
      $statement$
      WITH
        near AS MATERIALIZED (%s),
        far AS (%s)
      SELECT n.id, n.value
      FROM near n
      WHERE (SELECT count(*) FROM near) = %3$s
      UNION ALL
      SELECT f.id, f.value
      FROM far f
      WHERE (SELECT count(*) FROM near) < %3$s
      $statement$,
      replace(
        v_page,
        '<source>',
        format(
          '(SELECT d.* FROM (%s) d WHERE %s)',
          format(
            'SELECT d.* FROM search.document d WHERE d.merchant_id = (($1).scope).merchant_id AND %1$s AND %2$s
             ORDER BY d.merchant_id, d.%3$I %4$s, d.id %4$s LIMIT 2000',
            v_after,
            CASE
              WHEN p_request.products_only THEN 'd.product_id IS NOT NULL'
              ELSE 'TRUE'
            END,
            v_column,
            v_direction
          ),
          v_matches
        )
      ),
      replace(
        v_page,
        '<source>',
        format('(SELECT d.id, d.%I FROM search.document d WHERE %s OFFSET 0)', v_column, v_matches)
      ),
      v_size
    );
  END IF;
  RETURN QUERY EXECUTE
    format(
      'SELECT s.id, %s FROM (%s) s',
      CASE
        WHEN v_column = 'created_at' THEN format(
          'to_char(s.value AT TIME ZONE %L, %L)',
          'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'
        )
        ELSE 's.value::text'
      END,
      v_found
    )
    USING p_request;
END;
$$;

-- sql/search/functions/ranked.sql

CREATE FUNCTION search.ranked(p_request search.request, p_matches text)
RETURNS TABLE (id uuid, rank real)
LANGUAGE plpgsql
STABLE
ROWS 1000
-- Of a common word, Postgres would expect to meet enough matches soon, and read all documents when they are elsewhere.
SET enable_seqscan = OFF
SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  -- As many as pages can show: 1,000 may be passed over, and 101 are read. If so many have the words in their titles,
  -- no others are looked at. A title's words are words of its document, so the index looks for them once.
  RETURN QUERY EXECUTE
    replace(
      replace(
        $statement$
      WITH
        titled AS MATERIALIZED (
          (
            SELECT d.id, d.title, d.words
            FROM search.document d
            WHERE <matches> AND d.title LIKE ($1).title || '%'
            ORDER BY d.title
            LIMIT 1101
          )
          UNION ALL
          (
            SELECT d.id, d.title, d.words
            FROM search.document d
            WHERE <titles match>
            LIMIT 1101
          )
        ),
        found AS (
          SELECT d.id, d.title, d.words
          FROM search.document d
          WHERE (SELECT count(*) FROM titled) < 1101 AND <matches>
          LIMIT 1101
        )
      SELECT
        c.id,
        (
          ts_rank('{0.05, 0.2, 0.4, 1}', c.words, ($1).words) + CASE
            WHEN c.title = ($1).title THEN 2
            WHEN starts_with(c.title, ($1).title) THEN 1
            ELSE 0
          END + 0.01 / (1 + char_length(c.title)) -- Of equal ones, the one that says least else.
        )::real
      FROM
        (
          SELECT DISTINCT ON (u.id) u.id, u.title, u.words
          FROM
            (
              SELECT t.id, t.title, t.words
              FROM titled t
              UNION ALL
              SELECT f.id, f.title, f.words
              FROM found f
            ) u
        ) c
      $statement$,
        '<titles match>',
        replace(p_matches, 'd.words @@', 'd.title_words @@')
      ),
      '<matches>',
      p_matches
    )
    USING p_request;
END;
$$;

-- sql/search/functions/request_of.sql

CREATE FUNCTION search.request_of(
  hasura_session json,
  p_query text,
  p_types text[],
  p_category_id uuid,
  p_tags text[],
  p_options jsonb,
  p_attributes jsonb,
  p_price_min bigint,
  p_price_max bigint,
  p_in_stock boolean,
  p_status text,
  p_sort_by text
)
RETURNS search.request
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_request search.request;
BEGIN
  v_request.scope := search.scope_of(hasura_session);
  IF p_query IS NOT NULL THEN
    v_request.title := search.normalized(p_query);
    -- A text without a word finds nothing: no document's word has a space.
    v_request.words := coalesce(search.words_query((v_request.scope).merchant_id, p_query), '''no word'''::tsquery);
  END IF;
  v_request.types := p_types;
  v_request.price_min := p_price_min;
  v_request.price_max := p_price_max;
  v_request.in_stock := p_in_stock;
  v_request.status := p_status;
  v_request.keys := (
    SELECT array_agg(k.key)
    FROM
      (
        SELECT search.facet_key('TAG', '', tag) AS key
        FROM unnest(p_tags) AS tag
        UNION
        SELECT search.facet_key('CATEGORY', '', p_category_id::text)
        WHERE p_category_id IS NOT NULL
      ) k
  );
  v_request.groups := (
    SELECT array_agg(ROW(g.name, g.keys)::search.key_group ORDER BY g.name)
    FROM
      (
        SELECT
          search.group_name('OPTION', o ->> 'name') AS name,
          array_agg(DISTINCT search.option_key(o ->> 'name', x.value)) AS keys
        FROM
          jsonb_array_elements(p_options) AS o
          CROSS JOIN LATERAL jsonb_array_elements_text(o -> 'values') AS x (value)
        GROUP BY 1
        UNION ALL
        SELECT
          search.group_name('ATTRIBUTE', concat(a ->> 'namespace', '.', a ->> 'key')),
          search.attribute_keys((v_request.scope).merchant_id, a)
        FROM jsonb_array_elements(p_attributes) AS a
      ) g
  );
  v_request.products_only := p_sort_by IN ('PRICE', 'BEST_SELLING')
  OR num_nonnulls(p_tags, p_category_id, p_price_min, p_price_max, p_in_stock, p_status, v_request.groups) > 0;
  RETURN v_request;
END;
$$;

-- sql/search/functions/search.sql

CREATE FUNCTION search.search(
  hasura_session json,
  query text DEFAULT NULL,
  types text[] DEFAULT NULL,
  category_id uuid DEFAULT NULL,
  tags text[] DEFAULT NULL,
  options jsonb DEFAULT NULL,
  attributes jsonb DEFAULT NULL,
  price_min bigint DEFAULT NULL,
  price_max bigint DEFAULT NULL,
  in_stock boolean DEFAULT NULL,
  status text DEFAULT NULL,
  sort_by text DEFAULT 'RELEVANCE',
  sort_order text DEFAULT NULL,
  after_value text DEFAULT NULL,
  after_id uuid DEFAULT NULL,
  page_size integer DEFAULT 20,
  page_offset integer DEFAULT 0
)
RETURNS SETOF search.hit
LANGUAGE sql
STABLE
ROWS 20
AS $$
  SELECT
    d.merchant_id,
    d.id,
    d.product_id,
    d.category_id,
    d.article_id,
    page_offset + p.position::integer,
    sort_by,
    p.sort_value
  FROM
    search.page(
      search.request_of(
        hasura_session,
        query,
        types,
        category_id,
        tags,
        options,
        attributes,
        price_min,
        price_max,
        in_stock,
        status,
        sort_by
      ),
      sort_by,
      sort_order,
      after_value,
      after_id,
      page_size,
      page_offset
    ) WITH ORDINALITY AS p (id, sort_value, position)
    JOIN search.document d ON d.merchant_id = (hasura_session ->> 'x-hasura-merchant-id')::uuid AND d.id = p.id;
$$;

-- sql/search/functions/suggestions.sql

CREATE FUNCTION search.suggestions(hasura_session json, query text)
RETURNS SETOF search.suggestion
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
ROWS 20
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_scope search.scope := search.scope_of(hasura_session);
  v_title text := search.normalized(query);
  v_words tsquery := search.words_query(v_scope.merchant_id, query);
BEGIN
  IF v_title = '' OR v_words IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY WITH
      candidate AS (
        (
          SELECT d.*, 1 AS bonus
          FROM search.document d
          WHERE
            d.merchant_id = v_scope.merchant_id
            AND d.title LIKE v_title || '%'
            AND (d.public OR NOT v_scope.public_only)
            AND CASE
              WHEN d.article_id IS NULL THEN v_scope.products
              ELSE v_scope.articles
            END
          ORDER BY d.title
          LIMIT 200
        )
        UNION ALL
        (
          SELECT d.*, 0
          FROM search.document d
          -- In the title only: that is what is suggested.
          WHERE
            d.merchant_id = v_scope.merchant_id
            AND d.words @@ search.in_title(v_words)
            AND (d.public OR NOT v_scope.public_only)
            AND CASE
              WHEN d.article_id IS NULL THEN v_scope.products
              ELSE v_scope.articles
            END
          LIMIT 500
        )
      )
    SELECT DISTINCT ON (c.shown_title)
      c.merchant_id,
      c.shown_title,
      CASE
        WHEN c.product_id IS NOT NULL THEN 'PRODUCT'
        WHEN c.category_id IS NOT NULL THEN 'CATEGORY'
        ELSE 'ARTICLE'
      END,
      (c.bonus + 1.0 / (1 + char_length(c.title)))::real
    FROM candidate c
    ORDER BY c.shown_title, c.bonus DESC;
END;
$$;

-- sql/search/functions/without_prefixes.sql

CREATE FUNCTION search.without_prefixes(p_merchant_id uuid, p_query tsquery, p_stemmer text)
RETURNS tsquery
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_query text := p_query::text;
  v_prefix text;
  v_words text[];
BEGIN
  FOR v_prefix IN SELECT DISTINCT m.parts[1] FROM regexp_matches(v_query, '''([^''\\]+)'':\*', 'g') AS m (parts) LOOP
    v_words := ARRAY(
      SELECT w.word
      FROM search.word w
      WHERE w.merchant_id = p_merchant_id AND w.word LIKE replace(replace(v_prefix, '%', '\%'), '_', '\_') || '%'
      LIMIT 21
    );
    IF cardinality(v_words) <= 20 THEN
      v_query := replace(
        v_query,
        quote_literal(v_prefix) || ':*',
        (
          SELECT '( ' || string_agg(DISTINCT quote_literal(l.lexeme), ' | ') || ' )'
          FROM unnest(ARRAY[v_prefix] || v_words || search.stems_of(v_words, p_stemmer)) AS l (lexeme)
        )
      );
    END IF;
  END LOOP;
  RETURN v_query::tsquery;
END;
$$;

-- sql/search/functions/words_query.sql

CREATE FUNCTION search.words_query(p_merchant_id uuid, p_query text)
RETURNS tsquery
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_stemmer text := search.stemmer_of(p_merchant_id);
  v_words text[] := (search.words_in_order(p_query))[1:10];
  v_stems text[] := search.stems_of(v_words, v_stemmer);
  -- Stop words alone are a query, too.
  v_stop_words text[] := ARRAY(
    SELECT s.word
    FROM search.stop_word s
    WHERE
      s.merchant_id = p_merchant_id
      AND s.word = ANY (v_words)
      AND NOT v_words <@ ARRAY(
        SELECT o.word
        FROM search.stop_word o
        WHERE o.merchant_id = p_merchant_id AND o.word = ANY (v_words)
      )
  );
  v_terms text[] := '{}';
  v_term text;
  v_size integer;
  v_at integer := 1;
BEGIN
  WHILE v_at <= cardinality(v_words) LOOP
    -- The longest text that begins here and has synonyms.
    SELECT cardinality(s.stems)
    INTO v_size
    FROM search.synonym s
    WHERE s.merchant_id = p_merchant_id AND s.stems = v_stems[v_at:v_at + cardinality(s.stems) - 1]
    ORDER BY cardinality(s.stems) DESC
    LIMIT 1;
    IF FOUND THEN
      SELECT '(' || string_agg(DISTINCT t.term, ' | ') || ')'
      INTO v_term
      FROM
        search.synonym s
        JOIN search.synonym o ON o.merchant_id = s.merchant_id AND o.line = s.line
        CROSS JOIN LATERAL (
          SELECT '(' || string_agg(search.term(w, v_stemmer), ' & ') || ')' AS term
          FROM unnest(o.words) AS w
        ) t
      WHERE s.merchant_id = p_merchant_id AND s.stems = v_stems[v_at:v_at + v_size - 1];
    ELSE
      v_size := 1;
      IF NOT v_words[v_at] = ANY (v_stop_words) THEN
        v_term := search.meant(p_merchant_id, v_words[v_at], v_stemmer);
        IF v_term IS NULL THEN
          RETURN NULL;
        END IF;
      ELSE
        v_term := NULL;
      END IF;
    END IF;
    v_terms := v_terms || v_term;
    v_at := v_at + v_size;
  END LOOP;
  RETURN (
    SELECT search.without_prefixes(p_merchant_id, to_tsquery('simple', string_agg(DISTINCT t.term, ' & ')), v_stemmer)
    FROM unnest(v_terms) AS t (term)
    WHERE t.term IS NOT NULL
  );
END;
$$;

-- sql/analytics/views.sql

CREATE VIEW analytics.product_sales AS
  SELECT p.merchant_id, p.id AS product_id, s.total_sold, s.conversions, s.revenue
  FROM
    catalog.product p
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(i.quantity), 0)::integer AS total_sold,
        count(DISTINCT i.order_id)::integer AS conversions,
        coalesce(
          sum(i.subtotal - i.discount - i.uncaptured) FILTER (WHERE o.currency = p.currency),
          0
        )::bigint AS revenue
      FROM
        ordering.order_item i
        JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id
      WHERE i.merchant_id = p.merchant_id AND i.product_id = p.id AND o.paid_at IS NOT NULL
    ) s;

CREATE VIEW analytics.product_analytics AS
  SELECT
    s.merchant_id,
    s.product_id,
    s.conversions,
    s.revenue,
    (
      SELECT coalesce(sum(v.views), 0)
      FROM analytics.product_view v
      WHERE v.merchant_id = s.merchant_id AND v.product_id = s.product_id
    )::bigint AS views
  FROM analytics.product_sales s;

-- sql/bulk/views.sql

CREATE VIEW bulk.customer_record AS
  SELECT x.merchant_id, x.id AS customer_id, 'customer' AS type, FALSE AS by_email, to_jsonb(x) AS record
  FROM crm.customer x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'address', FALSE, to_jsonb(x) FROM crm.address x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'contact', FALSE, to_jsonb(x) FROM crm.contact x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'interaction', FALSE, to_jsonb(x) FROM crm.interaction x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'loyaltyAccount', FALSE, to_jsonb(x) FROM crm.loyalty_account x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'loyaltyEntry', FALSE, to_jsonb(x) FROM crm.loyalty_entry x
  UNION ALL
  SELECT m.merchant_id, m.customer_id, 'segment', FALSE, jsonb_build_object('id', s.id, 'name', s.name)
  FROM
    crm.segment_member m
    JOIN crm.segment s ON s.merchant_id = m.merchant_id AND s.id = m.segment_id
  UNION ALL
  SELECT
    p.merchant_id,
    c.id,
    'promotion',
    FALSE,
    jsonb_build_object('id', p.id, 'name', p.name, 'code', p.code, 'start_date', p.start_date, 'end_date', p.end_date)
  FROM
    promotion.promotion p
    JOIN crm.customer c ON c.merchant_id = p.merchant_id AND c.id = ANY (p.customer_ids)
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'review', FALSE, to_jsonb(x) FROM catalog.review x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'cart', FALSE, to_jsonb(x) - 'secret_hash'
  FROM cart.cart x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, c.customer_id, 'cartLine', FALSE, to_jsonb(x)
  FROM
    cart.cart_item x
    JOIN cart.cart c ON c.merchant_id = x.merchant_id AND c.id = x.cart_id
  WHERE c.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, c.customer_id, 'cartAddress', FALSE, to_jsonb(x)
  FROM
    cart.cart_address x
    JOIN cart.cart c ON c.merchant_id = x.merchant_id AND c.id = x.cart_id
  WHERE c.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'draftOrder', FALSE, to_jsonb(x)
  FROM ordering.draft_order x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'draftOrderLine', FALSE, to_jsonb(x)
  FROM
    ordering.draft_order_item x
    JOIN ordering.draft_order o ON o.merchant_id = x.merchant_id AND o.id = x.draft_order_id
  WHERE o.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'order', FALSE, to_jsonb(x) FROM ordering.order x
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'orderLine', FALSE, to_jsonb(x)
  FROM
    ordering.order_item x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'orderAddress', FALSE, to_jsonb(x)
  FROM
    ordering.order_address x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'orderHistoryEntry', FALSE, to_jsonb(x)
  FROM
    ordering.history_entry x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'fulfillment', FALSE, to_jsonb(x)
  FROM
    ordering.fulfillment x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'shipment', FALSE, to_jsonb(x)
  FROM
    ordering.shipment x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'shipmentLine', FALSE, to_jsonb(x)
  FROM
    ordering.shipment_line x
    JOIN ordering.shipment s ON s.merchant_id = x.merchant_id AND s.id = x.shipment_id
    JOIN ordering.order o ON o.merchant_id = s.merchant_id AND o.id = s.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'return', FALSE, to_jsonb(x)
  FROM
    ordering.order_return x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'returnLine', FALSE, to_jsonb(x)
  FROM
    ordering.return_line x
    JOIN ordering.order_return r ON r.merchant_id = x.merchant_id AND r.id = x.return_id
    JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'appointment', FALSE, to_jsonb(x) FROM booking.appointment x
  UNION ALL
  SELECT x.merchant_id, a.customer_id, 'appointmentReminder', FALSE, to_jsonb(x)
  FROM
    booking.reminder x
    JOIN booking.appointment a ON a.merchant_id = x.merchant_id AND a.id = x.appointment_id
  UNION ALL
  SELECT
    x.merchant_id,
    coalesce(o.customer_id, a.customer_id),
    'payment',
    FALSE,
    to_jsonb(x) - ARRAY['processor_payment_intent_id', 'processor_payment_method_id', 'return_url', 'account_id']
  FROM
    payment.payment x
    LEFT JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
    LEFT JOIN booking.appointment a ON a.merchant_id = x.merchant_id AND a.id = x.appointment_id
  UNION ALL
  SELECT
    x.merchant_id,
    coalesce(o.customer_id, a.customer_id),
    'refund',
    FALSE,
    to_jsonb(x) - 'processor_refund_id'
  FROM
    payment.refund x
    JOIN payment.payment p ON p.merchant_id = x.merchant_id AND p.id = x.payment_id
    LEFT JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
    LEFT JOIN booking.appointment a ON a.merchant_id = p.merchant_id AND a.id = p.appointment_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'refundLine', FALSE, to_jsonb(x)
  FROM
    payment.refund_line x
    JOIN ordering.order_item i ON i.merchant_id = x.merchant_id AND i.id = x.order_item_id
    JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id
  UNION ALL
  SELECT
    x.merchant_id,
    coalesce(o.customer_id, a.customer_id),
    'dispute',
    FALSE,
    to_jsonb(x) - 'processor_dispute_id'
  FROM
    payment.dispute x
    JOIN payment.payment p ON p.merchant_id = x.merchant_id AND p.id = x.payment_id
    LEFT JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
    LEFT JOIN booking.appointment a ON a.merchant_id = p.merchant_id AND a.id = p.appointment_id
  UNION ALL
  SELECT
    x.merchant_id,
    x.customer_id,
    'savedPaymentMethod',
    FALSE,
    jsonb_build_object(
      'id',
      x.id,
      'status',
      x.status,
      'method',
      x.method,
      'last4',
      x.last4,
      'brand',
      x.brand,
      'expiry_month',
      x.expiry_month,
      'expiry_year',
      x.expiry_year,
      'is_default',
      x.is_default,
      'created_at',
      x.created_at
    )
  FROM payment.saved_method x
  UNION ALL
  SELECT
    x.merchant_id,
    x.customer_id,
    'recordAtPaymentProcessor',
    FALSE,
    jsonb_build_object('processor', x.processor, 'created_at', x.created_at)
  FROM payment.processor_customer x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'password', FALSE, jsonb_build_object('id', x.id, 'changed_at', x.changed_at)
  FROM identity.credential x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'session', FALSE, to_jsonb(x)
  FROM identity.session x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'knownClient', FALSE, to_jsonb(x)
  FROM identity.known_client x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'mailedToken', FALSE, to_jsonb(x) - ARRAY['hash', 'undelivered']
  FROM identity.one_time_token x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, c.id, 'signInAttempt', TRUE, to_jsonb(x)
  FROM
    crm.customer c
    JOIN identity.sign_in_attempt x ON x.merchant_id = c.merchant_id AND x.email = c.email AND x.subject = 'CUSTOMER'
  UNION ALL
  SELECT x.merchant_id, c.id, 'passwordResetRequest', TRUE, to_jsonb(x)
  FROM
    crm.customer c
    JOIN identity.password_reset_request x
      ON x.merchant_id = c.merchant_id AND x.email = c.email AND x.subject = 'CUSTOMER'
  UNION ALL
  SELECT
    x.merchant_id,
    x.customer_id,
    'email',
    FALSE,
    to_jsonb(x) - ARRAY['unsubscribe_token', 'html', 'text', 'message_id', 'transport', 'claimed_until']
  FROM email.delivery x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT
    x.merchant_id,
    c.id,
    'email',
    TRUE,
    to_jsonb(x) - ARRAY['unsubscribe_token', 'html', 'text', 'message_id', 'transport', 'claimed_until']
  FROM
    crm.customer c
    JOIN email.delivery x ON x.merchant_id = c.merchant_id AND x.recipient = c.email
  WHERE x.customer_id IS DISTINCT FROM c.id
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'notification', FALSE, to_jsonb(x)
  FROM notification.notification x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'notificationPreference', FALSE, to_jsonb(x)
  FROM notification.preference x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'device', FALSE, to_jsonb(x) - 'token' FROM notification.device x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'push', FALSE, to_jsonb(x) - ARRAY['message_id', 'transport', 'claimed_until']
  FROM notification.push_delivery x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'stockAlert', FALSE, to_jsonb(x)
  FROM inventory.stock_alert x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, c.id, 'stockAlert', TRUE, to_jsonb(x)
  FROM
    crm.customer c
    JOIN inventory.stock_alert x ON x.merchant_id = c.merchant_id AND x.email = c.email
  WHERE x.customer_id IS DISTINCT FROM c.id
  UNION ALL
  SELECT
    x.merchant_id,
    x.customer_id,
    'export',
    FALSE,
    jsonb_build_object('id', x.id, 'kind', x.kind, 'status', x.status, 'created_at', x.created_at)
  FROM bulk.export x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, c.id, 'auditEntry', FALSE, to_jsonb(x) - ARRAY['attempt_id']
  FROM
    crm.customer c
    JOIN audit.entry x
      ON x.merchant_id = c.merchant_id
      AND (x.target_ids @> ARRAY[c.id] OR (x.actor_kind = 'CUSTOMER' AND x.actor_id = c.id));

-- sql/cart/views.sql

CREATE VIEW cart.shipping_option AS
  SELECT
    c.merchant_id,
    c.id AS cart_id,
    m.id AS shipping_method_id,
    m.name,
    m.price,
    m.id IS NOT DISTINCT FROM c.shipping_method_id AS chosen
  FROM
    cart.cart c
    JOIN cart.cart_address a ON a.merchant_id = c.merchant_id AND a.cart_id = c.id
    JOIN merchant.shipping_method m ON m.merchant_id = c.merchant_id
  WHERE ordering.shipping_refusal(c.merchant_id, m.id, a.country, c.currency) IS NULL;

CREATE VIEW cart.cart_total AS
  SELECT
    c.merchant_id,
    c.id AS cart_id,
    s.item_count,
    platform.as_money(s.subtotal) AS subtotal,
    t.tax,
    h.shipping,
    d.promotion_id,
    d.promotion_name,
    platform.as_money(d.lines + d.shipping) AS discount,
    -- The coupon's discount: all of it, or none where another promotion takes off more.
    platform.as_money(
      CASE
        WHEN d.promotion_id = c.promotion_id THEN d.lines + d.shipping
        ELSE 0
      END
    ) AS coupon_discount,
    platform.as_money(s.subtotal + t.tax + h.shipping - d.lines - d.shipping) AS total
  FROM
    cart.cart c
    JOIN merchant.settings m ON m.merchant_id = c.merchant_id
    CROSS JOIN LATERAL (
      SELECT
        coalesce(sum(l.quantity), 0)::integer AS item_count,
        coalesce(sum(coalesce(v.price, p.price)::numeric * l.quantity), 0) AS subtotal,
        array_agg(l.product_id ORDER BY l.created_at, l.id) AS product_ids,
        array_agg(
          platform.as_money(coalesce(v.price, p.price)::numeric * l.quantity)
          ORDER BY l.created_at, l.id
        ) AS subtotals
      FROM
        cart.cart_item l
        JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
        LEFT JOIN catalog.product_variant v ON v.merchant_id = l.merchant_id AND v.id = l.variant_id
      WHERE l.merchant_id = c.merchant_id AND l.cart_id = c.id
    ) s
    CROSS JOIN LATERAL (
      SELECT
        CASE
          WHEN c.shipping_method_id IS NULL THEN 0
          ELSE cart.shipping_price(c)
        END::bigint AS shipping
    ) h
    CROSS JOIN LATERAL (
      SELECT
        o.promotion_id,
        o.promotion_name,
        coalesce(o.shipping, 0) AS shipping,
        coalesce((SELECT sum(x) FROM unnest(o.lines) x), 0) AS lines
      FROM cart.choose_promotion(c, s.product_ids, s.subtotals, h.shipping) o
    ) d
    CROSS JOIN LATERAL (SELECT platform.as_money(round((s.subtotal - d.lines) * m.tax_rate)) AS tax) t;

-- sql/identity/views.sql

CREATE VIEW identity.active_session AS
  SELECT
    s.merchant_id,
    s.id,
    s.user_id,
    s.customer_id,
    s.origin,
    s.opened_by_kind,
    s.opened_by_id,
    CASE s.opened_by_kind
      WHEN 'KEY' THEN (
        SELECT k.name FROM merchant.api_key k WHERE k.reaches_merchant_id = s.merchant_id AND k.id = s.opened_by_id
      )
      WHEN 'USER' THEN (
        SELECT u.name FROM identity.user u WHERE u.merchant_id = s.merchant_id AND u.id = s.opened_by_id
      )
    END AS opened_by_name,
    s.device,
    s.network,
    s.created_at,
    s.last_used_at,
    least(s.idle_until, s.expires_at) AS expires_at
  FROM identity.session s
  WHERE s.revoked_at IS NULL AND least(s.idle_until, s.expires_at) > now();

-- sql/inventory/views.sql

CREATE VIEW inventory.product_inventory AS
  SELECT
    p.merchant_id,
    p.id AS product_id,
    NULL::uuid AS variant_id,
    coalesce(t.low_stock_threshold, 0)::integer AS low_stock_threshold,
    coalesce(t.available, 0)::integer AS available,
    coalesce(t.reserved, 0)::integer AS reserved,
    coalesce(t.in_transit, 0)::integer AS in_transit,
    coalesce(t.is_low_stock, TRUE) AS is_low_stock,
    t.last_restocked_at,
    t.last_sold_at,
    coalesce(t.updated_at, p.updated_at) AS updated_at,
    EXISTS (
      SELECT
      FROM inventory.stock_item i
      WHERE i.merchant_id = p.merchant_id AND i.product_id = p.id AND i.in_stock
    ) AS in_stock,
    inventory.shown_quantity(p.merchant_id, coalesce(t.available, 0)::integer) AS shown_quantity
  FROM
    catalog.product p
    -- Postgres leaves the sums out where a request doesn't read them.
    LEFT JOIN LATERAL (
      SELECT
        sum(s.low_stock_threshold) AS low_stock_threshold,
        sum(s.available) AS available,
        sum(s.reserved) AS reserved,
        sum(s.in_transit) AS in_transit,
        bool_or(s.is_low_stock) AS is_low_stock,
        max(s.last_restocked_at) AS last_restocked_at,
        max(s.last_sold_at) AS last_sold_at,
        max(s.updated_at) AS updated_at
      FROM inventory.item_stock s
      WHERE s.merchant_id = p.merchant_id AND s.product_id = p.id AND s.sku IS NOT NULL AND s.is_sellable
    ) t
      ON TRUE;

CREATE VIEW inventory.product_warehouse_inventory AS
  SELECT
    s.merchant_id,
    i.product_id,
    s.warehouse_id,
    sum(s.available)::integer AS available,
    sum(s.reserved)::integer AS reserved
  FROM
    inventory.stock_level s
    JOIN inventory.stock_item i ON i.merchant_id = s.merchant_id AND i.id = s.stock_item_id
  WHERE i.sku IS NOT NULL AND i.is_sellable
  GROUP BY s.merchant_id, i.product_id, s.warehouse_id;

CREATE VIEW inventory.item_standing AS
  SELECT
    i.merchant_id,
    i.stock_item_id,
    s.is_sellable,
    s.is_sellable AND i.sku IS NOT NULL AND i.available > 0 AS in_stock,
    -- An archived product is not bought again.
    s.is_sellable
    AND i.sku IS NOT NULL
    AND i.is_low_stock
    AND p.status <> 'ARCHIVED' AS needs_restock
  FROM
    inventory.item_stock i
    JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
    CROSS JOIN LATERAL (
      SELECT
        -- A product that has variants is sold by their items, and no more by its own.
        i.variant_id IS NOT NULL
        OR NOT (SELECT v.has_variants FROM catalog.has_variants(i.merchant_id, i.product_id) v) AS is_sellable
    ) s;

-- sql/merchant/views.sql

CREATE VIEW merchant.readiness_check AS
  SELECT
    m.id AS merchant_id,
    c.position,
    c.name,
    c.required,
    c.done,
    CASE
      WHEN NOT c.done THEN c.missing
    END AS missing
  FROM
    merchant.merchant m
    JOIN merchant.settings s ON s.merchant_id = m.id
    CROSS JOIN LATERAL (
      VALUES
        (
          1,
          'PRODUCT',
          TRUE,
          EXISTS (SELECT FROM catalog.product p WHERE p.merchant_id = m.id AND p.status = 'ACTIVE'),
          'No product is ACTIVE'
        ),
        (
          2,
          'STOCK',
          TRUE,
          EXISTS (
            SELECT
            FROM
              inventory.stock_level l
              JOIN inventory.stock_item i ON i.merchant_id = l.merchant_id AND i.id = l.stock_item_id
              JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
            WHERE l.merchant_id = m.id AND l.available > 0 AND p.status = 'ACTIVE'
          ),
          'No warehouse has stock of an ACTIVE product'
        ),
        (
          3,
          'SHIPPING_METHOD',
          TRUE,
          EXISTS (SELECT FROM merchant.shipping_method h WHERE h.merchant_id = m.id AND h.active),
          'No shipping zone has an active method'
        ),
        (
          4,
          'PAYMENT_METHOD',
          FALSE,
          s.accepts_bank_transfer
          OR s.accepts_cash
          OR EXISTS (SELECT FROM payment.account a WHERE a.merchant_id = m.id AND a.status = 'ACTIVE')
          OR EXISTS (
            SELECT FROM payment.payment_option o WHERE o.merchant_id = m.id AND o.enabled AND o.method <> 'CARD'
          ),
          'No payment account is connected: shoppers can pay by card only, where the platform takes cards'
        ),
        (5, 'TAX_RATE', FALSE, s.tax_rate > 0, 'The tax rate is 0'),
        (
          6,
          'OWNER',
          FALSE,
          EXISTS (
            SELECT
            FROM
              identity.role r
              JOIN identity.user_role l ON l.merchant_id = r.merchant_id AND l.role_id = r.id
              JOIN identity.user u ON u.merchant_id = l.merchant_id AND u.id = l.user_id
            WHERE r.merchant_id = m.id AND r.kind = 'OWNER' AND u.status = 'ACTIVE'
          ),
          'No owner has accepted the invitation'
        ),
        (
          7,
          'REPLY_ADDRESS',
          FALSE,
          (notification.shop_facts(m.id) ->> 'emailIsVerified')::boolean,
          'The account''s e-mail address is not verified, so replies to mails do not reach it'
        ),
        (
          8,
          'PAYMENT_ACCOUNT',
          FALSE,
          EXISTS (SELECT FROM payment.account a WHERE a.merchant_id = m.id AND a.status = 'ACTIVE'),
          'No payment account of the shop''s own is connected'
        ),
        (
          9,
          'PAYMENT_WEBHOOK',
          FALSE,
          NOT EXISTS (
            SELECT
            FROM payment.account a
            WHERE a.merchant_id = m.id AND a.status = 'ACTIVE' AND NOT a.has_webhook_secret
          ),
          'A payment account has no webhook secret, so disputes and refunds made at the processor are not seen'
        ),
        (
          10,
          'SENDER',
          FALSE,
          EXISTS (SELECT FROM merchant.sender e WHERE e.merchant_id = m.id AND e.status = 'CONFIRMED'),
          coalesce(
            (SELECT e.problem FROM merchant.sender e WHERE e.merchant_id = m.id),
            (
              SELECT format('The DNS of %s is not checked yet', e.domain)
              FROM merchant.sender e
              WHERE e.merchant_id = m.id
            ),
            'Mails come from the platform''s address, not from one of the shop''s own'
          )
        )
    ) AS c (position, name, required, done, missing);

-- sql/notification/views.sql

CREATE VIEW notification.merchant_preference AS
  SELECT m.id AS merchant_id, k.kind, k.channel, coalesce(p.enabled, TRUE) AS enabled, k.required, p.updated_at
  FROM
    merchant.merchant m
    JOIN notification.kind_channel k ON k.audience = 'MERCHANT'
    LEFT JOIN notification.preference p
      ON p.merchant_id = m.id AND p.customer_id IS NULL AND p.kind = k.kind AND p.channel = k.channel;

CREATE VIEW notification.customer_preference AS
  SELECT
    c.merchant_id,
    c.id AS customer_id,
    k.kind,
    k.channel,
    coalesce(p.enabled, TRUE) AS enabled,
    k.required,
    p.updated_at
  FROM
    crm.customer c
    JOIN notification.kind_channel k ON k.audience = 'CUSTOMER'
    LEFT JOIN notification.preference p
      ON p.merchant_id = c.merchant_id AND p.customer_id = c.id AND p.kind = k.kind AND p.channel = k.channel;

-- sql/operator/views.sql

CREATE VIEW operator.merchant_plan AS
  SELECT
    m.id AS merchant_id,
    m.name AS merchant_name,
    s.plan,
    s.status,
    s.requested_plan,
    s.requested_at,
    s.next_plan,
    s.current_period_end,
    s.cancel_at_period_end
  FROM
    merchant.merchant m
    JOIN merchant.subscription s ON s.merchant_id = m.id
  WHERE m.twin_of IS NULL;

CREATE VIEW operator.merchant AS
  SELECT
    m.id,
    m.id AS merchant_id,
    m.name,
    m.email,
    m.country,
    t.currency,
    t.timezone,
    t.language,
    m.status,
    m.status_since,
    m.status_reason,
    m.data_exported_at,
    m.deletes_at,
    s.plan,
    s.status AS subscription_status,
    m.created_at
  FROM
    merchant.merchant m
    JOIN merchant.settings t ON t.merchant_id = m.id
    JOIN merchant.subscription s ON s.merchant_id = m.id
  WHERE m.twin_of IS NULL;

-- sql/ordering/views.sql

CREATE VIEW ordering.draft_order_total AS
  SELECT
    d.merchant_id,
    d.id AS draft_order_id,
    CASE
      WHEN d.order_id IS NOT NULL THEN 'COMPLETED'
      WHEN d.expires_at <= now() THEN 'EXPIRED'
      ELSE 'OPEN'
    END AS status,
    coalesce(o.subtotal, q.subtotal) AS subtotal,
    coalesce(o.tax, q.tax) AS tax,
    coalesce(o.shipping, q.total - q.subtotal - q.tax + q.discount) AS shipping,
    CASE
      WHEN o.id IS NULL THEN q.promotion_id
      ELSE o.promotion_id
    END AS promotion_id,
    CASE
      WHEN o.id IS NULL THEN q.promotion_name
      ELSE o.promotion_name
    END AS promotion_name,
    coalesce(o.discount, q.discount) AS discount,
    coalesce(o.total, q.total) AS total
  FROM
    ordering.draft_order d
    LEFT JOIN ordering.order o ON o.merchant_id = d.merchant_id AND o.id = d.order_id
    LEFT JOIN LATERAL ordering.quote_draft(d) q ON d.order_id IS NULL;

-- sql/payment/views.sql

CREATE VIEW payment.cart_option AS
  SELECT c.merchant_id, c.id AS cart_id, x.method, x.name, x.instructions, x.position
  FROM
    cart.cart c
    JOIN cart.cart_total t ON t.merchant_id = c.merchant_id AND t.cart_id = c.id
    LEFT JOIN cart.cart_address a ON a.merchant_id = c.merchant_id AND a.cart_id = c.id
    CROSS JOIN LATERAL payment.offered_options(c.merchant_id, c.customer_id, c.currency, a.country, t.total) x;

CREATE VIEW payment.saved_payment_method AS
  SELECT
    s.merchant_id,
    s.id,
    s.customer_id,
    s.status,
    s.method,
    s.brand,
    s.last4,
    s.expiry_month,
    s.expiry_year,
    s.is_default,
    s.status = 'ACTIVE' AND payment.takes_new_payments(h.merchant_id, h.account_id) AS offered,
    s.created_at
  FROM
    payment.saved_method s
    JOIN payment.processor_customer h ON h.merchant_id = s.merchant_id AND h.id = s.processor_customer_id;

-- sql/verification/views.sql

CREATE SCHEMA verification;

CREATE VIEW verification.stock_reserved AS
  SELECT
    l.merchant_id,
    format('%s in warehouse %s', l.stock_item_id, l.warehouse_id) AS subject,
    format(
      'available %s, reserved %s, but open reservations hold %s',
      l.available,
      l.reserved,
      coalesce(h.quantity, 0)
    ) AS disagreement
  FROM
    inventory.stock_level l
    LEFT JOIN (
      SELECT x.merchant_id, x.stock_item_id, x.warehouse_id, sum(x.quantity) AS quantity
      FROM
        inventory.reservation_line x
        JOIN inventory.reservation r ON r.merchant_id = x.merchant_id AND r.id = x.reservation_id
      WHERE r.status IN ('ACTIVE', 'COMMITTED')
      GROUP BY x.merchant_id, x.stock_item_id, x.warehouse_id
    ) h
      USING (merchant_id, stock_item_id, warehouse_id)
  WHERE l.available < 0 OR l.reserved <> coalesce(h.quantity, 0);

CREATE VIEW verification.stock_ledger AS
  SELECT
    l.merchant_id,
    format('%s in warehouse %s', l.stock_item_id, l.warehouse_id) AS subject,
    format(
      'on hand %s, reserved %s, but the ledger adds up to %s and %s',
      l.available + l.reserved,
      l.reserved,
      coalesce(s.on_hand, 0),
      coalesce(s.reserved, 0)
    ) AS disagreement
  FROM
    inventory.stock_level l
    LEFT JOIN (
      SELECT
        m.merchant_id,
        m.stock_item_id,
        m.warehouse_id,
        sum(m.on_hand_delta) AS on_hand,
        sum(m.reserved_delta) AS reserved
      FROM
        inventory.stock_movement m
        JOIN inventory.stock_item i
          ON i.merchant_id = m.merchant_id AND i.id = m.stock_item_id AND i.product_id = m.product_id
      GROUP BY m.merchant_id, m.stock_item_id, m.warehouse_id
    ) s
      USING (merchant_id, stock_item_id, warehouse_id)
  WHERE (l.available + l.reserved, l.reserved) <> (coalesce(s.on_hand, 0), coalesce(s.reserved, 0));

CREATE VIEW verification.item_standing AS
  SELECT
    i.merchant_id,
    coalesce(i.sku, i.id::text) AS subject,
    format(
      'is kept as sellable %s, in stock %s, to restock %s, but is %s, %s, %s',
      i.is_sellable,
      i.in_stock,
      i.needs_restock,
      s.is_sellable,
      s.in_stock,
      s.needs_restock
    ) AS disagreement
  FROM
    inventory.stock_item i
    JOIN inventory.item_standing s ON s.merchant_id = i.merchant_id AND s.stock_item_id = i.id
  WHERE (i.is_sellable, i.in_stock, i.needs_restock) IS DISTINCT FROM (s.is_sellable, s.in_stock, s.needs_restock);

CREATE VIEW verification.order_lines AS
  SELECT
    o.merchant_id,
    o.id::text AS subject,
    format(
      'subtotal %s, tax %s, discount of goods %s, but the lines add up to %s, %s and %s',
      o.subtotal,
      o.tax,
      o.discount - o.shipping_discount,
      i.subtotal,
      i.tax,
      i.discount
    ) AS disagreement
  FROM
    ordering.order o
    LEFT JOIN (
      SELECT
        i.merchant_id,
        i.order_id,
        sum(i.price::numeric * i.quantity) AS subtotal,
        sum(i.tax) AS tax,
        sum(i.discount) AS discount
      FROM ordering.order_item i
      GROUP BY i.merchant_id, i.order_id
    ) i
      ON i.merchant_id = o.merchant_id AND i.order_id = o.id
  WHERE
    (o.subtotal, o.tax, o.discount - o.shipping_discount) IS DISTINCT FROM (
      i.subtotal,
      i.tax::bigint,
      i.discount::bigint
    );

CREATE VIEW verification.order_units AS
  WITH
    held AS (
      SELECT
        r.merchant_id,
        r.order_id,
        k.product_id,
        k.variant_id,
        coalesce(sum(x.quantity) FILTER (WHERE r.status = 'ACTIVE'), 0) AS active,
        coalesce(sum(x.quantity) FILTER (WHERE r.status = 'COMMITTED'), 0) AS committed,
        coalesce(sum(x.quantity) FILTER (WHERE r.status = 'CONSUMED'), 0) AS consumed,
        sum(x.quantity) AS ever
      FROM
        inventory.reservation r
        JOIN inventory.reservation_line x ON x.merchant_id = r.merchant_id AND x.reservation_id = r.id
        JOIN inventory.stock_item k ON k.merchant_id = x.merchant_id AND k.id = x.stock_item_id
      WHERE r.order_id IS NOT NULL
      GROUP BY r.merchant_id, r.order_id, k.product_id, k.variant_id
    ),
    -- Of the lines of one product together, because a reservation knows stock items and no lines.
    bought AS (
      SELECT
        i.merchant_id,
        i.order_id,
        i.product_id,
        i.variant_id,
        sum(i.quantity) AS quantity,
        sum(i.cancelled_quantity) AS cancelled,
        sum(i.fulfilled_quantity) AS fulfilled
      FROM ordering.order_item i
      GROUP BY i.merchant_id, i.order_id, i.product_id, i.variant_id
    ),
    sent AS (
      SELECT
        l.merchant_id,
        l.order_item_id,
        sum(l.quantity) FILTER (WHERE s.status <> 'CANCELLED') AS in_shipments,
        sum(l.quantity) FILTER (WHERE s.status IN ('SHIPPED', 'DELIVERED')) AS sent
      FROM
        ordering.shipment_line l
        JOIN ordering.shipment s ON s.merchant_id = l.merchant_id AND s.id = l.shipment_id
      GROUP BY l.merchant_id, l.order_item_id
    ),
    back AS (
      SELECT
        l.merchant_id,
        l.order_item_id,
        sum(l.quantity) FILTER (WHERE r.status NOT IN ('REJECTED', 'CANCELLED')) AS in_returns,
        sum(l.quantity) FILTER (WHERE r.status IN ('RECEIVED', 'REFUNDED')) AS back
      FROM
        ordering.return_line l
        JOIN ordering.order_return r ON r.merchant_id = l.merchant_id AND r.id = l.return_id
      GROUP BY l.merchant_id, l.order_item_id
    )
  SELECT
    o.merchant_id,
    i.id::text AS subject,
    format(
      'of %s units in order %s (%s) are held %s, committed %s, consumed %s; packed %s, sent %s, returning %s, ' 
 'returned %s, but in shipments %s, sent %s, in returns %s, returned %s',
      i.quantity,
      o.order_number,
      o.status,
      coalesce(h.active, 0),
      coalesce(h.committed, 0),
      coalesce(h.consumed, 0),
      i.packed_quantity,
      i.fulfilled_quantity,
      i.returning_quantity,
      i.returned_quantity,
      coalesce(s.in_shipments, 0),
      coalesce(s.sent, 0),
      coalesce(b.in_returns, 0),
      coalesce(b.back, 0)
    ) AS disagreement
  FROM
    ordering.order o
    JOIN ordering.order_item i ON i.merchant_id = o.merchant_id AND i.order_id = o.id
    JOIN bought q
      ON q.merchant_id = i.merchant_id
      AND q.order_id = i.order_id
      AND q.product_id = i.product_id
      AND q.variant_id IS NOT DISTINCT FROM i.variant_id
    LEFT JOIN held h
      ON h.merchant_id = o.merchant_id
      AND h.order_id = o.id
      AND h.product_id = i.product_id
      AND h.variant_id IS NOT DISTINCT FROM i.variant_id
    LEFT JOIN sent s ON s.merchant_id = i.merchant_id AND s.order_item_id = i.id
    LEFT JOIN back b ON b.merchant_id = i.merchant_id AND b.order_item_id = i.id
  WHERE
    -- Imported history holds no stock.
    (
      o.imported_at IS NULL
      AND (
        coalesce(h.ever, 0) <> q.quantity
        OR coalesce(h.active, 0) <> CASE
          WHEN o.status = 'PENDING' THEN q.quantity
          ELSE 0
        END
        OR coalesce(h.committed, 0) <> CASE
          WHEN o.status IN ('PENDING', 'CANCELLED') THEN 0
          ELSE q.quantity - q.cancelled - q.fulfilled
        END
        OR coalesce(h.consumed, 0) < q.fulfilled
      )
    )
    OR coalesce(s.in_shipments, 0) <> i.packed_quantity
    OR coalesce(s.sent, 0) <> i.fulfilled_quantity
    OR coalesce(b.in_returns, 0) <> i.returning_quantity
    OR coalesce(b.back, 0) <> i.returned_quantity;

CREATE VIEW verification.product_orders AS
  SELECT
    merchant_id,
    coalesce(i.order_id, l.order_id)::text AS subject,
    CASE
      WHEN l.order_id IS NULL THEN format('the product %s does not lead to the order that holds it', i.product_id)
      ELSE format('the product %s leads to an order that does not hold it', l.product_id)
    END AS disagreement
  FROM
    (SELECT DISTINCT merchant_id, order_id, product_id FROM ordering.order_item) i
    FULL JOIN ordering.product_order l USING (merchant_id, order_id, product_id)
  WHERE i.order_id IS NULL OR l.order_id IS NULL;

CREATE VIEW verification.payment_refunds AS
  SELECT
    p.merchant_id,
    p.id::text AS subject,
    format(
      '%s: took %s, gave back %s, asked to give back %s, but its refunds add up to %s and %s',
      p.status,
      p.captured_amount,
      p.refunded_amount,
      p.refund_requested_amount,
      coalesce(r.done, 0),
      coalesce(r.requested, 0)
    ) AS disagreement
  FROM
    payment.payment p
    LEFT JOIN (
      SELECT
        r.merchant_id,
        r.payment_id,
        sum(r.amount) AS requested,
        sum(r.amount) FILTER (WHERE r.status = 'SUCCEEDED') AS done
      FROM payment.refund r
      GROUP BY r.merchant_id, r.payment_id
    ) r
      ON r.merchant_id = p.merchant_id AND r.payment_id = p.id
  WHERE
    coalesce(r.requested, 0) <> p.refund_requested_amount
    OR coalesce(r.done, 0) <> p.refunded_amount
    OR coalesce(r.requested, 0) > p.captured_amount
    OR (p.captured_amount > 0) <> (p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED'))
    OR p.captured_amount > 0
    AND p.status <> CASE
      WHEN coalesce(r.done, 0) = 0 THEN 'SUCCEEDED'
      WHEN r.done < p.captured_amount THEN 'PARTIALLY_REFUNDED'
      ELSE 'REFUNDED'
    END;

CREATE VIEW verification.refund_lines AS
  SELECT
    r.merchant_id,
    r.id::text AS subject,
    format('amount %s, but shipping of %s and lines of %s', r.amount, r.shipping_amount, sum(l.amount)) AS disagreement
  FROM
    payment.refund r
    JOIN payment.refund_line l ON l.merchant_id = r.merchant_id AND l.refund_id = r.id
  GROUP BY r.merchant_id, r.id
  HAVING r.amount <> r.shipping_amount + sum(l.amount);

CREATE VIEW verification.refunded_lines AS
  SELECT
    i.merchant_id,
    i.id::text AS subject,
    format(
      'costs %s and counts %s units as refunded, but its refunds are of %s and %s units',
      i.subtotal - i.discount + i.tax,
      i.refunded_quantity,
      sum(l.amount),
      sum(l.quantity)
    ) AS disagreement
  FROM
    ordering.order_item i
    JOIN payment.refund_line l ON l.merchant_id = i.merchant_id AND l.order_item_id = i.id
  GROUP BY i.merchant_id, i.id
  HAVING sum(l.amount) > i.subtotal - i.discount + i.tax OR sum(l.quantity) > i.refunded_quantity;

CREATE VIEW verification.promotion_uses AS
  SELECT
    p.merchant_id,
    p.id::text AS subject,
    format('counts %s uses, but %s orders use it', p.usage_count, coalesce(u.orders, 0)) AS disagreement
  FROM
    promotion.promotion p
    LEFT JOIN (
      SELECT o.merchant_id, o.promotion_id, count(*) AS orders
      FROM ordering.order o
      WHERE o.status <> 'CANCELLED' AND o.promotion_id IS NOT NULL
      GROUP BY o.merchant_id, o.promotion_id
    ) u
      ON u.merchant_id = p.merchant_id AND u.promotion_id = p.id
  WHERE p.usage_count <> coalesce(u.orders, 0);

CREATE VIEW verification.loyalty_points AS
  SELECT
    a.merchant_id,
    a.customer_id::text AS subject,
    format(
      '%s points, %s of them ever earned, but the entries add up to %s and %s%s',
      a.points,
      a.points_earned,
      coalesce(e.points, 0),
      coalesce(e.earned, 0),
      CASE
        WHEN NOT e.balances THEN ', and a balance between them is wrong'
      END
    ) AS disagreement
  FROM
    crm.loyalty_account a
    LEFT JOIN (
      SELECT
        x.merchant_id,
        x.customer_id,
        sum(x.points) AS points,
        coalesce(sum(x.points) FILTER (WHERE x.type IN ('EARNED', 'TAKEN_BACK')), 0) AS earned,
        bool_and(x.balance = x.sum) AS balances
      FROM
        (
          SELECT
            y.*,
            sum(y.points) OVER (
              PARTITION BY y.merchant_id, y.customer_id
              ORDER BY y.created_at, y.id
            )
          FROM crm.loyalty_entry y
        ) x
      GROUP BY x.merchant_id, x.customer_id
    ) e
      USING (merchant_id, customer_id)
  WHERE a.points <> coalesce(e.points, 0) OR a.points_earned <> coalesce(e.earned, 0) OR NOT coalesce(e.balances, TRUE);

CREATE VIEW verification.product_prices AS
  SELECT
    p.merchant_id,
    p.id::text AS subject,
    format(
      'sold from %s to %s, but its variants cost from %s to %s; or it does not list their SKUs',
      p.lowest_price,
      p.highest_price,
      coalesce(v.lowest, p.price),
      coalesce(v.highest, p.price)
    ) AS disagreement
  FROM
    catalog.product p
    LEFT JOIN (
      SELECT
        v.merchant_id,
        v.product_id,
        min(coalesce(v.price, p.price)) AS lowest,
        max(coalesce(v.price, p.price)) AS highest,
        string_agg(v.sku, E'\n' ORDER BY v.position, v.id) AS skus
      FROM
        catalog.product_variant v
        JOIN catalog.product p ON p.merchant_id = v.merchant_id AND p.id = v.product_id
      WHERE v.deleted_at IS NULL
      GROUP BY v.merchant_id, v.product_id
    ) v
      ON v.merchant_id = p.merchant_id AND v.product_id = p.id
  WHERE
    (p.lowest_price, p.highest_price, p.variant_skus) <> (
      coalesce(v.lowest, p.price),
      coalesce(v.highest, p.price),
      coalesce(v.skus, '')
    );

CREATE VIEW verification.category_levels AS
  SELECT
    c.merchant_id,
    c.id::text AS subject,
    format('level %s below a parent of level %s', c.level, p.level) AS disagreement
  FROM
    catalog.category c
    LEFT JOIN catalog.category p ON p.merchant_id = c.merchant_id AND p.id = c.parent_id
  WHERE c.level <> coalesce(p.level + 1, 0);

CREATE VIEW verification.category_products AS
  WITH RECURSIVE
    listed AS (
      SELECT l.merchant_id, l.product_id, l.category_id
      FROM catalog.product_category l
      UNION
      SELECT l.merchant_id, l.product_id, c.parent_id
      FROM
        listed l
        JOIN catalog.category c ON c.merchant_id = l.merchant_id AND c.id = l.category_id
      WHERE c.parent_id IS NOT NULL
    )
  SELECT
    merchant_id,
    coalesce(l.category_id, k.category_id)::text AS subject,
    CASE
      WHEN k.category_id IS NULL THEN format('does not list its product %s', l.product_id)
      ELSE format('lists the product %s, which is not in it', k.product_id)
    END AS disagreement
  FROM
    listed l
    FULL JOIN catalog.category_product k USING (merchant_id, category_id, product_id)
  WHERE l.category_id IS NULL OR k.category_id IS NULL;

CREATE VIEW verification.search_documents AS
  SELECT
    merchant_id,
    coalesce(r.id, d.id)::text AS subject,
    CASE
      WHEN d.id IS NULL THEN 'search does not find the ' || r.kind
      ELSE 'search finds a record that does not exist: ' || d.id
    END AS disagreement
  FROM
    (
      SELECT p.merchant_id, p.id, 'product' AS kind
      FROM catalog.product p
      WHERE p.deleted_at IS NULL
      UNION ALL
      SELECT c.merchant_id, c.id, 'category'
      FROM catalog.category c
      UNION ALL
      SELECT a.merchant_id, a.id, 'article'
      FROM search.article a
    ) r
    FULL JOIN (
      SELECT x.merchant_id, coalesce(x.product_id, x.category_id, x.article_id) AS id
      FROM search.document x
    ) d
      USING (merchant_id, id)
  WHERE r.id IS NULL OR d.id IS NULL;

CREATE VIEW verification.search_tallies AS
  SELECT
    merchant_id,
    format('%s %s of scope %s', lower(kind), value, scope) AS subject,
    format('search counts %s documents, but %s have it', coalesce(k.count, 0), coalesce(d.count, 0)) AS disagreement
  FROM
    (
      SELECT t.merchant_id, t.scope, t.public, t.kind, t.value, sum(t.count) AS count
      FROM
        (
          SELECT k.merchant_id, k.scope, k.public, k.kind, k.value, k.count
          FROM search.tally k
          UNION ALL
          SELECT c.merchant_id, s.scope, c.public, v.kind, v.value, c.sign
          FROM
            search.tally_change c
            CROSS JOIN LATERAL search.scopes_of(c.merchant_id, c.facet_keys) s
            CROSS JOIN LATERAL search.tallied_values(
              c.type,
              c.status,
              c.lowest_price,
              c.highest_price,
              c.in_stock,
              c.facet_keys
            ) v
        ) t
        JOIN search.tallied_merchant m ON m.merchant_id = t.merchant_id AND m.counted
      GROUP BY t.merchant_id, t.scope, t.public, t.kind, t.value
      HAVING sum(t.count) <> 0
    ) k
    FULL JOIN (
      SELECT d.merchant_id, s.scope, d.public, v.kind, v.value, count(*) AS count
      FROM
        search.document d
        JOIN search.tallied_merchant m ON m.merchant_id = d.merchant_id AND m.counted
        CROSS JOIN LATERAL search.scopes_of(d.merchant_id, d.facet_keys) s
        CROSS JOIN LATERAL search.tallied_values(
          search.type_of(d),
          d.status,
          d.lowest_price,
          d.highest_price,
          d.in_stock,
          d.facet_keys
        ) v
      GROUP BY d.merchant_id, s.scope, d.public, v.kind, v.value
    ) d
      USING (merchant_id, scope, public, kind, value)
  WHERE k.count IS DISTINCT FROM d.count;

CREATE VIEW verification.sales_reports AS
  SELECT
    merchant_id,
    format('%s %s %s', bucket, currency, status) AS subject,
    format('the roll-up has %s, but the rows add up to %s', k.figures, f.figures) AS disagreement
  FROM
    (
      SELECT
        r.merchant_id,
        r.bucket,
        r.currency,
        r.status,
        ARRAY[
          r.placed,
          r.cancelled,
          r.orders,
          r.units,
          r.gross,
          r.discount,
          r.uncaptured,
          r.shipping,
          r.tax,
          r.total,
          r.refunds,
          r.refunded
        ]::numeric[] AS figures
      FROM analytics.sales_rollup r
    ) k
    FULL JOIN (
      SELECT
        m.id AS merchant_id,
        analytics.bucket_of(f.at) AS bucket,
        f.currency,
        f.status,
        ARRAY[
          sum(f.placed),
          sum(f.cancelled),
          sum(f.orders),
          sum(f.units),
          sum(f.gross),
          sum(f.discount),
          sum(f.uncaptured),
          sum(f.shipping),
          sum(f.tax),
          sum(f.total),
          sum(f.refunds),
          sum(f.refunded)
        ] AS figures
      FROM
        merchant.merchant m
        CROSS JOIN LATERAL analytics.sales_facts(m.id, '-infinity', 'infinity') f
      GROUP BY m.id, analytics.bucket_of(f.at), f.currency, f.status
    ) f
      USING (merchant_id, bucket, currency, status)
  WHERE
    k.figures IS DISTINCT FROM f.figures
    AND NOT EXISTS (
      SELECT
      FROM analytics.stale_bucket s
      WHERE s.merchant_id = coalesce(k.merchant_id, f.merchant_id) AND s.bucket = coalesce(k.bucket, f.bucket)
    );

CREATE VIEW verification.product_reports AS
  SELECT
    merchant_id,
    format('%s %s %s', bucket, product_id, currency) AS subject,
    format('the roll-up has %s, but the rows add up to %s', k.figures, f.figures) AS disagreement
  FROM
    (
      SELECT
        r.merchant_id,
        r.bucket,
        r.product_id,
        r.currency,
        ARRAY[r.orders, r.units, r.gross, r.discount, r.uncaptured, r.tax]::numeric[] AS figures
      FROM analytics.product_rollup r
    ) k
    FULL JOIN (
      SELECT
        m.id AS merchant_id,
        analytics.bucket_of(f.at) AS bucket,
        f.product_id,
        f.currency,
        ARRAY[sum(f.orders), sum(f.units), sum(f.gross), sum(f.discount), sum(f.uncaptured), sum(f.tax)] AS figures
      FROM
        merchant.merchant m
        CROSS JOIN LATERAL analytics.product_facts(m.id, '-infinity', 'infinity') f
      GROUP BY m.id, analytics.bucket_of(f.at), f.product_id, f.currency
    ) f
      USING (merchant_id, bucket, product_id, currency)
  WHERE
    k.figures IS DISTINCT FROM f.figures
    AND NOT EXISTS (
      SELECT
      FROM analytics.stale_bucket s
      WHERE s.merchant_id = coalesce(k.merchant_id, f.merchant_id) AND s.bucket = coalesce(k.bucket, f.bucket)
    );

CREATE VIEW verification.stock_reports AS
  SELECT
    merchant_id,
    format('%s %s', bucket, product_id) AS subject,
    format('the roll-up has %s, but the rows add up to %s', k.figures, f.figures) AS disagreement
  FROM
    (
      SELECT r.merchant_id, r.bucket, r.product_id, ARRAY[r.received, r.removed, r.moved]::numeric[] AS figures
      FROM analytics.stock_rollup r
    ) k
    FULL JOIN (
      SELECT
        m.id AS merchant_id,
        analytics.bucket_of(f.at) AS bucket,
        f.product_id,
        ARRAY[sum(f.received), sum(f.removed), sum(f.moved)] AS figures
      FROM
        merchant.merchant m
        CROSS JOIN LATERAL analytics.stock_facts(m.id, '-infinity', 'infinity') f
      GROUP BY m.id, analytics.bucket_of(f.at), f.product_id
    ) f
      USING (merchant_id, bucket, product_id)
  WHERE
    k.figures IS DISTINCT FROM f.figures
    AND NOT EXISTS (
      SELECT
      FROM analytics.stale_bucket s
      WHERE s.merchant_id = coalesce(k.merchant_id, f.merchant_id) AND s.bucket = coalesce(k.bucket, f.bucket)
    );

CREATE VIEW verification.file_bytes AS
  SELECT
    u.merchant_id,
    'files' AS subject,
    format('usage %s bytes, but the files have %s', u.bytes, coalesce(f.bytes, 0)) AS disagreement
  FROM
    files.usage u
    LEFT JOIN (SELECT x.merchant_id, sum(x.stored_bytes) AS bytes FROM files.file x GROUP BY x.merchant_id) f
      USING (merchant_id)
  WHERE u.bytes <> coalesce(f.bytes, 0);

-- sql/analytics/triggers.sql

CREATE FUNCTION analytics.order_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM
      analytics.mark_stale(
        OLD.merchant_id,
        ARRAY[OLD.created_at, OLD.paid_at, OLD.cancelled_at] || ARRAY(
          SELECT r.succeeded_at
          FROM
            payment.payment p
            JOIN payment.refund r ON r.merchant_id = p.merchant_id AND r.payment_id = p.id
          WHERE p.merchant_id = OLD.merchant_id AND p.order_id = OLD.id
        )
      );
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM analytics.mark_stale(NEW.merchant_id, ARRAY[NEW.created_at, NEW.paid_at, NEW.cancelled_at]);
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER analytics_changed
AFTER INSERT OR DELETE ON ordering.order
FOR EACH ROW
-- An import marks what it changes once for a batch (ordering.import_orders).
WHEN (NOT platform.importing())
EXECUTE FUNCTION analytics.order_changed();

CREATE TRIGGER analytics_changed_by_update
AFTER UPDATE ON ordering.order
FOR EACH ROW
WHEN
  (
    (
      OLD.status,
      OLD.currency,
      OLD.created_at,
      OLD.paid_at,
      OLD.cancelled_at,
      OLD.subtotal,
      OLD.discount,
      OLD.shipping_discount,
      OLD.shipping,
      OLD.tax,
      OLD.total,
      OLD.uncaptured,
      OLD.uncaptured_shipping
    ) IS DISTINCT FROM (
      NEW.status,
      NEW.currency,
      NEW.created_at,
      NEW.paid_at,
      NEW.cancelled_at,
      NEW.subtotal,
      NEW.discount,
      NEW.shipping_discount,
      NEW.shipping,
      NEW.tax,
      NEW.total,
      NEW.uncaptured,
      NEW.uncaptured_shipping
    )
  )
EXECUTE FUNCTION analytics.order_changed();

CREATE FUNCTION analytics.order_item_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(o.merchant_id, ARRAY[o.paid_at])
  FROM ordering.order o
  WHERE
    o.paid_at IS NOT NULL
    AND (o.merchant_id, o.id) IN ((OLD.merchant_id, OLD.order_id), (NEW.merchant_id, NEW.order_id));
  RETURN NULL;
END;
$$;

CREATE TRIGGER analytics_changed
AFTER UPDATE OR DELETE ON ordering.order_item
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION analytics.order_item_changed();

CREATE TRIGGER analytics_added
AFTER INSERT ON ordering.order_item
FOR EACH ROW
WHEN (NOT platform.importing() AND NOT ordering.placing(NEW.order_id))
EXECUTE FUNCTION analytics.order_item_changed();

CREATE FUNCTION analytics.refund_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(coalesce(NEW.merchant_id, OLD.merchant_id), ARRAY[OLD.succeeded_at, NEW.succeeded_at]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER analytics_changed
AFTER INSERT OR UPDATE OR DELETE ON payment.refund
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION analytics.refund_changed();

CREATE FUNCTION analytics.stock_moved()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(m.merchant_id, array_agg(m.created_at))
  FROM moved m
  WHERE m.on_hand_delta <> 0
  GROUP BY m.merchant_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER analytics_moved
AFTER INSERT ON inventory.stock_movement
REFERENCING NEW TABLE AS moved
FOR EACH STATEMENT
EXECUTE FUNCTION analytics.stock_moved();

CREATE FUNCTION analytics.movement_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM analytics.mark_stale(OLD.merchant_id, ARRAY[OLD.created_at, NEW.created_at]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER analytics_changed
AFTER UPDATE OR DELETE ON inventory.stock_movement
FOR EACH ROW
WHEN (OLD.on_hand_delta <> 0)
EXECUTE FUNCTION analytics.movement_changed();

-- sql/platform/triggers.sql

CREATE FUNCTION platform.touch_updated_at()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.updated_at := clock_timestamp();
  RETURN NEW;
END;
$$;

-- sql/analytics/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON analytics.dashboard
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

-- sql/audit/triggers.sql

CREATE FUNCTION audit.keep()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' AND merchant.deletion_is_due(OLD.merchant_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'entries of the audit log are neither changed nor deleted';
END;
$$;

CREATE TRIGGER keep
BEFORE UPDATE OR DELETE ON audit.entry
FOR EACH ROW
EXECUTE FUNCTION audit.keep();

CREATE TRIGGER keep_all
BEFORE TRUNCATE ON audit.entry
FOR EACH STATEMENT
EXECUTE FUNCTION audit.keep();

ALTER TABLE audit.entry ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_all;

CREATE TRIGGER keep_all
BEFORE TRUNCATE ON audit.entry_rest
FOR EACH STATEMENT
EXECUTE FUNCTION audit.keep();

ALTER TABLE audit.entry_rest ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_all;

-- sql/booking/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.service
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.staff_member
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.resource
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.appointment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION booking.fill_terms()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_service booking.service;
BEGIN
  SELECT * INTO v_service FROM booking.service s WHERE s.merchant_id = NEW.merchant_id AND s.id = NEW.service_id;
  NEW.price := coalesce(NEW.price, v_service.price, 0);
  NEW.currency := coalesce(NEW.currency, v_service.currency, 'USD');
  RETURN NEW;
END;
$$;

CREATE TRIGGER fill_terms
BEFORE INSERT ON booking.appointment
FOR EACH ROW
WHEN (NEW.price IS NULL OR NEW.currency IS NULL)
EXECUTE FUNCTION booking.fill_terms();

-- sql/bulk/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON bulk.import
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON bulk.export
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION bulk.withdraw_export()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.status := 'CANCELLED';
  NEW.url := NULL;
  NEW.claim := NULL;
  NEW.finished_at := coalesce(NEW.finished_at, now());
  NEW.expires_at := now();
  RETURN NEW;
END;
$$;

CREATE TRIGGER withdraw_export
BEFORE UPDATE OF customer_id ON bulk.export
FOR EACH ROW
WHEN (OLD.customer_id IS NOT NULL AND NEW.customer_id IS NULL)
EXECUTE FUNCTION bulk.withdraw_export();

-- sql/cart/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON cart.cart
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION cart.take_up_again()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.abandoned_at := NULL;
  RETURN NEW;
END;
$$;

CREATE TRIGGER take_up_again
BEFORE UPDATE OF expires_at, checked_out_at ON cart.cart
FOR EACH ROW
WHEN (OLD.abandoned_at IS NOT NULL)
EXECUTE FUNCTION cart.take_up_again();

-- sql/catalog/triggers.sql

CREATE FUNCTION catalog.fill_slug_of_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_base text;
BEGIN
  IF NEW.slug IS NULL THEN
    v_base := platform.slugify(NEW.name);
    NEW.slug := platform.free_slug(
      TG_TABLE_NAME,
      NEW.merchant_id,
      NEW.id,
      v_base,
      EXISTS (SELECT FROM catalog.product o WHERE o.merchant_id = NEW.merchant_id AND o.slug = v_base)
    );
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER fill_slug
BEFORE INSERT OR UPDATE OF slug ON catalog.product
FOR EACH ROW
EXECUTE FUNCTION catalog.fill_slug_of_product();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON catalog.product
FOR EACH ROW
WHEN (NEW.popularity = OLD.popularity)
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON catalog.product_variant
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION catalog.release_slug()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.slug := 'deleted-' || NEW.id;
  RETURN NEW;
END;
$$;

CREATE TRIGGER release_slug
BEFORE UPDATE OF deleted_at ON catalog.product
FOR EACH ROW
WHEN (NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL)
EXECUTE FUNCTION catalog.release_slug();

CREATE FUNCTION catalog.set_price_range()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_range record;
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- It has no variants yet. An import writes them next, and knows their prices.
    IF NOT platform.importing() OR NEW.lowest_price IS NULL THEN
      NEW.lowest_price := NEW.price;
      NEW.highest_price := NEW.price;
    END IF;
    RETURN NEW;
  END IF;
  SELECT r.lowest, r.highest INTO v_range FROM catalog.price_range(NEW.merchant_id, NEW.id, NEW.price) r;
  NEW.lowest_price := v_range.lowest;
  NEW.highest_price := v_range.highest;
  RETURN NEW;
END;
$$;

CREATE TRIGGER set_price_range
BEFORE INSERT OR UPDATE OF price ON catalog.product
FOR EACH ROW
EXECUTE FUNCTION catalog.set_price_range();

CREATE FUNCTION catalog.follow_variant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_variant catalog.product_variant := coalesce(NEW, OLD);
BEGIN
  -- Held before the variants are read: of two transactions that add one each, the second sees the first's.
  PERFORM
  FROM catalog.product p
  WHERE p.merchant_id = v_variant.merchant_id AND p.id = v_variant.product_id
  FOR NO KEY UPDATE;
  PERFORM catalog.sum_up_variants(v_variant.merchant_id, ARRAY[v_variant.product_id]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_variant
AFTER INSERT OR DELETE OR UPDATE OF price, sku, position, deleted_at ON catalog.product_variant
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION catalog.follow_variant();

CREATE FUNCTION catalog.check_variant_options()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant_ids uuid[];
  v_product_ids uuid[];
BEGIN
  SELECT array_agg(p.merchant_id), array_agg(p.product_id)
  INTO v_merchant_ids, v_product_ids
  FROM
    (
      SELECT DISTINCT v.merchant_id, v.product_id
      FROM
        changed c
        CROSS JOIN LATERAL (
          SELECT v.merchant_id, v.product_id
          FROM catalog.product_variant v
          WHERE v.merchant_id = c.merchant_id AND v.id = c.variant_id AND v.deleted_at IS NULL
          OFFSET 0
        ) v
      ORDER BY v.merchant_id, v.product_id
    ) p;
  -- Of two transactions that give options to one product, the second sees the first's.
  PERFORM
  FROM
    unnest(v_merchant_ids, v_product_ids) AS c (merchant_id, product_id)
    CROSS JOIN LATERAL (
      SELECT
      FROM catalog.product p
      WHERE p.merchant_id = c.merchant_id AND p.id = c.product_id
      FOR NO KEY UPDATE
    ) p;
  IF
    EXISTS (
      SELECT
      FROM
        unnest(v_merchant_ids, v_product_ids) AS c (merchant_id, product_id)
        CROSS JOIN LATERAL (
          SELECT v.id
          FROM catalog.product_variant v
          WHERE v.merchant_id = c.merchant_id AND v.product_id = c.product_id AND v.deleted_at IS NULL
          OFFSET 0
        ) v
        CROSS JOIN LATERAL (
          SELECT jsonb_object_agg(lower(o.name), lower(o.value)) AS options
          FROM catalog.variant_option o
          WHERE o.merchant_id = c.merchant_id AND o.variant_id = v.id
        ) o
      WHERE o.options IS NOT NULL
      GROUP BY c.merchant_id, c.product_id, o.options
      HAVING count(*) > 1
    )
  THEN
    PERFORM platform.violate('catalog.product_variant', 'product_variant_options_key');
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER product_variant_options_key
AFTER INSERT ON catalog.variant_option
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION catalog.check_variant_options();

CREATE TRIGGER product_variant_options_key_of_update
AFTER UPDATE ON catalog.variant_option
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION catalog.check_variant_options();

CREATE FUNCTION catalog.require_variant_options(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM catalog.product p
  WHERE p.merchant_id = p_merchant_id AND p.id = ANY (p_product_ids)
  ORDER BY p.id
  FOR NO KEY UPDATE;
  IF
    EXISTS (
      SELECT
      FROM catalog.product_variant v
      WHERE v.merchant_id = p_merchant_id AND v.product_id = ANY (p_product_ids) AND v.deleted_at IS NULL
      GROUP BY v.product_id
      HAVING
        count(*) > 1
        AND bool_or(
          NOT EXISTS (SELECT FROM catalog.variant_option o WHERE o.merchant_id = v.merchant_id AND o.variant_id = v.id)
        )
    )
  THEN
    PERFORM platform.violate('catalog.product_variant', 'product_variant_options_needed');
  END IF;
END;
$$;

CREATE FUNCTION catalog.check_variants_have_options()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_changed jsonb := to_jsonb(coalesce(NEW, OLD));
  v_merchant_id uuid := v_changed ->> 'merchant_id';
  v_variant_id uuid := coalesce(v_changed ->> 'variant_id', v_changed ->> 'id');
BEGIN
  PERFORM catalog.require_variant_options(v.merchant_id, ARRAY[v.product_id])
  FROM catalog.product_variant v
  WHERE v.merchant_id = v_merchant_id AND v.id = v_variant_id AND v.deleted_at IS NULL;
  RETURN NULL;
END;
$$;

CREATE CONSTRAINT TRIGGER product_variant_options_needed
AFTER INSERT OR UPDATE OF product_id, deleted_at ON catalog.product_variant
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION catalog.check_variants_have_options();

CREATE CONSTRAINT TRIGGER product_variant_options_needed
AFTER DELETE ON catalog.variant_option
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION catalog.check_variants_have_options();

CREATE FUNCTION catalog.fill_slug_of_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_base text;
BEGIN
  IF NEW.slug IS NULL THEN
    v_base := platform.slugify(NEW.name);
    NEW.slug := platform.free_slug(
      TG_TABLE_NAME,
      NEW.merchant_id,
      NEW.id,
      v_base,
      EXISTS (SELECT FROM catalog.category o WHERE o.merchant_id = NEW.merchant_id AND o.slug = v_base)
    );
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER fill_slug
BEFORE INSERT OR UPDATE OF slug ON catalog.category
FOR EACH ROW
EXECUTE FUNCTION catalog.fill_slug_of_category();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON catalog.category
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION catalog.set_category_level()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  parent_level integer;
BEGIN
  -- Of two that move categories of one tree, the second sees what the first did: else each could put its own below the
  -- other's.
  IF TG_OP = 'INSERT' THEN
    PERFORM pg_advisory_xact_lock_shared(catalog.tree_lock(NEW.merchant_id));
  ELSE
    PERFORM pg_advisory_xact_lock(catalog.tree_lock(NEW.merchant_id));
  END IF;
  IF NEW.parent_id IS NULL THEN
    NEW.level := 0;
    RETURN NEW;
  END IF;
  IF
    EXISTS (
      WITH RECURSIVE
        ancestor AS (
          SELECT c.id, c.parent_id, 1 AS depth
          FROM catalog.category c
          WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.parent_id
          UNION ALL
          SELECT c.id, c.parent_id, a.depth + 1
          FROM
            catalog.category c
            JOIN ancestor a ON c.merchant_id = NEW.merchant_id AND c.id = a.parent_id
          WHERE a.depth < 20
        )
      SELECT
      FROM ancestor
      WHERE id = NEW.id
    )
  THEN
    PERFORM platform.violate('catalog.category', 'category_no_cycle', 'a category cannot be its own ancestor');
  END IF;
  SELECT c.level
  INTO parent_level
  FROM catalog.category c
  WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.parent_id;
  NEW.level := coalesce(parent_level, 0) + 1;
  IF NEW.level > 9 THEN
    PERFORM platform.violate('catalog.category', 'category_depth', 'categories nest at most 10 levels deep');
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER set_level
BEFORE INSERT OR UPDATE OF parent_id, level ON catalog.category
FOR EACH ROW
EXECUTE FUNCTION catalog.set_category_level();

CREATE FUNCTION catalog.move_subcategories()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE catalog.category SET level = NEW.level + 1 WHERE merchant_id = NEW.merchant_id AND parent_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER move_subcategories
AFTER UPDATE OF parent_id, level ON catalog.category
FOR EACH ROW
WHEN (NEW.level <> OLD.level)
EXECUTE FUNCTION catalog.move_subcategories();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON catalog.review
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION catalog.list_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- Of two that link and unlink one product, the second sees what the first did.
  PERFORM
  FROM
    catalog.product p
    JOIN changed c ON p.merchant_id = c.merchant_id AND p.id = c.product_id
  ORDER BY p.merchant_id, p.id
  FOR NO KEY UPDATE OF p;
  PERFORM pg_advisory_xact_lock_shared(catalog.tree_lock(m.merchant_id))
  FROM (SELECT DISTINCT c.merchant_id FROM changed c ORDER BY c.merchant_id) m;
  WITH
    -- Each path is computed once, however many products the category got.
    ancestor AS MATERIALIZED (
      SELECT c.merchant_id, c.category_id, a.id
      FROM
        (SELECT DISTINCT merchant_id, category_id FROM changed) c
        CROSS JOIN LATERAL catalog.category_path(c.merchant_id, c.category_id) AS a (id)
    )
  INSERT INTO catalog.category_product (merchant_id, category_id, product_id, created_at)
  SELECT DISTINCT p.merchant_id, a.id, p.id, p.created_at
  FROM
    ancestor a
    JOIN changed c ON c.merchant_id = a.merchant_id AND c.category_id = a.category_id
    JOIN catalog.product p ON p.merchant_id = c.merchant_id AND p.id = c.product_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE TRIGGER list_products
AFTER INSERT ON catalog.product_category
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION catalog.list_products();

CREATE FUNCTION catalog.unlist_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM
    catalog.product p
    JOIN changed c ON p.merchant_id = c.merchant_id AND p.id = c.product_id
  ORDER BY p.merchant_id, p.id
  FOR NO KEY UPDATE OF p;
  PERFORM pg_advisory_xact_lock_shared(catalog.tree_lock(m.merchant_id))
  FROM (SELECT DISTINCT c.merchant_id FROM changed c ORDER BY c.merchant_id) m;
  DELETE FROM catalog.category_product x
  USING
    changed c
    CROSS JOIN LATERAL catalog.category_path(c.merchant_id, c.category_id) AS a (id)
  WHERE
    x.merchant_id = c.merchant_id
    AND x.category_id = a.id
    AND x.product_id = c.product_id
    AND NOT EXISTS (
      SELECT
      FROM catalog.product_category l
      WHERE
        l.merchant_id = c.merchant_id
        AND l.product_id = c.product_id
        AND l.category_id IN (SELECT catalog.category_subtree(c.merchant_id, a.id))
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER unlist_products
AFTER DELETE ON catalog.product_category
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION catalog.unlist_products();

CREATE FUNCTION catalog.unlink_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM catalog.product_category l WHERE l.merchant_id = OLD.merchant_id AND l.category_id = OLD.id;
  RETURN OLD;
END;
$$;

CREATE TRIGGER unlink_category
BEFORE DELETE ON catalog.category
FOR EACH ROW
EXECUTE FUNCTION catalog.unlink_category();

CREATE FUNCTION catalog.move_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM catalog.category_product x
  USING
    catalog.category_path(OLD.merchant_id, OLD.parent_id) AS a (id),
    catalog.category_product moved
  WHERE
    moved.merchant_id = NEW.merchant_id
    AND moved.category_id = NEW.id
    AND x.merchant_id = moved.merchant_id
    AND x.category_id = a.id
    AND x.product_id = moved.product_id
    AND NOT EXISTS (
      SELECT
      FROM catalog.product_category l
      WHERE
        l.merchant_id = x.merchant_id
        AND l.product_id = x.product_id
        AND l.category_id IN (SELECT catalog.category_subtree(x.merchant_id, a.id))
    );
  INSERT INTO catalog.category_product (merchant_id, category_id, product_id, created_at)
  SELECT moved.merchant_id, a.id, moved.product_id, moved.created_at
  FROM
    catalog.category_path(NEW.merchant_id, NEW.parent_id) AS a (id),
    catalog.category_product moved
  WHERE moved.merchant_id = NEW.merchant_id AND moved.category_id = NEW.id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE TRIGGER move_products
AFTER UPDATE OF parent_id ON catalog.category
FOR EACH ROW
WHEN (NEW.parent_id IS DISTINCT FROM OLD.parent_id)
EXECUTE FUNCTION catalog.move_products();

CREATE FUNCTION catalog.date_links()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE catalog.category_product l
  SET created_at = NEW.created_at
  WHERE l.merchant_id = NEW.merchant_id AND l.product_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER date_links
AFTER UPDATE OF created_at ON catalog.product
FOR EACH ROW
WHEN (NEW.created_at <> OLD.created_at)
EXECUTE FUNCTION catalog.date_links();

CREATE FUNCTION catalog.verify_purchase()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.verified_purchase := catalog.has_bought(NEW.merchant_id, NEW.customer_id, NEW.product_id);
  RETURN NEW;
END;
$$;

CREATE TRIGGER verify_purchase
BEFORE INSERT ON catalog.review
FOR EACH ROW
EXECUTE FUNCTION catalog.verify_purchase();

-- sql/crm/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.customer
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION crm.doubt_new_email()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.email_verified := FALSE;
  RETURN NEW;
END;
$$;

CREATE TRIGGER doubt_new_email
BEFORE UPDATE OF email ON crm.customer
FOR EACH ROW
WHEN (NEW.email <> OLD.email)
EXECUTE FUNCTION crm.doubt_new_email();

CREATE FUNCTION crm.keep_one_default_address()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM crm.customer c WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.customer_id FOR NO KEY UPDATE;
  IF
    NOT NEW.is_default
    AND TG_OP = 'INSERT'
    AND NOT EXISTS (
      SELECT
      FROM crm.address a
      WHERE a.merchant_id = NEW.merchant_id AND a.customer_id = NEW.customer_id AND a.is_default
    )
  THEN
    NEW.is_default := TRUE;
  END IF;
  IF NEW.is_default THEN
    UPDATE crm.address a
    SET is_default = FALSE
    WHERE a.merchant_id = NEW.merchant_id AND a.customer_id = NEW.customer_id AND a.is_default AND a.id <> NEW.id;
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER keep_one_default
BEFORE INSERT OR UPDATE OF is_default ON crm.address
FOR EACH ROW
EXECUTE FUNCTION crm.keep_one_default_address();

CREATE FUNCTION crm.refuse_no_default_address()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM platform.violate('crm.address', 'address_needs_default');
END;
$$;

CREATE TRIGGER default_stays
BEFORE UPDATE OF is_default ON crm.address
FOR EACH ROW
WHEN (OLD.is_default AND NOT NEW.is_default AND pg_trigger_depth() = 0)
EXECUTE FUNCTION crm.refuse_no_default_address();

CREATE FUNCTION crm.pass_on_default_address()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM crm.customer c WHERE c.merchant_id = OLD.merchant_id AND c.id = OLD.customer_id FOR NO KEY UPDATE;
  UPDATE crm.address a
  SET is_default = TRUE
  WHERE
    a.merchant_id = OLD.merchant_id
    AND a.id = (
      SELECT x.id
      FROM crm.address x
      WHERE x.merchant_id = OLD.merchant_id AND x.customer_id = OLD.customer_id
      ORDER BY x.created_at, x.id
      LIMIT 1
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER pass_on_default
AFTER DELETE ON crm.address
FOR EACH ROW
WHEN (OLD.is_default)
EXECUTE FUNCTION crm.pass_on_default_address();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.contact
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.interaction
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.loyalty_program
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION crm.give_loyalty_program()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO crm.loyalty_program (merchant_id) VALUES (NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER give_loyalty_program
AFTER INSERT ON merchant.merchant
FOR EACH ROW
EXECUTE FUNCTION crm.give_loyalty_program();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.loyalty_tier
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.loyalty_reward
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION crm.post_loyalty_entry()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_balance integer;
BEGIN
  UPDATE crm.loyalty_account a
  SET
    points = a.points + NEW.points,
    points_earned = a.points_earned + CASE
      WHEN NEW.type IN ('EARNED', 'TAKEN_BACK') THEN NEW.points
      ELSE 0
    END,
    next_expiry = least(a.next_expiry, NEW.expires_at)
  WHERE a.merchant_id = NEW.merchant_id AND a.customer_id = NEW.customer_id
  RETURNING a.points
  INTO v_balance;
  NEW.balance := v_balance;
  RETURN NEW;
END;
$$;

CREATE TRIGGER post
BEFORE INSERT ON crm.loyalty_entry
FOR EACH ROW
EXECUTE FUNCTION crm.post_loyalty_entry();

CREATE FUNCTION crm.refuse_rewriting()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' AND merchant.deletion_is_due(OLD.merchant_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the ledger of points only grows: write an adjustment instead';
END;
$$;

CREATE TRIGGER append_only
BEFORE UPDATE OR DELETE ON crm.loyalty_entry
FOR EACH ROW
WHEN (pg_trigger_depth() = 0)
EXECUTE FUNCTION crm.refuse_rewriting();

CREATE TRIGGER keep_points
AFTER INSERT OR UPDATE OF status, captured_amount, refunded_amount ON payment.payment
FOR EACH ROW
WHEN
  (
    NEW.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED')
    AND NEW.method <> 'LOYALTY_POINTS'
    AND NOT platform.importing()
  )
EXECUTE FUNCTION crm.keep_points_of_payment();

CREATE FUNCTION crm.spend_points()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_customer_id uuid := (
    SELECT o.customer_id FROM ordering.order o WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id
  );
  v_value bigint := crm.hold_point_value(NEW.merchant_id, v_customer_id, NEW.currency);
BEGIN
  IF v_value IS NULL THEN
    RAISE EXCEPTION 'payment % can not be made with points', NEW.id;
  END IF;
  PERFORM crm.hold_loyalty_account(NEW.merchant_id, v_customer_id);
  -- The constraint of the account keeps the balance from going below zero.
  INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, payment_id)
  VALUES (NEW.merchant_id, v_customer_id, 'SPENT', -div(NEW.amount + v_value - 1, v_value), NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER spend_points
AFTER INSERT ON payment.payment
FOR EACH ROW
WHEN (NEW.method = 'LOYALTY_POINTS' AND NEW.status NOT IN ('FAILED', 'CANCELLED'))
EXECUTE FUNCTION crm.spend_points();

CREATE FUNCTION crm.return_points()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_spent crm.loyalty_entry;
  v_account crm.loyalty_account;
  v_points bigint;
BEGIN
  SELECT *
  INTO v_spent
  FROM crm.loyalty_entry e
  WHERE e.merchant_id = NEW.merchant_id AND e.payment_id = NEW.id AND e.type = 'SPENT';
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  v_account := crm.hold_loyalty_account(NEW.merchant_id, v_spent.customer_id);
  SELECT
    CASE
      WHEN NEW.status IN ('FAILED', 'CANCELLED') THEN -v_spent.points
      ELSE (platform.allocate(-v_spent.points, ARRAY[NEW.refunded_amount, NEW.captured_amount - NEW.refunded_amount]))[
        1
      ]
    END - coalesce(sum(e.points), 0)
  INTO v_points
  FROM crm.loyalty_entry e
  WHERE e.merchant_id = NEW.merchant_id AND e.payment_id = NEW.id AND e.type = 'RETURNED';
  v_points := least(v_points, 2147483647 - v_account.points);
  IF v_points > 0 THEN
    INSERT INTO crm.loyalty_entry (merchant_id, customer_id, type, points, payment_id, expires_at)
    VALUES
      (NEW.merchant_id, v_spent.customer_id, 'RETURNED', v_points, NEW.id, crm.points_expire_at(NEW.merchant_id));
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER return_points
AFTER UPDATE OF status, refunded_amount ON payment.payment
FOR EACH ROW
WHEN (NEW.method = 'LOYALTY_POINTS' AND NEW.status IN ('FAILED', 'CANCELLED', 'PARTIALLY_REFUNDED', 'REFUNDED'))
EXECUTE FUNCTION crm.return_points();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON crm.segment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION crm.check_segment_tiers()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (
      SELECT
      FROM unnest(NEW.loyalty_tier_ids) x
      WHERE NOT EXISTS (SELECT FROM crm.loyalty_tier t WHERE t.merchant_id = NEW.merchant_id AND t.id = x)
    )
  THEN
    PERFORM platform.violate('crm.segment', 'segment_loyalty_tiers_exist');
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER check_tiers
BEFORE INSERT OR UPDATE OF loyalty_tier_ids ON crm.segment
FOR EACH ROW
EXECUTE FUNCTION crm.check_segment_tiers();

-- sql/email/triggers.sql

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

-- sql/events/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE OF url, description, topics, filter, query, status, previous_secret_until ON events.endpoint
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

-- sql/merchant/triggers.sql

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

-- sql/events/triggers.sql

CREATE TRIGGER access_changed
AFTER DELETE OR UPDATE OF status, permissions ON events.endpoint
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

CREATE FUNCTION events.capture()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- What a merchant's deletion deletes is no event of the merchant's.
  IF TG_OP = 'DELETE' AND merchant.deletion_is_due(OLD.merchant_id) THEN
    RETURN NULL;
  END IF;
  INSERT INTO events.change (merchant_id, source, before, after)
  VALUES
    (
      coalesce(NEW.merchant_id, OLD.merchant_id),
      TG_ARGV[0],
      to_jsonb(OLD) - TG_ARGV[1]::text[],
      to_jsonb(NEW) - TG_ARGV[1]::text[]
    );
  RETURN NULL;
END;
$$;

CREATE FUNCTION events.capture_crossing()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO events.change (merchant_id, source, after)
  SELECT
    NEW.merchant_id,
    'stock_crossing',
    jsonb_build_object(
      'product_id',
      i.product_id,
      'variant_id',
      i.variant_id,
      'sku',
      i.sku,
      'available',
      NEW.available,
      'low_stock_threshold',
      NEW.threshold,
      'crossing',
      NEW.crossing
    )
  FROM inventory.stock_item i
  WHERE i.merchant_id = NEW.merchant_id AND i.id = NEW.stock_item_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER event_created
AFTER INSERT ON notification.stock_crossing
FOR EACH ROW
WHEN (current_setting('platform.importing', TRUE) IS DISTINCT FROM 'on')
EXECUTE FUNCTION events.capture_crossing();

CREATE FUNCTION events.record_deletions()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO events.deletion (merchant_id, record_type, record_id, permission)
  SELECT g.merchant_id, TG_ARGV[0], g.id, TG_ARGV[1]
  FROM gone g
  WHERE
    -- What a merchant's deletion deletes is not told to the merchant.
    g.merchant_id IN (SELECT m.id FROM merchant.merchant m WHERE NOT merchant.deletion_is_due(m.id));
  RETURN NULL;
END;
$$;

CREATE FUNCTION events.record_deleted_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO events.deletion (merchant_id, record_type, record_id, permission)
  SELECT NEW.merchant_id, 'Product', NEW.id, 'products:read'
  UNION ALL
  SELECT v.merchant_id, 'ProductVariant', v.id, 'products:read'
  FROM catalog.product_variant v
  WHERE v.merchant_id = NEW.merchant_id AND v.product_id = NEW.id AND v.deleted_at IS NULL;
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_deletion
AFTER UPDATE OF deleted_at ON catalog.product
FOR EACH ROW
WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
EXECUTE FUNCTION events.record_deleted_product();

CREATE FUNCTION events.record_deleted_variant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO events.deletion (merchant_id, record_type, record_id, permission)
  SELECT NEW.merchant_id, 'ProductVariant', NEW.id, 'products:read'
  FROM catalog.product p
  WHERE p.merchant_id = NEW.merchant_id AND p.id = NEW.product_id AND p.deleted_at IS NULL;
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_deletion
AFTER UPDATE OF deleted_at ON catalog.product_variant
FOR EACH ROW
WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
EXECUTE FUNCTION events.record_deleted_variant();

-- sql/files/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON files.file
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION files.count_bytes()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_delta bigint := coalesce(NEW.stored_bytes, 0) - coalesce(OLD.stored_bytes, 0);
BEGIN
  UPDATE files.usage u SET bytes = u.bytes + v_delta WHERE u.merchant_id = coalesce(NEW.merchant_id, OLD.merchant_id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER count_bytes
AFTER INSERT OR UPDATE OF stored_bytes OR DELETE ON files.file
FOR EACH ROW
EXECUTE FUNCTION files.count_bytes();

CREATE FUNCTION files.image_to_show(p_merchant_id uuid, p_file_id uuid, p_constraint text)
RETURNS files.file
LANGUAGE plpgsql
AS $$
DECLARE
  v_file files.file;
BEGIN
  SELECT f.*
  INTO v_file
  FROM files.file f
  WHERE f.merchant_id = p_merchant_id AND f.id = p_file_id AND f.purpose = 'IMAGE' AND f.status = 'READY'
  FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE foreign_key_violation USING MESSAGE = 'the file is not an image that is READY', CONSTRAINT = p_constraint;
  END IF;
  RETURN v_file;
END;
$$;

CREATE FUNCTION files.image_at(p_merchant_id uuid, p_url text)
RETURNS uuid
LANGUAGE sql
STABLE
AS $$
  SELECT f.id FROM files.file f WHERE f.merchant_id = p_merchant_id AND f.url = p_url;
$$;

CREATE FUNCTION files.find_on_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.file_id := files.image_at(NEW.merchant_id, NEW.url);
  RETURN NEW;
END;
$$;

CREATE TRIGGER find_file
BEFORE INSERT ON catalog.product_image
FOR EACH ROW
WHEN (NEW.file_id IS NULL)
EXECUTE FUNCTION files.find_on_product();

CREATE FUNCTION files.find_on_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.image_file_id := files.image_at(NEW.merchant_id, NEW.image_url);
  RETURN NEW;
END;
$$;

CREATE TRIGGER find_file
BEFORE INSERT OR UPDATE OF image_url, image_file_id ON catalog.category
FOR EACH ROW
WHEN (NEW.image_file_id IS NULL AND NEW.image_url IS NOT NULL)
EXECUTE FUNCTION files.find_on_category();

CREATE FUNCTION files.show_on_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_file files.file := files.image_to_show(NEW.merchant_id, NEW.file_id, 'product_image_file_fkey');
BEGIN
  NEW.url := v_file.url;
  NEW.width := v_file.width;
  NEW.height := v_file.height;
  RETURN NEW;
END;
$$;

CREATE TRIGGER show_file
BEFORE INSERT OR UPDATE OF file_id ON catalog.product_image
FOR EACH ROW
WHEN (NEW.file_id IS NOT NULL)
EXECUTE FUNCTION files.show_on_product();

CREATE FUNCTION files.show_on_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_file files.file := files.image_to_show(NEW.merchant_id, NEW.image_file_id, 'category_image_file_fkey');
BEGIN
  NEW.image_url := v_file.url;
  RETURN NEW;
END;
$$;

CREATE TRIGGER show_file
BEFORE INSERT OR UPDATE OF image_file_id ON catalog.category
FOR EACH ROW
WHEN (NEW.image_file_id IS NOT NULL)
EXECUTE FUNCTION files.show_on_category();

CREATE FUNCTION files.release_from_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE files.file f SET released_at = now() WHERE f.merchant_id = OLD.merchant_id AND f.id = OLD.file_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER release_file
AFTER DELETE OR UPDATE OF file_id ON catalog.product_image
FOR EACH ROW
WHEN (OLD.file_id IS NOT NULL)
EXECUTE FUNCTION files.release_from_product();

CREATE FUNCTION files.release_from_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE files.file f SET released_at = now() WHERE f.merchant_id = OLD.merchant_id AND f.id = OLD.image_file_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER release_file
AFTER DELETE OR UPDATE OF image_file_id ON catalog.category
FOR EACH ROW
WHEN (OLD.image_file_id IS NOT NULL)
EXECUTE FUNCTION files.release_from_category();

-- sql/identity/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON identity.role
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION identity.add_built_in_roles()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO identity.role (merchant_id, kind, name, description, permissions)
  SELECT NEW.id, b.kind, b.name, b.description, identity.built_in_permissions(b.kind) FROM identity.built_in_role b;
  RETURN NULL;
END;
$$;

CREATE TRIGGER add_built_in_roles
AFTER INSERT ON merchant.merchant
FOR EACH ROW
EXECUTE FUNCTION identity.add_built_in_roles();

CREATE FUNCTION identity.follow_permissions()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE identity.role r
  SET permissions = identity.built_in_permissions(r.kind)
  WHERE r.built_in AND r.permissions <> identity.built_in_permissions(r.kind);
  IF TG_OP = 'DELETE' THEN
    UPDATE identity.role r
    SET permissions = ARRAY(
      SELECT x FROM unnest(r.permissions) x WHERE EXISTS (SELECT FROM merchant.permission p WHERE p.name = x)
    )
    WHERE
      EXISTS (
        SELECT FROM unnest(r.permissions) x WHERE NOT EXISTS (SELECT FROM merchant.permission p WHERE p.name = x)
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER roles_follow
AFTER INSERT OR DELETE ON merchant.permission
FOR EACH STATEMENT
EXECUTE FUNCTION identity.follow_permissions();

CREATE FUNCTION identity.check_role_permissions()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (SELECT FROM unnest(NEW.permissions) x WHERE NOT EXISTS (SELECT FROM merchant.permission p WHERE p.name = x))
  THEN
    PERFORM platform.violate('identity.role', 'role_permissions_exist');
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER check_permissions
BEFORE INSERT OR UPDATE OF permissions ON identity.role
FOR EACH ROW
EXECUTE FUNCTION identity.check_role_permissions();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON identity.user
FOR EACH ROW
WHEN (OLD.last_login_at IS NOT DISTINCT FROM NEW.last_login_at)
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER keep_an_owner
AFTER UPDATE OF status ON identity.user
FOR EACH ROW
WHEN (OLD.status = 'ACTIVE' AND NEW.status <> 'ACTIVE')
EXECUTE FUNCTION identity.keep_an_owner();

CREATE TRIGGER keep_an_owner
AFTER DELETE ON identity.user_role
FOR EACH ROW
EXECUTE FUNCTION identity.keep_an_owner();

-- sql/inventory/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.warehouse
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE OF sku, low_stock_threshold ON inventory.stock_item
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION inventory.add_stock_items_of_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO inventory.stock_item (merchant_id, product_id, sku, needs_restock)
  SELECT
    p.merchant_id,
    p.id,
    CASE
      WHEN p.deleted_at IS NULL THEN p.sku
    END,
    -- There is nothing of it yet, which is low for any threshold.
    p.deleted_at IS NULL
    AND p.status <> 'ARCHIVED'
  FROM added p;
  RETURN NULL;
END;
$$;

CREATE TRIGGER add_stock_items
AFTER INSERT ON catalog.product
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION inventory.add_stock_items_of_products();

CREATE FUNCTION inventory.keep_stock_item_of_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE inventory.stock_item i
  SET sku = CASE
    WHEN NEW.deleted_at IS NULL THEN NEW.sku
  END
  WHERE i.merchant_id = NEW.merchant_id AND i.product_id = NEW.id AND i.variant_id IS NULL;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_stock_item
AFTER UPDATE OF sku, deleted_at ON catalog.product
FOR EACH ROW
EXECUTE FUNCTION inventory.keep_stock_item_of_product();

CREATE FUNCTION inventory.add_stock_items_of_variants()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO inventory.stock_item (merchant_id, product_id, variant_id, sku, needs_restock)
  SELECT
    v.merchant_id,
    v.product_id,
    v.id,
    CASE
      WHEN v.deleted_at IS NULL THEN v.sku
    END,
    v.deleted_at IS NULL AND p.status <> 'ARCHIVED'
  FROM
    added v
    JOIN catalog.product p ON p.merchant_id = v.merchant_id AND p.id = v.product_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER add_stock_items
AFTER INSERT ON catalog.product_variant
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION inventory.add_stock_items_of_variants();

CREATE FUNCTION inventory.keep_stock_item_of_variant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE inventory.stock_item i
  SET sku = CASE
    WHEN NEW.deleted_at IS NULL THEN NEW.sku
  END
  WHERE i.merchant_id = NEW.merchant_id AND i.product_id = NEW.product_id AND i.variant_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_stock_item
AFTER UPDATE OF sku, deleted_at ON catalog.product_variant
FOR EACH ROW
EXECUTE FUNCTION inventory.keep_stock_item_of_variant();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.stock_level
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.transfer
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.incoming_stock
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.reservation
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER record_opening
AFTER INSERT ON inventory.stock_level
REFERENCING NEW TABLE AS after
FOR EACH STATEMENT
EXECUTE FUNCTION inventory.record_movements();

CREATE TRIGGER record_movements AFTER UPDATE ON inventory.stock_level
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION inventory.record_movements();

CREATE FUNCTION inventory.keep_movements()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    TG_OP = 'DELETE'
    AND NOT EXISTS (
      SELECT
      FROM inventory.stock_level l
      WHERE
        l.merchant_id = OLD.merchant_id
        AND l.stock_item_id = OLD.stock_item_id
        AND l.warehouse_id = OLD.warehouse_id
    )
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION
    USING ERRCODE = 'restrict_violation', MESSAGE = 'entries of the stock ledger are never changed or deleted';
END;
$$;

CREATE TRIGGER keep_movements
BEFORE UPDATE OR DELETE ON inventory.stock_movement
FOR EACH ROW
EXECUTE FUNCTION inventory.keep_movements();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.stock_alert
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION inventory.keep_standing_of_added_variants()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM inventory.keep_standing(a.merchant_id, a.ids)
  FROM
    (
      SELECT v.merchant_id, array_agg(DISTINCT i.id) AS ids
      FROM
        added v
        JOIN inventory.stock_item i ON i.merchant_id = v.merchant_id AND i.product_id = v.product_id
      WHERE i.variant_id IS NULL
      GROUP BY v.merchant_id
    ) a;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing
AFTER INSERT ON catalog.product_variant
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
WHEN (NOT platform.importing())
EXECUTE FUNCTION inventory.keep_standing_of_added_variants();

CREATE FUNCTION inventory.keep_standing_of_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_ids uuid[] := inventory.items_of_product(NEW.merchant_id, NEW.id);
BEGIN
  -- An order has locked levels when it locks items: a later statement of this transaction may change levels, too.
  PERFORM inventory.lock_levels(NEW.merchant_id, v_ids);
  PERFORM inventory.keep_standing(NEW.merchant_id, v_ids);
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing
AFTER UPDATE OF status ON catalog.product
FOR EACH ROW
WHEN ((OLD.status = 'ARCHIVED') <> (NEW.status = 'ARCHIVED') AND NOT platform.importing())
EXECUTE FUNCTION inventory.keep_standing_of_product();

CREATE FUNCTION inventory.keep_standing_of_ended_variant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM inventory.keep_standing(OLD.merchant_id, inventory.items_of_product(OLD.merchant_id, OLD.product_id));
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing_of_ended
AFTER DELETE OR UPDATE OF deleted_at ON catalog.product_variant
FOR EACH ROW
EXECUTE FUNCTION inventory.keep_standing_of_ended_variant();

CREATE FUNCTION inventory.keep_standing_of_item()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM inventory.keep_standing(NEW.merchant_id, ARRAY[NEW.id]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing
AFTER UPDATE OF sku, low_stock_threshold ON inventory.stock_item
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION inventory.keep_standing_of_item();

CREATE FUNCTION inventory.keep_standing_of_levels()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM inventory.keep_standing(c.merchant_id, c.ids)
  FROM
    (
      SELECT l.merchant_id, array_agg(DISTINCT l.stock_item_id) AS ids
      FROM changed l
      WHERE l.available > 0
      GROUP BY l.merchant_id
    ) c;
  RETURN NULL;
END;
$$;

CREATE FUNCTION inventory.keep_standing_of_changed_levels()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM inventory.keep_standing(c.merchant_id, c.ids)
  FROM
    (
      SELECT l.merchant_id, array_agg(DISTINCT l.stock_item_id) AS ids
      FROM
        changed l
        JOIN before b USING (merchant_id, stock_item_id, warehouse_id)
      WHERE l.available <> b.available
      GROUP BY l.merchant_id
    ) c;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing_of_added
AFTER INSERT ON inventory.stock_level
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT platform.importing())
EXECUTE FUNCTION inventory.keep_standing_of_levels();

CREATE TRIGGER keep_standing AFTER UPDATE ON inventory.stock_level
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT WHEN (NOT platform.importing()) EXECUTE FUNCTION inventory.keep_standing_of_changed_levels();

CREATE TRIGGER keep_standing_of_ended
AFTER DELETE ON inventory.stock_level
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION inventory.keep_standing_of_levels();

CREATE FUNCTION inventory.keep_standing_of_warehouse()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
    inventory.keep_standing(
      NEW.merchant_id,
      ARRAY(
        SELECT l.stock_item_id
        FROM inventory.stock_level l
        WHERE l.merchant_id = NEW.merchant_id AND l.warehouse_id = NEW.id AND l.available > 0
      )
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing
AFTER UPDATE OF active ON inventory.warehouse
FOR EACH ROW
WHEN (NEW.active <> OLD.active)
EXECUTE FUNCTION inventory.keep_standing_of_warehouse();

CREATE FUNCTION inventory.keep_standing_of_merchant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM inventory.stock_item i
  WHERE i.merchant_id = NEW.merchant_id AND i.low_stock_threshold IS NULL
  ORDER BY i.id
  FOR NO KEY UPDATE;
  PERFORM
    inventory.keep_standing(
      NEW.merchant_id,
      ARRAY(
        SELECT l.stock_item_id
        FROM
          inventory.stock_level l
          JOIN inventory.warehouse w ON w.merchant_id = l.merchant_id AND w.id = l.warehouse_id AND w.active
        WHERE l.merchant_id = NEW.merchant_id
        GROUP BY l.stock_item_id
        HAVING
          sum(l.available) > least(OLD.low_stock_threshold, NEW.low_stock_threshold)
          AND sum(l.available) <= greatest(OLD.low_stock_threshold, NEW.low_stock_threshold)
      )
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing
AFTER UPDATE OF low_stock_threshold ON merchant.settings
FOR EACH ROW
WHEN (NEW.low_stock_threshold <> OLD.low_stock_threshold)
EXECUTE FUNCTION inventory.keep_standing_of_merchant();

-- sql/merchant/triggers.sql

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
WHEN (OLD.revoked_at IS NULL AND OLD.expires_at > now())
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

-- sql/metadata/triggers.sql

CREATE FUNCTION metadata.keep()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_table text := TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME;
BEGIN
  NEW.metadata := metadata.kept(
    NEW.merchant_id,
    v_table,
    FALSE,
    CASE TG_OP
      WHEN 'UPDATE' THEN OLD.metadata
      ELSE '{}'
    END,
    NEW.metadata
  );
  NEW.private_metadata := metadata.kept(
    NEW.merchant_id,
    v_table,
    TRUE,
    CASE TG_OP
      WHEN 'UPDATE' THEN OLD.private_metadata
      ELSE '{}'
    END,
    NEW.private_metadata
  );
  RETURN NEW;
END;
$$;

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON metadata.definition
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION metadata.check_number()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
    pg_advisory_xact_lock(hashtextextended(format('metadata.definition %s %s', NEW.merchant_id, NEW.owner_type), 0));
  -- Each write of metadata looks at all of them.
  IF
    200 <= (
      SELECT count(*)
      FROM metadata.definition d
      WHERE d.merchant_id = NEW.merchant_id AND d.owner_type = NEW.owner_type
    )
  THEN
    PERFORM platform.violate('metadata.definition', 'definition_number');
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER check_number
BEFORE INSERT ON metadata.definition
FOR EACH ROW
EXECUTE FUNCTION metadata.check_number();

-- sql/notification/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON notification.notification
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON notification.device
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON notification.push_delivery
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION notification.forget_device()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE notification.device d SET gone_at = now() WHERE d.merchant_id = NEW.merchant_id AND d.id = NEW.device_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER forget_device
AFTER UPDATE OF status ON notification.push_delivery
FOR EACH ROW
WHEN (NEW.status = 'BOUNCED')
EXECUTE FUNCTION notification.forget_device();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON notification.preference
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION notification.watch_stock()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  WITH
    standing AS MATERIALIZED (
      SELECT
        c.merchant_id,
        c.stock_item_id,
        i.available,
        i.low_stock_threshold AS threshold,
        CASE
          WHEN i.available = 0 THEN 'OUT'
          WHEN i.available <= i.low_stock_threshold THEN 'LOW'
          ELSE 'PLENTY'
        END AS now,
        s.standing AS before
      FROM
        (SELECT DISTINCT merchant_id, stock_item_id FROM after) c
        CROSS JOIN LATERAL (
          SELECT i.available, i.low_stock_threshold
          FROM inventory.sku_inventory i
          WHERE i.merchant_id = c.merchant_id AND i.stock_item_id = c.stock_item_id
        ) i
        LEFT JOIN notification.stock_standing s ON s.merchant_id = c.merchant_id AND s.stock_item_id = c.stock_item_id
    ),
    noted AS (
      INSERT INTO notification.stock_standing (merchant_id, stock_item_id, standing)
      SELECT s.merchant_id, s.stock_item_id, s.now
      FROM standing s
      WHERE s.now IS DISTINCT FROM s.before
      ORDER BY s.merchant_id, s.stock_item_id
      ON CONFLICT (merchant_id, stock_item_id) DO UPDATE SET standing = excluded.standing
    )
  INSERT INTO notification.stock_crossing (merchant_id, stock_item_id, crossing, available, threshold)
  SELECT s.merchant_id, s.stock_item_id, c.crossing, s.available, s.threshold
  FROM
    standing s
    JOIN (
      VALUES
        ('RUN_LOW', 'PLENTY'),
        ('BACK', 'OUT')
    ) AS c (crossing, before)
      ON c.before = s.before
  WHERE s.now <> s.before;
  RETURN NULL;
END;
$$;

CREATE TRIGGER watch_opening
AFTER INSERT ON inventory.stock_level
REFERENCING NEW TABLE AS after
FOR EACH STATEMENT
EXECUTE FUNCTION notification.watch_stock();

CREATE TRIGGER watch_stock
AFTER UPDATE ON inventory.stock_level
REFERENCING NEW TABLE AS after
FOR EACH STATEMENT
EXECUTE FUNCTION notification.watch_stock();

CREATE FUNCTION notification.forget_customer()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE email.delivery d
  SET
    recipient = NEW.email,
    recipient_name = NULL,
    facts = '{}',
    subject = NULL,
    html = NULL,
    text = NULL,
    message_id = NULL,
    status = CASE
      WHEN d.status IN ('QUEUED', 'SENDING', 'FAILED', 'BOUNCED') THEN 'CANCELLED'
      ELSE d.status
    END,
    reason = CASE
      WHEN d.status = 'SENT' THEN NULL
      ELSE 'The customer was forgotten'
    END,
    claimed_until = NULL
  WHERE d.merchant_id = NEW.merchant_id AND (d.customer_id = NEW.id OR d.recipient = OLD.email);
  -- Mails to staff members about the customer's appointments, which are over.
  UPDATE email.delivery d
  SET
    facts = '{}',
    subject = NULL,
    html = NULL,
    text = NULL,
    status = CASE
      WHEN d.status IN ('QUEUED', 'SENDING', 'FAILED', 'BOUNCED') THEN 'CANCELLED'
      ELSE d.status
    END,
    reason = CASE
      WHEN d.status = 'SENT' THEN NULL
      ELSE 'The customer was forgotten'
    END,
    claimed_until = NULL
  WHERE
    d.merchant_id = NEW.merchant_id
    AND d.facts #>> '{appointment,customerId}' = NEW.id::text
    AND d.kind IN ('STAFF_APPOINTMENT_BOOKED', 'STAFF_APPOINTMENT_MOVED', 'STAFF_APPOINTMENT_CANCELLED');
  DELETE FROM notification.notification n WHERE n.merchant_id = NEW.merchant_id AND n.customer_id = NEW.id;
  DELETE FROM notification.device d WHERE d.merchant_id = NEW.merchant_id AND d.customer_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER forget_messages
AFTER UPDATE OF anonymized_at ON crm.customer
FOR EACH ROW
WHEN (OLD.anonymized_at IS NULL AND NEW.anonymized_at IS NOT NULL)
EXECUTE FUNCTION notification.forget_customer();

-- sql/operator/triggers.sql

CREATE FUNCTION operator.notify_access_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_notify('access_changed', 'operator');
  RETURN NULL;
END;
$$;

CREATE TRIGGER access_changed
AFTER INSERT OR DELETE OR UPDATE OF hash, revoked_at ON operator.key
FOR EACH STATEMENT
EXECUTE FUNCTION operator.notify_access_changed();

-- sql/ordering/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON ordering.order
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON ordering.fulfillment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION ordering.check_adds_up(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (
      SELECT
      FROM ordering.order o
      WHERE
        o.merchant_id = p_merchant_id
        AND o.id = p_order_id
        AND (o.subtotal, o.tax, o.discount - o.shipping_discount) <> (
          SELECT coalesce(sum(i.subtotal), 0), coalesce(sum(i.tax), 0), coalesce(sum(i.discount), 0)
          FROM ordering.order_item i
          WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
        )
    )
  THEN
    PERFORM
      platform.violate(
        'ordering.order',
        'order_lines_add_up',
        format('the lines of order %s do not add up to its subtotal, tax and discount', p_order_id)
      );
  END IF;
END;
$$;

CREATE FUNCTION ordering.check_order_adds_up()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.check_adds_up(NEW.merchant_id, NEW.id);
  RETURN NULL;
END;
$$;

CREATE CONSTRAINT TRIGGER order_lines_add_up
AFTER INSERT OR UPDATE OF subtotal, tax, discount, shipping_discount ON ordering.order
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
EXECUTE FUNCTION ordering.check_order_adds_up();

CREATE FUNCTION ordering.check_line_adds_up()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.check_adds_up(coalesce(NEW.merchant_id, OLD.merchant_id), coalesce(NEW.order_id, OLD.order_id));
  RETURN NULL;
END;
$$;

CREATE CONSTRAINT TRIGGER order_lines_add_up
AFTER UPDATE OR DELETE ON ordering.order_item
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION ordering.check_line_adds_up();

CREATE CONSTRAINT TRIGGER added_lines_add_up
AFTER INSERT ON ordering.order_item
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN (NOT platform.importing() AND NOT ordering.placing(NEW.order_id))
EXECUTE FUNCTION ordering.check_line_adds_up();

CREATE FUNCTION ordering.keep_history()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    TG_OP = 'DELETE'
    AND NOT EXISTS (SELECT FROM ordering.order o WHERE o.merchant_id = OLD.merchant_id AND o.id = OLD.order_id)
  THEN
    RETURN OLD;
  END IF;
  IF
    TG_OP = 'UPDATE'
    AND OLD.type = 'NOTES_CHANGED'
    AND to_jsonb(NEW) = to_jsonb(OLD) || '{"note": null}'
    AND EXISTS (
      SELECT
      FROM
        ordering.order o
        JOIN crm.customer c ON c.merchant_id = o.merchant_id AND c.id = o.customer_id
      WHERE o.merchant_id = OLD.merchant_id AND o.id = OLD.order_id AND c.anonymized_at IS NOT NULL
    )
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the history of an order is never changed';
END;
$$;

CREATE TRIGGER keep_history
BEFORE UPDATE OR DELETE ON ordering.history_entry
FOR EACH ROW
EXECUTE FUNCTION ordering.keep_history();

CREATE FUNCTION ordering.record_order()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.id,
        'PLACED',
        p_to_status => NEW.status,
        p_amount => NEW.total,
        p_at => NEW.created_at
      );
    RETURN NULL;
  END IF;
  IF NEW.status <> OLD.status THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.id,
        'STATUS_CHANGED',
        OLD.status,
        NEW.status,
        p_note =>
          CASE
            WHEN NEW.status = 'CANCELLED' THEN NEW.cancel_reason
          END
      );
  END IF;
  IF NEW.notes IS DISTINCT FROM OLD.notes THEN
    PERFORM ordering.record(NEW.merchant_id, NEW.id, 'NOTES_CHANGED', p_note => NEW.notes);
  END IF;
  IF NEW.tags <> OLD.tags THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.id,
        'TAGS_CHANGED',
        p_note => array_to_string(NEW.tags, ', '),
        p_staff_only => TRUE
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_order
AFTER INSERT OR UPDATE OF status, notes, tags ON ordering.order
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION ordering.record_order();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON ordering.shipment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION ordering.record_shipment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_tracking text := nullif(concat_ws(' ', NEW.carrier, NEW.tracking_number), '');
BEGIN
  PERFORM
    ordering.record(
      NEW.merchant_id,
      NEW.order_id,
      CASE
        WHEN TG_OP = 'UPDATE'
        AND OLD.status = NEW.status THEN 'SHIPMENT_CHANGED'
        ELSE 'SHIPMENT_' || NEW.status
      END,
      p_note => v_tracking,
      p_subject_id => NEW.id,
      p_staff_only => NEW.status IN ('PACKED', 'CANCELLED'),
      p_at =>
        CASE
          WHEN TG_OP = 'INSERT' THEN coalesce(NEW.delivered_at, NEW.shipped_at, NEW.created_at)
          ELSE clock_timestamp()
        END
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_shipment
AFTER INSERT OR UPDATE OF status, carrier, tracking_number, estimated_delivery_at ON ordering.shipment
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION ordering.record_shipment();

CREATE TRIGGER note_uncaptured
AFTER INSERT OR UPDATE OF captured_amount ON payment.payment
FOR EACH ROW
WHEN (NEW.order_id IS NOT NULL AND NEW.captured_amount > 0 AND NOT platform.importing())
EXECUTE FUNCTION ordering.note_uncaptured();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON ordering.order_return
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION ordering.record_return()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
    ordering.record(
      NEW.merchant_id,
      NEW.order_id,
      'RETURN_' || NEW.status,
      p_note => coalesce(NEW.rejection_reason, NEW.return_number),
      p_subject_id => NEW.id,
      p_at =>
        CASE
          WHEN TG_OP = 'INSERT' THEN NEW.created_at
          ELSE clock_timestamp()
        END
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_return
AFTER INSERT ON ordering.order_return
FOR EACH ROW
EXECUTE FUNCTION ordering.record_return();

CREATE TRIGGER record_return_change
AFTER UPDATE OF status ON ordering.order_return
FOR EACH ROW
WHEN (NEW.status <> OLD.status)
EXECUTE FUNCTION ordering.record_return();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON ordering.draft_order
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION ordering.link_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO ordering.product_order (merchant_id, product_id, order_id, created_at)
  SELECT DISTINCT i.merchant_id, i.product_id, i.order_id, o.created_at
  FROM
    changed i
    JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE TRIGGER link_products
AFTER INSERT ON ordering.order_item
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION ordering.link_products();

CREATE FUNCTION ordering.unlink_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM ordering.product_order l
  USING changed c
  WHERE
    l.merchant_id = c.merchant_id
    AND l.product_id = c.product_id
    AND l.order_id = c.order_id
    AND NOT EXISTS (
      SELECT
      FROM ordering.order_item i
      WHERE i.merchant_id = c.merchant_id AND i.order_id = c.order_id AND i.product_id = c.product_id
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER unlink_products
AFTER DELETE ON ordering.order_item
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION ordering.unlink_products();

CREATE FUNCTION ordering.date_links()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.product_order l
  SET created_at = NEW.created_at
  WHERE l.merchant_id = NEW.merchant_id AND l.order_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER date_links
AFTER UPDATE OF created_at ON ordering.order
FOR EACH ROW
WHEN (NEW.created_at <> OLD.created_at)
EXECUTE FUNCTION ordering.date_links();

CREATE FUNCTION ordering.note_paid_at()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.paid_at := CASE TG_OP
    WHEN 'INSERT' THEN NEW.created_at
    ELSE now()
  END;
  RETURN NEW;
END;
$$;

CREATE TRIGGER note_paid_at
BEFORE INSERT OR UPDATE OF status ON ordering.order
FOR EACH ROW
WHEN (NEW.paid_at IS NULL AND NEW.status IN ('CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'REFUNDED'))
EXECUTE FUNCTION ordering.note_paid_at();

CREATE FUNCTION ordering.index_changed_lines()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.index_for_search(array_agg(l.merchant_id), array_agg(l.order_id)) FROM changed l;
  RETURN NULL;
END;
$$;

CREATE TRIGGER index_added_lines
AFTER INSERT ON ordering.order_item
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION ordering.index_changed_lines();

CREATE TRIGGER index_removed_lines
AFTER DELETE ON ordering.order_item
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION ordering.index_changed_lines();

CREATE FUNCTION ordering.index_changed_order()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.index_for_search(ARRAY[NEW.merchant_id], ARRAY[NEW.id]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER index_changed_order
AFTER UPDATE OF order_number, external_id, tags, customer_id ON ordering.order
FOR EACH ROW
WHEN
  (
    (OLD.order_number, OLD.external_id, OLD.tags, OLD.customer_id) IS DISTINCT FROM (
      NEW.order_number,
      NEW.external_id,
      NEW.tags,
      NEW.customer_id
    )
  )
EXECUTE FUNCTION ordering.index_changed_order();

CREATE FUNCTION ordering.index_orders_of_customer()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.index_for_search(array_agg(o.merchant_id), array_agg(o.id))
  FROM ordering.order o
  WHERE o.merchant_id = NEW.merchant_id AND o.customer_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER index_orders_of_customer
AFTER UPDATE OF name, email ON crm.customer
FOR EACH ROW
WHEN ((OLD.name, OLD.email) IS DISTINCT FROM (NEW.name, NEW.email))
EXECUTE FUNCTION ordering.index_orders_of_customer();

-- sql/payment/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.dispute
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.account
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.payment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.refund
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION payment.fill_amounts()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED') THEN
    NEW.captured_amount := coalesce(nullif(NEW.captured_amount, 0), NEW.amount);
    NEW.refund_requested_amount := greatest(NEW.refund_requested_amount, NEW.refunded_amount);
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER fill_amounts
BEFORE INSERT ON payment.payment
FOR EACH ROW
EXECUTE FUNCTION payment.fill_amounts();

CREATE FUNCTION payment.record_payment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.order_id IS NULL THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.order_id,
        CASE
          WHEN NEW.status = 'PENDING' THEN 'PAYMENT_STARTED'
          ELSE 'PAYMENT_SUCCEEDED'
        END,
        p_amount => NEW.amount,
        p_note => NEW.method,
        p_subject_id => NEW.id,
        p_at => NEW.created_at
      );
  ELSEIF OLD.authorized_at IS NULL AND NEW.authorized_at IS NOT NULL THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.order_id,
        'PAYMENT_AUTHORIZED',
        p_amount => NEW.amount,
        p_subject_id => NEW.id
      );
  ELSEIF OLD.captured_amount > 0 AND NEW.captured_amount > OLD.captured_amount THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.order_id,
        'PAYMENT_SUCCEEDED',
        p_amount => NEW.captured_amount - OLD.captured_amount,
        p_subject_id => NEW.id
      );
  ELSEIF NEW.status <> OLD.status AND NEW.status IN ('SUCCEEDED', 'FAILED', 'CANCELLED') THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        NEW.order_id,
        'PAYMENT_' || NEW.status,
        p_amount =>
          CASE
            WHEN NEW.status = 'SUCCEEDED' THEN NEW.captured_amount
            ELSE NEW.amount
          END,
        p_note => NEW.failure_reason,
        p_subject_id => NEW.id
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_payment
AFTER INSERT ON payment.payment
FOR EACH ROW
WHEN (NEW.status NOT IN ('FAILED', 'CANCELLED') AND NOT platform.importing())
EXECUTE FUNCTION payment.record_payment();

CREATE TRIGGER record_payment_change
AFTER UPDATE OF status, authorized_at, captured_amount ON payment.payment
FOR EACH ROW
EXECUTE FUNCTION payment.record_payment();

CREATE FUNCTION payment.record_refund()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_order_id uuid := (
    SELECT p.order_id FROM payment.payment p WHERE p.merchant_id = NEW.merchant_id AND p.id = NEW.payment_id
  );
BEGIN
  IF v_order_id IS NOT NULL AND (TG_OP = 'INSERT' OR NEW.status <> OLD.status) THEN
    PERFORM
      ordering.record(
        NEW.merchant_id,
        v_order_id,
        CASE
          WHEN NEW.status = 'PENDING' THEN 'REFUND_STARTED'
          ELSE 'REFUND_' || NEW.status
        END,
        p_amount => NEW.amount,
        p_note =>
          CASE
            WHEN NEW.status = 'FAILED' THEN NEW.failure_reason
            ELSE NEW.reason
          END,
        p_subject_id => NEW.id,
        p_staff_only => NEW.status = 'FAILED',
        p_at =>
          CASE
            WHEN TG_OP = 'INSERT'
            AND NEW.status <> 'PENDING' THEN NEW.created_at
            ELSE clock_timestamp()
          END
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_refund
AFTER INSERT OR UPDATE OF status ON payment.refund
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION payment.record_refund();

CREATE FUNCTION payment.note_succeeded_at()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.succeeded_at := CASE TG_OP
    WHEN 'INSERT' THEN NEW.created_at
    ELSE now()
  END;
  RETURN NEW;
END;
$$;

CREATE FUNCTION payment.forget_succeeded_at()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.succeeded_at := NULL;
  RETURN NEW;
END;
$$;

CREATE TRIGGER forget_succeeded_at
BEFORE UPDATE OF status ON payment.refund
FOR EACH ROW
WHEN (OLD.status = 'SUCCEEDED' AND NEW.status = 'FAILED')
EXECUTE FUNCTION payment.forget_succeeded_at();

CREATE TRIGGER note_succeeded_at
BEFORE INSERT OR UPDATE OF status ON payment.refund
FOR EACH ROW
WHEN (NEW.succeeded_at IS NULL AND NEW.status = 'SUCCEEDED')
EXECUTE FUNCTION payment.note_succeeded_at();

CREATE FUNCTION payment.keep_within_total()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_total bigint;
BEGIN
  -- Payments of an order that begin at the same time wait for each other.
  SELECT o.total
  INTO v_total
  FROM ordering.order o
  WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id
  FOR UPDATE;
  IF payment.promised(NEW.merchant_id, NEW.order_id, FALSE) > v_total THEN
    PERFORM
      platform.violate(
        'payment.payment',
        'payment_within_total',
        'the payments of an order come to no more than its total'
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_within_total
AFTER INSERT ON payment.payment
FOR EACH ROW
WHEN (NEW.order_id IS NOT NULL AND NEW.status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'PARTIALLY_REFUNDED'))
EXECUTE FUNCTION payment.keep_within_total();

CREATE FUNCTION payment.follow_payments_of_appointment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE booking.appointment a
  SET paid_amount = (
    SELECT coalesce(sum(p.captured_amount - p.refund_requested_amount), 0)
    FROM payment.payment p
    WHERE p.merchant_id = NEW.merchant_id AND p.appointment_id = NEW.appointment_id
  )
  WHERE a.merchant_id = NEW.merchant_id AND a.id = NEW.appointment_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_payments_of_appointment
AFTER INSERT OR UPDATE OF captured_amount, refund_requested_amount ON payment.payment
FOR EACH ROW
WHEN (NEW.appointment_id IS NOT NULL AND NEW.captured_amount > 0)
EXECUTE FUNCTION payment.follow_payments_of_appointment();

CREATE FUNCTION payment.keep_within_appointment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_appointment booking.appointment;
BEGIN
  -- Payments of an appointment that begin at the same time wait for each other.
  SELECT *
  INTO v_appointment
  FROM booking.appointment a
  WHERE a.merchant_id = NEW.merchant_id AND a.id = NEW.appointment_id
  FOR UPDATE;
  IF
    payment.promised_for_appointment(
      NEW.merchant_id,
      NEW.appointment_id
    ) > v_appointment.amount_due + v_appointment.paid_amount
  THEN
    PERFORM
      platform.violate(
        'payment.payment',
        'payment_within_price',
        'the payments of an appointment come to no more than its price, or the fee of one that is over'
      );
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_within_appointment
AFTER INSERT ON payment.payment
FOR EACH ROW
WHEN (NEW.appointment_id IS NOT NULL AND NEW.status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'PARTIALLY_REFUNDED'))
EXECUTE FUNCTION payment.keep_within_appointment();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.saved_method
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON payment.customer_removal
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION payment.remove_at_processor()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- Of a merchant that is deleted, nothing is asked of processors any more.
  IF NOT merchant.deletion_is_due(OLD.merchant_id) THEN
    INSERT INTO payment.customer_removal (merchant_id, id, processor, account_id, processor_customer_id)
    VALUES (OLD.merchant_id, OLD.id, OLD.processor, OLD.account_id, OLD.processor_customer_id);
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER remove_at_processor
AFTER DELETE ON payment.processor_customer
FOR EACH ROW
WHEN (OLD.processor_customer_id IS NOT NULL)
EXECUTE FUNCTION payment.remove_at_processor();

CREATE FUNCTION payment.save_method_of_payment()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_method payment.saved_method;
BEGIN
  UPDATE payment.saved_method s
  SET
    status = CASE
      WHEN NEW.status IN ('FAILED', 'CANCELLED') THEN 'FAILED'
      ELSE 'ACTIVE'
    END,
    processor_method_id = NEW.processor_payment_method_id,
    brand = NEW.brand,
    last4 = NEW.last4,
    expiry_month = NEW.expiry_month,
    expiry_year = NEW.expiry_year
  WHERE s.merchant_id = NEW.merchant_id AND s.payment_id = NEW.id AND s.status = 'PENDING'
  RETURNING s.*
  INTO v_method;
  -- Payments don't wait for customers, which are locked before them elsewhere. One that is locked gets its default from
  -- the transaction that has locked it, or has none until a method is chosen.
  PERFORM
  FROM crm.customer c
  WHERE c.merchant_id = v_method.merchant_id AND c.id = v_method.customer_id
  FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN
    PERFORM payment.keep_default_method(v_method.merchant_id, v_method.customer_id);
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER save_method_of_payment
AFTER UPDATE OF status, authorized_at ON payment.payment
FOR EACH ROW
WHEN (NEW.saved_method = 'KEPT' AND (NEW.status NOT IN ('PENDING', 'PROCESSING') OR NEW.authorized_at IS NOT NULL))
EXECUTE FUNCTION payment.save_method_of_payment();

-- sql/platform/triggers.sql

CREATE FUNCTION platform.touch_parent()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_part jsonb := to_jsonb(coalesce(NEW, OLD));
BEGIN
  -- A parent that this transaction has made or changed has its time.
  EXECUTE
    format(
      'UPDATE %s SET updated_at = clock_timestamp() WHERE merchant_id = $1 AND id = $2 AND updated_at < now()',
      TG_ARGV[0]
    )
  USING (v_part ->> 'merchant_id')::uuid, (v_part ->> TG_ARGV[1])::uuid;
  RETURN NULL;
END;
$$;

CREATE FUNCTION platform.refuse_card_numbers()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_new jsonb := to_jsonb(NEW);
  v_old jsonb := CASE TG_OP
    WHEN 'UPDATE' THEN to_jsonb(OLD)
  END;
  v_column text;
  v_value jsonb;
BEGIN
  IF platform.importing() THEN
    -- Rows of imports are checked before they come here.
    RETURN NEW;
  END IF;
  FOREACH v_column IN ARRAY TG_ARGV LOOP
    v_value := v_new -> v_column;
    CONTINUE WHEN v_value = v_old -> v_column;
    IF
      EXISTS (
        SELECT
        FROM jsonb_path_query(v_value, 'strict $.** ? (@.type() == "string")') x
        WHERE platform.holds_card_number(x #>> '{}')
      )
    THEN
      PERFORM
        platform.violate(
          TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME,
          'no_card_number',
          format('Field %s holds what looks like a card number, which is never stored', v_column)
        );
    END IF;
  END LOOP;
  RETURN NEW;
END;
$$;

-- sql/promotion/triggers.sql

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON promotion.promotion
FOR EACH ROW
WHEN (OLD.usage_count = NEW.usage_count)
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON promotion.campaign
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION promotion.check_conditions()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    EXISTS (
      SELECT
      FROM unnest(NEW.product_ids) x
      WHERE
        NOT EXISTS (
          SELECT FROM catalog.product p WHERE p.merchant_id = NEW.merchant_id AND p.id = x AND p.deleted_at IS NULL
        )
    )
  THEN
    PERFORM platform.violate('promotion.promotion', 'promotion_products_exist');
  END IF;
  IF
    EXISTS (
      SELECT
      FROM unnest(NEW.category_ids) x
      WHERE NOT EXISTS (SELECT FROM catalog.category c WHERE c.merchant_id = NEW.merchant_id AND c.id = x)
    )
  THEN
    PERFORM platform.violate('promotion.promotion', 'promotion_categories_exist');
  END IF;
  IF
    EXISTS (
      SELECT
      FROM unnest(NEW.customer_ids) x
      WHERE NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = NEW.merchant_id AND c.id = x)
    )
  THEN
    PERFORM platform.violate('promotion.promotion', 'promotion_customers_exist');
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER check_conditions
BEFORE INSERT OR UPDATE OF product_ids, category_ids, customer_ids ON promotion.promotion
FOR EACH ROW
EXECUTE FUNCTION promotion.check_conditions();

CREATE FUNCTION promotion.check_automatic()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.code IS NULL AND NOT NEW.disabled AND NEW.end_date > now() THEN
    -- One at a time, so that of two at once the second counts the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('automatic promotions ' || NEW.merchant_id, 0));
    IF
      (
        SELECT count(*)
        FROM promotion.promotion p
        WHERE p.merchant_id = NEW.merchant_id AND p.code IS NULL AND NOT p.disabled AND p.end_date > now()
      ) > 50
    THEN
      PERFORM platform.violate('promotion.promotion', 'promotion_automatic_limit');
    END IF;
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER check_automatic
AFTER INSERT OR UPDATE OF code, disabled, end_date ON promotion.promotion
FOR EACH ROW
EXECUTE FUNCTION promotion.check_automatic();

CREATE FUNCTION promotion.count_usage()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_before uuid := CASE
    WHEN OLD.status <> 'CANCELLED' THEN OLD.promotion_id
  END;
  v_after uuid := CASE
    WHEN NEW.status <> 'CANCELLED' THEN NEW.promotion_id
  END;
  v_merchant_id uuid := coalesce(NEW.merchant_id, OLD.merchant_id);
BEGIN
  IF v_before IS DISTINCT FROM v_after AND NOT (TG_OP = 'DELETE' AND merchant.deletion_is_due(v_merchant_id)) THEN
    UPDATE promotion.promotion p
    SET usage_count = p.usage_count - 1
    WHERE p.merchant_id = v_merchant_id AND p.id = v_before;
    UPDATE promotion.promotion p
    SET usage_count = p.usage_count + 1
    WHERE p.merchant_id = v_merchant_id AND p.id = v_after;
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER count_usage
AFTER INSERT OR DELETE OR UPDATE OF status, promotion_id ON ordering.order
FOR EACH ROW
EXECUTE FUNCTION promotion.count_usage();

CREATE FUNCTION promotion.name_on_order()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.promotion_name := (
    SELECT p.name FROM promotion.promotion p WHERE p.merchant_id = NEW.merchant_id AND p.id = NEW.promotion_id
  );
  RETURN NEW;
END;
$$;

CREATE TRIGGER name_promotion
BEFORE INSERT OR UPDATE OF promotion_id ON ordering.order
FOR EACH ROW
EXECUTE FUNCTION promotion.name_on_order();

-- sql/search/triggers.sql

CREATE FUNCTION search.fill_slug_of_article()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_base text;
BEGIN
  IF NEW.slug IS NULL THEN
    v_base := platform.slugify(NEW.name);
    NEW.slug := platform.free_slug(
      TG_TABLE_NAME,
      NEW.merchant_id,
      NEW.id,
      v_base,
      EXISTS (SELECT FROM search.article o WHERE o.merchant_id = NEW.merchant_id AND o.slug = v_base)
    );
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER fill_slug
BEFORE INSERT OR UPDATE OF slug ON search.article
FOR EACH ROW
EXECUTE FUNCTION search.fill_slug_of_article();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON search.article
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION search.note_publication()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.published_at := now();
  RETURN NEW;
END;
$$;

CREATE TRIGGER note_publication
BEFORE INSERT OR UPDATE OF status ON search.article
FOR EACH ROW
WHEN (NEW.status = 'PUBLISHED' AND NEW.published_at IS NULL)
EXECUTE FUNCTION search.note_publication();

CREATE FUNCTION search.follow_new_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- In parts of 1,000, so that the memory has a bound.
  PERFORM search.write_products(array_agg(c.product))
  FROM (SELECT p::catalog.product AS product, (row_number() OVER () - 1) / 1000 AS part FROM changed p) c
  GROUP BY c.part;
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT ON catalog.product
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_new_products();

CREATE FUNCTION search.follow_changed_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_products(array_agg(c.product))
  FROM
    (
      SELECT p::catalog.product AS product, (row_number() OVER () - 1) / 1000 AS part
      FROM
        changed p
        JOIN before b ON b.merchant_id = p.merchant_id AND b.id = p.id
      WHERE
        (
          p.name,
          p.description,
          p.sku,
          p.variant_skus,
          p.tags,
          p.status,
          p.deleted_at,
          p.lowest_price,
          p.highest_price,
          p.created_at
        ) IS DISTINCT FROM (
          b.name,
          b.description,
          b.sku,
          b.variant_skus,
          b.tags,
          b.status,
          b.deleted_at,
          b.lowest_price,
          b.highest_price,
          b.created_at
        )
    ) c
  GROUP BY c.part;
  PERFORM search.write_facet_keys(c.merchant_id, c.ids)
  FROM
    (
      SELECT p.merchant_id, array_agg(p.id) AS ids
      FROM
        changed p
        JOIN before b ON b.merchant_id = p.merchant_id AND b.id = p.id
      WHERE p.metadata <> b.metadata AND p.deleted_at IS NULL
      GROUP BY p.merchant_id
    ) c
  WHERE search.has_attributes(c.merchant_id, 'PRODUCT');
  INSERT INTO search.stale_product (merchant_id, product_id)
  SELECT p.merchant_id, p.id
  FROM
    changed p
    JOIN before b ON b.merchant_id = p.merchant_id AND b.id = p.id
  WHERE p.popularity <> b.popularity;
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search_of_changes AFTER UPDATE ON catalog.product
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT WHEN (NOT search.follows_later()) EXECUTE FUNCTION search.follow_changed_products();

CREATE FUNCTION search.follow_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_category(NEW.merchant_id, NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT OR UPDATE OF name, description ON catalog.category
FOR EACH ROW
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_category();

CREATE FUNCTION search.follow_article()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_article(NEW.merchant_id, NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT OR UPDATE OF name, excerpt, body, tags, status ON search.article
FOR EACH ROW
EXECUTE FUNCTION search.follow_article();

CREATE FUNCTION search.note_language()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO search.changed_language (merchant_id) VALUES (NEW.merchant_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE TRIGGER note_language
AFTER UPDATE OF language ON merchant.settings
FOR EACH ROW
WHEN (NEW.language <> OLD.language)
EXECUTE FUNCTION search.note_language();

CREATE FUNCTION search.follow_synonyms()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_synonyms(NEW.merchant_id, NEW.search_synonyms, NEW.search_stop_words);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_synonyms_of_new
AFTER INSERT ON merchant.settings
FOR EACH ROW
WHEN (NEW.search_synonyms <> '{}' OR NEW.search_stop_words <> '{}')
EXECUTE FUNCTION search.follow_synonyms();

CREATE TRIGGER follow_synonyms
AFTER UPDATE OF language, search_synonyms, search_stop_words ON merchant.settings
FOR EACH ROW
WHEN
  (
    (NEW.language, NEW.search_synonyms, NEW.search_stop_words) IS DISTINCT FROM (
      OLD.language,
      OLD.search_synonyms,
      OLD.search_stop_words
    )
  )
EXECUTE FUNCTION search.follow_synonyms();

CREATE FUNCTION search.follow_categories()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_facet_keys(c.merchant_id, c.product_ids)
  FROM (SELECT merchant_id, array_agg(DISTINCT product_id) AS product_ids FROM changed GROUP BY merchant_id) c;
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT ON catalog.category_product
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_categories();

CREATE TRIGGER follow_search_of_deletions
AFTER DELETE ON catalog.category_product
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_categories();

CREATE FUNCTION search.follow_options()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_facet_keys(c.merchant_id, c.product_ids)
  FROM
    (
      SELECT v.merchant_id, array_agg(DISTINCT v.product_id) AS product_ids
      FROM
        changed o
        JOIN catalog.product_variant v ON v.merchant_id = o.merchant_id AND v.id = o.variant_id
      GROUP BY v.merchant_id
    ) c;
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT ON catalog.variant_option
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_options();

CREATE TRIGGER follow_search_of_changes
AFTER UPDATE ON catalog.variant_option
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_options();

CREATE TRIGGER follow_search_of_deletions
AFTER DELETE ON catalog.variant_option
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_options();

CREATE FUNCTION search.follow_new_variants()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- The stock of a product with variants is its variants'.
  INSERT INTO search.stale_product (merchant_id, product_id) SELECT DISTINCT v.merchant_id, v.product_id FROM changed v;
  PERFORM search.write_facet_keys(c.merchant_id, c.ids)
  FROM
    (
      SELECT v.merchant_id, array_agg(DISTINCT v.product_id) AS ids
      FROM changed v
      WHERE v.metadata <> '{}'
      GROUP BY v.merchant_id
    ) c
  WHERE search.has_attributes(c.merchant_id, 'PRODUCT_VARIANT');
  RETURN NULL;
END;
$$;

CREATE FUNCTION search.follow_changed_variants()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_facet_keys(c.merchant_id, c.ids)
  FROM
    (
      SELECT v.merchant_id, array_agg(DISTINCT v.product_id) AS ids
      FROM
        changed v
        JOIN before b ON b.merchant_id = v.merchant_id AND b.id = v.id
      WHERE v.metadata <> b.metadata
      GROUP BY v.merchant_id
    ) c
  WHERE search.has_attributes(c.merchant_id, 'PRODUCT_VARIANT');
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search_of_changes AFTER UPDATE ON catalog.product_variant
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search.follow_changed_variants();

CREATE FUNCTION search.note_attributes()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- A deletion of the merchant leaves nothing to write.
  INSERT INTO search.changed_attributes (merchant_id)
  SELECT m.id
  FROM merchant.merchant m
  WHERE m.id = coalesce(NEW.merchant_id, OLD.merchant_id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER note_attributes_of_new
AFTER INSERT ON metadata.definition
FOR EACH ROW
WHEN (NEW.is_attribute)
EXECUTE FUNCTION search.note_attributes();

CREATE TRIGGER note_attributes
AFTER UPDATE OF is_attribute ON metadata.definition
FOR EACH ROW
WHEN (NEW.is_attribute <> OLD.is_attribute)
EXECUTE FUNCTION search.note_attributes();

CREATE TRIGGER note_attributes_of_deletions
AFTER DELETE ON metadata.definition
FOR EACH ROW
WHEN (OLD.is_attribute)
EXECUTE FUNCTION search.note_attributes();

CREATE TRIGGER follow_search
AFTER INSERT ON catalog.product_variant
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_new_variants();

CREATE FUNCTION search.follow_ended_variant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO search.stale_product (merchant_id, product_id)
  SELECT p.merchant_id, p.id
  FROM catalog.product p
  WHERE p.merchant_id = OLD.merchant_id AND p.id = OLD.product_id;
  PERFORM search.write_facet_keys(OLD.merchant_id, ARRAY[OLD.product_id]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search_of_deletions
AFTER DELETE OR UPDATE OF deleted_at ON catalog.product_variant
FOR EACH ROW
EXECUTE FUNCTION search.follow_ended_variant();

CREATE FUNCTION search.follow_stock()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO search.stale_product (merchant_id, product_id) VALUES (NEW.merchant_id, NEW.product_id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER UPDATE OF in_stock ON inventory.stock_item
FOR EACH ROW
WHEN (NEW.in_stock <> OLD.in_stock AND NOT search.follows_later())
EXECUTE FUNCTION search.follow_stock();

CREATE FUNCTION search.note_tally()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- A deletion of the merchant leaves nothing to count.
  INSERT INTO search.tally_change
    (merchant_id, document_id, sign, type, public, status, lowest_price, highest_price, in_stock, facet_keys)
  SELECT
    d.merchant_id,
    d.id,
    CASE TG_OP
      WHEN 'INSERT' THEN 1
      ELSE -1
    END,
    search.type_of(d::search.document),
    d.public,
    d.status,
    d.lowest_price,
    d.highest_price,
    d.in_stock,
    d.facet_keys
  FROM changed d
  WHERE
    EXISTS (
      SELECT
      FROM
        search.tallied_merchant t
        JOIN merchant.merchant m ON m.id = t.merchant_id
      WHERE t.merchant_id = d.merchant_id
    );
  RETURN NULL;
END;
$$;

CREATE FUNCTION search.note_changed_tally()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO search.tally_change
    (merchant_id, document_id, sign, type, public, status, lowest_price, highest_price, in_stock, facet_keys)
  SELECT
    x.merchant_id,
    x.id,
    x.sign,
    search.type_of(x.document),
    (x.document).public,
    (x.document).status,
    (x.document).lowest_price,
    (x.document).highest_price,
    (x.document).in_stock,
    (x.document).facet_keys
  FROM
    (
      SELECT d.merchant_id, d.id, v.sign, v.document
      FROM
        changed d
        JOIN before b ON b.merchant_id = d.merchant_id AND b.id = d.id
        CROSS JOIN LATERAL (
          VALUES
            (-1, b::search.document),
            (1, d::search.document)
        ) AS v (sign, document)
      WHERE
        (d.public, d.status, d.lowest_price, d.highest_price, d.in_stock, d.facet_keys) IS DISTINCT FROM (
          b.public,
          b.status,
          b.lowest_price,
          b.highest_price,
          b.in_stock,
          b.facet_keys
        )
        AND EXISTS (SELECT FROM search.tallied_merchant t WHERE t.merchant_id = d.merchant_id)
    ) x;
  RETURN NULL;
END;
$$;

CREATE TRIGGER note_tally
AFTER INSERT ON search.document
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION search.note_tally();

CREATE TRIGGER note_tally_of_deletions
AFTER DELETE ON search.document
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION search.note_tally();

CREATE TRIGGER note_tally_of_changes AFTER UPDATE ON search.document
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search.note_changed_tally();

-- sql/analytics/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('analytics:read', 'See reports, dashboards and the figures of products'),
  ('analytics:write', 'Create, change and delete dashboards');

-- sql/audit/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('audit:read', 'See who did what: changes and refused access');

SELECT audit.prepare_months();

-- sql/booking/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('booking:read', 'See services, staff, schedules, resources and appointments'),
  ('booking:write', 'Change services, staff, schedules and resources, book and change appointments');

-- sql/bulk/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('imports:read', 'See imports, and why rows are refused'),
  ('imports:write', 'Import products, customers and orders with their history from files');

INSERT INTO merchant.permission (name, description)
VALUES
  ('exports:read', 'See exports, with the files of those that were begun with no other permissions than one''s own'),
  ('exports:write', 'Export what one may see to files');

-- sql/email/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('email:read', 'See e-mail templates, campaigns and the log of deliveries'),
  ('email:write', 'Change e-mail templates and campaigns, send campaigns and failed messages again');

-- sql/events/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('events:read', 'See the events of the records that other permissions show'),
  ('webhooks:read', 'See webhook endpoints, and everything that was sent to them'),
  ('webhooks:write', 'Create, change and delete webhook endpoints, send and replay webhooks');

INSERT INTO events.source (name, table_name, record_type, id_column, row_type, permission, columns)
VALUES
  (
    'appointment',
    'booking.appointment',
    'Appointment',
    'id',
    NULL,
    'booking:read',
    ARRAY[
      'service_id',
      'staff_id',
      'customer_id',
      'start_time',
      'end_time',
      'status',
      'price',
      'currency',
      'paid_amount',
      'payment_due_at',
      'notes',
      'created_at',
      'external_id',
      'metadata'
    ]
  ),
  (
    'booking_service',
    'booking.service',
    'BookingService',
    'id',
    NULL,
    'booking:read',
    ARRAY['name', 'description', 'duration', 'price', 'currency', 'active']
  ),
  (
    'cart',
    'cart.cart',
    'Cart',
    'id',
    NULL,
    'carts:read',
    ARRAY['customer_id', 'currency', 'expires_at', 'checked_out_at', 'created_at', 'external_id', 'metadata']
  ),
  (
    'category',
    'catalog.category',
    'Category',
    'id',
    NULL,
    'products:read',
    ARRAY[
      'name',
      'slug',
      'description',
      'parent_id',
      'level',
      'seo_title',
      'seo_description',
      'created_at',
      'external_id',
      'metadata'
    ]
  ),
  (
    'customer',
    'crm.customer',
    'Customer',
    'id',
    NULL,
    'customers:read',
    ARRAY[
      'email',
      'name',
      'phone',
      'has_account',
      'status',
      'marketing_opt_in',
      'email_verified',
      'tags',
      'notes',
      'blocked_at',
      'blocked_reason',
      'anonymized_at',
      'created_at',
      'external_id',
      'metadata'
    ]
  ),
  (
    'customer_address',
    'crm.address',
    'Customer',
    'customer_id',
    'Address',
    'customers:read',
    ARRAY[
      'line1',
      'line2',
      'city',
      'state',
      'postal_code',
      'country',
      'phone',
      'recipient_name',
      'company',
      'is_default'
    ]
  ),
  (
    'dispute',
    'payment.dispute',
    'Dispute',
    'id',
    NULL,
    'payments:read',
    ARRAY['payment_id', 'amount', 'currency', 'reason', 'status', 'evidence_due_at', 'created_at']
  ),
  (
    'draft_order',
    'ordering.draft_order',
    'DraftOrder',
    'id',
    NULL,
    'orders:read',
    ARRAY['customer_id', 'coupon_code', 'notes', 'tags', 'order_id', 'expires_at', 'created_at']
  ),
  (
    'email_campaign',
    'email.campaign',
    'EmailCampaign',
    'id',
    NULL,
    'email:read',
    ARRAY['name', 'subject', 'status', 'scheduled_at', 'started_at', 'finished_at', 'created_at']
  ),
  (
    'incoming_stock',
    'inventory.incoming_stock',
    'IncomingStock',
    'id',
    NULL,
    'inventory:read',
    ARRAY[
      'warehouse_id',
      'quantity',
      'received_quantity',
      'status',
      'expected_date',
      'reference',
      'received_at',
      'cancelled_at',
      'created_at'
    ]
  ),
  (
    'loyalty_entry',
    'crm.loyalty_entry',
    'Customer',
    'customer_id',
    'LoyaltyEntry',
    'customers:read',
    ARRAY['type', 'points', 'balance', 'reason']
  ),
  (
    'order',
    'ordering.order',
    'Order',
    'id',
    NULL,
    'orders:read',
    ARRAY[
      'order_number',
      'status',
      'customer_id',
      'subtotal',
      'tax',
      'shipping',
      'discount',
      'total',
      'currency',
      'notes',
      'tags',
      'cancel_reason',
      'created_at',
      'external_id',
      'metadata'
    ]
  ),
  (
    'order_return',
    'ordering.order_return',
    'OrderReturn',
    'id',
    NULL,
    'orders:read',
    ARRAY['return_number', 'order_id', 'status', 'note', 'rejection_reason', 'received_at', 'created_at']
  ),
  (
    'payment',
    'payment.payment',
    'Payment',
    'id',
    NULL,
    'payments:read',
    ARRAY[
      'order_id',
      'appointment_id',
      'amount',
      'currency',
      'status',
      'method',
      'captured_amount',
      'refunded_amount',
      'failure_reason',
      'failure_code',
      'attention',
      'authorized_at',
      'created_at'
    ]
  ),
  (
    'product',
    'catalog.product',
    'Product',
    'id',
    NULL,
    'products:read',
    ARRAY[
      'name',
      'description',
      'sku',
      'price',
      'currency',
      'compare_at_price',
      'cost_per_item',
      'status',
      'featured',
      'slug',
      'tags',
      'seo_title',
      'seo_description',
      'created_at',
      'external_id',
      'metadata'
    ]
  ),
  (
    'product_variant',
    'catalog.product_variant',
    'ProductVariant',
    'id',
    NULL,
    'products:read',
    ARRAY['product_id', 'sku', 'price', 'compare_at_price', 'created_at', 'external_id', 'metadata']
  ),
  (
    'promotion',
    'promotion.promotion',
    'Promotion',
    'id',
    NULL,
    'promotions:read',
    ARRAY[
      'name',
      'description',
      'code',
      'discount_type',
      'discount_value',
      'start_date',
      'end_date',
      'usage_limit',
      'created_at'
    ]
  ),
  (
    'refund',
    'payment.refund',
    'Refund',
    'id',
    NULL,
    'payments:read',
    ARRAY['payment_id', 'amount', 'shipping_amount', 'reason', 'status', 'failure_reason', 'created_at']
  ),
  (
    'reservation',
    'inventory.reservation',
    'Reservation',
    'id',
    NULL,
    'inventory:read',
    ARRAY['order_id', 'status', 'expires_at', 'created_at']
  ),
  (
    'review',
    'catalog.review',
    'Review',
    'id',
    NULL,
    'products:read',
    ARRAY[
      'product_id',
      'customer_id',
      'author_name',
      'rating',
      'title',
      'body',
      'status',
      'verified_purchase',
      'created_at'
    ]
  ),
  (
    'saved_method',
    'payment.saved_method',
    'SavedPaymentMethod',
    'id',
    NULL,
    'payments:read',
    ARRAY['method', 'status', 'brand', 'expiry_month', 'expiry_year', 'is_default', 'created_at']
  ),
  (
    'shipment',
    'ordering.shipment',
    'Shipment',
    'id',
    NULL,
    'orders:read',
    ARRAY[
      'order_id',
      'status',
      'carrier',
      'tracking_number',
      'shipped_at',
      'estimated_delivery_at',
      'delivered_at',
      'created_at'
    ]
  ),
  (
    'shipping_method',
    'merchant.shipping_method',
    'ShippingMethod',
    'id',
    NULL,
    'merchant:read',
    ARRAY['name', 'price', 'active']
  ),
  (
    'staff_member',
    'booking.staff_member',
    'StaffMember',
    'id',
    NULL,
    'booking:read',
    ARRAY['name', 'email', 'phone', 'time_zone', 'active', 'priority']
  ),
  (
    'stock_alert',
    'inventory.stock_alert',
    'StockAlert',
    'id',
    NULL,
    'customers:read',
    ARRAY['email', 'status', 'notified_at', 'cancelled_at', 'created_at']
  ),
  (
    'stock_crossing',
    'notification.stock_crossing',
    'Product',
    'product_id',
    'SkuInventory',
    'inventory:read',
    ARRAY['sku', 'available', 'low_stock_threshold']
  ),
  (
    'stock_movement',
    'inventory.stock_movement',
    'StockMovement',
    'id',
    NULL,
    'inventory:read',
    ARRAY[
      'product_id',
      'warehouse_id',
      'kind',
      'on_hand_delta',
      'reserved_delta',
      'on_hand',
      'reserved',
      'reason',
      'reference_type',
      'reference_id',
      'created_at'
    ]
  ),
  (
    'transfer',
    'inventory.transfer',
    'Transfer',
    'id',
    NULL,
    'inventory:read',
    ARRAY[
      'from_warehouse_id',
      'to_warehouse_id',
      'status',
      'expected_date',
      'notes',
      'shipped_at',
      'received_at',
      'cancelled_at',
      'created_at'
    ]
  ),
  (
    'user',
    'identity.user',
    'User',
    'id',
    NULL,
    'users:read',
    ARRAY['email', 'name', 'phone', 'email_verified', 'mfa_enabled', 'status', 'created_at']
  ),
  (
    'warehouse',
    'inventory.warehouse',
    'Warehouse',
    'id',
    NULL,
    'inventory:read',
    ARRAY['name', 'code', 'active', 'priority', 'external_id', 'metadata']
  );

INSERT INTO events.topic (name, source, change, column_name, value, description)
VALUES
  ('appointment.booked', 'appointment', 'CREATED', NULL, NULL, 'An appointment is booked'),
  ('appointment.cancelled', 'appointment', 'UPDATED', 'status', 'CANCELLED', 'An appointment is cancelled'),
  ('appointment.completed', 'appointment', 'UPDATED', 'status', 'COMPLETED', 'An appointment is over'),
  ('appointment.confirmed', 'appointment', 'UPDATED', 'status', 'CONFIRMED', 'An appointment is confirmed'),
  ('appointment.missed', 'appointment', 'UPDATED', 'status', 'NO_SHOW', 'A customer misses an appointment'),
  ('appointment.rescheduled', 'appointment', 'UPDATED', 'start_time', NULL, 'An appointment has another time'),
  ('appointment.started', 'appointment', 'UPDATED', 'status', 'IN_PROGRESS', 'An appointment begins'),
  ('appointment.updated', 'appointment', 'UPDATED', NULL, NULL, 'An appointment changes'),
  ('booking_service.created', 'booking_service', 'CREATED', NULL, NULL, 'A booking service is created'),
  ('booking_service.deleted', 'booking_service', 'DELETED', NULL, NULL, 'A booking service is deleted'),
  ('booking_service.updated', 'booking_service', 'UPDATED', NULL, NULL, 'A booking service changes'),
  ('cart.abandoned', 'cart', 'UPDATED', 'abandoned_at', NULL, 'A cart with items has not changed for an hour'),
  ('cart.checked_out', 'cart', 'UPDATED', 'checked_out_at', NULL, 'A cart becomes an order'),
  ('cart.created', 'cart', 'CREATED', NULL, NULL, 'A cart is created'),
  ('cart.updated', 'cart', 'UPDATED', NULL, NULL, 'A cart changes'),
  ('category.created', 'category', 'CREATED', NULL, NULL, 'A category is created'),
  ('category.deleted', 'category', 'DELETED', NULL, NULL, 'A category is deleted'),
  ('category.updated', 'category', 'UPDATED', NULL, NULL, 'A category changes'),
  ('customer.address_added', 'customer_address', 'CREATED', NULL, NULL, 'An address is added to a customer'),
  ('customer.address_removed', 'customer_address', 'DELETED', NULL, NULL, 'A customer''s address is removed'),
  ('customer.address_updated', 'customer_address', 'UPDATED', NULL, NULL, 'A customer''s address changes'),
  ('customer.anonymized', 'customer', 'UPDATED', 'anonymized_at', NULL, 'The personal data of a customer is erased'),
  ('customer.blocked', 'customer', 'UPDATED', 'blocked_at', NULL, 'A customer is blocked'),
  ('customer.created', 'customer', 'CREATED', NULL, NULL, 'A customer is created'),
  ('customer.deleted', 'customer', 'DELETED', NULL, NULL, 'A customer is deleted'),
  ('customer.points_changed', 'loyalty_entry', 'CREATED', NULL, NULL, 'A customer earns, spends or loses points'),
  ('customer.updated', 'customer', 'UPDATED', NULL, NULL, 'A customer changes'),
  ('dispute.closed', 'dispute', 'UPDATED', 'status', 'CLOSED', 'A dispute ends without a loss'),
  ('dispute.lost', 'dispute', 'UPDATED', 'status', 'LOST', 'A dispute is lost'),
  ('dispute.updated', 'dispute', 'UPDATED', NULL, NULL, 'A dispute changes'),
  ('dispute.won', 'dispute', 'UPDATED', 'status', 'WON', 'A dispute is won'),
  ('draft_order.completed', 'draft_order', 'UPDATED', 'order_id', NULL, 'A draft order becomes an order'),
  ('draft_order.created', 'draft_order', 'CREATED', NULL, NULL, 'A draft order is created'),
  ('draft_order.deleted', 'draft_order', 'DELETED', NULL, NULL, 'A draft order is deleted'),
  ('draft_order.updated', 'draft_order', 'UPDATED', NULL, NULL, 'A draft order changes'),
  ('email_campaign.cancelled', 'email_campaign', 'UPDATED', 'status', 'CANCELLED', 'An e-mail campaign is cancelled'),
  ('email_campaign.created', 'email_campaign', 'CREATED', NULL, NULL, 'An e-mail campaign is created'),
  ('email_campaign.sent', 'email_campaign', 'UPDATED', 'status', 'SENT', 'An e-mail campaign has been sent'),
  ('email_campaign.updated', 'email_campaign', 'UPDATED', NULL, NULL, 'An e-mail campaign changes'),
  ('incoming_stock.created', 'incoming_stock', 'CREATED', NULL, NULL, 'Stock is expected'),
  ('incoming_stock.received', 'incoming_stock', 'UPDATED', 'status', 'RECEIVED', 'Expected stock has arrived whole'),
  ('incoming_stock.updated', 'incoming_stock', 'UPDATED', NULL, NULL, 'Expected stock changes'),
  (
    'inventory.back_in_stock',
    'stock_crossing',
    'CREATED',
    'crossing',
    'BACK',
    'A SKU that was out of stock can be bought again'
  ),
  ('inventory.changed', 'stock_movement', 'CREATED', NULL, NULL, 'The stock of a SKU in a warehouse changes'),
  ('inventory.low', 'stock_crossing', 'CREATED', 'crossing', 'RUN_LOW', 'The stock of a SKU falls to its threshold'),
  ('order.cancelled', 'order', 'UPDATED', 'status', 'CANCELLED', 'An order is cancelled'),
  ('order.confirmed', 'order', 'UPDATED', 'status', 'CONFIRMED', 'An order is confirmed'),
  ('order.created', 'order', 'CREATED', NULL, NULL, 'An order is placed'),
  ('order.delivered', 'order', 'UPDATED', 'status', 'DELIVERED', 'All goods of an order are delivered'),
  ('order.paid', 'order', 'UPDATED', 'paid_at', NULL, 'An order is paid in full'),
  ('order.processing', 'order', 'UPDATED', 'status', 'PROCESSING', 'The goods of an order are being packed'),
  ('order.refunded', 'order', 'UPDATED', 'status', 'REFUNDED', 'An order is refunded in full'),
  ('order.shipped', 'order', 'UPDATED', 'status', 'SHIPPED', 'All goods of an order have left the warehouse'),
  ('order.updated', 'order', 'UPDATED', NULL, NULL, 'An order changes'),
  ('payment.authorized', 'payment', 'UPDATED', 'authorized_at', NULL, 'The money of a payment is reserved'),
  ('payment.cancelled', 'payment', 'UPDATED', 'status', 'CANCELLED', 'A payment is cancelled'),
  ('payment.created', 'payment', 'CREATED', NULL, NULL, 'A payment begins'),
  ('payment.disputed', 'dispute', 'CREATED', NULL, NULL, 'A customer''s bank asks for a payment back'),
  ('payment.failed', 'payment', 'UPDATED', 'status', 'FAILED', 'A payment fails'),
  (
    'payment.partially_refunded',
    'payment',
    'UPDATED',
    'status',
    'PARTIALLY_REFUNDED',
    'A part of a payment is given back'
  ),
  ('payment.refunded', 'payment', 'UPDATED', 'status', 'REFUNDED', 'A payment is given back'),
  ('payment.succeeded', 'payment', 'UPDATED', 'status', 'SUCCEEDED', 'The money of a payment is taken'),
  ('payment.updated', 'payment', 'UPDATED', NULL, NULL, 'A payment changes'),
  ('payment_method.removed', 'saved_method', 'DELETED', NULL, NULL, 'A customer''s payment method is removed'),
  ('payment_method.saved', 'saved_method', 'UPDATED', 'status', 'ACTIVE', 'A customer''s payment method can be used'),
  ('product.activated', 'product', 'UPDATED', 'status', 'ACTIVE', 'A product goes on sale'),
  ('product.archived', 'product', 'UPDATED', 'status', 'ARCHIVED', 'A product is archived'),
  ('product.created', 'product', 'CREATED', NULL, NULL, 'A product is created'),
  ('product.deleted', 'product', 'UPDATED', 'deleted_at', NULL, 'A product is deleted'),
  ('product.updated', 'product', 'UPDATED', NULL, NULL, 'A product changes'),
  ('product_variant.created', 'product_variant', 'CREATED', NULL, NULL, 'A variant is created'),
  ('product_variant.deleted', 'product_variant', 'UPDATED', 'deleted_at', NULL, 'A variant is deleted'),
  ('product_variant.updated', 'product_variant', 'UPDATED', NULL, NULL, 'A variant changes'),
  ('promotion.created', 'promotion', 'CREATED', NULL, NULL, 'A promotion is created'),
  ('promotion.deleted', 'promotion', 'DELETED', NULL, NULL, 'A promotion is deleted'),
  ('promotion.updated', 'promotion', 'UPDATED', NULL, NULL, 'A promotion changes'),
  ('refund.created', 'refund', 'CREATED', NULL, NULL, 'A refund begins'),
  ('refund.failed', 'refund', 'UPDATED', 'status', 'FAILED', 'A refund fails'),
  ('refund.succeeded', 'refund', 'UPDATED', 'status', 'SUCCEEDED', 'The money of a refund is given back'),
  ('refund.updated', 'refund', 'UPDATED', NULL, NULL, 'A refund changes'),
  ('reservation.expired', 'reservation', 'UPDATED', 'status', 'EXPIRED', 'A reservation expires'),
  ('reservation.released', 'reservation', 'UPDATED', 'status', 'RELEASED', 'Reserved stock is given back'),
  ('return.approved', 'order_return', 'UPDATED', 'status', 'APPROVED', 'A return is approved'),
  ('return.cancelled', 'order_return', 'UPDATED', 'status', 'CANCELLED', 'A return is cancelled'),
  ('return.received', 'order_return', 'UPDATED', 'status', 'RECEIVED', 'The goods of a return have arrived'),
  ('return.refunded', 'order_return', 'UPDATED', 'status', 'REFUNDED', 'A return is refunded'),
  ('return.rejected', 'order_return', 'UPDATED', 'status', 'REJECTED', 'A return is rejected'),
  ('return.requested', 'order_return', 'CREATED', NULL, NULL, 'A return is requested'),
  ('return.updated', 'order_return', 'UPDATED', NULL, NULL, 'A return changes'),
  ('review.approved', 'review', 'UPDATED', 'status', 'APPROVED', 'A review is approved'),
  ('review.created', 'review', 'CREATED', NULL, NULL, 'A review is created'),
  ('review.deleted', 'review', 'DELETED', NULL, NULL, 'A review is deleted'),
  ('review.rejected', 'review', 'UPDATED', 'status', 'REJECTED', 'A review is rejected'),
  ('review.updated', 'review', 'UPDATED', NULL, NULL, 'A review changes'),
  ('shipment.cancelled', 'shipment', 'UPDATED', 'status', 'CANCELLED', 'A shipment is cancelled'),
  ('shipment.created', 'shipment', 'CREATED', NULL, NULL, 'A shipment is packed'),
  ('shipment.delivered', 'shipment', 'UPDATED', 'status', 'DELIVERED', 'A shipment is delivered'),
  ('shipment.shipped', 'shipment', 'UPDATED', 'status', 'SHIPPED', 'A shipment leaves the warehouse'),
  ('shipment.updated', 'shipment', 'UPDATED', NULL, NULL, 'A shipment changes'),
  ('shipping_method.created', 'shipping_method', 'CREATED', NULL, NULL, 'A shipping method is created'),
  ('shipping_method.deleted', 'shipping_method', 'DELETED', NULL, NULL, 'A shipping method is deleted'),
  ('shipping_method.updated', 'shipping_method', 'UPDATED', NULL, NULL, 'A shipping method changes'),
  ('staff_member.created', 'staff_member', 'CREATED', NULL, NULL, 'A staff member is created'),
  ('staff_member.deleted', 'staff_member', 'DELETED', NULL, NULL, 'A staff member is deleted'),
  ('staff_member.updated', 'staff_member', 'UPDATED', NULL, NULL, 'A staff member changes'),
  ('stock_alert.created', 'stock_alert', 'CREATED', NULL, NULL, 'A shopper waits for a SKU'),
  (
    'stock_alert.notified',
    'stock_alert',
    'UPDATED',
    'status',
    'NOTIFIED',
    'A shopper who waits for a SKU is told that it is back'
  ),
  ('transfer.cancelled', 'transfer', 'UPDATED', 'status', 'CANCELLED', 'A transfer is cancelled'),
  ('transfer.created', 'transfer', 'CREATED', NULL, NULL, 'A transfer between warehouses is drafted'),
  ('transfer.received', 'transfer', 'UPDATED', 'status', 'RECEIVED', 'A transfer has arrived whole'),
  ('transfer.shipped', 'transfer', 'UPDATED', 'status', 'IN_TRANSIT', 'A transfer leaves its warehouse'),
  ('transfer.updated', 'transfer', 'UPDATED', NULL, NULL, 'A transfer between warehouses changes'),
  ('user.activated', 'user', 'UPDATED', 'status', 'ACTIVE', 'A user can sign in'),
  ('user.created', 'user', 'CREATED', NULL, NULL, 'A user is invited'),
  ('user.deleted', 'user', 'UPDATED', 'status', 'DELETED', 'A user is deleted'),
  ('user.suspended', 'user', 'UPDATED', 'status', 'SUSPENDED', 'A user is suspended'),
  ('user.updated', 'user', 'UPDATED', NULL, NULL, 'A user changes'),
  ('warehouse.created', 'warehouse', 'CREATED', NULL, NULL, 'A warehouse is created'),
  ('warehouse.deleted', 'warehouse', 'DELETED', NULL, NULL, 'A warehouse is deleted'),
  ('warehouse.updated', 'warehouse', 'UPDATED', NULL, NULL, 'A warehouse changes');

-- sql/files/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('files:read', 'See uploaded files, and download them'),
  ('files:write', 'Upload and delete files');

-- sql/identity/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('users:read', 'See the merchant''s users'),
  ('users:write', 'Invite, change, suspend and delete users, and give them roles'),
  ('roles:read', 'See roles and what they permit'),
  ('roles:write', 'Create, change and delete roles'),
  ('billing:write', 'Change, cancel and resume the merchant''s plan');

INSERT INTO identity.built_in_role (kind, name, description)
VALUES
  ('OWNER', 'Owner', 'Everything, the plan included'),
  ('ADMIN', 'Admin', 'Everything but the plan'),
  ('MANAGER', 'Manager', 'Runs the shop; sees the account, its users and keys, and leaves them as they are'),
  ('SUPPORT', 'Support', 'Helps customers with their carts, orders and appointments'),
  ('READ_ONLY', 'Read-only', 'Sees everything and changes nothing');

INSERT INTO merchant.permission (name, description)
VALUES
  ('customer_sessions:write', 'Sign customers up and in with their e-mail address and password'),
  ('user_sessions:write', 'Sign users in with their e-mail address and password');

-- sql/merchant/data.sql

INSERT INTO merchant.plan_feature (plan, feature)
VALUES
  ('FREE', 'catalog'),
  ('FREE', 'orders'),
  ('FREE', 'payments'),
  ('STARTER', 'catalog'),
  ('STARTER', 'orders'),
  ('STARTER', 'payments'),
  ('STARTER', 'multiple_warehouses'),
  ('PRO', 'catalog'),
  ('PRO', 'orders'),
  ('PRO', 'payments'),
  ('PRO', 'multiple_warehouses'),
  ('PRO', 'ip_allow_list'),
  ('ENTERPRISE', 'catalog'),
  ('ENTERPRISE', 'orders'),
  ('ENTERPRISE', 'payments'),
  ('ENTERPRISE', 'multiple_warehouses'),
  ('ENTERPRISE', 'ip_allow_list');

INSERT INTO merchant.permission (name, description)
VALUES
  ('products:read', 'See products, variants, images, categories and reviews'),
  ('products:write', 'Create, change and delete products, variants, images, categories and reviews'),
  ('inventory:read', 'See stock levels, warehouses and reservations'),
  ('inventory:write', 'Change stock levels and warehouses, reserve stock'),
  ('customers:read', 'See customers and their addresses'),
  ('customers:write', 'Create, change and delete customers and their addresses'),
  ('carts:read', 'See carts'),
  ('carts:write', 'Create, fill, empty and check out carts'),
  ('orders:read', 'See orders, their lines and fulfilment'),
  ('orders:write', 'Create, change, fulfil and cancel orders'),
  ('payments:read', 'See payments and refunds'),
  ('payments:write', 'Take and refund payments'),
  ('promotions:read', 'See promotions and coupons'),
  ('merchant:read', 'See the merchant account, its plan and settings'),
  ('merchant:write', 'Change the merchant account, its settings and shipping'),
  ('api_keys:read', 'See the list of API keys (never their values)'),
  ('api_keys:write', 'Create and revoke API keys, and change the IP allow-list');

-- sql/notification/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('notifications:read', 'See notifications, devices and preferences'),
  ('notifications:write', 'Mark notifications as read, register devices and change preferences');

INSERT INTO notification.kind_channel (kind, channel, audience, required)
SELECT k.kind, c.channel, k.audience, k.receipt AND c.channel = 'EMAIL'
FROM
  (
    VALUES
      ('ORDER_CONFIRMATION', 'CUSTOMER', TRUE),
      ('ORDER_SHIPPED', 'CUSTOMER', FALSE),
      ('ORDER_REFUNDED', 'CUSTOMER', TRUE),
      ('ORDER_PAYMENT_REMINDER', 'CUSTOMER', FALSE),
      ('ORDER_CANCELLED', 'CUSTOMER', TRUE),
      ('STOCK_ALERT', 'CUSTOMER', FALSE),
      ('APPOINTMENT_BOOKED', 'CUSTOMER', FALSE),
      ('APPOINTMENT_MOVED', 'CUSTOMER', FALSE),
      ('APPOINTMENT_CANCELLED', 'CUSTOMER', FALSE),
      ('APPOINTMENT_REMINDER', 'CUSTOMER', FALSE),
      ('STAFF_APPOINTMENT_BOOKED', 'MERCHANT', FALSE),
      ('STAFF_APPOINTMENT_MOVED', 'MERCHANT', FALSE),
      ('STAFF_APPOINTMENT_CANCELLED', 'MERCHANT', FALSE),
      ('LOW_STOCK_ALERT', 'MERCHANT', FALSE),
      ('PAYMENT_DISPUTED', 'MERCHANT', FALSE),
      ('SENDER_LOST', 'MERCHANT', FALSE),
      ('WEBHOOK_DISABLED', 'MERCHANT', FALSE)
  ) AS k (kind, audience, receipt)
  CROSS JOIN unnest(ARRAY['EMAIL', 'PUSH', 'IN_APP']) AS c (channel);

-- sql/platform/data.sql

INSERT INTO platform.language (code, name, stemmer)
VALUES
  ('ar', 'Arabic', 'arabic'),
  ('ca', 'Catalan', 'catalan'),
  ('da', 'Danish', 'danish'),
  ('de', 'German', 'german'),
  ('el', 'Greek', 'greek'),
  ('en', 'English', 'english'),
  ('es', 'Spanish', 'spanish'),
  ('eu', 'Basque', 'basque'),
  ('fi', 'Finnish', 'finnish'),
  ('fr', 'French', 'french'),
  ('ga', 'Irish', 'irish'),
  ('hi', 'Hindi', 'hindi'),
  ('hu', 'Hungarian', 'hungarian'),
  ('hy', 'Armenian', 'armenian'),
  ('id', 'Indonesian', 'indonesian'),
  ('it', 'Italian', 'italian'),
  ('lt', 'Lithuanian', 'lithuanian'),
  ('ne', 'Nepali', 'nepali'),
  ('nl', 'Dutch', 'dutch'),
  ('no', 'Norwegian', 'norwegian'),
  ('pt', 'Portuguese', 'portuguese'),
  ('ro', 'Romanian', 'romanian'),
  ('ru', 'Russian', 'russian'),
  ('sr', 'Serbian', 'serbian'),
  ('sv', 'Swedish', 'swedish'),
  ('ta', 'Tamil', 'tamil'),
  ('tr', 'Turkish', 'turkish'),
  ('yi', 'Yiddish', 'yiddish');

-- sql/promotion/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('promotions:write', 'Create, change and delete promotions and their campaigns');

-- sql/search/data.sql

INSERT INTO merchant.permission (name, description)
VALUES
  ('articles:read', 'See articles, those that are not published as well'),
  ('articles:write', 'Create, change and delete articles');

-- sql/audit/every-table.sql

SELECT audit.watch(t.name, t.type, t.id), platform.keep_keys(t.name, t.id)
FROM
  (
    VALUES
      ('analytics.dashboard'::regclass, 'Dashboard', 'id'),
      ('analytics.widget', 'DashboardWidget', 'id'),
      ('booking.appointment', 'Appointment', 'id'),
      ('booking.resource', 'Resource', 'id'),
      ('booking.resource_requirement', 'ResourceRequirement', 'service_id'),
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
      ('metadata.definition', 'MetadataDefinition', 'id'),
      ('merchant.ip_allow_list_entry', 'IpAllowListEntry', 'id'),
      ('merchant.merchant', 'MerchantAccount', 'id'),
      ('merchant.settings', 'MerchantSettings', 'merchant_id'),
      ('merchant.shipping_method', 'ShippingMethod', 'id'),
      ('merchant.shipping_zone', 'ShippingZone', 'id'),
      ('notification.device', 'NotificationDevice', 'id'),
      ('ordering.draft_order', 'DraftOrder', 'id'),
      ('ordering.order', 'Order', 'id'),
      ('payment.payment_option', 'PaymentOption', 'id'),
      ('promotion.campaign', 'PromotionCampaign', 'id'),
      ('promotion.promotion', 'Promotion', 'id'),
      ('search.article', 'Article', 'id')
  ) AS t (name, type, id);

-- sql/events/every-table.sql

SELECT events.watch(s)
FROM events.source s
WHERE
  EXISTS (
    SELECT
    FROM pg_attribute a
    WHERE a.attrelid = s.table_name::regclass AND a.attname = s.id_column AND NOT a.attisdropped
  );

SELECT events.watch_deletions(t.name, t.type, t.permission)
FROM
  (
    VALUES
      ('analytics.dashboard'::regclass, 'Dashboard', 'analytics:read'),
      ('booking.appointment', 'Appointment', 'booking:read'),
      ('booking.resource', 'Resource', 'booking:read'),
      ('booking.service', 'BookingService', 'booking:read'),
      ('booking.staff_member', 'StaffMember', 'booking:read'),
      ('cart.cart', 'Cart', 'carts:read'),
      ('catalog.category', 'Category', 'products:read'),
      ('catalog.review', 'Review', 'products:read'),
      ('crm.contact', 'Contact', 'customers:read'),
      ('crm.customer', 'Customer', 'customers:read'),
      ('crm.interaction', 'Interaction', 'customers:read'),
      ('crm.segment', 'CustomerSegment', 'customers:read'),
      ('email.campaign', 'EmailCampaign', 'email:read'),
      ('email.delivery', 'EmailDelivery', 'email:read'),
      ('email.template', 'EmailTemplate', 'email:read'),
      ('identity.role', 'Role', 'roles:read'),
      ('inventory.incoming_stock', 'IncomingStock', 'inventory:read'),
      ('inventory.stock_alert', 'StockAlert', 'customers:read'),
      ('inventory.transfer', 'Transfer', 'inventory:read'),
      ('inventory.warehouse', 'Warehouse', 'inventory:read'),
      ('ordering.draft_order', 'DraftOrder', 'orders:read'),
      ('promotion.campaign', 'PromotionCampaign', 'promotions:read'),
      ('promotion.promotion', 'Promotion', 'promotions:read'),
      ('search.article', 'Article', 'articles:read')
  ) AS t (name, type, permission);

-- sql/metadata/every-table.sql

DO $$
DECLARE
  v_table regclass;
BEGIN
  FOREACH v_table IN ARRAY ARRAY[
    'booking.appointment',
    'cart.cart',
    'cart.cart_item',
    'catalog.category',
    'catalog.product',
    'catalog.product_variant',
    'crm.customer',
    'inventory.warehouse',
    'ordering.order',
    'ordering.order_item'
  ]::regclass[]
  LOOP
    -- A row without metadata costs nothing more to insert.
    EXECUTE format(
      'CREATE TRIGGER metadata_inserted BEFORE INSERT ON %s FOR EACH ROW '
        'WHEN (NEW.metadata <> ''{}'' OR NEW.private_metadata <> ''{}'') EXECUTE FUNCTION metadata.keep()',
      v_table
    );
    EXECUTE format(
      'CREATE TRIGGER metadata_updated BEFORE UPDATE OF metadata, private_metadata ON %s FOR EACH ROW '
        'EXECUTE FUNCTION metadata.keep()',
      v_table
    );
  END LOOP;
END
$$;

-- sql/platform/every-table.sql

DO $$
DECLARE
  v_table record;
BEGIN
  FOR v_table IN
    SELECT
      c.oid::regclass AS name,
      string_agg(quote_ident(a.attname), ', ') AS columns,
      string_agg(quote_literal(a.attname), ', ') AS arguments
    FROM
      (SELECT DISTINCT t.tgrelid FROM pg_trigger t WHERE t.tgfoid = 'audit.record_rows'::regproc) w
      JOIN pg_class c ON c.oid = w.tgrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE
      a.atttypid::regtype::text IN ('text', 'citext', 'text[]', 'jsonb')
      AND a.attname NOT IN (
        'external_id',
        'sku',
        'variant_skus',
        'reference',
        'tracking_number',
        'phone',
        'url',
        'website',
        'token'
      )
    GROUP BY c.oid
  LOOP
    EXECUTE format(
      'CREATE TRIGGER card_numbers_refused BEFORE INSERT OR UPDATE OF %s ON %s '
        'FOR EACH ROW EXECUTE FUNCTION platform.refuse_card_numbers(%s)',
      v_table.columns,
      v_table.name,
      v_table.arguments
    );
  END LOOP;
END
$$;

SELECT platform.touch_parent_of(t.part, t.parent, t.parent_id, t.events)
FROM
  (
    VALUES
      ('analytics.widget'::regclass, 'analytics.dashboard'::regclass, 'dashboard_id', 'INSERT OR UPDATE OR DELETE'),
      ('booking.resource_requirement', 'booking.service', 'service_id', 'INSERT OR UPDATE OR DELETE'),
      ('booking.schedule', 'booking.staff_member', 'staff_id', 'INSERT OR UPDATE OR DELETE'),
      ('booking.staff_service', 'booking.staff_member', 'staff_id', 'INSERT OR UPDATE OR DELETE'),
      ('catalog.product_category', 'catalog.product', 'product_id', 'INSERT OR UPDATE OR DELETE'),
      ('catalog.product_image', 'catalog.product', 'product_id', 'INSERT OR UPDATE OR DELETE'),
      ('catalog.product_variant', 'catalog.product', 'product_id', 'INSERT OR UPDATE OR DELETE'),
      ('catalog.variant_option', 'catalog.product_variant', 'variant_id', 'INSERT OR UPDATE OR DELETE'),
      ('crm.address', 'crm.customer', 'customer_id', 'INSERT OR UPDATE OR DELETE'),
      ('identity.user_role', 'identity.user', 'user_id', 'INSERT OR UPDATE OR DELETE'),
      ('inventory.warehouse_address', 'inventory.warehouse', 'warehouse_id', 'INSERT OR UPDATE OR DELETE'),
      ('ordering.order_item', 'ordering.order', 'order_id', 'UPDATE OR DELETE')
  ) AS t (part, parent, parent_id, events);

SELECT platform.grant_rights();
