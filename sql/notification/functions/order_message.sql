-- type notification.message = {customerId: uuid | null, recipient: text, recipientName: text | null, facts: object}
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
          ordering.paid_amount(o.merchant_id, o.id)
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
