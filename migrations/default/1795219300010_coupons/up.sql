-- Coupons at work: a cart shows what its coupon takes off, an order fixes it, line by line.

-- What the discount takes off shipping; the rest of it is the lines'.
ALTER TABLE ordering.order
  ADD COLUMN shipping_discount bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT order_shipping_discount_check CHECK (
    shipping_discount >= 0 AND shipping_discount <= shipping AND shipping_discount <= discount
  );

-- A line's part of the order's discount and tax. Those of earlier orders are shared out in proportion to the lines.
ALTER TABLE ordering.order_item
  ADD COLUMN discount bigint NOT NULL DEFAULT 0,
  ADD COLUMN tax bigint NOT NULL DEFAULT 0;
UPDATE ordering.order_item i SET discount = s.discount, tax = s.tax
FROM (
  SELECT o.merchant_id, x.id, x.discount, x.tax
  FROM ordering.order o
  CROSS JOIN LATERAL (
    SELECT
      array_agg(l.id ORDER BY l.position, l.id) AS ids,
      platform.allocate(o.discount, array_agg(l.subtotal ORDER BY l.position, l.id)) AS discounts,
      platform.allocate(o.tax, array_agg(l.subtotal ORDER BY l.position, l.id)) AS taxes
    FROM ordering.order_item l WHERE l.merchant_id = o.merchant_id AND l.order_id = o.id
  ) a
  CROSS JOIN LATERAL unnest(a.ids, a.discounts, a.taxes) AS x(id, discount, tax)
) s
WHERE i.merchant_id = s.merchant_id AND i.id = s.id;
ALTER TABLE ordering.order_item
  ADD CONSTRAINT order_item_discount_check CHECK (discount >= 0 AND discount <= subtotal),
  ADD CONSTRAINT order_item_tax_check CHECK (tax >= 0);

-- An order's lines add up to its subtotal, its tax and what it takes off goods. Deferred: a transaction may pass through states in which they don't.
CREATE FUNCTION ordering.check_lines_add_up() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  changed record := coalesce(NEW, OLD);
  order_key uuid := CASE TG_TABLE_NAME WHEN 'order' THEN (to_jsonb(changed) ->> 'id')::uuid ELSE (to_jsonb(changed) ->> 'order_id')::uuid END;
  order_merchant uuid := (to_jsonb(changed) ->> 'merchant_id')::uuid;
BEGIN
  IF EXISTS (
    SELECT FROM ordering.order o
    WHERE o.merchant_id = order_merchant AND o.id = order_key
      AND (o.subtotal, o.tax, o.discount - o.shipping_discount) <> (
        SELECT coalesce(sum(i.subtotal), 0), coalesce(sum(i.tax), 0), coalesce(sum(i.discount), 0)
        FROM ordering.order_item i WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
      )
  ) THEN
    PERFORM platform.violate(
      'ordering.order', 'order_lines_add_up',
      format('the lines of order %s do not add up to its subtotal, tax and discount', order_key)
    );
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER order_lines_add_up
  AFTER INSERT OR UPDATE OF subtotal, tax, discount, shipping_discount ON ordering.order
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ordering.check_lines_add_up();
CREATE CONSTRAINT TRIGGER order_lines_add_up
  AFTER INSERT OR UPDATE OR DELETE ON ordering.order_item
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ordering.check_lines_add_up();

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

-- Lines as a purchase: with their products and what each costs. The caller has made sure that the sums are money.
CREATE FUNCTION ordering.with_lines(p_purchase promotion.purchase, p_lines catalog.sellable_line[], p_shipping bigint)
RETURNS promotion.purchase
LANGUAGE sql IMMUTABLE
AS $$
  SELECT ROW(
    p_purchase.merchant_id, p_purchase.customer_id, p_purchase.currency, p_purchase.order_id,
    array_agg(l.product_id ORDER BY l.ordinality), array_agg(l.price * l.quantity ORDER BY l.ordinality), p_shipping
  )::promotion.purchase
  FROM unnest(p_lines) WITH ORDINALITY AS l
$$;

-- What a purchase costs with the promotion that it gets. Tax is on what is paid for the lines, rounded once for the order, and
-- shared out to the lines by what is paid for each.
CREATE FUNCTION ordering.price(p_purchase promotion.purchase, p_choice promotion.choice) RETURNS ordering.pricing
LANGUAGE plpgsql STABLE
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
      FROM unnest(p_purchase.subtotals, v_pricing.line_discounts) WITH ORDINALITY AS l(subtotal, discount, position)
      ORDER BY l.position
    )
  );
  v_pricing.total := v_pricing.subtotal + v_pricing.tax + p_purchase.shipping - v_pricing.discount;
  RETURN v_pricing;
END
$$;

-- Places an order: checks everything, reserves the stock until the payment window ends, fixes prices, tax and names. An
-- order that costs nothing is confirmed at once.
-- p_lines: [{productId, variantId?, quantity}]. p_currency: the cart's, or NULL for the products' own.
-- p_coupon_code: one that can't be used is refused; one that takes off less than a promotion without a code isn't used.
-- The promotions that it may get are locked until it is placed, so that of two racing orders the second sees the first one's use.
-- p_reservation_id: an ACTIVE reservation to take over; what it holds and the order doesn't want goes back.
-- p_by_shopper: the bounds of what a shopper may have open without having paid hold; they are none to the merchant's own people.
-- p_pay: the machine's move {from, to} of an order that is paid.
-- {outcome: 'placed', orderId} | {outcome: 'insufficient', shortages: [{sku, available, requested, position}]} |
-- {outcome: 'invalid', refusals: [{field, reason, …}]}, all at once.
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
  p_by_shopper boolean,
  p_pay jsonb
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_lines catalog.sellable_line[];
  v_refusals jsonb;
  v_currency text;
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
  v_billing_address_id uuid := CASE WHEN p_billing_address IS NOT NULL THEN platform.uuid_v7() END;
BEGIN
  SELECT array_agg(l ORDER BY l.position) INTO v_lines FROM catalog.sellable_lines(p_merchant_id, p_lines, p_currency) l;
  v_refusals := catalog.line_refusals(v_lines, 'items');
  v_currency := v_lines[1].currency;
  IF NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id) THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer');
  ELSIF EXISTS (
    SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id AND c.blocked_at IS NOT NULL
  ) THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'customer_blocked');
  END IF;
  IF p_shipping_address IS NULL THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'shippingAddress', 'reason', 'address_required');
  END IF;
  v_refusals := v_refusals || coalesce(
    ordering.shipping_refusal(p_merchant_id, p_shipping_method_id, p_shipping_address ->> 'country', v_currency), '[]'
  );
  IF p_reservation_id IS NOT NULL THEN
    PERFORM FROM inventory.reservation r
    WHERE r.merchant_id = p_merchant_id AND r.id = p_reservation_id
      AND r.status = 'ACTIVE' AND r.order_id IS NULL AND r.expires_at > now()
    FOR UPDATE;
    IF NOT FOUND THEN
      v_refusals := v_refusals || jsonb_build_object('field', 'reservationId', 'reason', 'reservation_not_active');
    END IF;
  END IF;
  IF p_by_shopper AND v_refusals = '[]' THEN
    v_refusals := ordering.unpaid_refusals(
      p_merchant_id, p_customer_id, (SELECT sum(l.quantity) FROM unnest(v_lines) l)
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
    SELECT coalesce(max(m.price), 0) INTO v_shipping FROM merchant.shipping_method m
    WHERE m.merchant_id = p_merchant_id AND m.id = p_shipping_method_id;
    IF v_subtotal + ordering.tax_on(p_merchant_id, v_subtotal) + v_shipping > platform.most_money() THEN
      v_refusals := jsonb_build_array(jsonb_build_object('field', 'items', 'reason', 'total_too_large'));
    ELSE
      v_purchase := ordering.with_lines(v_purchase, v_lines, v_shipping);
      v_pricing := ordering.price(
        v_purchase, promotion.choose(v_purchase, v_coupon, v_coupon_refusal, v_promotions)
      );
      v_coupon_refusal := v_pricing.coupon_refusal;
    END IF;
  END IF;
  IF v_coupon_refusal IS NOT NULL THEN
    v_refusals := v_refusals || promotion.refusal('couponCode', v_coupon_refusal, v_coupon);
  END IF;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  SELECT inventory.hold(
    p_merchant_id, coalesce(p_reservation_id, platform.uuid_v7()), v_order_id,
    now() + make_interval(mins => ordering.payment_minutes(p_merchant_id, 'CARD')),
    array_agg(l.stock_item_id ORDER BY l.position), array_agg(l.quantity::integer ORDER BY l.position)
  ) INTO v_shortages FROM unnest(v_lines) l;
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', ordering.shortages_at(v_shortages, v_lines));
  END IF;

  PERFORM ordering.insert_address(p_merchant_id, v_shipping_address_id, v_order_id, p_shipping_address);
  IF p_billing_address IS NOT NULL THEN
    PERFORM ordering.insert_address(p_merchant_id, v_billing_address_id, v_order_id, p_billing_address);
  END IF;
  INSERT INTO ordering.order
    (merchant_id, id, order_number, customer_id, currency, subtotal, tax, shipping, discount, shipping_discount, total,
     shipping_address_id, billing_address_id, shipping_method_id, promotion_id, coupon_code, cart_id, notes)
  VALUES
    (p_merchant_id, v_order_id, ordering.next_order_number(p_merchant_id), p_customer_id, v_currency, v_pricing.subtotal,
     v_pricing.tax, v_shipping, v_pricing.discount, v_pricing.shipping_discount, v_pricing.total, v_shipping_address_id,
     v_billing_address_id, p_shipping_method_id, v_pricing.promotion_id,
     CASE WHEN v_pricing.promotion_id = v_coupon.id THEN v_coupon.code END, p_cart_id, p_notes);
  INSERT INTO ordering.order_item
    (merchant_id, order_id, position, product_id, variant_id, quantity, price, subtotal, discount, tax, sku, product_name,
     product_image)
  SELECT
    p_merchant_id, v_order_id, l.position, l.product_id, l.variant_id, l.quantity, l.price, l.price * l.quantity,
    v_pricing.line_discounts[l.ordinality], v_pricing.line_taxes[l.ordinality], l.sku, l.name, l.image
  FROM unnest(v_lines) WITH ORDINALITY AS l;
  INSERT INTO ordering.fulfillment (merchant_id, order_id) VALUES (p_merchant_id, v_order_id);
  PERFORM ordering.confirm_if_free(p_merchant_id, v_order_id, p_pay);
  RETURN jsonb_build_object('outcome', 'placed', 'orderId', v_order_id);
END
$$;

-- Writes lines over an order's own, with what ordering.price says of each. A line that stays keeps its id.
CREATE FUNCTION ordering.replace_lines(
  p_merchant_id uuid,
  p_order_id uuid,
  p_lines catalog.sellable_line[],
  p_pricing ordering.pricing
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM ordering.order_item i
  WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id
    AND NOT EXISTS (
      SELECT FROM unnest(p_lines) l WHERE l.product_id = i.product_id AND l.variant_id IS NOT DISTINCT FROM i.variant_id
    );
  INSERT INTO ordering.order_item AS i
    (merchant_id, order_id, position, product_id, variant_id, quantity, price, subtotal, discount, tax, sku, product_name,
     product_image)
  SELECT
    p_merchant_id, p_order_id, l.ordinality - 1, l.product_id, l.variant_id, l.quantity, l.price, l.price * l.quantity,
    p_pricing.line_discounts[l.ordinality], p_pricing.line_taxes[l.ordinality], l.sku, l.name, l.image
  FROM unnest(p_lines) WITH ORDINALITY AS l
  ON CONFLICT ON CONSTRAINT order_item_line_key DO UPDATE
  SET
    position = excluded.position, quantity = excluded.quantity, subtotal = excluded.subtotal,
    discount = excluded.discount, tax = excluded.tax;
END
$$;

-- Changes an unpaid order: lines, addresses, notes. Lines keep the price they were bought at; new ones get today's.
-- p_add: [{productId, variantId?, quantity}], p_update: [{id, quantity}]. A product that is added again adds to its
-- line. NULL addresses and notes stay as they are.
-- The order's promotion stays, whatever has become of it since: what it takes off is computed anew, and is nothing where the
-- lines don't meet its conditions any more. One without a code that takes off more takes its place, and its use goes back. An order that costs nothing now is confirmed, and not to be changed again.
-- p_from: the states that allow it. p_pay: the machine's move {from, to} of an order that is paid.
-- {outcome: 'modified', orderId} | 'unknown_order' | {'order_refused', status, reason?} | {'payment_open', …} |
-- {'invalid', refusals} | {'insufficient', shortages}
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
) RETURNS jsonb
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
  SELECT * INTO v_order FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF NOT v_order.status = ANY (p_from) OR ordering.payment_window_is_over(p_merchant_id, p_order_id) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF EXISTS (
    SELECT FROM ordering.order_item i
    WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.packed_quantity > 0
  ) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status, 'reason', 'partly_shipped');
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open.id, 'status', v_open.status);
  END IF;

  SELECT coalesce(array_agg(l ORDER BY l.position), '{}') INTO v_added
  FROM catalog.sellable_lines(p_merchant_id, p_add, v_order.currency) l;
  v_refusals := catalog.line_refusals(v_added, 'addItems')
    || ordering.unknown_item_refusals(p_merchant_id, p_order_id, p_update, p_remove)
    || coalesce(
      CASE WHEN p_shipping_address IS NOT NULL THEN
        ordering.shipping_refusal(p_merchant_id, v_order.shipping_method_id, p_shipping_address ->> 'country', v_order.currency)
          || jsonb_build_object('field', 'shippingAddress.country')
      END,
      '[]'
    );
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;

  v_lines := ordering.modified_lines(p_merchant_id, p_order_id, v_added, p_update, p_remove);
  SELECT sum(l.price::numeric * l.quantity) INTO v_subtotal FROM unnest(v_lines) l;
  SELECT coalesce(jsonb_agg(r), '[]') INTO v_refusals FROM (
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
  SELECT inventory.hold(
    p_merchant_id, v_reservation.id, p_order_id, v_reservation.expires_at,
    array_agg(l.stock_item_id ORDER BY l.position), array_agg(l.quantity::integer ORDER BY l.position)
  ) INTO v_shortages FROM unnest(v_lines) l;
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
    subtotal = v_pricing.subtotal, tax = v_pricing.tax, discount = v_pricing.discount,
    shipping_discount = v_pricing.shipping_discount, total = v_pricing.total, promotion_id = v_pricing.promotion_id,
    coupon_code = CASE WHEN v_pricing.promotion_id = o.promotion_id THEN o.coupon_code END,
    billing_address_id = v_order.billing_address_id, notes = coalesce(p_notes, o.notes)
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
  PERFORM ordering.record(p_merchant_id, p_order_id, 'MODIFIED', p_amount => v_pricing.total);
  PERFORM ordering.confirm_if_free(p_merchant_id, p_order_id, p_pay);
  RETURN jsonb_build_object('outcome', 'modified', 'orderId', p_order_id);
END
$$;

-- A cart's coupon: the promotion, and its code as the customer typed it. When the promotion is deleted the cart has none;
-- when it merely can't be used (any more), the cart keeps it without a discount and checking out tells why.
ALTER TABLE cart.cart
  ADD COLUMN promotion_id uuid,
  ADD COLUMN coupon_code citext,
  ADD CONSTRAINT cart_promotion_fkey FOREIGN KEY (merchant_id, promotion_id) REFERENCES promotion.promotion
    ON DELETE SET NULL (promotion_id);
CREATE INDEX cart_promotion ON cart.cart (merchant_id, promotion_id) WHERE promotion_id IS NOT NULL;

-- The promotion that a cart gets now: its coupon's, or one that applies by itself. Without lines: whether its coupon can be used.
CREATE FUNCTION cart.choose_promotion(p_cart cart.cart, p_product_ids uuid[], p_subtotals bigint[], p_shipping bigint)
RETURNS promotion.choice
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_purchase promotion.purchase := ROW(
    p_cart.merchant_id, p_cart.customer_id, p_cart.currency, NULL, p_product_ids, p_subtotals, p_shipping
  );
  v_coupon promotion.promotion;
  v_refusal text;
BEGIN
  IF p_cart.promotion_id IS NOT NULL THEN
    SELECT * INTO v_coupon FROM promotion.promotion p
    WHERE p.merchant_id = p_cart.merchant_id AND p.id = p_cart.promotion_id AND p.code = p_cart.coupon_code;
    v_refusal := promotion.use_refusal(v_coupon, v_purchase);
  END IF;
  RETURN promotion.choose(v_purchase, v_coupon, v_refusal, promotion.automatic(p_cart.merchant_id));
END
$$;

-- Why a cart's coupon can't be used now, as applying one asks; NULL: it can.
CREATE FUNCTION cart.coupon_refusal(p_cart cart.cart) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT (cart.choose_promotion(p_cart, array_agg(l.product_id), array_agg(l.subtotal), 0::bigint)).own_refusal
  FROM cart.priced_cart_item l WHERE l.merchant_id = p_cart.merchant_id AND l.cart_id = p_cart.id
$$;

-- Applies a coupon to a cart, in the place of another one. It can be one for lines or a sum that an empty cart doesn't have
-- yet. What lock_open_cart answers, or {outcome: 'changed', cartId} | {outcome: 'invalid', refusals}
CREATE FUNCTION cart.apply_coupon(
  p_merchant_id uuid,
  p_cart_id uuid,
  p_customer_id uuid,
  p_code text,
  p_lifetime interval
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id);
  v_cart cart.cart;
  v_promotion promotion.promotion;
  v_refusal text;
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  SELECT * INTO v_promotion FROM promotion.promotion p
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
      'outcome', 'invalid', 'refusals', jsonb_build_array(promotion.refusal('code', v_refusal, v_promotion))
    );
  END IF;
  UPDATE cart.cart c
  SET promotion_id = v_promotion.id, coupon_code = v_promotion.code, expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END
$$;

-- Takes a cart's coupon off, if it has one. What lock_open_cart answers, or {outcome: 'changed', cartId}
CREATE FUNCTION cart.remove_coupon(p_merchant_id uuid, p_cart_id uuid, p_customer_id uuid, p_lifetime interval) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_outcome jsonb := cart.lock_open_cart(p_merchant_id, p_cart_id, p_customer_id);
BEGIN
  IF v_outcome IS NOT NULL THEN
    RETURN v_outcome;
  END IF;
  UPDATE cart.cart c SET promotion_id = NULL, coupon_code = NULL, expires_at = now() + p_lifetime
  WHERE c.merchant_id = p_merchant_id AND c.id = p_cart_id;
  RETURN jsonb_build_object('outcome', 'changed', 'cartId', p_cart_id);
END
$$;
