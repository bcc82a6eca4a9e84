-- A source whose id is no column of its table has a trigger of its own.
SELECT events.watch(s)
FROM events.source s
WHERE
  EXISTS (
    SELECT
    FROM pg_attribute a
    WHERE a.attrelid = s.table_name::regclass AND a.attname = s.id_column AND NOT a.attisdropped
  );

-- The lists whose records can be deleted. Orders, payments, refunds, shipments and returns stay; products and variants
-- stay as rows that no list shows.
SELECT events.watch_deletions(t.name, t.type, t.permission)
FROM
  (
    VALUES
      ('analytics.dashboard'::regclass, 'Dashboard', 'analytics:read'),
      ('booking.appointment', 'Appointment', 'booking:read'),
      ('booking.resource', 'Resource', 'booking:read'),
      ('booking.service', 'BookingService', 'booking:read'),
      ('booking.staff_member', 'StaffMember', 'booking:read'),
      ('cart.cart', 'Cart', 'carts:read'),
      ('catalog.category', 'Category', 'products:read'),
      ('catalog.review', 'Review', 'products:read'),
      ('crm.contact', 'Contact', 'customers:read'),
      ('crm.customer', 'Customer', 'customers:read'),
      ('crm.interaction', 'Interaction', 'customers:read'),
      ('crm.segment', 'CustomerSegment', 'customers:read'),
      ('email.campaign', 'EmailCampaign', 'email:read'),
      ('email.delivery', 'EmailDelivery', 'email:read'),
      ('email.template', 'EmailTemplate', 'email:read'),
      ('identity.role', 'Role', 'roles:read'),
      ('inventory.incoming_stock', 'IncomingStock', 'inventory:read'),
      ('inventory.stock_alert', 'StockAlert', 'customers:read'),
      ('inventory.transfer', 'Transfer', 'inventory:read'),
      ('inventory.warehouse', 'Warehouse', 'inventory:read'),
      ('ordering.draft_order', 'DraftOrder', 'orders:read'),
      ('promotion.campaign', 'PromotionCampaign', 'promotions:read'),
      ('promotion.promotion', 'Promotion', 'promotions:read'),
      ('search.article', 'Article', 'articles:read')
  ) AS t (name, type, permission);
