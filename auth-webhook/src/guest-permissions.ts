/**
 * The permissions of a publishable key. The role `guest` in metadata/ limits each of them to what the shop
 * publishes, and to the cart whose secret the request has.
 */
export const guestPermissions = [
  'products:read',
  'articles:read',
  'carts:read',
  'carts:write',
  'customer_sessions:write',
] as const
