import { AuditTrail } from '@commerce-graph/audit'
import { createTokenIssuer } from '@commerce-graph/access-tokens'
import type { FileStorage } from '@commerce-graph/file-storage'
import type { Pooler } from '@commerce-graph/postgres-driver'
import { acrossMerchants, type ScopedPool, scopedPool } from '@commerce-graph/postgres-driver/merchant-scope'
import type { SharedListener } from '@commerce-graph/postgres-driver/shared-listener'
import type { SecretBox } from '@commerce-graph/secret-box'
import type { Observer } from '@commerce-graph/telemetry'
import { cachedCheck, type StopOptions } from '@commerce-graph/http-server'
import type { Logger } from 'pino'
import type { Action } from './action/action.ts'
import type { AnySession } from './action/session.ts'
import { fileActions } from './files/index.ts'
import { idempotencyKeys } from './action/idempotency-keys.ts'
import { analyticsActions } from './analytics/index.ts'
import { bookingActions } from './booking/index.ts'
import { bulkActions, exportActions } from './bulk/index.ts'
import { cartActions } from './cart/index.ts'
import { crmActions } from './crm/index.ts'
import { connectDatabase, type Database } from './database.ts'
import { emailActions, unsubscribePages } from './email/index.ts'
import { openEventQueue, receiveEvents } from './messaging/triggers/index.ts'
import { type AddressRules, eventActions, openPayloads } from './events/index.ts'
import { createApp, type Health } from './http/app.ts'
import { type Address, listen, maxConnections } from './http/listen.ts'
import { type LocalCalls, openLocalCalls } from './http/local-calls.ts'
import { serveActions } from './http/serve-action.ts'
import { identityActions, type IdentityOptions } from './identity/index.ts'
import { interruptible } from './interruptible-database.ts'
import { inventoryActions } from './inventory/index.ts'
import { openQueueBackend } from './jobs/queue-backend.ts'
import { merchantActions, openSenders, type Senders, signUpRoutes } from './merchant/index.ts'
import { notificationActions } from './notification/index.ts'
import { checkoutCart, orderingActions, OrderPlacements } from './ordering/index.ts'
import { operatorActions } from './operator/index.ts'
import {
  accountActions,
  createCashier,
  createRefunder,
  openPaymentAccounts,
  findProcessor,
  noteOperatorAccount,
  orderPayments,
  createMethodKeeper,
  paymentActions,
  paymentWebhooks,
} from './payment/index.ts'
import {
  type AccountMode,
  balanceProcessor,
  manualProcessor,
  type PaymentProcessor,
  observedProcessor,
  type ProcessorEndpoints,
} from './processors/index.ts'

export interface ActionsOptions extends Address {
  readonly databaseUrl: string
  /** The connection to listen on, which others of this process share; one of its own if absent. */
  readonly listener?: SharedListener | undefined
  /** The pooler that the URL leads to. */
  readonly pooler?: Pooler | undefined
  /** The secret that Hasura sends as x-actions-secret. */
  readonly secret: string
  /** The processor of new card payments if the merchant has no account of its own; null: it takes no cards. */
  readonly cardProcessor: PaymentProcessor | null
  /** The processors of earlier payments, if they differ. Refunds go to the processor of their payment. */
  readonly formerProcessors?: readonly PaymentProcessor[]
  /** Where the processors are that merchants have accounts of their own at; each at its own address unless said. */
  readonly endpoints?: ProcessorEndpoints
  /** Whether the deployment moves real money: merchants' accounts are of the same mode. TEST when absent. */
  readonly mode?: AccountMode
  /** The check of merchants' own sender domains, which the workers use, too. The machine's DNS if absent. */
  readonly senders?: Senders
  /** Where webhooks may be sent; anywhere if absent, as in a test deployment. */
  readonly webhookRules?: AddressRules
  /** The contract's URL, where the queries of webhook endpoints and exports are checked. Without it, neither can be written. */
  readonly graphqlUrl?: string
  /** Whether strangers may ask for a shop (`/sign-up`). Off when absent. */
  readonly signUp?: boolean
  /** Seals the secrets in the database; the workers have the same keys. */
  readonly secretBox: SecretBox
  /** Where uploaded files are; the workers and the gateway use the same storage. */
  readonly files: FileStorage
  /** Connections to the database at most, 5 or more; 20 by default. */
  readonly connections?: number | undefined
  /** A call that takes as long is logged at `warn`; none is when absent. */
  readonly slowMilliseconds?: number | undefined
  /** Told of each call of a payment processor. */
  readonly observer?: Observer | undefined
  readonly logger: Logger
}

export interface Actions {
  /** The URL for metadata's ACTIONS_BASE_URL. */
  readonly url: string
  /** The action that a path after the URL names, for Hasura's engine in this process. */
  readonly findLocal: LocalCalls['find']
  /** From now on `/healthz` says that it stops, and each answer that its connection ends; `stop` goes on with that. */
  beginDrain(): void
  /** Answers what is under way, then stops. */
  stop(options?: StopOptions): Promise<void>
}

const defaultConnections = 20
/** Of them: for signing tokens, for cancelling statements, and for putting events into their queue. */
const besides = { token: 1, canceller: 1, queue: 2 }
/** Hasura's own bound on what it forwards is far above any order. */
const maxBodyBytes = 1024 * 1024
/** Milliseconds: every client may ask for `/healthz`. */
const healthKept = 1_000

/** Starts the service that Hasura's actions are handled by. */
export async function startActions(given: ActionsOptions): Promise<Actions> {
  const options = observed(given)
  const { databaseUrl, pooler, connections = defaultConnections, secret, secretBox, logger } = options
  const pool = connectDatabase({
    databaseUrl,
    pooler,
    poolSize: connections - besides.token - besides.canceller - besides.queue,
    applicationName: 'actions',
  })
  const scopes = scopedPool(pool)
  const { database } = scopes
  const tokenIssuer = createTokenIssuer({ databaseUrl, pooler, secretBox })
  const interruption = interruptible(database, { databaseUrl, pooler })
  const actions = actionsByDomain(
    { ...options, uninterrupted: database },
    { database: interruption.database, tokenIssuer, secretBox },
  )
  await noteOperatorAccount(database, options.cardProcessor !== null)
  const queues = await openQueueBackend(
    { databaseUrl, pooler, listener: options.listener, connections: besides.queue },
    logger,
  )
  const events = openEventQueue(queues, logger)
  const audit = new AuditTrail(acrossMerchants(pool, 'the audit log'), logger)
  const databaseHealth = cachedCheck(healthKept, () => healthOf(database))
  let isStopping = false
  const served = serveActions({
    actions,
    runFor: (session, signal, work) => interruption.runFor(signal, () => inScopeOf(session, scopes, work)),
    audit,
    logger,
    slowMilliseconds: options.slowMilliseconds,
  })
  const localCalls = openLocalCalls(served, { maxBodyBytes, maxCalls: maxConnections })
  const app = createApp({
    secret,
    actions: served,
    maxBodyBytes,
    receiveEvent: receiveEvents((event) => events.enqueue(event), logger),
    pages: {
      '/unsubscribe': unsubscribePages(acrossMerchants(pool, 'the token of a mail finds its merchant')),
      '/webhooks': paymentWebhooks(
        webhookOptions(options, acrossMerchants(pool, 'a processor’s webhook finds its account')),
      ),
    },
    signUp:
      options.signUp === true
        ? signUpRoutes({ database: acrossMerchants(pool, 'a shop is opened'), secretBox })
        : null,
    logger,
    health: async () => (isStopping ? 'stopping' : await databaseHealth()),
  })
  const listener = await listen(app, options)
  const beginDrain = (): void => {
    isStopping = true
    listener.beginDrain()
  }
  return {
    url: listener.url,
    findLocal: localCalls.find,
    beginDrain,
    async stop(stop) {
      beginDrain()
      await Promise.all([listener.close(stop), localCalls.stop()])
      await audit.close()
      await events.close()
      await queues.close()
      await Promise.all([pool.end({ timeout: 5 }), interruption.close(), tokenIssuer.close()])
    },
  }
}

/** What an action does is done to the merchant of its caller; an operator's, to the one that it names. */
const inScopeOf = <T>(session: AnySession, scopes: ScopedPool<Database>, work: () => T): T =>
  session.role === 'operator'
    ? scopes.acrossMerchants('an action of an operator', work)
    : scopes.forMerchant(session.merchantId, work)

/** With every call of the operator's processors reported. */
const observed = ({ observer, cardProcessor, formerProcessors = [], ...options }: ActionsOptions) => ({
  ...options,
  observer,
  cardProcessor: cardProcessor && observedProcessor(cardProcessor, observer),
  formerProcessors: formerProcessors.map((processor) => observedProcessor(processor, observer)),
})

/** Over connections that no client's leaving interrupts. */
export function webhookOptions(
  {
    cardProcessor,
    formerProcessors = [],
    secretBox,
    endpoints = {},
    observer,
    logger,
  }: Pick<
    ActionsOptions,
    'cardProcessor' | 'formerProcessors' | 'secretBox' | 'endpoints' | 'observer' | 'logger'
  >,
  database: Database,
): Parameters<typeof paymentWebhooks>[0] {
  const guard = (processor: PaymentProcessor) => observedProcessor(processor, observer)
  const accounts = openPaymentAccounts({ database, secretBox, endpoints, guard })
  const processors = [cardProcessor ?? [], manualProcessor, balanceProcessor, formerProcessors].flat()
  const processorOf = findProcessor(processors, accounts)
  return {
    database,
    follow: (own) => ({ database: own, cashier: createCashier(own, processors, accounts), processorOf }),
    secretBox,
    endpoints,
    logger,
  }
}

/** Every action there is, by domain and name: what metadata/actions.yaml, written from the contract, lists as handlers. */
export function actionsByDomain(
  {
    cardProcessor,
    formerProcessors = [],
    endpoints = {},
    mode = 'TEST',
    senders = openSenders(),
    files,
    webhookRules = { live: false, refusedNetworks: [] },
    graphqlUrl,
    observer,
    uninterrupted,
  }: Pick<
    ActionsOptions,
    | 'cardProcessor'
    | 'formerProcessors'
    | 'endpoints'
    | 'mode'
    | 'senders'
    | 'files'
    | 'webhookRules'
    | 'graphqlUrl'
    | 'observer'
  > & {
    /**
     * The connections for steps that a payment processor has begun. They are recorded whether or not the client still
     * waits.
     */
    readonly uninterrupted?: Database
  },
  { database: pool, tokenIssuer, secretBox }: IdentityOptions,
): Readonly<Record<string, Readonly<Record<string, Action>>>> {
  const keys = idempotencyKeys(pool, secretBox, uninterrupted)
  const { database } = keys
  const processors = [
    ...(cardProcessor === null ? [] : [cardProcessor]),
    manualProcessor,
    balanceProcessor,
    ...formerProcessors,
  ]
  const accounts = openPaymentAccounts({
    database: uninterrupted ?? pool,
    secretBox,
    endpoints,
    guard: (processor) => observedProcessor(processor, observer),
  })
  const cashier = createCashier(uninterrupted ?? pool, processors, accounts)
  const methodKeeper = createMethodKeeper(uninterrupted ?? pool, findProcessor(processors, accounts))
  const completeRefund = createRefunder(uninterrupted ?? pool, processors, accounts)
  const placements = new OrderPlacements(uninterrupted ?? pool, keys)
  const ordering = { database, keys, placements, payments: orderPayments(cashier, completeRefund) }
  const byDomain = {
    inventory: inventoryActions(database),
    cart: { ...cartActions(database), checkoutCart: checkoutCart(placements) },
    ordering: orderingActions(ordering),
    booking: bookingActions(ordering),
    crm: crmActions(database),
    analytics: analyticsActions(database),
    bulk: {
      ...bulkActions(database, files),
      ...exportActions({ database, keys, tokenIssuer, graphqlUrl }),
    },
    email: emailActions(database),
    'webhook-endpoints': eventActions({
      database,
      secretBox,
      payloads: graphqlUrl === undefined ? null : openPayloads(graphqlUrl, tokenIssuer),
      rules: webhookRules,
    }),
    notification: notificationActions(database),
    payment: {
      ...paymentActions({ database, keys, cashier, completeRefund, cardProcessor, accounts, methodKeeper }),
      ...accountActions({ database, keys, secretBox, endpoints, mode }),
    },
    files: fileActions({ database, keys, storage: files }),
    identity: identityActions({ database, tokenIssuer, secretBox }),
    merchant: merchantActions({ database, keys, secretBox, senders }),
    operator: operatorActions(database),
  }
  const kept = (actions: Readonly<Record<string, Action>>) =>
    Object.fromEntries(Object.entries(actions).map(([name, action]) => [name, keys.keep(action)]))
  return Object.fromEntries(Object.entries(byDomain).map(([domain, actions]) => [domain, kept(actions)]))
}

async function healthOf(database: Database): Promise<Health> {
  try {
    await database`SELECT 1`
    return 'ok'
  } catch {
    return 'unavailable'
  }
}
