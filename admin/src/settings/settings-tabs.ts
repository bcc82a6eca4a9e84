import type { MessageName } from '../language/catalogue.ts'

interface SettingsTab {
  readonly id: string
  readonly name: MessageName
  /** What the tab's queries need, all of it. The API refuses a whole query if the caller may not read a part of it. */
  readonly permissions: readonly string[]
}

/** The tabs of the settings, in the order in which they are shown. */
export const settingsTabs = [
  { id: 'shop', name: 'theShop', permissions: ['merchant:read'] },
  { id: 'shipping', name: 'shipping', permissions: ['merchant:read'] },
  { id: 'payments', name: 'payments', permissions: ['merchant:read'] },
  { id: 'sender', name: 'emailSender', permissions: ['merchant:read'] },
  { id: 'users', name: 'users', permissions: ['users:read', 'roles:read'] },
  { id: 'roles', name: 'roles', permissions: ['roles:read'] },
  { id: 'keys', name: 'apiKeys', permissions: ['merchant:read', 'api_keys:read'] },
  { id: 'webhooks', name: 'webhooks', permissions: ['webhooks:read'] },
  { id: 'access', name: 'access', permissions: ['merchant:read', 'api_keys:read'] },
  { id: 'audit', name: 'auditLog', permissions: ['audit:read'] },
  { id: 'plan', name: 'plan', permissions: ['merchant:read'] },
  { id: 'account', name: 'ownAccount', permissions: [] },
] as const satisfies readonly SettingsTab[]

export type SettingsTabId = (typeof settingsTabs)[number]['id']

/** The tabs that these permissions open. The last one, one's own account, is open to everybody. */
export const allowedTabs = (held: ReadonlySet<string>) =>
  settingsTabs.filter(({ permissions }) => permissions.every((name) => held.has(name)))

/** Whether these permissions open more than one's own account, which has a place of its own in the person's menu. */
export const opensSettings = (held: ReadonlySet<string>): boolean => allowedTabs(held).length > 1
