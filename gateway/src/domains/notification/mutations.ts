import type { MutationDefinition } from '../../mutation/definition.ts'
import { byId, deletion, remove, table } from '../../mutation/rows.ts'

const deviceTable = table('notification_device')

export const notificationMutations: Readonly<Record<string, MutationDefinition>> = {
  deleteNotificationDevice: deletion('Device', (id) => remove(deviceTable, byId(id))),
}
