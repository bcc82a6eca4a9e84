-- Money that is reserved before it is taken, and refunds: of an amount, or of lines, in as many parts as it takes.

ALTER TABLE payment.payment
  ADD COLUMN capture_method text NOT NULL DEFAULT 'AUTOMATIC' CHECK (capture_method IN ('AUTOMATIC', 'MANUAL')),
  -- Since when the processor holds the money for us, and until when.
  ADD COLUMN authorized_at timestamptz,
  ADD COLUMN capture_before timestamptz,
  -- What the processor is about to be asked to take; NULL when nobody has captured.
  ADD COLUMN capture_requested bigint,
  -- What was taken.
  ADD COLUMN captured_amount bigint NOT NULL DEFAULT 0,
  -- What all refunds together come to, whatever became of them: a refund that failed is tried again.
  ADD COLUMN refund_requested_amount bigint NOT NULL DEFAULT 0,
  -- Why somebody has to look at it. UNANSWERED: nobody knows whether the processor took the money. REFUND_FAILED: the
  -- processor won't give it back.
  ADD COLUMN attention text CHECK (attention IN ('UNANSWERED', 'REFUND_FAILED')),
  ADD CONSTRAINT payment_captured_within_amount CHECK (captured_amount >= 0 AND captured_amount <= amount),
  ADD CONSTRAINT payment_capture_requested_check CHECK (capture_requested > 0 AND capture_requested <= amount),
  ADD CONSTRAINT payment_refunds_within_captured CHECK (
    refunded_amount <= refund_requested_amount AND refund_requested_amount <= captured_amount
  );
CREATE INDEX payment_attention ON payment.payment (merchant_id, created_at, id) WHERE attention IS NOT NULL;

-- Rows that come complete, as those of an import, needn't say twice what was taken and given back.
CREATE FUNCTION payment.fill_amounts() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED') THEN
    NEW.captured_amount := coalesce(nullif(NEW.captured_amount, 0), NEW.amount);
    NEW.refund_requested_amount := greatest(NEW.refund_requested_amount, NEW.refunded_amount);
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER fill_amounts BEFORE INSERT ON payment.payment FOR EACH ROW EXECUTE FUNCTION payment.fill_amounts();
UPDATE payment.payment SET captured_amount = amount, refund_requested_amount = refunded_amount
WHERE status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED');

-- What of an order was reserved and never taken, though a part of it was. It can't be taken any more, so nobody ever pays
-- it: reports and refunds count what an order, each of its lines and its shipping cost less this.
ALTER TABLE ordering.order
  ADD COLUMN uncaptured bigint NOT NULL DEFAULT 0,
  ADD COLUMN uncaptured_shipping bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT order_uncaptured_check CHECK (
    uncaptured_shipping >= 0 AND uncaptured_shipping <= uncaptured AND uncaptured_shipping <= shipping - shipping_discount
    AND uncaptured <= total
  );
ALTER TABLE ordering.order_item
  ADD COLUMN uncaptured bigint NOT NULL DEFAULT 0,
  ADD COLUMN uncaptured_tax bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT order_item_uncaptured_check CHECK (
    uncaptured >= 0 AND uncaptured <= subtotal - discount AND uncaptured_tax >= 0 AND uncaptured_tax <= tax
  );

-- Shares out what of an order's total was not taken to its lines, their tax and its shipping, by what each costs.
CREATE FUNCTION ordering.note_uncaptured() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_lines ordering.order_item[];
  v_uncaptured bigint;
  v_shares bigint[];
BEGIN
  SELECT * INTO v_order FROM ordering.order o
  WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id FOR UPDATE;
  v_uncaptured := greatest(0, v_order.total - (
    SELECT sum(p.captured_amount) FROM payment.payment p
    WHERE p.merchant_id = NEW.merchant_id AND p.order_id = NEW.order_id
  ));
  IF v_uncaptured = v_order.uncaptured THEN
    RETURN NULL;
  END IF;
  v_lines := ARRAY(
    SELECT i FROM ordering.order_item i
    WHERE i.merchant_id = NEW.merchant_id AND i.order_id = NEW.order_id ORDER BY i.position, i.id
  );
  v_shares := platform.allocate(
    v_uncaptured,
    ARRAY(SELECT l.subtotal - l.discount FROM unnest(v_lines) WITH ORDINALITY l ORDER BY l.ordinality)
      || ARRAY(SELECT l.tax FROM unnest(v_lines) WITH ORDINALITY l ORDER BY l.ordinality)
      || (v_order.shipping - v_order.shipping_discount)
  );
  UPDATE ordering.order_item i
  SET uncaptured = v_shares[l.ordinality], uncaptured_tax = v_shares[cardinality(v_lines) + l.ordinality]
  FROM unnest(v_lines) WITH ORDINALITY l
  WHERE i.merchant_id = l.merchant_id AND i.id = l.id;
  UPDATE ordering.order o
  SET uncaptured = v_uncaptured, uncaptured_shipping = v_shares[cardinality(v_shares)]
  WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER note_uncaptured AFTER INSERT OR UPDATE OF captured_amount ON payment.payment
  FOR EACH ROW WHEN (NEW.order_id IS NOT NULL AND NEW.captured_amount > 0) EXECUTE FUNCTION ordering.note_uncaptured();

-- What a customer's orders came to, by currency: what was taken for them, less what was given back. An order that was paid
-- without a payment of ours counts with its total, until it is called off. The number is of orders that were paid and not
-- cancelled; one that was refunded was bought all the same.
CREATE VIEW crm.customer_spending AS
SELECT
  o.merchant_id,
  o.customer_id,
  o.currency,
  coalesce(
    sum(coalesce(p.kept, CASE WHEN o.status NOT IN ('CANCELLED', 'REFUNDED') THEN o.total END)), 0
  )::bigint AS amount,
  count(*) FILTER (WHERE o.status <> 'CANCELLED')::integer AS order_count,
  max(o.created_at) FILTER (WHERE o.status <> 'CANCELLED') AS last_order_date
FROM ordering.order o
LEFT JOIN LATERAL (
  SELECT sum(x.captured_amount - x.refunded_amount) AS kept FROM payment.payment x
  WHERE x.merchant_id = o.merchant_id AND x.order_id = o.id AND x.captured_amount > 0
) p ON true
WHERE o.status <> 'PENDING'
GROUP BY o.merchant_id, o.customer_id, o.currency
HAVING bool_or(o.status <> 'CANCELLED') OR sum(p.kept) > 0;

-- The same in one line. Different currencies are never added up: money is in the merchant's own, orders are of all of them.
CREATE VIEW crm.customer_total AS
SELECT
  c.merchant_id,
  c.id AS customer_id,
  s.total_spent,
  s.order_count,
  CASE WHEN s.orders_in_currency = 0 THEN 0 ELSE round(s.total_spent::numeric / s.orders_in_currency)::bigint END
    AS average_order_value,
  s.last_order_date
FROM crm.customer c
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(x.amount) FILTER (WHERE x.currency = m.currency), 0)::bigint AS total_spent,
    coalesce(sum(x.order_count) FILTER (WHERE x.currency = m.currency), 0) AS orders_in_currency,
    coalesce(sum(x.order_count), 0)::integer AS order_count,
    max(x.last_order_date) AS last_order_date
  FROM crm.customer_spending x
  LEFT JOIN merchant.settings m ON m.merchant_id = x.merchant_id
  WHERE x.merchant_id = c.merchant_id AND x.customer_id = c.id
) s;

ALTER TABLE payment.refund
  -- Of it, what was paid for shipping.
  ADD COLUMN shipping_amount bigint NOT NULL DEFAULT 0,
  ADD COLUMN failure_reason text,
  -- How often the processor was asked anew. Each is a request of its own to it.
  ADD COLUMN attempt integer NOT NULL DEFAULT 1,
  -- Since when the present attempt is asked for.
  ADD COLUMN attempted_at timestamptz NOT NULL DEFAULT now(),
  -- Who gives the money back, when it isn't the processor that took it.
  ADD COLUMN processor text,
  ADD CONSTRAINT refund_shipping_amount_check CHECK (shipping_amount >= 0 AND shipping_amount <= amount);

-- The lines that a refund is for, in units and money. Without any it is for the payment as a whole.
CREATE TABLE payment.refund_line (
  merchant_id uuid NOT NULL,
  refund_id uuid NOT NULL,
  order_item_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  amount bigint NOT NULL CHECK (amount >= 0),
  -- Of the units, those that can be sold again after they had left.
  restocked_quantity integer NOT NULL DEFAULT 0 CHECK (restocked_quantity BETWEEN 0 AND quantity),
  PRIMARY KEY (merchant_id, refund_id, order_item_id),
  CONSTRAINT refund_line_refund_fkey FOREIGN KEY (merchant_id, refund_id) REFERENCES payment.refund ON DELETE CASCADE,
  CONSTRAINT refund_line_item_fkey FOREIGN KEY (merchant_id, order_item_id) REFERENCES ordering.order_item
);
CREATE INDEX refund_line_item ON payment.refund_line (merchant_id, order_item_id);

CREATE FUNCTION payment.record_payment() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF NEW.order_id IS NULL THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    PERFORM ordering.record(
      NEW.merchant_id, NEW.order_id, CASE WHEN NEW.status = 'PENDING' THEN 'PAYMENT_STARTED' ELSE 'PAYMENT_SUCCEEDED' END,
      p_amount => NEW.amount, p_note => NEW.method, p_subject_id => NEW.id, p_at => NEW.created_at
    );
  ELSIF OLD.authorized_at IS NULL AND NEW.authorized_at IS NOT NULL THEN
    PERFORM ordering.record(
      NEW.merchant_id, NEW.order_id, 'PAYMENT_AUTHORIZED', p_amount => NEW.amount, p_subject_id => NEW.id
    );
  ELSIF NEW.status <> OLD.status AND NEW.status IN ('SUCCEEDED', 'FAILED', 'CANCELLED') THEN
    PERFORM ordering.record(
      NEW.merchant_id, NEW.order_id, 'PAYMENT_' || NEW.status,
      p_amount => CASE WHEN NEW.status = 'SUCCEEDED' THEN NEW.captured_amount ELSE NEW.amount END,
      p_note => NEW.failure_reason, p_subject_id => NEW.id
    );
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER record_payment AFTER INSERT ON payment.payment
  FOR EACH ROW WHEN (NEW.status NOT IN ('FAILED', 'CANCELLED')) EXECUTE FUNCTION payment.record_payment();
CREATE TRIGGER record_payment_change AFTER UPDATE OF status, authorized_at ON payment.payment
  FOR EACH ROW EXECUTE FUNCTION payment.record_payment();

CREATE FUNCTION payment.record_refund() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_order_id uuid := (
    SELECT p.order_id FROM payment.payment p WHERE p.merchant_id = NEW.merchant_id AND p.id = NEW.payment_id
  );
BEGIN
  IF v_order_id IS NOT NULL AND (TG_OP = 'INSERT' OR NEW.status <> OLD.status) THEN
    PERFORM ordering.record(
      NEW.merchant_id, v_order_id, CASE WHEN NEW.status = 'PENDING' THEN 'REFUND_STARTED' ELSE 'REFUND_' || NEW.status END,
      p_amount => NEW.amount, p_note => CASE WHEN NEW.status = 'FAILED' THEN NEW.failure_reason ELSE NEW.reason END,
      p_subject_id => NEW.id, p_staff_only => NEW.status = 'FAILED',
      p_at => CASE WHEN TG_OP = 'INSERT' AND NEW.status <> 'PENDING' THEN NEW.created_at ELSE clock_timestamp() END
    );
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER record_refund AFTER INSERT OR UPDATE OF status ON payment.refund
  FOR EACH ROW EXECUTE FUNCTION payment.record_refund();

-- Locks a payment after its order, as everybody does, and returns it.
CREATE FUNCTION payment.lock_payment(p_merchant_id uuid, p_payment_id uuid) RETURNS payment.payment
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
BEGIN
  PERFORM FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id
    AND o.id = (SELECT p.order_id FROM payment.payment p WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id)
  FOR UPDATE;
  SELECT * INTO v_payment FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id FOR UPDATE;
  RETURN v_payment;
END
$$;

-- Puts on record what of reserved money is about to be taken. p_amount: NULL for all of it.
-- {outcome: 'begun', paymentId} | {outcome: 'unknown_payment'} | {outcome: 'payment_refused', status} |
-- {outcome: 'more_than_authorized', amount}
CREATE FUNCTION payment.begin_capture(p_merchant_id uuid, p_payment_id uuid, p_amount bigint, p_from text[]) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment := payment.lock_payment(p_merchant_id, p_payment_id);
BEGIN
  IF v_payment.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_payment');
  END IF;
  IF NOT v_payment.status = ANY (p_from) OR v_payment.authorized_at IS NULL OR v_payment.capture_before <= now()
    OR v_payment.capture_requested <> coalesce(p_amount, v_payment.amount)
  THEN
    RETURN jsonb_build_object('outcome', 'payment_refused', 'status', v_payment.status);
  END IF;
  IF p_amount > v_payment.amount THEN
    RETURN jsonb_build_object('outcome', 'more_than_authorized', 'amount', v_payment.amount);
  END IF;
  UPDATE payment.payment p SET capture_requested = coalesce(p_amount, p.amount)
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  RETURN jsonb_build_object('outcome', 'begun', 'paymentId', p_payment_id);
END
$$;

-- Records a refund that is to be asked for. The caller has locked order and payment and seen that so much is left.
CREATE FUNCTION payment.insert_refund(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_amount bigint,
  p_shipping_amount bigint,
  p_reason text
) RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_refund_id uuid := platform.uuid_v7();
BEGIN
  UPDATE payment.payment p SET refund_requested_amount = p.refund_requested_amount + p_amount
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  INSERT INTO payment.refund (merchant_id, id, payment_id, amount, shipping_amount, reason)
  VALUES (p_merchant_id, v_refund_id, p_payment_id, p_amount, p_shipping_amount, p_reason);
  RETURN v_refund_id;
END
$$;

-- Gives back a part of a payment, as money and no lines. p_amount: NULL for all that is left.
-- {outcome: 'begun', refundId} | {outcome: 'unknown_payment'} | {outcome: 'payment_refused', status} |
-- {outcome: 'more_than_left', left}
CREATE FUNCTION payment.begin_refund(p_merchant_id uuid, p_payment_id uuid, p_amount bigint, p_reason text, p_from text[])
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
    'outcome', 'begun',
    'refundId', payment.insert_refund(p_merchant_id, p_payment_id, coalesce(p_amount, v_left), 0, p_reason)
  );
END
$$;

-- Has a refund that failed asked for once more, or, p_manually, given back outside of the processor that took it.
-- {outcome: 'begun', refundId} | {outcome: 'unknown_refund'} | {outcome: 'refund_refused', status}
CREATE FUNCTION payment.retry_refund(p_merchant_id uuid, p_refund_id uuid, p_manually boolean) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_refund payment.refund;
BEGIN
  PERFORM payment.lock_payment(
    p_merchant_id, (SELECT r.payment_id FROM payment.refund r WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id)
  );
  SELECT * INTO v_refund FROM payment.refund r
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_refund');
  END IF;
  IF v_refund.status <> 'FAILED' THEN
    RETURN jsonb_build_object('outcome', 'refund_refused', 'status', v_refund.status);
  END IF;
  UPDATE payment.refund r
  SET
    status = 'PENDING', attempt = r.attempt + 1, attempted_at = now(), failure_reason = NULL, processor_refund_id = NULL,
    processor = CASE WHEN p_manually THEN 'manual' ELSE r.processor END
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id;
  PERFORM payment.note_failed_refunds(p_merchant_id, v_refund.payment_id);
  RETURN jsonb_build_object('outcome', 'begun', 'refundId', p_refund_id);
END
$$;

-- A payment needs attention while one of its refunds has failed.
CREATE FUNCTION payment.note_failed_refunds(p_merchant_id uuid, p_payment_id uuid) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  UPDATE payment.payment p
  SET attention = CASE WHEN EXISTS (
    SELECT FROM payment.refund r WHERE r.merchant_id = p.merchant_id AND r.payment_id = p.id AND r.status = 'FAILED'
  ) THEN 'REFUND_FAILED' END
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id
$$;

-- Records a processor's answer to a refund, once. p_part, p_full: the payment's moves {from, to} when some or all of it
-- has gone back; p_moves: the order's, by event. Returns the status that the refund now has.
CREATE FUNCTION payment.settle_refund(
  p_merchant_id uuid,
  p_refund_id uuid,
  p_to text,
  p_processor_refund_id text,
  p_failure_reason text,
  p_part jsonb,
  p_full jsonb,
  p_moves jsonb
) RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
  v_refund payment.refund;
  v_move jsonb;
BEGIN
  v_payment := payment.lock_payment(
    p_merchant_id, (SELECT r.payment_id FROM payment.refund r WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id)
  );
  SELECT * INTO v_refund FROM payment.refund r
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'refund % does not exist', p_refund_id;
  END IF;
  IF v_refund.status <> 'PENDING' THEN
    RETURN v_refund.status;
  END IF;
  UPDATE payment.refund r
  SET
    status = p_to, processor_refund_id = coalesce(p_processor_refund_id, r.processor_refund_id),
    failure_reason = p_failure_reason, unanswered_calls = 0
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id;
  PERFORM payment.note_failed_refunds(p_merchant_id, v_payment.id);
  IF p_to = 'SUCCEEDED' THEN
    v_move := CASE WHEN v_payment.refunded_amount + v_refund.amount = v_payment.captured_amount THEN p_full ELSE p_part END;
    UPDATE payment.payment p SET status = v_move ->> 'to', refunded_amount = p.refunded_amount + v_refund.amount
    WHERE p.merchant_id = p_merchant_id AND p.id = v_payment.id AND v_move -> 'from' ? p.status;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the payment of refund % is in no state to be refunded', p_refund_id;
    END IF;
    PERFORM ordering.follow_refund(p_merchant_id, v_payment.order_id, p_refund_id, v_move = p_full, p_moves);
  END IF;
  RETURN p_to;
END
$$;

-- What an order's units that are not on their way yet have become when its money is back: for sale again.
-- The caller has locked the order.
CREATE FUNCTION ordering.give_up_unsent(p_merchant_id uuid, p_order_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM ordering.unpack(p_merchant_id, ordering.packed_shipments(p_merchant_id, p_order_id));
  UPDATE ordering.order_item i
  SET
    cancelled_quantity = i.quantity - i.fulfilled_quantity,
    refunded_quantity = greatest(i.refunded_quantity, i.refunded_quantity - i.cancelled_quantity + i.quantity - i.fulfilled_quantity)
  WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id;
  PERFORM inventory.release_reservation_of_order(p_merchant_id, p_order_id, 'RELEASED');
END
$$;

CREATE TYPE ordering.refund_part AS (
  order_item_id uuid,
  quantity integer,
  -- What was paid for these units.
  amount bigint,
  -- Of the units, those that were never sent, and those that were.
  unsent integer,
  sent integer,
  -- NULL: what was never sent is for sale again, what was sent is not.
  restock boolean
);

-- What was paid for lines' next units. A line's price in full is reached exactly when its last unit is refunded, however
-- many refunds that takes: each gets the difference of two rounded shares of it.
-- p_sent_only: of units that were sent, because they came back.
CREATE FUNCTION ordering.refund_parts(p_merchant_id uuid, p_order_id uuid, p_lines jsonb, p_sent_only boolean)
RETURNS SETOF ordering.refund_part
LANGUAGE sql STABLE
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
  FROM ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer, restock boolean))
    WITH ORDINALITY AS w(id, quantity, restock, position)
  JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
  CROSS JOIN LATERAL (
    SELECT (i.subtotal - i.discount - i.uncaptured + i.tax - i.uncaptured_tax)::numeric AS paid
  ) p
  CROSS JOIN LATERAL (
    SELECT CASE WHEN p_sent_only THEN 0 ELSE least(w.quantity, i.quantity - i.packed_quantity - i.cancelled_quantity) END AS unsent
  ) u
  ORDER BY w.position
$$;

-- Lines of which so many units can't be refunded.
CREATE FUNCTION ordering.refund_refusals(p_merchant_id uuid, p_order_id uuid, p_lines jsonb, p_sent_only boolean) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(
    jsonb_agg(
      jsonb_build_object(
        'field', format('items.%s.%s', w.position - 1, CASE WHEN i.id IS NULL THEN 'orderItemId' ELSE 'quantity' END),
        'reason', CASE WHEN i.id IS NULL THEN 'unknown_item' ELSE 'more_than_left' END,
        'left', l.left
      )
      ORDER BY w.position
    ),
    '[]'
  )
  FROM ROWS FROM (jsonb_to_recordset(p_lines) AS (id uuid, quantity integer)) WITH ORDINALITY AS w(id, quantity, position)
  LEFT JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
  -- Units that are packed are neither: they are sent first, or unpacked.
  CROSS JOIN LATERAL (
    SELECT
      i.fulfilled_quantity - (i.refunded_quantity - i.cancelled_quantity)
      + CASE WHEN p_sent_only THEN 0 ELSE i.quantity - i.packed_quantity - i.cancelled_quantity END AS left
  ) l
  WHERE i.id IS NULL OR w.quantity > l.left
$$;

-- Sums units up by stock item, for the functions of stock.
CREATE TYPE ordering.stock_units AS (stock_item_ids uuid[], quantities integer[]);
CREATE FUNCTION ordering.stock_units(p_merchant_id uuid, p_item_ids uuid[], p_quantities integer[]) RETURNS ordering.stock_units
LANGUAGE sql STABLE
AS $$
  SELECT ROW(coalesce(array_agg(k.id), '{}'), coalesce(array_agg(x.quantity), '{}'))::ordering.stock_units
  FROM unnest(p_item_ids, p_quantities) AS x(id, quantity)
  JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.id = x.id
  JOIN inventory.stock_item k
    ON k.merchant_id = i.merchant_id AND k.product_id = i.product_id AND k.variant_id IS NOT DISTINCT FROM i.variant_id
  WHERE x.quantity > 0
$$;

-- Puts units of an order that had left on the shelf again. The caller has locked the levels, by inventory.lock_levels.
-- Returns why it can't, as inventory.take_back has it, with the position of the units; NULL when it did.
CREATE FUNCTION ordering.restock(
  p_merchant_id uuid,
  p_order_id uuid,
  p_item_ids uuid[],
  p_quantities integer[],
  p_warehouse_id uuid,
  p_reason text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_line record;
  v_outcome jsonb;
BEGIN
  FOR v_line IN
    SELECT x.position, x.quantity, k.sku
    FROM unnest(p_item_ids, p_quantities) WITH ORDINALITY AS x(id, quantity, position)
    JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.id = x.id
    JOIN inventory.stock_item k
      ON k.merchant_id = i.merchant_id AND k.product_id = i.product_id AND k.variant_id IS NOT DISTINCT FROM i.variant_id
    WHERE x.quantity > 0
    ORDER BY k.id
  LOOP
    v_outcome := inventory.take_back(p_merchant_id, p_order_id, v_line.sku, p_warehouse_id, v_line.quantity, p_reason);
    IF v_outcome ->> 'outcome' <> 'changed' THEN
      RETURN v_outcome || jsonb_build_object('position', v_line.position - 1);
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

-- What is left of an order's shipping to be refunded.
CREATE FUNCTION ordering.unrefunded_shipping(p_order ordering.order, p_payment_id uuid) RETURNS bigint
LANGUAGE sql STABLE
AS $$
  SELECT p_order.shipping - p_order.shipping_discount - p_order.uncaptured_shipping - coalesce(sum(r.shipping_amount), 0)::bigint
  FROM payment.refund r WHERE r.merchant_id = p_order.merchant_id AND r.payment_id = p_payment_id
$$;

-- Records a refund of lines and shipping. p_amount is shared out to them by what was paid for each.
CREATE FUNCTION ordering.insert_refund(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_parts ordering.refund_part[],
  p_shipping bigint,
  p_amount bigint,
  p_reason text
) RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_shares bigint[] := platform.allocate(
    p_amount, ARRAY(SELECT x.amount FROM unnest(p_parts) WITH ORDINALITY x ORDER BY x.ordinality) || p_shipping
  );
  v_refund_id uuid := payment.insert_refund(
    p_merchant_id, p_payment_id, p_amount, v_shares[cardinality(v_shares)], p_reason
  );
BEGIN
  INSERT INTO payment.refund_line (merchant_id, refund_id, order_item_id, quantity, amount, restocked_quantity)
  SELECT
    p_merchant_id, v_refund_id, x.order_item_id, x.quantity, v_shares[x.ordinality], CASE WHEN x.restock THEN x.sent ELSE 0 END
  FROM unnest(p_parts) WITH ORDINALITY x;
  RETURN v_refund_id;
END
$$;

-- Moves the stock of refunded units: what was never sent is for sale again, or written off; what was sent is on the
-- shelf again, if so wished. Returns why it can't, as ordering.restock does.
CREATE FUNCTION ordering.move_refunded_units(
  p_merchant_id uuid,
  p_order_id uuid,
  p_parts ordering.refund_part[],
  p_reason text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_items uuid[] := ARRAY(SELECT x.order_item_id FROM unnest(p_parts) WITH ORDINALITY x ORDER BY x.ordinality);
  v_released ordering.stock_units;
  v_written_off ordering.stock_units;
BEGIN
  v_released := ordering.stock_units(
    p_merchant_id, v_items,
    ARRAY(SELECT CASE WHEN x.restock IS NOT FALSE THEN x.unsent ELSE 0 END FROM unnest(p_parts) WITH ORDINALITY x ORDER BY x.ordinality)
  );
  v_written_off := ordering.stock_units(
    p_merchant_id, v_items,
    ARRAY(SELECT CASE WHEN x.restock IS FALSE THEN x.unsent ELSE 0 END FROM unnest(p_parts) WITH ORDINALITY x ORDER BY x.ordinality)
  );
  -- The reservation before the levels, and all levels at once: see the lock order in stock_rules.
  PERFORM inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
  PERFORM inventory.lock_levels(
    p_merchant_id,
    (ordering.stock_units(p_merchant_id, v_items, array_fill(1, ARRAY[cardinality(v_items)]))).stock_item_ids
  );
  IF cardinality(v_released.quantities) > 0 THEN
    PERFORM inventory.end_part_of_reservation(
      p_merchant_id, p_order_id, v_released.stock_item_ids, v_released.quantities, 'RELEASED'
    );
  END IF;
  IF cardinality(v_written_off.quantities) > 0 THEN
    PERFORM inventory.end_part_of_reservation(
      p_merchant_id, p_order_id, v_written_off.stock_item_ids, v_written_off.quantities, 'CONSUMED'
    );
  END IF;
  RETURN ordering.restock(
    p_merchant_id, p_order_id, v_items,
    ARRAY(SELECT CASE WHEN x.restock THEN x.sent ELSE 0 END FROM unnest(p_parts) WITH ORDINALITY x ORDER BY x.ordinality),
    NULL, p_reason
  );
END
$$;

-- Refunds units of an order's lines, and what is left of its shipping when p_shipping.
-- p_lines: [{id, quantity, restock?}]. Units that were never sent go first, and are never sent then.
-- p_amount: less than what was paid for them, NULL for all of it.
-- p_sent_only: for units that came back, whose stock was seen to when they did.
-- p_payment_from: states of a payment that holds money.
-- {outcome: 'begun', orderId, refundId} | {outcome: 'unknown_order'} | {outcome: 'order_refused', status, reason?} |
-- {outcome: 'invalid', refusals}
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
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_payment payment.payment;
  v_parts ordering.refund_part[];
  v_shipping bigint := 0;
  v_worth bigint;
  v_left bigint;
  v_refund_id uuid;
  v_refusals jsonb;
BEGIN
  SELECT * INTO v_order FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  v_refusals := ordering.refund_refusals(p_merchant_id, p_order_id, p_lines, p_sent_only);
  IF v_refusals @> '[{"reason": "unknown_item"}]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  SELECT * INTO v_payment FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status = ANY (p_payment_from)
  FOR UPDATE;
  IF v_order.total = 0 THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status, 'reason', 'nothing_paid');
  END IF;
  -- A cancelled order's money is on its way back as a whole.
  IF v_payment.id IS NULL OR NOT p_moves #> '{refund,from}' ? v_order.status THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_parts := ARRAY(SELECT x FROM ordering.refund_parts(p_merchant_id, p_order_id, p_lines, p_sent_only) x);
  IF p_shipping THEN
    v_shipping := ordering.unrefunded_shipping(v_order, v_payment.id);
  END IF;
  v_worth := v_shipping + (SELECT coalesce(sum(x.amount), 0) FROM unnest(v_parts) x);
  v_left := least(v_worth, v_payment.captured_amount - v_payment.refund_requested_amount);
  IF coalesce(p_amount, v_worth) NOT BETWEEN 1 AND v_left THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', jsonb_build_array(
      CASE WHEN v_left = 0
        THEN jsonb_build_object('field', 'items', 'reason', 'nothing_paid')
        ELSE jsonb_build_object('field', 'amount', 'reason', 'more_than_paid', 'left', v_left)
      END
    ));
  END IF;
  v_refund_id := ordering.insert_refund(
    p_merchant_id, v_payment.id, v_parts, v_shipping, coalesce(p_amount, v_worth), p_reason
  );
  UPDATE ordering.order_item i
  SET refunded_quantity = i.refunded_quantity + x.quantity, cancelled_quantity = i.cancelled_quantity + x.unsent
  FROM unnest(v_parts) x
  WHERE i.merchant_id = p_merchant_id AND i.id = x.order_item_id;
  IF NOT p_sent_only THEN
    v_refusals := ordering.move_refunded_units(p_merchant_id, p_order_id, v_parts, 'Refund of ' || v_order.order_number);
    IF v_refusals IS NOT NULL THEN
      RAISE EXCEPTION USING ERRCODE = 'CG001', MESSAGE = 'stock can not take the units back', DETAIL = v_refusals::text;
    END IF;
  END IF;
  PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'begun', 'orderId', p_order_id, 'refundId', v_refund_id);
EXCEPTION
  -- By now something was written, which this undoes.
  WHEN SQLSTATE 'CG001' THEN
    RETURN jsonb_build_object(
      'outcome', 'invalid',
      'refusals', jsonb_build_array(jsonb_build_object(
        'field', format('items.%s.restock', v_refusals ->> 'position'), 'reason', 'not_restockable'
      ))
    );
END
$$;

-- Cancels an order of which nothing has left, gives its stock back and, where it was paid, records the refund that is due.
-- {outcome: 'cancelled', orderId, refundId} | {outcome: 'unknown_order'} | {outcome: 'order_refused', status, reason?} |
-- {outcome: 'payment_open', paymentId, status}
CREATE FUNCTION ordering.cancel_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_customer_id uuid,
  p_reason text,
  p_from text[],
  p_to text,
  p_payment_from text[]
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_open payment.payment;
  v_payment payment.payment;
  v_refund_id uuid;
BEGIN
  SELECT * INTO v_order FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
    AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF NOT v_order.status = ANY (p_from) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF EXISTS (
    SELECT FROM ordering.order_item i
    WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.fulfilled_quantity > 0
  ) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status, 'reason', 'partly_shipped');
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open.id, 'status', v_open.status);
  END IF;
  SELECT * INTO v_payment FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status = ANY (p_payment_from)
    AND p.captured_amount > p.refund_requested_amount
  FOR UPDATE;
  IF v_payment.id IS NOT NULL THEN
    v_refund_id := ordering.insert_refund(
      p_merchant_id, v_payment.id,
      ARRAY(
        SELECT x
        FROM ordering.refund_parts(p_merchant_id, p_order_id, (
          SELECT jsonb_agg(
            jsonb_build_object('id', i.id, 'quantity', i.quantity - i.refunded_quantity) ORDER BY i.position, i.id
          )
          FROM ordering.order_item i
          WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.quantity > i.refunded_quantity
        ), false) x
      ),
      ordering.unrefunded_shipping(v_order, v_payment.id),
      v_payment.captured_amount - v_payment.refund_requested_amount,
      p_reason
    );
  END IF;
  UPDATE ordering.order o SET status = p_to, cancel_reason = p_reason, cancelled_at = now()
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
  IF v_order.paid_at IS NOT NULL THEN
    PERFORM ordering.give_up_unsent(p_merchant_id, p_order_id);
  ELSE
    PERFORM inventory.release_reservation_of_order(p_merchant_id, p_order_id, 'RELEASED');
  END IF;
  UPDATE ordering.fulfillment f SET status = 'UNFULFILLED'
  WHERE f.merchant_id = p_merchant_id AND f.order_id = p_order_id;
  RETURN jsonb_build_object('outcome', 'cancelled', 'orderId', p_order_id, 'refundId', v_refund_id);
END
$$;
