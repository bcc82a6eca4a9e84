/**
 * What a shopper's token may do. The row filters of role `customer` in metadata/ keep each of these to the shopper's
 * own rows, and products to those that the shop shows.
 */
export const shopperPermissions = [
  'products:read',
  'inventory:read',
  'carts:read',
  'carts:write',
  'orders:read',
  'orders:write',
  'payments:read',
  'payments:write',
  'customers:read',
  'customers:write',
  'booking:read',
  'booking:write',
  'notifications:read',
  'notifications:write',
  'articles:read',
] as const
