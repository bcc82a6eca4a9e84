import { ascending, descending } from '../../projection/condition.ts'
import { equals, type Filter, idEquals } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

const newestFirst = {
  sortFields: { CREATED_AT: { column: 'createdAt', type: 'timestamptz' } },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
} as const

const unread: Filter = { condition: (value) => ({ readAt: { _is_null: value('Boolean!') } }) }

const notificationList: ConnectionProjection = {
  projection: 'Notification',
  ...newestFirst,
  filters: { kind: equals('kind', 'String'), unread },
}

const pushList: ConnectionProjection = {
  projection: 'PushDelivery',
  ...newestFirst,
  filters: {
    status: equals('status', 'String'),
    kind: equals('kind', 'String'),
    customerId: idEquals('customerId'),
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
      table: 'notifications',
      projection: 'Notification',
      by: { id: idEquals('id') },
    },
    notifications: { kind: 'connection', table: 'notifications', connection: notificationList },
    notificationDevices: {
      kind: 'list',
      table: 'notificationDevices',
      projection: 'NotificationDevice',
      filters: {},
      orderBy: [descending('createdAt'), descending('id')],
      limit: maxDevices,
    },
    notificationPreferences: {
      kind: 'list',
      table: 'merchantNotificationPreferences',
      projection: 'MerchantNotificationPreference',
      filters: {},
      orderBy: [ascending('kind'), ascending('channel')],
      limit: maxPreferences,
    },
    pushDelivery: {
      kind: 'lookup',
      table: 'pushDeliveries',
      projection: 'PushDelivery',
      by: { id: idEquals('id') },
    },
    pushDeliveries: { kind: 'connection', table: 'pushDeliveries', connection: pushList },
  },
  types: {
    Notification: { type: 'Notification', from: 'Notification' },
    NotificationDevice: { type: 'NotificationDevice', from: 'NotificationDevice' },
    MerchantNotificationPreference: {
      type: 'NotificationPreference',
      from: 'MerchantNotificationPreference',
    },
    CustomerNotificationPreference: {
      type: 'NotificationPreference',
      from: 'CustomerNotificationPreference',
    },
    PushDelivery: { type: 'PushDelivery', from: 'PushDelivery' },
  },
  extensions: {
    Customer: {
      notificationPreferences: {
        kind: 'list',
        relationship: 'notificationPreferences',
        projection: 'CustomerNotificationPreference',
        orderBy: [ascending('kind'), ascending('channel')],
      },
    },
  },
}
