import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { AccessTab } from './access-tab.tsx'
import { AuditTab } from './audit-tab.tsx'
import { KeysTab } from './keys-tab.tsx'
import { OwnAccountTab } from './own-account-tab.tsx'
import { PaymentAccountsTab } from './payment-accounts-tab.tsx'
import { PlanTab } from './plan-tab.tsx'
import { RolesTab } from './roles-tab.tsx'
import { SenderTab } from './sender-tab.tsx'
import { ShippingTab } from './shipping-tab.tsx'
import { ShopTab } from './shop-tab.tsx'
import { UsersTab } from './users-tab.tsx'
import { WebhooksTab } from './webhooks-tab.tsx'

interface Tab {
  readonly id: string
  readonly name: MessageName
  /** Null: everybody who is signed in. */
  readonly permission: string | null
  readonly show: () => ReactNode
}

const tabs: readonly Tab[] = [
  { id: 'shop', name: 'theShop', permission: 'merchant:read', show: () => <ShopTab /> },
  { id: 'shipping', name: 'shipping', permission: 'merchant:read', show: () => <ShippingTab /> },
  {
    id: 'payments',
    name: 'paymentAccounts',
    permission: 'merchant:read',
    show: () => <PaymentAccountsTab />,
  },
  { id: 'sender', name: 'emailSender', permission: 'merchant:read', show: () => <SenderTab /> },
  { id: 'users', name: 'users', permission: 'users:read', show: () => <UsersTab /> },
  { id: 'roles', name: 'roles', permission: 'roles:read', show: () => <RolesTab /> },
  { id: 'keys', name: 'apiKeys', permission: 'api_keys:read', show: () => <KeysTab /> },
  { id: 'webhooks', name: 'webhooks', permission: 'webhooks:read', show: () => <WebhooksTab /> },
  { id: 'access', name: 'access', permission: 'api_keys:read', show: () => <AccessTab /> },
  { id: 'audit', name: 'auditLog', permission: 'audit:read', show: () => <AuditTab /> },
  { id: 'plan', name: 'plan', permission: 'merchant:read', show: () => <PlanTab /> },
  { id: 'account', name: 'ownAccount', permission: null, show: () => <OwnAccountTab /> },
]

export default function SettingsPage({ tab }: { readonly tab: string }): ReactNode {
  const t = useText()
  const { permissions } = useShop()
  const shown = tabs.filter(({ permission }) => permission === null || permissions.has(permission))
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
