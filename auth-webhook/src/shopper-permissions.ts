/**
 * The permissions of a shopper's token. The row filters of role `customer` in metadata/ limit each of them to the
 * shopper's own rows, and products to published ones.
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
  'exports:read',
  'exports:write',
] as const
