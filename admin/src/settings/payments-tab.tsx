import type { ReactNode } from 'react'
import { PaymentAccountsCard } from './payment-accounts-card.tsx'
import { PaymentOptionsCard } from './payment-options-card.tsx'

/** How shoppers pay, and where the money goes. */
export const PaymentsTab = (): ReactNode => (
  <div className="stack">
    <PaymentOptionsCard />
    <PaymentAccountsCard />
  </div>
)
