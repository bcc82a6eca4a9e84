import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  Router,
} from 'express'
import { authenticationPage, donePage } from './authentication-page.ts'
import {
  authenticate,
  cancelIntent,
  captureIntent,
  closeDispute,
  createEndpoint,
  confirmIntent,
  createIntent,
  createRefund,
  listDisputes,
  listIntents,
  listRefunds,
  retrieveIntent,
  retrieveRefund,
  searchIntents,
  updateDispute,
} from './operations.ts'
import { presented } from './expand.ts'
import { authenticateSetup, type SetupUrl } from './vault/vault-operations.ts'
import { addVaultRoutes } from './vault/vault-routes.ts'
import { paypalRoutes } from './paypal/paypal-app.ts'
import type { PaymentIntent } from './stripe-objects.ts'
import { failed, serverError, type StripeAnswer } from './stripe-error.ts'
import { answerWith, send } from './answer-with-trouble.ts'
import { troubleRoutes } from './trouble-routes.ts'
import type { Ledger, Store } from './store.ts'

const bodyLimit = '100kb'

/** @param ownUrl where the sandbox is reached, for the links to its authentication page */
export function createSandboxApp(store: Store, ownUrl: () => string): Express {
  const urlOf = ({ id, client_secret: secret }: Pick<PaymentIntent, 'id' | 'client_secret'>) =>
    `${ownUrl()}/authenticate/${id}?client_secret=${secret}`
  const app = express()
  app.disable('x-powered-by')
  // Express reads nested names (`metadata[order_id]`) only with the extended parser.
  app.use(express.urlencoded({ extended: true, limit: bodyLimit }))
  const routes = stripeRoutes(store, urlOf)
  app.use('/v1', routes)
  app.use(
    '/sandbox/troubles',
    requireTestKey,
    troubleRoutes(store, callsOf(routes), (request) => accountOf(request) ?? ''),
  )
  app.use('/authenticate', authenticationRoutes(store))
  app.use(
    '/paypal',
    paypalRoutes(store, () => `${ownUrl()}/paypal`),
  )
  app.use((_request, response) => {
    send(response, failed(404, { type: 'invalid_request_error', message: 'Unrecognized request URL' }))
  })
  app.use(tellFailure)
  return app
}

function stripeRoutes(store: Store, urlOf: SetupUrl): Router {
  const router = Router()
  router.use(requireTestKey)
  router.post(
    '/payment_intents',
    write(store, (ledger, { body }) => createIntent(ledger, body, urlOf)),
  )
  router.get(
    '/payment_intents',
    read(store, (ledger, { query }) => listIntents(ledger, query)),
  )
  router.get(
    '/payment_intents/search',
    read(store, (ledger, { query }) => searchIntents(ledger, query)),
  )
  router.get(
    '/payment_intents/:id',
    read(store, (ledger, request) => retrieveIntent(ledger, idOf(request))),
  )
  router.post(
    '/payment_intents/:id/confirm',
    write(store, (ledger, request) => confirmIntent(ledger, idOf(request), request.body, urlOf)),
  )
  router.post(
    '/payment_intents/:id/capture',
    write(store, (ledger, request) => captureIntent(ledger, idOf(request), request.body)),
  )
  router.post(
    '/payment_intents/:id/cancel',
    write(store, (ledger, request) => cancelIntent(ledger, idOf(request))),
  )
  router.post(
    '/refunds',
    write(store, (ledger, { body }) => createRefund(ledger, body)),
  )
  router.get(
    '/refunds',
    read(store, (ledger, { query }) => listRefunds(ledger, query)),
  )
  router.get(
    '/refunds/:id',
    read(store, (ledger, request) => retrieveRefund(ledger, idOf(request))),
  )
  router.get(
    '/disputes',
    read(store, (ledger, { query }) => listDisputes(ledger, query)),
  )
  router.post(
    '/disputes/:id',
    write(store, (ledger, request) => updateDispute(ledger, idOf(request), request.body)),
  )
  router.post(
    '/disputes/:id/close',
    write(store, (ledger, request) => closeDispute(ledger, idOf(request))),
  )
  addVaultRoutes(
    router,
    (work) => write(store, work),
    (work) => read(store, work),
    urlOf,
  )
  router.post(
    '/webhook_endpoints',
    write(store, (ledger, { body }) => createEndpoint(ledger, body)),
  )
  return router
}

/** Each test key is an account of its own, and with `_rolled_…` a later key of it. A live one must never come here. */
const accountOf = (request: Request): string | null =>
  /^Bearer (sk_test_\w+?)(?:_rolled_\w+)?$/.exec(request.get('authorization') ?? '')?.[1] ?? null

/** Any test key will do. */
const requireTestKey: RequestHandler = (request, response, next) => {
  if (accountOf(request) !== null) next()
  else send(response, failed(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' }))
}

const write =
  (store: Store, work: (ledger: Ledger, request: Request) => Promise<StripeAnswer>): RequestHandler =>
  async (request, response) => {
    const idempotencyKey = request.get('idempotency-key')
    const account = accountOf(request) ?? ''
    const trouble = await store.troubleOf(account, {
      call: callOf(request),
      paymentMethod: formOf(request)['payment_method'],
      idempotencyKey,
    })
    const run = async (ledger: Ledger) => {
      const answer = presented(await work(ledger, request), expandOf(request))
      // Stripe repeats the answer for an idempotency key also if it was an error of its own.
      return trouble === 'error_after' ? serverError : answer
    }
    await answerWith(response, trouble, () =>
      idempotencyKey === undefined
        ? store.transact(account, run)
        : store.transactOnce(account, idempotencyKey, [request.path, request.body], run),
    )
  }

const read =
  (store: Store, find: (ledger: Ledger, request: Request) => Promise<StripeAnswer>): RequestHandler =>
  async (request, response) => {
    const account = accountOf(request) ?? ''
    const call = { call: callOf(request), paymentMethod: undefined, idempotencyKey: undefined }
    const trouble = await store.troubleOf(account, call)
    await answerWith(response, trouble, async () => {
      const answer = await store.transact(account, (ledger) => find(ledger, request))
      return trouble === 'error_after' ? serverError : presented(answer, expandOf(request))
    })
  }

/** The fields that the request wants in full: `expand[0]=latest_charge` in the form or the query. */
function expandOf(request: Request): ReadonlySet<string> {
  const asked = Object.entries(formOf(request)).filter(([name]) => /^expand\b/.test(name))
  return new Set(asked.flatMap(([, value]) => (Array.isArray(value) ? value.map(String) : [String(value)])))
}

const formOf = ({ body, query }: Request): Readonly<Record<string, unknown>> => ({
  ...query,
  ...(body as Readonly<Record<string, unknown>> | undefined),
})

function authenticationRoutes(store: Store): Router {
  const router = Router()
  router.get('/:id', (request, response) => {
    response.type('html').send(authenticationPage(request.originalUrl))
  })
  router.post('/:id', async (request, response) => {
    const { outcome } = (request.body ?? {}) as Readonly<Record<string, unknown>>
    if (outcome !== 'complete' && outcome !== 'fail') {
      response.status(400).type('html').send(donePage('The outcome is "complete" or "fail".'))
      return
    }
    const { client_secret: secret } = request.query
    const { answer, returnUrl } = await decide(
      store,
      idOf(request),
      typeof secret === 'string' ? secret : '',
      outcome === 'complete',
    )
    if (answer.status !== 200) {
      response.status(answer.status).type('html').send(donePage('There is nothing to authenticate.'))
    } else if (returnUrl !== null) response.redirect(303, returnUrl)
    else response.type('html').send(donePage('Done. Now confirm the payment.'))
  })
  return router
}

async function decide(store: Store, id: string, secret: string, passed: boolean) {
  let returnUrl: string | null = null as string | null
  const answer = await store.transact(null, async (ledger) => {
    const intent = (await ledger.findIntent(id)) ?? (await ledger.vault.findSetup(id))
    returnUrl = intent?.next_action?.redirect_to_url.return_url ?? null
    const decideOn = intent?.object === 'setup_intent' ? authenticateSetup : authenticate
    return decideOn(ledger, id, secret, passed)
  })
  return { answer, returnUrl }
}

/** A method and a path with its parameters' names, as troubles are asked for. */
const callOf = ({ method, route }: Request): string => `${method} /v1${(route as { path: string }).path}`

const callsOf = (router: Router): readonly string[] =>
  router.stack.flatMap(({ route }) =>
    route === undefined ? [] : route.stack.map(({ method }) => `${method.toUpperCase()} /v1${route.path}`),
  )

const idOf = (request: Request): string => String(request.params.id)

const tellFailure: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) next(error)
  else response.status(500).json({ error: { type: 'api_error', message: 'The sandbox failed.' } })
}
