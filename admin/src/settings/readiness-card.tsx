import type { ReactNode } from 'react'
import type { ReadinessCheckName } from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { Card } from '../ui/states.tsx'
import type { Account } from './shop-tab.tsx'

const names = {
  OWNER: 'checkOwner',
  PAYMENT_ACCOUNT: 'checkPaymentAccount',
  PAYMENT_METHOD: 'checkPaymentMethod',
  PAYMENT_WEBHOOK: 'checkPaymentWebhook',
  PRODUCT: 'checkProduct',
  REPLY_ADDRESS: 'checkReplyAddress',
  SENDER: 'checkSender',
  SHIPPING_METHOD: 'checkShippingMethod',
  STOCK: 'checkStock',
  TAX_RATE: 'checkTaxRate',
} as const satisfies Record<ReadinessCheckName, MessageName>

/** What is left to do until the shop can sell; nothing once all is done. */
export function ReadinessCard({ checks }: { readonly checks: Account['readiness'] }): ReactNode {
  const t = useText()
  const left = checks.filter(({ done }) => !done)
  if (left.length === 0) return null
  return (
    <Card title={t('beforeSelling')}>
      <ul className="stack">
        {left.map(({ name, required, missing }) => (
          <li key={name} className="between">
            <span>
              <Icon name={required ? 'circleAlert' : 'info'} size={16} /> {t(names[name])}
              {missing !== null && <span className="small muted"> {missing}</span>}
            </span>
            <span className="small muted">{t(required ? 'needed' : 'recommended')}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
