import Stripe from 'stripe'
import type { MethodVault, RemovalAnswer, SetupAnswer, SetupRequest } from '../method-vault.ts'
import { isRefusedKey } from './check-stripe-key.ts'
import { actionOf, cardOf, declineOf, isInvalidRequest } from './stripe-answers.ts'

/** Of a shopper's setups, those that are looked through for one whose answer was lost. */
const listedSetups = 100

/** Stripe's Customers and SetupIntents. A SetupIntent that succeeds attaches the card to the Customer. */
export const stripeVault = (stripe: Stripe): MethodVault => ({
  async createCustomer({ idempotencyKey, metadata }) {
    try {
      const { id } = await stripe.customers.create({ metadata: { ...metadata } }, { idempotencyKey })
      return { status: 'made', customerId: id }
    } catch (error) {
      return isInvalidRequest(error) ? { status: 'refused', decline: declineOf(error) } : noAnswer(error)
    }
  },
  deleteCustomer: (customerId) => deleteCustomer(stripe, customerId),
  setUp: (request) => setUp(stripe, request),
  retrieveSetup: (setupId) => answerOf(() => stripe.setupIntents.retrieve(setupId, expanded)),
  async findSetup(customerId, savedMethodId) {
    try {
      const { data } = await stripe.setupIntents.list({
        customer: customerId,
        limit: listedSetups,
        expand: ['data.payment_method'],
      })
      const made = data.find(({ metadata }) => metadata?.['saved_method_id'] === savedMethodId)
      return made === undefined ? null : answerOfSetup(made)
    } catch (error) {
      return isMissing(error) ? null : noAnswer(error)
    }
  },
  cancelSetup: (setupId) =>
    answerOf(async () => {
      try {
        return await stripe.setupIntents.cancel(setupId, expanded)
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
        // It has moved on meanwhile: what it is now is the answer.
        return stripe.setupIntents.retrieve(setupId, expanded)
      }
    }),
  detach: (methodId) => detach(stripe, methodId),
})

const expanded: { expand: string[] } = { expand: ['payment_method'] }

/** The retry is done here and not by the SDK, as of charges. */
async function setUp(stripe: Stripe, request: SetupRequest): Promise<SetupAnswer> {
  const { idempotencyKey } = request
  const ask = () =>
    answerOf(() => stripe.setupIntents.create(setupOf(request), { idempotencyKey, maxNetworkRetries: 0 }))
  const first = await ask()
  if (first.status !== 'unknown') return first
  const second = await ask()
  return second.status === 'unauthorized' ? { status: 'unknown', cause: second.cause } : second
}

const setupOf = ({
  customerId,
  paymentMethodId,
  returnUrl,
  metadata,
}: SetupRequest): Stripe.SetupIntentCreateParams => ({
  customer: customerId,
  payment_method: paymentMethodId,
  allowed_payment_method_types: ['card'],
  confirm: true,
  usage: 'off_session',
  metadata: { ...metadata },
  ...expanded,
  ...(returnUrl !== null && { return_url: returnUrl }),
})

async function answerOf(call: () => Promise<Stripe.SetupIntent>): Promise<SetupAnswer> {
  try {
    return answerOfSetup(await call())
  } catch (error) {
    return error instanceof Stripe.errors.StripeCardError || isInvalidRequest(error)
      ? { status: 'declined', setupId: error.setup_intent?.id ?? null, decline: declineOf(error) }
      : noAnswer(error)
  }
}

function answerOfSetup(setup: Stripe.SetupIntent): SetupAnswer {
  const setupId = setup.id
  switch (setup.status) {
    case 'succeeded':
      return succeeded(setup)
    case 'requires_action':
      return { status: 'requires_action', setupId, action: actionOf(setup) }
    case 'processing':
      return { status: 'processing', setupId }
    case 'canceled':
      return { status: 'cancelled', setupId }
    case 'requires_payment_method':
      return { status: 'declined', setupId, decline: declineOf(setup.last_setup_error) }
    // It can't come up: setups are confirmed when they are made.
    case 'requires_confirmation':
      return { status: 'unknown', cause: new Error(`Setup intent ${setupId} is ${setup.status}`) }
    default:
      return {
        status: 'unknown',
        cause: new Error(`Setup intent ${setupId} is in a state that is not known`),
      }
  }
}

function succeeded({ id: setupId, payment_method: method }: Stripe.SetupIntent): SetupAnswer {
  if (method === null || typeof method === 'string')
    return { status: 'unknown', cause: new Error(`Setup intent ${setupId} shows no payment method`) }
  return { status: 'succeeded', setupId, methodId: method.id, card: cardOf(method.card) }
}

async function deleteCustomer(stripe: Stripe, customerId: string): Promise<RemovalAnswer> {
  try {
    await stripe.customers.del(customerId)
    return { status: 'gone' }
  } catch (error) {
    return isMissing(error) ? { status: 'gone' } : noAnswer(error)
  }
}

/** Stripe refuses to detach a method that is attached to no customer any more, and has no code for it: so it is looked up. */
async function detach(stripe: Stripe, methodId: string): Promise<RemovalAnswer> {
  try {
    await stripe.paymentMethods.detach(methodId)
    return { status: 'gone' }
  } catch (error) {
    if (isMissing(error)) return { status: 'gone' }
    return isInvalidRequest(error) ? ifDetached(stripe, methodId) : noAnswer(error)
  }
}

async function ifDetached(stripe: Stripe, methodId: string): Promise<RemovalAnswer> {
  try {
    const { customer } = await stripe.paymentMethods.retrieve(methodId)
    return customer === null
      ? { status: 'gone' }
      : { status: 'unknown', cause: new Error(`Payment method ${methodId} is still attached`) }
  } catch (error) {
    return noAnswer(error)
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'

const noAnswer = (cause: unknown) =>
  ({ status: isRefusedKey(cause) ? 'unauthorized' : 'unknown', cause }) as const
