CREATE SCHEMA payment;

CREATE TABLE payment.payment (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid,
  amount bigint NOT NULL CHECK (amount > 0 AND amount < 9007199254740992),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  status text NOT NULL DEFAULT 'PENDING' CHECK (
    status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'REFUNDED', 'PARTIALLY_REFUNDED')
  ),
  method text NOT NULL CHECK (method IN ('CARD', 'BANK_TRANSFER', 'CASH', 'PAYPAL', 'APPLE_PAY', 'GOOGLE_PAY')),
  last4 text,
  brand text,
  expiry_month integer,
  expiry_year integer,
  processor text NOT NULL,
  -- The money comes outside of the platform: PENDING until the merchant says that it is there.
  awaited boolean NOT NULL DEFAULT FALSE,
  -- The processor's own id, known only once it has answered.
  processor_payment_intent_id text,
  failure_reason text,
  failure_code text,
  decline_code text,
  -- What the processor was asked with, so that a request that may not have arrived can be repeated to the letter.
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
  -- What the processor is about to be asked to take; NULL before a capture.
  capture_requested bigint,
  -- What was taken.
  captured_amount bigint NOT NULL DEFAULT 0,
  -- What all refunds together come to, whatever became of them: a refund that failed is tried again.
  refund_requested_amount bigint NOT NULL DEFAULT 0,
  -- Why it needs attention. UNANSWERED: whether the processor took the money is unknown. REFUND_FAILED: the
  -- processor won't give it back.
  attention text CHECK (attention IN ('UNANSWERED', 'REFUND_FAILED')),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT payment_refunds_within_amount CHECK (refunded_amount BETWEEN 0 AND amount),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order,
  CONSTRAINT payment_captured_within_amount CHECK (captured_amount >= 0 AND captured_amount <= amount),
  CONSTRAINT payment_capture_requested_check CHECK (capture_requested > 0 AND capture_requested <= amount),
  CONSTRAINT payment_refunds_within_captured
    CHECK (refunded_amount <= refund_requested_amount AND refund_requested_amount <= captured_amount)
);
CREATE UNIQUE INDEX payment_one_open_per_order ON payment.payment (merchant_id, order_id)
WHERE status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'PARTIALLY_REFUNDED');
CREATE INDEX payment_order ON payment.payment (merchant_id, order_id, created_at);
CREATE INDEX payment_unsettled ON payment.payment (updated_at) WHERE status IN ('PENDING', 'PROCESSING');
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
  -- How often the processor was asked anew. Each is a request of its own to it.
  attempt integer NOT NULL DEFAULT 1,
  -- Since when the present attempt is asked for.
  attempted_at timestamptz NOT NULL DEFAULT now(),
  -- Who gives the money back, when it isn't the processor that took it.
  processor text,
  succeeded_at timestamptz,
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
