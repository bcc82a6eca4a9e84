-- Draft orders: what staff puts together for a customer before it is an order. A draft holds no stock and fixes no price; it
-- shows what it would cost now, by the code that orders are priced by, and completing it places an order like any other.

CREATE TABLE ordering.draft_order (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
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
  phone text,
  notes text,
  tags text[] NOT NULL DEFAULT '{}',
  -- Set once: a draft becomes an order at most once.
  order_id uuid,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '30 days',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT draft_order_order_key UNIQUE (merchant_id, order_id),
  CONSTRAINT draft_order_customer_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE SET NULL (customer_id),
  CONSTRAINT draft_order_shipping_method_fkey FOREIGN KEY (merchant_id, shipping_method_id) REFERENCES merchant.shipping_method
    ON DELETE SET NULL (shipping_method_id),
  CONSTRAINT draft_order_order_fkey FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
    ON DELETE SET NULL (order_id)
);
CREATE INDEX draft_order_created_at ON ordering.draft_order (merchant_id, created_at, id);
CREATE INDEX draft_order_customer ON ordering.draft_order (merchant_id, customer_id, created_at, id);
CREATE INDEX draft_order_shipping_method ON ordering.draft_order (merchant_id, shipping_method_id);
CREATE INDEX draft_order_expiry ON ordering.draft_order (expires_at) WHERE order_id IS NULL;
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON ordering.draft_order
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE ordering.draft_order_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  draft_order_id uuid NOT NULL,
  position integer NOT NULL,
  product_id uuid NOT NULL,
  variant_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT draft_order_item_line_key UNIQUE NULLS NOT DISTINCT (merchant_id, draft_order_id, product_id, variant_id),
  CONSTRAINT draft_order_item_draft_fkey FOREIGN KEY (merchant_id, draft_order_id) REFERENCES ordering.draft_order ON DELETE CASCADE,
  CONSTRAINT draft_order_item_product_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product ON DELETE CASCADE,
  CONSTRAINT draft_order_item_variant_fkey FOREIGN KEY (merchant_id, product_id, variant_id)
    REFERENCES catalog.product_variant (merchant_id, product_id, id) ON DELETE CASCADE
);
CREATE INDEX draft_order_item_product ON ordering.draft_order_item (merchant_id, product_id);

CREATE FUNCTION ordering.draft_lines(p_merchant_id uuid, p_draft_id uuid) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(
    jsonb_agg(
      jsonb_build_object('productId', i.product_id, 'variantId', i.variant_id, 'quantity', i.quantity)
      ORDER BY i.position, i.id
    ),
    '[]'
  )
  FROM ordering.draft_order_item i WHERE i.merchant_id = p_merchant_id AND i.draft_order_id = p_draft_id
$$;

-- What a draft would cost now, as ordering.place_order has it. What can't be sold, and a coupon that can't be used, count for
-- nothing: completing the draft says so. NULL when the sum is more than money can be.
CREATE FUNCTION ordering.quote_draft(p_draft ordering.draft_order) RETURNS ordering.pricing
LANGUAGE plpgsql STABLE
AS $$
DECLARE
  v_lines catalog.sellable_line[];
  v_shipping bigint;
  v_subtotal numeric;
  v_purchase promotion.purchase;
  v_coupon promotion.promotion;
  v_refusal text;
BEGIN
  SELECT coalesce(array_agg(l ORDER BY l.position), '{}') INTO v_lines
  FROM catalog.sellable_lines(p_draft.merchant_id, ordering.draft_lines(p_draft.merchant_id, p_draft.id), NULL) l
  WHERE l.refusal IS NULL;
  SELECT coalesce(max(m.price), 0) INTO v_shipping FROM merchant.shipping_method m
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
  SELECT * INTO v_coupon FROM promotion.promotion p
  WHERE p.merchant_id = p_draft.merchant_id AND p.code = p_draft.coupon_code;
  v_refusal := promotion.use_refusal(v_coupon, v_purchase);
  RETURN ordering.price(
    v_purchase, promotion.choose(v_purchase, v_coupon, v_refusal, promotion.automatic(p_draft.merchant_id))
  );
END
$$;

-- Where a draft stands, and its sums: those of its order, once it has become one.
CREATE VIEW ordering.draft_order_total AS
SELECT
  d.merchant_id,
  d.id AS draft_order_id,
  CASE WHEN d.order_id IS NOT NULL THEN 'COMPLETED' WHEN d.expires_at <= now() THEN 'EXPIRED' ELSE 'OPEN' END AS status,
  coalesce(o.subtotal, q.subtotal) AS subtotal,
  coalesce(o.tax, q.tax) AS tax,
  coalesce(o.shipping, q.total - q.subtotal - q.tax + q.discount) AS shipping,
  CASE WHEN o.id IS NULL THEN q.promotion_id ELSE o.promotion_id END AS promotion_id,
  CASE WHEN o.id IS NULL THEN q.promotion_name ELSE o.promotion_name END AS promotion_name,
  coalesce(o.discount, q.discount) AS discount,
  coalesce(o.total, q.total) AS total
FROM ordering.draft_order d
LEFT JOIN ordering.order o ON o.merchant_id = d.merchant_id AND o.id = d.order_id
LEFT JOIN LATERAL ordering.quote_draft(d) q ON d.order_id IS NULL;

-- Makes a draft (p_draft_id NULL) or changes one. p_input: {customerId, items, shippingAddress, shippingMethodId, couponCode,
-- notes, tags, expiresAt}; what is NULL stays as it is.
-- {outcome: 'saved', draftOrderId} | {outcome: 'unknown_draft'} | {outcome: 'draft_refused', status} |
-- {outcome: 'invalid', refusals}
CREATE FUNCTION ordering.save_draft(p_merchant_id uuid, p_draft_id uuid, p_input jsonb) RETURNS jsonb
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
    SELECT * INTO v_draft FROM ordering.draft_order d WHERE d.merchant_id = p_merchant_id AND d.id = p_draft_id FOR UPDATE;
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'unknown_draft');
    END IF;
  END IF;
  SELECT coalesce(array_agg(l ORDER BY l.position), '{}') INTO v_lines
  FROM catalog.sellable_lines(p_merchant_id, coalesce(v_items, '[]'), NULL) l;
  v_refusals := catalog.line_refusals(v_lines, 'items');
  IF NOT EXISTS (
    SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = (p_input ->> 'customerId')::uuid
  ) AND p_input ->> 'customerId' IS NOT NULL THEN
    v_refusals := v_refusals || jsonb_build_object('field', 'customerId', 'reason', 'unknown_customer');
  END IF;
  IF NOT EXISTS (
    SELECT FROM merchant.shipping_method m
    WHERE m.merchant_id = p_merchant_id AND m.id = (p_input ->> 'shippingMethodId')::uuid AND m.active
  ) AND p_input ->> 'shippingMethodId' IS NOT NULL THEN
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
    line1 = CASE WHEN v_address IS NULL THEN d.line1 ELSE v_address ->> 'line1' END,
    line2 = CASE WHEN v_address IS NULL THEN d.line2 ELSE v_address ->> 'line2' END,
    city = CASE WHEN v_address IS NULL THEN d.city ELSE v_address ->> 'city' END,
    state = CASE WHEN v_address IS NULL THEN d.state ELSE v_address ->> 'state' END,
    postal_code = CASE WHEN v_address IS NULL THEN d.postal_code ELSE v_address ->> 'postalCode' END,
    country = CASE WHEN v_address IS NULL THEN d.country ELSE v_address ->> 'country' END,
    phone = CASE WHEN v_address IS NULL THEN d.phone ELSE v_address ->> 'phone' END
  WHERE d.merchant_id = p_merchant_id AND d.id = v_draft.id;
  IF v_items IS NOT NULL THEN
    DELETE FROM ordering.draft_order_item i WHERE i.merchant_id = p_merchant_id AND i.draft_order_id = v_draft.id;
    INSERT INTO ordering.draft_order_item (merchant_id, draft_order_id, position, product_id, variant_id, quantity)
    SELECT p_merchant_id, v_draft.id, l.position, l.product_id, l.variant_id, l.quantity FROM unnest(v_lines) l;
  END IF;
  RETURN jsonb_build_object('outcome', 'saved', 'draftOrderId', v_draft.id);
END
$$;

-- Turns a draft into an order, once: asked again it answers with the same order.
-- What ordering.place_order answers, or {outcome: 'unknown_draft'} | {outcome: 'draft_refused', status}
CREATE FUNCTION ordering.complete_draft(p_merchant_id uuid, p_draft_id uuid, p_pay jsonb) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_draft ordering.draft_order;
  v_lines jsonb;
  v_refusals jsonb;
  v_outcome jsonb;
BEGIN
  SELECT * INTO v_draft FROM ordering.draft_order d WHERE d.merchant_id = p_merchant_id AND d.id = p_draft_id FOR UPDATE;
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
  SELECT jsonb_agg(jsonb_build_object('field', x.field, 'reason', 'missing')) INTO v_refusals
  FROM (VALUES
    ('customerId', v_draft.customer_id IS NULL), ('shippingAddress', v_draft.line1 IS NULL), ('items', v_lines = '[]')
  ) AS x(field, missing)
  WHERE x.missing;
  IF v_refusals IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_outcome := ordering.place_order(
    p_merchant_id, v_draft.customer_id, v_lines, NULL,
    jsonb_build_object(
      'line1', v_draft.line1, 'line2', v_draft.line2, 'city', v_draft.city, 'state', v_draft.state,
      'postalCode', v_draft.postal_code, 'country', v_draft.country, 'phone', v_draft.phone
    ),
    NULL, v_draft.shipping_method_id, NULL, v_draft.coupon_code::text, v_draft.notes, NULL, false, p_pay
  );
  IF v_outcome ->> 'outcome' = 'placed' THEN
    UPDATE ordering.draft_order d SET order_id = (v_outcome ->> 'orderId')::uuid
    WHERE d.merchant_id = p_merchant_id AND d.id = p_draft_id;
    UPDATE ordering.order o SET tags = v_draft.tags
    WHERE o.merchant_id = p_merchant_id AND o.id = (v_outcome ->> 'orderId')::uuid AND v_draft.tags <> '{}';
  END IF;
  RETURN v_outcome;
END
$$;

-- Deletes drafts that nobody completed for a month after they expired. Returns how many; fewer than p_limit means that it is
-- done.
CREATE FUNCTION ordering.purge_expired_drafts(p_limit integer) RETURNS integer
LANGUAGE sql VOLATILE
AS $$
  WITH gone AS (
    DELETE FROM ordering.draft_order d
    WHERE (d.merchant_id, d.id) IN (
      SELECT x.merchant_id, x.id FROM ordering.draft_order x
      WHERE x.order_id IS NULL AND x.expires_at <= now() - interval '30 days'
      ORDER BY x.expires_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
    RETURNING 1
  )
  SELECT count(*)::integer FROM gone
$$;
