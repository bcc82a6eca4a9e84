import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { AuditTab } from './audit-tab.tsx'
import { KeysTab } from './keys-tab.tsx'
import { UsersTab } from './users-tab.tsx'
import { WebhooksTab } from './webhooks-tab.tsx'

interface Tab {
  readonly id: string
  readonly name: MessageName
  readonly permission: string
  readonly show: () => ReactNode
}

const tabs: readonly Tab[] = [
  { id: 'users', name: 'users', permission: 'users:read', show: () => <UsersTab /> },
  { id: 'keys', name: 'apiKeys', permission: 'api_keys:read', show: () => <KeysTab /> },
  { id: 'webhooks', name: 'webhooks', permission: 'webhooks:read', show: () => <WebhooksTab /> },
  { id: 'audit', name: 'auditLog', permission: 'audit:read', show: () => <AuditTab /> },
]

export default function SettingsPage({ tab }: { readonly tab: string }): ReactNode {
  const t = useText()
  const { permissions } = useShop()
  const shown = tabs.filter(({ permission }) => permissions.has(permission))
  const current = shown.find(({ id }) => id === tab)
  return (
    <Page title={t('settings')}>
      <nav className="tabs" aria-label={t('settings')}>
        {shown.map(({ id, name }) => (
          <Link
            key={id}
            href={`/settings/${id}`}
            className="tab"
            aria-current={id === current?.id ? 'page' : undefined}
          >
            {t(name)}
          </Link>
        ))}
      </nav>
      {current === undefined ? (
        <Empty icon="key" title={t('forbiddenTitle')} text={t('forbiddenText')} />
      ) : (
        current.show()
      )}
    </Page>
  )
}
