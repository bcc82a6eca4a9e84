-- Writes orders whose units are held, with all that belongs to an order from its start, and with what triggers would
-- write for orders and lines that come in another way.
CREATE FUNCTION ordering.write_orders(p_merchant_id uuid, p_placements ordering.placement[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_numbers bigint := ordering.take_order_numbers(p_merchant_id, cardinality(p_placements));
  v_cart_ids uuid[] := ARRAY(
    SELECT (p.request ->> 'cartId')::uuid FROM unnest(p_placements) p WHERE p.request ->> 'cartId' IS NOT NULL
  );
BEGIN
  PERFORM set_config('ordering.placing', (SELECT string_agg(p.order_id::text, ' ') FROM unnest(p_placements) p), TRUE);
  WITH
    placed AS MATERIALIZED (
      SELECT
        p.*,
        platform.uuid_v7() AS shipping_address_id,
        CASE
          WHEN p.request ->> 'billingAddress' IS NOT NULL THEN platform.uuid_v7()
        END AS billing_address_id
      FROM unnest(p_placements) WITH ORDINALITY AS p
    ),
    line AS MATERIALIZED (
      SELECT
        p.order_id,
        l.*,
        (p.pricing).line_discounts[l.ordinality] AS discount,
        (p.pricing).line_taxes[l.ordinality] AS tax
      FROM
        placed p
        CROSS JOIN LATERAL unnest(p.lines) WITH ORDINALITY AS l
    ),
    orders AS (
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
      SELECT
        p_merchant_id,
        p.order_id,
        ordering.order_number(v_numbers + p.ordinality),
        (p.request ->> 'customerId')::uuid,
        p.currency,
        (p.pricing).subtotal,
        (p.pricing).tax,
        p.shipping,
        (p.pricing).discount,
        (p.pricing).shipping_discount,
        (p.pricing).total,
        p.shipping_address_id,
        p.billing_address_id,
        (p.request ->> 'shippingMethodId')::uuid,
        (p.pricing).promotion_id,
        p.coupon_code,
        (p.request ->> 'cartId')::uuid,
        p.request ->> 'notes',
        p.request -> 'kept' ->> 'externalId',
        coalesce(nullif(p.request -> 'kept' -> 'metadata', 'null'), '{}'),
        coalesce(nullif(p.request -> 'kept' -> 'privateMetadata', 'null'), '{}')
      FROM placed p
      ORDER BY p.ordinality
    ),
    addresses AS (
      INSERT INTO ordering.order_address
        (merchant_id, id, order_id, line1, line2, city, state, postal_code, country, phone, recipient_name, company)
      SELECT
        p_merchant_id,
        a.id,
        p.order_id,
        a.address ->> 'line1',
        a.address ->> 'line2',
        a.address ->> 'city',
        a.address ->> 'state',
        a.address ->> 'postalCode',
        a.address ->> 'country',
        a.address ->> 'phone',
        a.address ->> 'recipientName',
        a.address ->> 'company'
      FROM
        placed p
        CROSS JOIN LATERAL (
          VALUES
            (p.shipping_address_id, p.request -> 'shippingAddress'),
            (p.billing_address_id, p.request -> 'billingAddress')
        ) AS a (id, address)
      WHERE a.id IS NOT NULL
    ),
    items AS (
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
        l.order_id,
        l.position,
        l.product_id,
        l.variant_id,
        l.quantity,
        l.price,
        l.price * l.quantity,
        l.discount,
        l.tax,
        l.sku,
        l.name,
        l.image,
        l.properties,
        l.line_key,
        l.kept ->> 'externalId',
        coalesce(l.kept -> 'metadata', '{}'),
        coalesce(l.kept -> 'privateMetadata', '{}')
      FROM line l
    ),
    fulfillments AS (
      INSERT INTO ordering.fulfillment (merchant_id, order_id) SELECT p_merchant_id, p.order_id FROM placed p
    ),
    links AS (
      INSERT INTO ordering.product_order (merchant_id, product_id, order_id, created_at)
      SELECT DISTINCT p_merchant_id, l.product_id, l.order_id, now()
      FROM line l
    )
  INSERT INTO ordering.history_entry (merchant_id, order_id, type, to_status, amount, actor, actor_id, created_at)
  SELECT p_merchant_id, p.order_id, 'PLACED', 'PENDING', (p.pricing).total, a.kind, a.id, now()
  FROM
    placed p
    CROSS JOIN LATERAL platform.actor_of(p.request -> 'session') a
  ORDER BY p.ordinality;
  PERFORM set_config('ordering.placing', '', TRUE);
  IF v_cart_ids <> '{}' THEN
    UPDATE cart.cart c
    SET checked_out_at = now()
    WHERE c.merchant_id = p_merchant_id AND c.id = ANY (v_cart_ids);
  END IF;
END;
$$;
