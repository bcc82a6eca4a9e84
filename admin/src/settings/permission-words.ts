import type { MessageName } from '../language/catalogue.ts'

/** What a permission's name begins with, in words. The names are the API's: `<resource>:<action>`. */
export const resourceNames: Readonly<Record<string, MessageName>> = {
  analytics: 'resourceAnalytics',
  api_keys: 'apiKeys',
  articles: 'resourceArticles',
  audit: 'auditLog',
  billing: 'resourceBilling',
  booking: 'resourceBooking',
  carts: 'resourceCarts',
  customer_sessions: 'resourceCustomerSessions',
  customers: 'customers',
  email: 'resourceEmail',
  events: 'resourceEvents',
  exports: 'resourceExports',
  files: 'resourceFiles',
  imports: 'resourceImports',
  inventory: 'stock',
  merchant: 'resourceMerchant',
  notifications: 'resourceNotifications',
  orders: 'orders',
  payments: 'resourcePayments',
  products: 'products',
  promotions: 'resourcePromotions',
  roles: 'roles',
  user_sessions: 'resourceUserSessions',
  users: 'users',
  webhooks: 'webhooks',
}

export const actions = ['read', 'write'] as const

/** The resources of these permissions, in the order of their names. */
export const resourcesOf = (permissions: Iterable<string>): readonly string[] =>
  [...new Set([...permissions].map((name) => name.split(':')[0] ?? ''))].sort()
