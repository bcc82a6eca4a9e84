-- Writes the orders of a batch that have these ids, with their addresses and lines.
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
