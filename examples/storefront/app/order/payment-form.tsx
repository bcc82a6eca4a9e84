import type { ReactNode } from 'react'
import { useFetcher, useSearchParams } from 'react-router'
import { useLanguage } from '../language/use-language.tsx'
import { Alert } from '../ui/alert.tsx'
import type { Order } from './order.ts'
import type { clientAction } from './order-page.tsx'

/**
 * The cards of the sandbox. In a real shop, this is the place of the processor's form (Stripe's Payment Element, PayPal's buttons): it
 * makes the `paymentMethodId`, so that no card number reaches the page.
 */
const testCards = [
  ['pm_card_visa', 'cardGood'],
  ['pm_card_chargeDeclined', 'cardDeclined'],
  ['pm_card_threeDSecure2Required', 'cardSecure'],
] as const

export function PaymentForm({ order }: { readonly order: Order }): ReactNode {
  const { t, money } = useLanguage()
  const fetcher = useFetcher<typeof clientAction>()
  const [params] = useSearchParams()
  const method = params.get('method') ?? 'CARD'
  return (
    <fetcher.Form method="post" className="form" aria-label={t('payment')}>
      <input type="hidden" name="method" value={method} />
      {method === 'CARD' && (
        <fieldset className="choices">
          <legend>{t('card')}</legend>
          {testCards.map(([id, name], index) => (
            <label key={id}>
              <input type="radio" name="paymentMethodId" value={id} defaultChecked={index === 0} />
              {t(name)}
            </label>
          ))}
          <p className="hint">{t('sandboxNote')}</p>
        </fieldset>
      )}
      <Alert problem={fetcher.data?.ok === false && fetcher.state === 'idle' ? fetcher.data.problem : null} />
      <button className="button" disabled={fetcher.state !== 'idle'}>
        {t('pay', { amount: money(order.total, order.currency) })}
      </button>
    </fetcher.Form>
  )
}
