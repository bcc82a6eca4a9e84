import type { PaymentProcessor } from './processor.ts'

/** The credentials with which a merchant connects an account. Each processor reads its own fields. */
export interface AccountCredentials {
  /** The public name of the credentials; null: the processor has none. */
  readonly clientId: string | null
  readonly secretKey: string
  /** Stripe's secret of its webhooks, or PayPal's id of them; null: webhooks are refused. */
  readonly webhookSecret: string | null
}

/** The processor's verdict on credentials. `unanswered`: it can't be reached, so nothing is known. */
export type CredentialsCheck =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unanswered'; readonly message: string }

export type AccountMode = 'LIVE' | 'TEST'

/** Where the processors' APIs are; each at its own address unless said. */
export interface ProcessorEndpoints {
  readonly stripe?: string | undefined
  /** Absent: PayPal's own sandbox. */
  readonly paypal?: string | undefined
  /** The sandbox of a test deployment; null or absent: there is none. */
  readonly sandbox?: string | null | undefined
}

/** A webhook as it came in. */
export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}

/**
 * The subject of a webhook. It is only a hint: the handler asks the processor about the payment, so webhooks can come
 * in any order, late and more than once.
 */
export type WebhookReading =
  | { readonly kind: 'refused'; readonly reason: string }
  /** The processor has to be asked about it, and didn't answer. */
  | { readonly kind: 'unanswered' }
  | {
      readonly kind: 'event'
      readonly id: string
      readonly type: string
      /** The payment at the processor; null: it is about none. */
      readonly intentId: string | null
      /** Our own id of it, where the event has it; ours is sent along with each payment. */
      readonly paymentId: string | null
    }

/** A processor that merchants can have accounts at. Each is a folder here. */
export interface ProcessorKind {
  readonly name: 'STRIPE' | 'PAYPAL'
  /** The credentials' mode. `EITHER`: only the processor knows it. Null: they have not the processor's form. */
  modeOf(credentials: AccountCredentials): AccountMode | 'EITHER' | null
  check(credentials: AccountCredentials, endpoints: ProcessorEndpoints): Promise<CredentialsCheck>
  connect(credentials: AccountCredentials, endpoints: ProcessorEndpoints): PaymentProcessor
  /** Checks that the processor sent it. */
  readWebhook(
    request: WebhookRequest,
    credentials: AccountCredentials,
    endpoints: ProcessorEndpoints,
  ): Promise<WebhookReading>
}
