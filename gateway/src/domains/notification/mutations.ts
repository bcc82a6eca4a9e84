import { action, type MutationDefinition } from '../../mutation/definition.ts'
import { byId, deletion, remove, table } from '../../mutation/rows.ts'

const deviceTable = table('NotificationDevice', 'notificationDevices')

export const notificationMutations: Readonly<Record<string, MutationDefinition>> = {
  markNotificationRead: action({ record: { relationship: 'notification', projection: 'Notification' } }),
  markAllNotificationsRead: action({ fromResult: ['count'] }),
  registerNotificationDevice: action({
    record: { relationship: 'device', projection: 'NotificationDevice' },
  }),
  deleteNotificationDevice: deletion('Device', (id) => remove(deviceTable, byId(id))),
  setNotificationPreference: action({ fromResult: ['preference'] }),
}
