import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import { authenticationPage, donePage } from './authentication-page.ts'
import {
  authenticate,
  cancelIntent,
  captureIntent,
  confirmIntent,
  createIntent,
  createRefund,
  listRefunds,
  retrieveIntent,
  retrieveRefund,
  searchIntents,
} from './operations.ts'
import type { PaymentIntent } from './stripe-objects.ts'
import { failed, type StripeAnswer } from './stripe-error.ts'
import type { Ledger, Store } from './store.ts'

const bodyLimit = '100kb'

/** @param ownUrl where the sandbox is reached, for the links to its authentication page */
export function createSandboxApp(store: Store, ownUrl: () => string): Express {
  const urlOf = ({ id, client_secret: secret }: PaymentIntent) =>
    `${ownUrl()}/authenticate/${id}?client_secret=${secret}`
  const app = express()
  app.disable('x-powered-by')
  // Express reads nested names (`metadata[order_id]`) only with the extended parser.
  app.use(express.urlencoded({ extended: true, limit: bodyLimit }))
  app.use('/v1', stripeRoutes(store, urlOf))
  app.use('/authenticate', authenticationRoutes(store))
  app.use((_request, response) => {
    send(response, failed(404, { type: 'invalid_request_error', message: 'Unrecognized request URL' }))
  })
  app.use(tellFailure)
  return app
}

function stripeRoutes(store: Store, urlOf: (intent: PaymentIntent) => string): Router {
  const router = Router()
  router.use(requireTestKey)
  router.post(
    '/payment_intents',
    write(store, (ledger, { body }) => createIntent(ledger, body, urlOf)),
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
  return router
}

/** Any test key will do; a live one must never come here. */
const requireTestKey: RequestHandler = (request, response, next) => {
  if (/^Bearer sk_test_\w+$/.test(request.get('authorization') ?? '')) next()
  else send(response, failed(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' }))
}

const write =
  (store: Store, work: (ledger: Ledger, request: Request) => Promise<StripeAnswer>): RequestHandler =>
  async (request, response) => {
    const key = request.get('idempotency-key')
    const run = (ledger: Ledger) => work(ledger, request)
    const answer =
      key === undefined
        ? await store.transact(run)
        : await store.transactOnce(key, [request.path, request.body], run)
    send(response, answer)
  }

const read =
  (store: Store, find: (ledger: Ledger, request: Request) => Promise<StripeAnswer>): RequestHandler =>
  async (request, response) => {
    send(response, await store.transact((ledger) => find(ledger, request)))
  }

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
  const answer = await store.transact(async (ledger) => {
    const intent = await ledger.findIntent(id)
    returnUrl = intent?.next_action?.redirect_to_url.return_url ?? null
    return authenticate(ledger, id, secret, passed)
  })
  return { answer, returnUrl }
}

const idOf = (request: Request): string => String(request.params.id)

function send(response: Response, { status, body }: StripeAnswer): void {
  response.status(status).json(body)
}

const tellFailure: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) next(error)
  else response.status(500).json({ error: { type: 'api_error', message: 'The sandbox failed.' } })
}
