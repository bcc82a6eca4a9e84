import { z } from 'zod'
import { invalidForm, listOf } from '../forms.ts'
import { authenticationError } from '../payment-intent.ts'
import type { PaymentIntent } from '../stripe-objects.ts'
import { failed, invalidParameter, missingResource, ok, type StripeAnswer } from '../stripe-error.ts'
import type { Ledger } from '../store.ts'
import { savedId, testMethodOf } from '../test-payment-methods.ts'
import {
  confirmSetup,
  newCustomer,
  newMethod,
  newSetup,
  type SetupIntent,
  setUp,
  setupFailed,
} from './vault-objects.ts'

const metadata = z.record(z.string(), z.string()).default({})
const limit = z.coerce.number().int().min(1).max(100).default(10)

const customerParameters = z.object({ metadata, email: z.string().optional() })

const setupParameters = z.object({
  customer: z.string(),
  payment_method: z.string(),
  confirm: z.literal('true'),
  usage: z.enum(['off_session', 'on_session']).default('off_session'),
  return_url: z.string().optional(),
  metadata,
})

const listParameters = z.object({ customer: z.string(), limit })
const attachParameters = z.object({ customer: z.string() })

/** Where a customer authenticates a setup. */
export type SetupUrl = (setup: Pick<SetupIntent, 'id' | 'client_secret'>) => string

export async function createCustomer({ vault }: Ledger, form: unknown): Promise<StripeAnswer> {
  const parameters = customerParameters.safeParse(form ?? {})
  if (!parameters.success) return invalidForm(parameters.error)
  const customer = newCustomer(parameters.data.metadata, parameters.data.email ?? null)
  await vault.saveCustomer(customer)
  return ok(customer)
}

export async function retrieveCustomer({ vault }: Ledger, id: string): Promise<StripeAnswer> {
  const customer = await vault.findCustomer(id)
  return customer === null ? noCustomer(404, id) : ok(customer)
}

export async function deleteCustomer({ vault }: Ledger, id: string): Promise<StripeAnswer> {
  if ((await vault.findCustomer(id)) === null) return noCustomer(404, id)
  await vault.deleteCustomer(id)
  return ok({ id, object: 'customer', deleted: true })
}

export async function createSetup(ledger: Ledger, form: unknown, urlOf: SetupUrl): Promise<StripeAnswer> {
  const parameters = setupParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const { customer, payment_method: methodId, return_url: returnUrl } = parameters.data
  if ((await ledger.vault.findCustomer(customer)) === null) return noCustomer(400, customer)
  const method = testMethodOf(methodId)
  if (method?.card == null) return missingResource(400, 'payment_method', 'PaymentMethod', methodId)
  const setup = newSetup(parameters.data)
  const confirmed = confirmSetup(
    setup,
    newMethod(savedId(methodId), method.card, null),
    method.setup ?? method.behaviour,
    { authenticationUrl: urlOf(setup), returnUrl: returnUrl ?? null },
  )
  await keep(ledger, confirmed)
  const error = confirmed.last_setup_error
  return error === null ? ok(confirmed) : failed(402, { ...error, setup_intent: confirmed })
}

export const retrieveSetup = (ledger: Ledger, id: string): Promise<StripeAnswer> =>
  withSetup(ledger, id, (setup) => Promise.resolve(ok(setup)))

export async function listSetups({ vault }: Ledger, form: unknown): Promise<StripeAnswer> {
  const parameters = listParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const { customer, limit: most } = parameters.data
  return ok(listOf('/v1/setup_intents', await vault.listSetups(customer, most + 1), most))
}

export const cancelSetup = (ledger: Ledger, id: string): Promise<StripeAnswer> =>
  withSetup(ledger, id, async (setup) => {
    if (setup.status === 'succeeded' || setup.status === 'canceled') return unexpectedSetup(setup)
    return kept(ledger, { ...setup, status: 'canceled', next_action: null })
  })

/** The customer's choice on the sandbox's page. */
export const authenticateSetup = (
  ledger: Ledger,
  id: string,
  clientSecret: string,
  passed: boolean,
): Promise<StripeAnswer> =>
  withSetup(ledger, id, async (setup) => {
    if (setup.client_secret !== clientSecret) return missingResource(404, 'intent', 'setup_intent', id)
    if (setup.status !== 'requires_action') return unexpectedSetup(setup)
    return kept(
      ledger,
      passed
        ? setUp(setup)
        : setupFailed(setup, { ...authenticationError, code: 'setup_intent_authentication_failure' }),
    )
  })

export async function retrieveMethod({ vault }: Ledger, id: string): Promise<StripeAnswer> {
  const method = await vault.findMethod(id)
  return method === null ? noMethod(404, id) : ok(method)
}

export async function listMethods({ vault }: Ledger, form: unknown): Promise<StripeAnswer> {
  const parameters = listParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const { customer, limit: most } = parameters.data
  return ok(listOf('/v1/payment_methods', await vault.listMethods(customer, most + 1), most))
}

/** Without authentication, which is why our client uses setup intents. */
export async function attachMethod({ vault }: Ledger, id: string, form: unknown): Promise<StripeAnswer> {
  const parameters = attachParameters.safeParse(form)
  if (!parameters.success) return invalidForm(parameters.error)
  const { customer } = parameters.data
  if ((await vault.findCustomer(customer)) === null) return noCustomer(400, customer)
  const method = testMethodOf(id)
  if (method?.card == null) return noMethod(404, id)
  const attached = newMethod(savedId(id), method.card, customer)
  await vault.saveMethod(attached)
  return ok(attached)
}

export async function detachMethod({ vault }: Ledger, id: string): Promise<StripeAnswer> {
  const method = await vault.findMethod(id)
  if (method === null) return noMethod(404, id)
  if (method.customer === null) {
    const message =
      'The payment method you provided is not attached to a customer so detachment is impossible.'
    return failed(400, { type: 'invalid_request_error', message })
  }
  const detached = { ...method, customer: null }
  await vault.saveMethod(detached)
  return ok(detached)
}

/** Why a payment can't be made with a customer or a method that was saved; null: it can. */
export async function refusalOfSaved(
  { vault }: Ledger,
  methodId: string,
  customer: string | null,
): Promise<StripeAnswer | null> {
  if (customer !== null && (await vault.findCustomer(customer)) === null) return noCustomer(400, customer)
  if (!isSaved(methodId)) return null
  const method = await vault.findMethod(methodId)
  if (method === null) return noMethod(400, methodId)
  if (method.customer !== null && method.customer === customer) return null
  const message =
    method.customer === null
      ? 'The provided PaymentMethod was detached from a Customer. It may not be used again.'
      : 'The PaymentMethod belongs to another Customer, or to one that the request does not name.'
  return invalidParameter('payment_method', message)
}

/** The id that a payment's method has: one that is saved with it gets its own. */
export const idToCharge = (methodId: string, intent: PaymentIntent): string =>
  intent.setup_future_usage === null || isSaved(methodId) ? methodId : savedId(methodId)

/** Attaches the card of a payment that is to keep it, once it is charged. */
export async function keepMethodOf({ vault }: Ledger, intent: PaymentIntent): Promise<void> {
  const { customer, payment_method: id, setup_future_usage: usage } = intent
  const card = testMethodOf(id ?? '')?.card
  if (usage === null || customer === null || id === null || card == null || intent.latest_charge === null)
    return
  await vault.saveMethod(newMethod(id, card, customer))
}

const isSaved = (methodId: string): boolean => methodId.includes('_as_')

/** A setup that has succeeded has attached its card. */
async function keep({ vault }: Ledger, setup: SetupIntent): Promise<void> {
  await vault.saveSetup(setup)
  if (setup.status === 'succeeded' && setup.payment_method !== null)
    await vault.saveMethod(setup.payment_method)
}

async function kept(ledger: Ledger, setup: SetupIntent): Promise<StripeAnswer> {
  await keep(ledger, setup)
  return ok(setup)
}

async function withSetup(
  { vault }: Ledger,
  id: string,
  work: (setup: SetupIntent) => Promise<StripeAnswer>,
): Promise<StripeAnswer> {
  const setup = await vault.findSetup(id)
  return setup === null ? missingResource(404, 'intent', 'setup_intent', id) : work(setup)
}

const noCustomer = (status: 400 | 404, id: string): StripeAnswer =>
  missingResource(status, status === 404 ? 'id' : 'customer', 'customer', id)

const noMethod = (status: 400 | 404, id: string): StripeAnswer =>
  missingResource(status, 'payment_method', 'PaymentMethod', id)

const unexpectedSetup = (setup: SetupIntent): StripeAnswer =>
  failed(400, {
    type: 'invalid_request_error',
    code: 'setup_intent_unexpected_state',
    message: `This SetupIntent has a status of ${setup.status}.`,
    setup_intent: setup,
  })
