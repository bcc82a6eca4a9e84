import {
  checkStripeKey,
  createRetiredProcessor,
  createStripeProcessor,
  type KeyState,
  type PaymentProcessor,
  paypalAddress,
  type ProcessorEndpoints,
  startSandbox,
} from '@commerce-graph/actions'
import postgres from '@commerce-graph/postgres-driver'
import { acrossMerchants } from '@commerce-graph/postgres-driver/merchant-scope'
import type { Logger } from 'pino'
import type { PlatformConfig } from './configuration.ts'
import { directUrlOf } from './database-parts.ts'
import { PlatformError } from './platform-error.ts'
import type { RunningServices, Services } from './services.ts'

const sandboxAccount = 'sandbox'

/** The processors of card payments. */
export interface Payments {
  readonly kind: RunningServices['cardPayments']
  /** For new payments; null: none are taken. */
  readonly cardProcessor: PaymentProcessor | null
  /** For earlier payments, which are refunded at their own processor. */
  readonly formerProcessors: readonly PaymentProcessor[]
  /** Null in a live deployment, which has none. */
  readonly sandboxUrl: string | null
  /** Where merchants' own accounts are. */
  readonly endpoints: ProcessorEndpoints
}

/**
 * Stripe, if there is a key, and in a test deployment the payment sandbox. If Stripe can't be reached, the platform
 * starts nevertheless, and the first call shows whether the key is valid.
 * @throws PlatformError if Stripe refuses the key
 */
export async function openPayments(
  { ports, started, ownPart, logger, readiness }: Services,
  { mode, stripeSecretKey, stripeApiUrl, paypalApiUrl = paypalAddress.TEST }: PlatformConfig,
): Promise<Payments> {
  const watch = watchKey(logger)
  readiness.add({ name: 'cardPayments', needed: false, find: () => ({ problem: watch.problem() }) })
  const stripe: PaymentProcessor[] = []
  if (stripeSecretKey !== undefined) {
    const connection = { secretKey: stripeSecretKey, apiUrl: stripeApiUrl }
    const check = await checkStripeKey(connection)
    if (check.kind === 'refused')
      throw new PlatformError(`STRIPE_SECRET_KEY is refused by Stripe: ${check.message}`)
    if (check.kind === 'unanswered')
      logger.error({ reason: check.message }, 'Stripe could not be asked whether it takes STRIPE_SECRET_KEY')
    stripe.push(createStripeProcessor({ name: 'stripe', ...connection, onKey: watch.hear }))
  }
  if (mode === 'live') {
    await tellOfSandboxPayments(directUrlOf(ownPart), logger, readiness)
    const [cardProcessor = null] = stripe
    const kind = cardProcessor === null ? 'none' : 'stripe'
    return {
      kind,
      cardProcessor,
      formerProcessors: [createRetiredProcessor(sandboxAccount)],
      sandboxUrl: null,
      endpoints: { paypal: paypalAddress.LIVE },
    }
  }
  const sandbox = await startSandbox({ port: ports.paymentSandbox, ...ownPart })
  started.add('the payment sandbox', () => sandbox.stop())
  const processors = [
    ...stripe,
    createStripeProcessor({ name: sandboxAccount, secretKey: 'sk_test_sandbox', apiUrl: sandbox.url }),
  ]
  return {
    kind: stripe.length === 0 ? 'sandbox' : 'stripe',
    cardProcessor: processors[0] ?? null,
    formerProcessors: processors.slice(1),
    sandboxUrl: sandbox.url,
    endpoints: { stripe: stripeApiUrl, paypal: paypalApiUrl, sandbox: sandbox.url },
  }
}

/**
 * The database belonged to a test deployment, and payments of its sandbox are not real. Operators see this warning
 * while there are any.
 */
async function tellOfSandboxPayments(
  databaseUrl: string,
  logger: Logger,
  readiness: Services['readiness'],
): Promise<void> {
  const sql = acrossMerchants(postgres(databaseUrl, { max: 1 }), 'payments of all merchants are counted')
  await using stack = new AsyncDisposableStack()
  stack.defer(() => sql.end())
  const [row] = await sql<{ payments: number }[]>`
    SELECT count(*)::integer AS payments FROM payment.payment
    WHERE processor = ${sandboxAccount} AND status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'PARTIALLY_REFUNDED')`
  const payments = row?.payments ?? 0
  if (payments === 0) return
  const problem = `${payments} payments were made in the payment sandbox of a test deployment: no money moved, and they can't be captured or refunded`
  logger.warn({ payments }, problem)
  readiness.add({ name: 'sandboxPayments', needed: false, find: () => ({ problem }) })
}

/** Milliseconds between two log entries about the same refusal. */
const alarmInterval = 60_000

/**
 * Logs an error when Stripe refuses the key, once a minute while it does, and a message when it accepts the key
 * again.
 */
function watchKey(logger: Logger) {
  let state: KeyState = 'accepted'
  let alarmed = -Infinity
  return {
    hear: (heard: KeyState): void => {
      if (heard === 'refused' && performance.now() - alarmed >= alarmInterval) {
        alarmed = performance.now()
        logger.error('Stripe refuses STRIPE_SECRET_KEY: no card can be charged, captured or refunded')
      } else if (heard === 'accepted' && state === 'refused') {
        alarmed = -Infinity
        logger.warn('Stripe takes STRIPE_SECRET_KEY again')
      }
      state = heard
    },
    problem: () => (state === 'refused' ? 'Stripe refuses STRIPE_SECRET_KEY' : undefined),
  }
}
