CREATE SCHEMA payment;

-- A merchant's own account at a payment processor.
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
CREATE UNIQUE INDEX account_one_active_per_processor ON payment.account (merchant_id, processor)
WHERE status = 'ACTIVE';
-- A webhook names the account alone.
CREATE UNIQUE INDEX account_id ON payment.account (id);

-- Apart from the account, as Hasura reads all columns of a table that it serves.
CREATE TABLE payment.account_secret (
  merchant_id uuid NOT NULL,
  account_id uuid NOT NULL,
  -- The processor's credentials as JSON, sealed (actions/src/payment/accounts.ts).
  credentials text NOT NULL,
  PRIMARY KEY (merchant_id, account_id),
  FOREIGN KEY (merchant_id, account_id) REFERENCES payment.account
    ON DELETE CASCADE
);

-- Whether the operator has an account for the payments of merchants without one. Each start of the actions says so.
CREATE TABLE payment.operator_account (
  is_only boolean PRIMARY KEY DEFAULT TRUE CHECK (is_only),
  connected boolean NOT NULL
);

-- A method that a merchant offers, in its own order and for the purchases that it names.
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
-- The webhooks of an account ask for a payment by its intent.
CREATE INDEX payment_account ON payment.payment (merchant_id, account_id, processor_payment_intent_id)
WHERE account_id IS NOT NULL;
CREATE INDEX payment_appointment ON payment.payment (merchant_id, appointment_id, created_at)
WHERE appointment_id IS NOT NULL;
CREATE INDEX payment_order ON payment.payment (merchant_id, order_id, created_at);
CREATE INDEX payment_unsettled ON payment.payment (updated_at) WHERE status IN ('PENDING', 'PROCESSING');
CREATE INDEX payment_capturable ON payment.payment (updated_at) WHERE capturable_amount > 0;
CREATE UNIQUE INDEX payment_processor_intent ON payment.payment (processor, processor_payment_intent_id);

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
  -- Of a part of an order that wasn't paid yet: it is no refund of a sale.
  before_paid boolean NOT NULL DEFAULT FALSE,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, payment_id) REFERENCES payment.payment,
  CONSTRAINT refund_shipping_amount_check CHECK (shipping_amount >= 0 AND shipping_amount <= amount)
);
CREATE INDEX refund_payment ON payment.refund (merchant_id, payment_id, created_at);
CREATE INDEX refund_unsettled ON payment.refund (updated_at) WHERE status = 'PENDING';
CREATE INDEX payment_attention ON payment.payment (merchant_id, created_at, id) WHERE attention IS NOT NULL;

CREATE TABLE payment.refund_line (
  merchant_id uuid NOT NULL,
  refund_id uuid NOT NULL,
  order_item_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  amount bigint NOT NULL CHECK (amount >= 0),
  -- What was paid for the units. It is more than `amount` if less of it is given back, or by other payments.
  paid bigint NOT NULL CHECK (paid >= 0),
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

-- A webhook that came in, so that each is acted on once.
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

-- A customer's bank asks for the money of a payment back.
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

-- A shopper's record at a processor, to which the methods belong that are saved there.
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

-- A card that a shopper keeps at the merchant's processor. Its number is there alone.
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

-- A record at a processor, with its saved methods, whose shopper is forgotten here: it is to be deleted there.
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
