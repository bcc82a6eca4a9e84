import { z } from 'zod'
import {
  authenticated,
  authenticationFailed,
  cancelled,
  captured,
  confirm,
  disputeOf,
  newIntent,
  refunded,
} from './payment-intent.ts'
import { stripeId } from './stripe-id.ts'
import { invalidForm, listOf } from './forms.ts'
import type { PaymentIntent } from './stripe-objects.ts'
import { invalidAmount } from './invalid-amount.ts'
import { failed, invalidParameter, missingResource, ok, type StripeAnswer } from './stripe-error.ts'
import type { Ledger } from './store.ts'
import { disputedMethods, testMethodOf } from './test-payment-methods.ts'
import { idToCharge, keepMethodOf, refusalOfSaved } from './vault/vault-operations.ts'

/** Stripe's forms carry everything as text. */
const amount = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .refine((value) => value > 0 && Number.isSafeInteger(value))
const flag = z.enum(['true', 'false']).transform((value) => value === 'true')

const createParameters = z.object({
  amount,
  currency: z.string().regex(/^[a-z]{3}$/),
  confirm: flag.default(false),
  capture_method: z.enum(['automatic', 'manual']).default('automatic'),
  payment_method: z.string().optional(),
  payment_method_data: z.object({ type: z.literal('paypal') }).optional(),
  payment_method_options: z
    .object({
      card: z.object({ request_multicapture: z.enum(['if_available', 'never']).optional() }).optional(),
    })
    .default({}),
  customer: z.string().optional(),
  setup_future_usage: z.enum(['off_session', 'on_session']).optional(),
  return_url: z.string().optional(),
  metadata: z.record(z.string(), z.string()).default({}),
})

const confirmParameters = z.object({
  payment_method: z.string().optional(),
  return_url: z.string().optional(),
})

const captureParameters = z.object({
  amount_to_capture: z.union([z.literal('0').transform(Number), amount]).optional(),
  final_capture: flag.default(true),
})
const searchParameters = z.object({ query: z.string().regex(/^metadata\['(\w+)'\]:'([^']*)'$/) })
const refundParameters = z.object({
  payment_intent: z.string(),
  amount: amount.optional(),
  metadata: z.record(z.string(), z.string()).default({}),
})

const listParameters = z.object({
  payment_intent: z.string(),
  limit: z.coerce.number().int().min(1).max(100).default(10),
})

/** Where a customer authenticates an intent. */
export type AuthenticationUrl = (intent: PaymentIntent) => string

export async function createIntent(
  ledger: Ledger,
  form: unknown,
  urlOf: AuthenticationUrl,
): Promise<StripeAnswer> {
  const parameters = createParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const refused = invalidAmount({ param: 'amount', ...parameters.data })
  if (refused !== null) return refused
  const intent = newIntent(parameters.data)
  const { confirm, payment_method: given, payment_method_data: data } = parameters.data
  const confirmation = { ...parameters.data, payment_method: given ?? (data && `pm_${data.type}`) }
  if (confirm) return confirmWith(ledger, intent, confirmation, urlOf)
  await ledger.saveIntent(intent)
  return ok(intent)
}

export async function confirmIntent(
  ledger: Ledger,
  id: string,
  form: unknown,
  urlOf: AuthenticationUrl,
): Promise<StripeAnswer> {
  const parameters = confirmParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  return withIntent(ledger, id, (intent) =>
    intent.status === 'requires_payment_method'
      ? confirmWith(ledger, intent, parameters.data, urlOf)
      : unexpectedState(intent, 'confirm'),
  )
}

export const retrieveIntent = (ledger: Ledger, id: string): Promise<StripeAnswer> =>
  withIntent(ledger, id, (intent) => Promise.resolve(ok(intent)))

const intentListParameters = z.object({ limit: z.coerce.number().int().min(1).max(100).default(10) })

export async function listIntents(ledger: Ledger, form: unknown): Promise<StripeAnswer> {
  const parameters = intentListParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const { limit } = parameters.data
  return ok(listOf('/v1/payment_intents', await ledger.listIntents(limit + 1), limit))
}

export const cancelIntent = (ledger: Ledger, id: string): Promise<StripeAnswer> =>
  withIntent(ledger, id, (intent) =>
    intent.status !== 'succeeded' && intent.status !== 'canceled'
      ? saved(ledger, cancelled(intent))
      : unexpectedState(intent, 'cancel'),
  )

export async function captureIntent(ledger: Ledger, id: string, form: unknown): Promise<StripeAnswer> {
  const parameters = captureParameters.safeParse(form ?? {})
  if (!parameters.success) return invalidForm(parameters.error)
  return withIntent(ledger, id, async (intent) => {
    const charge = intent.latest_charge
    if (intent.status !== 'requires_capture' || charge === null) return unexpectedState(intent, 'capture')
    const { amount_to_capture: amount = intent.amount_capturable, final_capture: final } = parameters.data
    if (amount > intent.amount_capturable)
      return invalidParameter('amount_to_capture', `Only ${intent.amount_capturable} can be captured`)
    if (amount === 0 && (!final || intent.amount_received === 0))
      return invalidParameter('amount_to_capture', 'Nothing is captured only by the last of several captures')
    if (!final && charge.payment_method_details.card?.multicapture?.status !== 'available')
      return invalidParameter('final_capture', 'This PaymentIntent can be captured once only')
    const refused = invalidAmount({ param: 'amount_to_capture', amount, currency: intent.currency })
    return refused ?? saved(ledger, captured(intent, charge, amount, final))
  })
}

/** Of Stripe's query language, what `processors/stripe` asks: one metadata field. */
export async function searchIntents(ledger: Ledger, form: unknown): Promise<StripeAnswer> {
  const parameters = searchParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const [, field = '', value = ''] = /^metadata\['(\w+)'\]:'([^']*)'$/.exec(parameters.data.query) ?? []
  const data = await ledger.findIntentsBy(field, value)
  return ok({ object: 'search_result', data, has_more: false, url: '/v1/payment_intents/search' })
}

/** The customer's choice on the sandbox's page. */
export const authenticate = (
  ledger: Ledger,
  id: string,
  clientSecret: string,
  passed: boolean,
): Promise<StripeAnswer> =>
  withIntent(ledger, id, async (intent) => {
    const method = testMethodOf(intent.payment_method ?? '')
    if (intent.client_secret !== clientSecret || method === undefined) {
      return missingResource(404, 'intent', 'payment_intent', id)
    }
    if (intent.status !== 'requires_action') return unexpectedState(intent, 'authenticate')
    const decided = (passed ? authenticated : authenticationFailed)(intent, method)
    await keepMethodOf(ledger, decided)
    return saved(ledger, decided)
  })

export async function createRefund(ledger: Ledger, form: unknown): Promise<StripeAnswer> {
  const parameters = refundParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  return withIntent(ledger, parameters.data.payment_intent, async (intent) => {
    const charge = intent.latest_charge
    if (charge === null || charge.amount_captured === 0) return unexpectedState(intent, 'refund')
    const left = charge.amount_captured - charge.amount_refunded
    const back = parameters.data.amount ?? left
    if (left === 0) return alreadyRefunded(charge.id)
    if (back > left)
      return invalidParameter('amount', `Refund amount (${back}) is greater than what is left (${left})`)
    const refused = invalidAmount({ param: 'amount', amount: back, currency: intent.currency })
    if (refused !== null) return refused
    await ledger.saveIntent(refunded(intent, charge, back))
    const refund = {
      id: stripeId('re'),
      object: 'refund',
      amount: back,
      charge: charge.id,
      currency: intent.currency,
      payment_intent: intent.id,
      metadata: parameters.data.metadata,
      status: intent.payment_method === 'pm_card_pendingRefund' ? 'pending' : 'succeeded',
      created: Math.floor(Date.now() / 1000),
    } as const
    await ledger.saveRefund(refund)
    return ok(refund)
  })
}

export async function retrieveRefund(ledger: Ledger, id: string): Promise<StripeAnswer> {
  const refund = await ledger.findRefund(id)
  return refund === null ? missingResource(404, 'id', 'refund', id) : ok(refund)
}

export async function listRefunds(ledger: Ledger, form: unknown): Promise<StripeAnswer> {
  const parameters = listParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const { payment_intent: intentId, limit } = parameters.data
  const refunds = await ledger.listRefunds(intentId, limit + 1)
  return ok(listOf('/v1/refunds', refunds, limit))
}

const endpointParameters = z.object({
  url: z.url(),
  enabled_events: z.union([
    z.array(z.string()),
    z.record(z.string(), z.string()).transform(Object.values<string>),
  ]),
})

/** Where the account's events go. The secret that they are signed with is in this answer only, as at Stripe. */
export async function createEndpoint(ledger: Ledger, form: unknown): Promise<StripeAnswer> {
  const parameters = endpointParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const endpoint = {
    id: stripeId('we'),
    object: 'webhook_endpoint',
    ...parameters.data,
    secret: stripeId('whsec'),
    metadata: {},
    status: 'enabled',
    livemode: false,
    created: Math.floor(Date.now() / 1000),
  } as const
  await ledger.saveEndpoint(endpoint)
  return ok(endpoint)
}

export async function listDisputes(ledger: Ledger, form: unknown): Promise<StripeAnswer> {
  const parameters = listParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const { payment_intent: intentId, limit } = parameters.data
  const disputes = await ledger.listDisputes(intentId, limit + 1)
  return ok(listOf('/v1/disputes', disputes, limit))
}

const evidenceParameters = z.object({
  evidence: z.object({ uncategorized_text: z.enum(['winning_evidence', 'losing_evidence']) }),
})

/** Stripe's test evidence decides a dispute at once. */
export async function updateDispute(ledger: Ledger, id: string, form: unknown): Promise<StripeAnswer> {
  const parameters = evidenceParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const won = parameters.data.evidence.uncategorized_text === 'winning_evidence'
  return decideDispute(ledger, id, won ? 'won' : 'lost', parameters.data.evidence.uncategorized_text)
}

/** Accepts a dispute. */
export const closeDispute = (ledger: Ledger, id: string): Promise<StripeAnswer> =>
  decideDispute(ledger, id, 'lost', null)

async function decideDispute(
  ledger: Ledger,
  id: string,
  status: 'won' | 'lost',
  evidence: string | null,
): Promise<StripeAnswer> {
  const dispute = await ledger.findDispute(id)
  if (dispute === null) return missingResource(404, 'dispute', 'dispute', id)
  const decided = {
    ...dispute,
    status,
    evidence: { ...dispute.evidence, uncategorized_text: evidence },
    evidence_details: {
      ...dispute.evidence_details,
      due_by: null,
      has_evidence: evidence !== null,
      submission_count: evidence === null ? 0 : 1,
    },
  }
  await ledger.saveDispute(decided)
  return ok(decided)
}

interface Confirmation {
  readonly payment_method?: string | undefined
  readonly return_url?: string | undefined
}

async function confirmWith(
  ledger: Ledger,
  intent: PaymentIntent,
  { payment_method: methodId, return_url: returnUrl }: Confirmation,
  urlOf: AuthenticationUrl,
): Promise<StripeAnswer> {
  if (methodId === undefined) {
    return invalidParameter(
      'payment_method',
      'You cannot confirm this PaymentIntent without a payment method.',
    )
  }
  const method = testMethodOf(methodId)
  if (method === undefined) return missingResource(400, 'payment_method', 'PaymentMethod', methodId)
  const refusal = await refusalOfSaved(ledger, methodId, intent.customer)
  if (refusal !== null) return refusal
  const confirmed = confirm(intent, idToCharge(methodId, intent), method, returnUrl ?? null, urlOf(intent))
  await keepMethodOf(ledger, confirmed)
  await ledger.saveIntent(confirmed)
  if (confirmed.latest_charge !== null && disputedMethods.has(methodId))
    await ledger.saveDispute(disputeOf(confirmed, confirmed.latest_charge))
  const error = confirmed.last_payment_error
  return error === null ? ok(confirmed) : failed(402, { ...error, payment_intent: confirmed })
}

async function withIntent(
  ledger: Ledger,
  id: string,
  work: (intent: PaymentIntent) => Promise<StripeAnswer>,
): Promise<StripeAnswer> {
  const intent = await ledger.findIntent(id)
  return intent === null ? missingResource(404, 'intent', 'payment_intent', id) : work(intent)
}

async function saved(ledger: Ledger, intent: PaymentIntent): Promise<StripeAnswer> {
  await ledger.saveIntent(intent)
  return ok(intent)
}

const unexpectedState = (intent: PaymentIntent, what: string): Promise<StripeAnswer> =>
  Promise.resolve(
    failed(400, {
      type: 'invalid_request_error',
      code: 'payment_intent_unexpected_state',
      message: `You cannot ${what} this PaymentIntent because it has a status of ${intent.status}.`,
      payment_intent: intent,
    }),
  )

const alreadyRefunded = (chargeId: string): StripeAnswer =>
  failed(400, {
    type: 'invalid_request_error',
    code: 'charge_already_refunded',
    message: `Charge ${chargeId} has already been refunded.`,
  })
