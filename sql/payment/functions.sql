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

-- Locks what a payment pays, which is locked before the payment itself everywhere.
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

-- Whether what was taken of it is given back, or its order is over: nothing more of it is taken then.
CREATE FUNCTION payment.is_closed(p_payment payment.payment)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    p_payment.status = 'REFUNDED'
    OR EXISTS (
      SELECT
      FROM ordering.order o
      WHERE
        o.merchant_id = p_payment.merchant_id
        AND o.id = p_payment.order_id
        AND o.status IN ('CANCELLED', 'REFUNDED')
    );
$$;

-- answers:
--   begun {paymentId: uuid}
--   | unknown_payment {}
--   | payment_refused {status: payment.payment.status}
--   | closed {}
--   | more_than_authorized {amount: bigint}
-- nullable: p_amount
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
  IF payment.is_closed(v_payment) THEN
    RETURN jsonb_build_object('outcome', 'closed');
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

-- What was taken of a payment that some money was taken of before, and what can still be taken. What the processor has
-- taken of a closed payment nevertheless, as it was asked before, goes back.
--
-- answers: void
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
DECLARE
  v_payment payment.payment := payment.lock_payment(p_merchant_id, p_payment_id);
  v_closed boolean := payment.is_closed(v_payment);
BEGIN
  UPDATE payment.payment p
  SET
    captured_amount = greatest(p.captured_amount, p_captured),
    capturable_amount = p_capturable,
    -- A capture that the processor refused, or that nothing is left for, is over.
    capture_requested = CASE
      WHEN p_capturable = 0
      OR p_refused
      OR v_closed THEN greatest(p.captured_amount, p_captured)
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
  IF FOUND AND v_closed AND p_captured > v_payment.captured_amount THEN
    PERFORM
      payment.insert_refund(
        p_merchant_id,
        p_payment_id,
        p_captured - v_payment.refund_requested_amount,
        0,
        'Captured when the rest was on its way back'
      );
  END IF;
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
  INSERT INTO payment.refund (merchant_id, id, payment_id, amount, shipping_amount, reason, before_paid)
  SELECT
    p_merchant_id,
    v_refund_id,
    p_payment_id,
    p_amount,
    p_shipping_amount,
    p_reason,
    o.id IS NOT NULL AND o.paid_at IS NULL
  FROM
    payment.payment p
    LEFT JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  RETURN v_refund_id;
END;
$$;

-- answers:
--   begun {refundId: uuid}
--   | unknown_payment {}
--   | payment_refused {status: payment.payment.status}
--   | more_than_left {left: bigint}
-- nullable: p_amount
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

-- answers: begun {refundId: uuid} | unknown_refund {} | refund_refused {status: payment.refund.status}
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

-- Takes the place of the merchant's active account at the processor, if there is one.
--
-- answers: uuid
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

-- Records a webhook. False: it was acted on before.
--
-- answers: boolean
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

-- answers: integer
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

-- A refund that had succeeded came back to the processor: the merchant has the money again.
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

-- answers: void
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

-- Whether there is an active account for a method: the merchant's, or the operator's if the merchant never had one.
-- PayPal may go through Stripe. Money from outside needs no account.
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

-- Whether new card payments of a merchant go to an account; NULL: the operator's, for a merchant that never had one.
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

-- The ways to pay that shoppers have for a purchase. The merchant's option of a method takes the place of the settings;
-- cards are accepted without an option. A method that none of the merchant's accounts takes any more is not offered.
--
-- p_customer_id: the buyer, whose points may pay; NULL: points don't.
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

-- Whether a payment may be made so. A shopper may use what the shop offers for the purchase; the merchant may use what
-- it has enabled, and cards, transfers, cash and an order's customer's points in any case.
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

-- A creditor reference by ISO 11649: two check digits before the text, so that a mistyped one is noticed.
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

-- The amount that payments of an order hold or may still take, in minor units: no other payment may ask for it.
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

-- The same of an appointment.
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

-- Whether what was taken pays the whole order.
CREATE FUNCTION payment.pays_order(p_merchant_id uuid, p_order_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT payment.promised(p_merchant_id, p_order_id, TRUE) >= o.total
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
$$;

-- Money that was waited for is there, or a part of it: then the rest is waited for as before.
--
-- answers: received {} | more_than_awaited {amount: bigint} | not_awaited {}
-- nullable: p_amount
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

-- Replaces the credentials of an account, unless they are other ones by now than the caller has read, or payments were
-- made with them that the caller knows nothing of: those would not be found with the key of another account.
--
-- answers: updated {} | changed {}
-- nullable: p_name
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
