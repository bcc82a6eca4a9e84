-- Payments and refunds: our record of what a payment processor was asked and what it answered.

CREATE SCHEMA payment;

CREATE TABLE payment.payment (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid,
  amount bigint NOT NULL CHECK (amount > 0 AND amount < 9007199254740992),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  status text NOT NULL DEFAULT 'PENDING'
    CHECK (status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'REFUNDED', 'PARTIALLY_REFUNDED')),
  method text NOT NULL CHECK (method IN ('CARD', 'BANK_TRANSFER', 'CASH', 'PAYPAL', 'APPLE_PAY', 'GOOGLE_PAY')),
  last4 text,
  brand text,
  expiry_month integer,
  expiry_year integer,
  processor text NOT NULL,
  -- The money comes outside of the platform: PENDING until the merchant says that it is there.
  awaited boolean NOT NULL DEFAULT false,
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
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT payment_refunds_within_amount CHECK (refunded_amount BETWEEN 0 AND amount),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
);
-- An order has at most one payment that is, or may yet turn out to be, taken. Nothing retried charges twice.
CREATE UNIQUE INDEX payment_one_open_per_order ON payment.payment (merchant_id, order_id)
  WHERE status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'PARTIALLY_REFUNDED');
CREATE INDEX payment_order ON payment.payment (merchant_id, order_id, created_at);
CREATE INDEX payment_unsettled ON payment.payment (updated_at) WHERE status IN ('PENDING', 'PROCESSING');
CREATE UNIQUE INDEX payment_processor_intent ON payment.payment (processor, processor_payment_intent_id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON payment.payment
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

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
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, payment_id) REFERENCES payment.payment
);
CREATE INDEX refund_payment ON payment.refund (merchant_id, payment_id, created_at);
CREATE INDEX refund_unsettled ON payment.refund (updated_at) WHERE status = 'PENDING';
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON payment.refund
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();
