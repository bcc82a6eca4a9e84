import { ascending, descending } from '../../projection/condition.ts'
import { equals, type Filter, idEquals, statusFilters } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const newestFirst = {
  sortFields: { CREATED_AT: { column: 'created_at', type: 'timestamptz' }, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
} as const

const unread: Filter = { condition: (value) => ({ read_at: { _is_null: value('Boolean!') } }) }

const notificationList: ConnectionProjection = {
  projection: 'Notification',
  ...newestFirst,
  filters: { kind: equals('kind', 'String'), unread, ...updatedAtFilters },
}

const pushList: ConnectionProjection = {
  projection: 'PushDelivery',
  ...newestFirst,
  filters: {
    ...statusFilters(),
    kind: equals('kind', 'String'),
    customerId: idEquals('customer_id'),
    ...updatedAtFilters,
  },
}

/** As docs and SDL say. */
const maxDevices = 100
/** More than there are kinds and channels. */
const maxPreferences = 100

export const notifications: DomainProjection = {
  queries: {
    notification: {
      kind: 'lookup',
      projection: 'Notification',
      by: { id: idEquals('id') },
    },
    notifications: { kind: 'connection', connection: notificationList },
    notificationDevices: {
      kind: 'list',
      projection: 'NotificationDevice',
      filters: {},
      orderBy: [descending('created_at'), descending('id')],
      limit: maxDevices,
    },
    notificationPreferences: {
      kind: 'list',
      projection: 'MerchantNotificationPreference',
      filters: {},
      orderBy: [ascending('kind'), ascending('channel')],
      limit: maxPreferences,
    },
    pushDelivery: {
      kind: 'lookup',
      projection: 'PushDelivery',
      by: { id: idEquals('id') },
    },
    pushDeliveries: { kind: 'connection', connection: pushList },
  },
  types: {
    Notification: { type: 'Notification', table: 'notification_notification' },
    NotificationDevice: { type: 'NotificationDevice', table: 'notification_device' },
    MerchantNotificationPreference: {
      type: 'NotificationPreference',
      table: 'notification_merchant_preference',
    },
    CustomerNotificationPreference: {
      type: 'NotificationPreference',
      table: 'notification_customer_preference',
    },
    PushDelivery: { type: 'PushDelivery', table: 'notification_push_delivery' },
  },
  extensions: {
    Customer: {
      notificationPreferences: {
        kind: 'list',
        relationship: 'notification_preferences',
        projection: 'CustomerNotificationPreference',
        orderBy: [ascending('kind'), ascending('channel')],
      },
    },
  },
}
