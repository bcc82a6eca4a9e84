import type { ReactNode } from 'react'
import { Link, Redirect } from 'wouter'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { AccessTab } from './access-tab.tsx'
import { AuditTab } from './audit-tab.tsx'
import { KeysTab } from './keys-tab.tsx'
import { OwnAccountTab } from './own-account-tab.tsx'
import { PaymentsTab } from './payments-tab.tsx'
import { PlanTab } from './plan-tab.tsx'
import { RolesTab } from './roles-tab.tsx'
import { SenderTab } from './sender-tab.tsx'
import { allowedTabs, type SettingsTabId } from './settings-tabs.ts'
import { ShippingTab } from './shipping-tab.tsx'
import { ShopTab } from './shop-tab.tsx'
import { UsersTab } from './users-tab.tsx'
import { WebhooksTab } from './webhooks-tab.tsx'

const contents: Readonly<Record<SettingsTabId, ReactNode>> = {
  shop: <ShopTab />,
  shipping: <ShippingTab />,
  payments: <PaymentsTab />,
  sender: <SenderTab />,
  users: <UsersTab />,
  roles: <RolesTab />,
  keys: <KeysTab />,
  webhooks: <WebhooksTab />,
  access: <AccessTab />,
  audit: <AuditTab />,
  plan: <PlanTab />,
  account: <OwnAccountTab />,
}

/** @param tab undefined: the first one that the person's roles allow */
export default function SettingsPage({ tab }: { readonly tab: string | undefined }): ReactNode {
  const t = useText()
  const shown = allowedTabs(useShop().permissions)
  if (tab === undefined) return <Redirect to={`/settings/${shown[0]?.id ?? 'account'}`} replace />
  const current = shown.find(({ id }) => id === tab)
  return (
    <Page title={t('settings')}>
      <nav className="tabs" aria-label={t('settings')}>
        {shown.map(({ id, name }) => (
          <Link
            key={id}
            href={`/settings/${id}`}
            className="tab"
            aria-current={id === tab ? 'page' : undefined}
          >
            {t(name)}
          </Link>
        ))}
      </nav>
      {current === undefined ? (
        <Empty icon="key" title={t('forbiddenTitle')} text={t('forbiddenText')} />
      ) : (
        contents[current.id]
      )}
    </Page>
  )
}
