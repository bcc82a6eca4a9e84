import type { MerchantId } from '@commerce-graph/contract/ids'
import { paymentFailed } from '../action/answer.ts'
import {
  type BalanceMethod,
  balanceProcessor,
  manualProcessor,
  type OfflineMethod,
  type PaymentMethod,
} from '../processors/index.ts'
import type { PaymentOptions } from './payment-options.ts'

/** The methods without a processor: the money comes outside of the platform. */
export const isOffline = (method: PaymentMethod): method is OfflineMethod =>
  offlineMethods.has(method as OfflineMethod)

const offlineMethods: ReadonlySet<OfflineMethod> = new Set([
  'CASH',
  'BANK_TRANSFER',
  'INVOICE',
  'CASH_ON_DELIVERY',
])

/** The methods that are paid from a balance in the database. */
export const isBalance = (method: PaymentMethod): method is BalanceMethod => method === 'LOYALTY_POINTS'

/** Cards, in a wallet or not. */
export const isCard = (method: PaymentMethod): boolean =>
  method === 'CARD' || method === 'APPLE_PAY' || method === 'GOOGLE_PAY'

export const unsupported = () =>
  paymentFailed('method unsupported', { field: 'method', code: 'method_unsupported' })

/** The processor and account of a payment. */
export interface Route {
  readonly processor: string
  /** The merchant's own account; null: the operator's, or none. */
  readonly accountId: string | null
}

/** The route of a new payment; null: the merchant doesn't take the method. */
export async function routeOf(
  options: PaymentOptions,
  merchantId: MerchantId,
  method: PaymentMethod,
): Promise<Route | null> {
  switch (method) {
    case 'PAYPAL':
      return paypalRoute(options, merchantId)
    case 'CARD':
    case 'APPLE_PAY':
    case 'GOOGLE_PAY':
    case 'SEPA_DEBIT':
      return stripeRoute(options, merchantId)
    case 'CASH':
    case 'BANK_TRANSFER':
    case 'INVOICE':
    case 'CASH_ON_DELIVERY':
      return { processor: manualProcessor.name, accountId: null }
    case 'LOYALTY_POINTS':
      return { processor: balanceProcessor.name, accountId: null }
    case 'EXTERNAL':
      return null
    default:
      return method satisfies never
  }
}

/** The merchant's account at PayPal, or else PayPal through Stripe: with the operator's account only for who never had one. */
async function paypalRoute(options: PaymentOptions, merchantId: MerchantId): Promise<Route | null> {
  const own = await options.accounts.activeAt(merchantId, 'PAYPAL')
  if (own.kind === 'active') return { processor: own.processor.name, accountId: own.accountId }
  const route = await stripeRoute(options, merchantId)
  return own.kind === 'disabled' && route?.accountId === null ? null : route
}

async function stripeRoute(
  { accounts, cardProcessor }: PaymentOptions,
  merchantId: MerchantId,
): Promise<Route | null> {
  const own = await accounts.activeAt(merchantId, 'STRIPE')
  switch (own.kind) {
    case 'active':
      return { processor: own.processor.name, accountId: own.accountId }
    case 'disabled':
      return null
    case 'none':
      return cardProcessor === null ? null : { processor: cardProcessor.name, accountId: null }
    default:
      return own satisfies never
  }
}
