import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { donePage } from '../authentication-page.ts'
import { answerWith } from '../answer-with-trouble.ts'
import type { Store } from '../store.ts'
import { troubleRoutes } from '../trouble-routes.ts'
import { approvalPage } from './approval-page.ts'
import { adjudicate, listDisputes, retrieveDispute } from './paypal-disputes.ts'
import { answered, malformed, type PaypalAnswer, refusedAsAsked, serverError } from './paypal-objects.ts'
import type { Call } from './order-changes.ts'
import { approveOrder, completeOrder, createOrder, retrieveOrder } from './paypal-orders.ts'
import {
  captureAuthorization,
  refundCapture,
  retrieveCapture,
  retrieveRefund,
  voidAuthorization,
} from './paypal-transactions.ts'
import { isSigned } from './paypal-signature.ts'
import { decisions, type PaypalLedger, paypalId } from './paypal-store.ts'

type Work = (ledger: PaypalLedger, call: Call) => Promise<PaypalAnswer>

/** The part of PayPal's API that processors/paypal uses, and the page where its customer decides. */
export function paypalRoutes(store: Store, ownUrl: () => string): Router {
  const router = Router()
  router.use(express.json({ limit: '300kb', verify: keepBytes }))
  router.post('/v1/oauth2/token', giveToken)
  const api = Router()
  const post = (path: string, work: Work): void => void api.post(path, run(store, ownUrl, work))
  const get = (path: string, work: Work): void => void api.get(path, run(store, ownUrl, work))
  post('/v2/checkout/orders', createOrder)
  get('/v2/checkout/orders/:id', retrieveOrder)
  post('/v2/checkout/orders/:id/capture', (ledger, call) => completeOrder(ledger, call, 'CAPTURE'))
  post('/v2/checkout/orders/:id/authorize', (ledger, call) => completeOrder(ledger, call, 'AUTHORIZE'))
  post('/v2/payments/authorizations/:id/capture', captureAuthorization)
  post('/v2/payments/authorizations/:id/void', voidAuthorization)
  get('/v2/payments/captures/:id', retrieveCapture)
  post('/v2/payments/captures/:id/refund', refundCapture)
  get('/v2/payments/refunds/:id', retrieveRefund)
  get('/v1/customer/disputes', listDisputes)
  get('/v1/customer/disputes/:id', retrieveDispute)
  post('/v1/customer/disputes/:id/adjudicate', adjudicate)
  post('/v1/notifications/webhooks', createWebhook)
  api.post('/v1/notifications/verify-webhook-signature', verifySignature(store, ownUrl))
  router.use('/checkoutnow', approvalRoutes(store))
  router.use(
    '/sandbox/troubles',
    requireAccount,
    troubleRoutes(store, callsOf(api), (request) => accountOf(request) ?? ''),
  )
  router.use(requireAccount, api)
  return router
}

/**
 * Each client id is an account of its own; its secret begins like it. The platform asks its own sandbox for ids that begin
 * with `sandbox_`, so those of a sandbox in another process (PAYPAL_API_URL) have a word before it.
 */
const credentials = /^((?:\w+-)?sandbox_[\w-]{1,100}):(?:\w+-)?sandbox_[\w-]+$/
const accountForm = /^(?:\w+-)?sandbox_[\w-]+$/

function accountOf(request: Request): string | null {
  const [kind, value = ''] = (request.get('authorization') ?? '').split(' ')
  const text = Buffer.from(value.replace(/^A21\./, ''), 'base64url').toString()
  if (kind === 'Basic') return credentials.exec(text)?.[1] ?? null
  return kind === 'Bearer' && accountForm.test(text) ? text : null
}

const requireAccount: RequestHandler = (request, response, next) => {
  if (accountOf(request) !== null) next()
  else
    send(
      response,
      answered(401, { error: 'invalid_token', error_description: 'Token signature verification failed' }),
    )
}

const giveToken: RequestHandler = (request, response) => {
  const account = accountOf(request)
  if (account === null)
    send(
      response,
      answered(401, { error: 'invalid_client', error_description: 'Client Authentication failed' }),
    )
  else
    send(
      response,
      answered(200, {
        scope: 'https://uri.paypal.com/services/payments/payment',
        access_token: `A21.${Buffer.from(account).toString('base64url')}`,
        token_type: 'Bearer',
        app_id: 'APP-80W284485P519543T',
        expires_in: 32_400,
        nonce: `${new Date().toISOString()}${paypalId()}`,
      }),
    )
}

function send(response: Response, { status, body }: PaypalAnswer): void {
  response.status(status).json(body)
}

const run =
  (store: Store, ownUrl: () => string, work: Work): RequestHandler =>
  async (request, response) => {
    const account = accountOf(request) ?? ''
    const requestId = request.get('paypal-request-id')
    const trouble = await store.troubleOf(account, {
      call: callOf(request),
      paymentMethod: undefined,
      idempotencyKey: requestId,
    })
    const call = {
      account,
      ownUrl: ownUrl(),
      id: String(request.params.id ?? ''),
      body: request.body as unknown,
      query: request.query,
    }
    await answerWith(
      response,
      trouble,
      async () => {
        const answer =
          requestId === undefined || request.method === 'GET'
            ? await store.paypal.transact(account, (ledger) => work(ledger, call))
            : await store.paypal.transactOnce(
                account,
                `${request.path} ${requestId}`,
                request.path,
                (ledger) => work(ledger, call),
              )
        return trouble === 'error_after' ? serverError : answer
      },
      { serverError, refusedAsAsked },
    )
  }

/** A method and a path with its parameters' names, as troubles are asked for. */
const callOf = ({ method, route }: Request): string => `${method} ${(route as { path: string }).path}`

const callsOf = (router: Router): readonly string[] =>
  router.stack.flatMap(({ route }) =>
    route === undefined ? [] : route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`),
  )

const newWebhook = z.object({ url: z.url(), event_types: z.array(z.object({ name: z.string() })).min(1) })

async function createWebhook(ledger: PaypalLedger, { body }: Call): Promise<PaypalAnswer> {
  const { data } = newWebhook.safeParse(body)
  if (data === undefined) return malformed('/url', 'INVALID_PARAMETER_VALUE')
  const webhook = { id: paypalId(), ...data }
  await ledger.saveWebhook(webhook)
  return answered(201, webhook)
}

const bytes = new WeakMap<object, string>()

/** The event's signature is of its bytes. */
function keepBytes(request: object, _response: unknown, body: Buffer): void {
  bytes.set(request, body.toString('utf8'))
}

const check = z.object({
  transmission_id: z.string(),
  transmission_time: z.string(),
  transmission_sig: z.string(),
  cert_url: z.string(),
  auth_algo: z.string(),
  webhook_id: z.string(),
  webhook_event: z.object({}),
})

const verifySignature =
  (store: Store, ownUrl: () => string): RequestHandler =>
  async (request, response) => {
    const { data } = check.safeParse(request.body)
    if (data === undefined) {
      send(response, malformed('/webhook_event', 'MISSING_REQUIRED_PARAMETER'))
      return
    }
    const text = bytes.get(request) ?? ''
    const start = '"webhook_event":'
    const event = text.slice(text.indexOf(start) + start.length, text.lastIndexOf('}'))
    const { transmission_id: id, transmission_time: time, webhook_id: webhookId } = data
    const webhook = await store.paypal.transact(accountOf(request), (ledger) => ledger.findWebhook(webhookId))
    const isGood =
      webhook !== null &&
      data.cert_url.startsWith(ownUrl()) &&
      isSigned({ id, time, webhookId }, event, data.transmission_sig)
    send(response, answered(200, { verification_status: isGood ? 'SUCCESS' : 'FAILURE' }))
  }

const outcome = z.object({ outcome: z.enum([...decisions, 'cancel']) })

function approvalRoutes(store: Store): Router {
  const router = Router()
  router.get('/', async (request, response) => {
    const stored = await store.paypal.transact(null, (ledger) => ledger.findOrder(tokenOf(request)))
    const amount = stored?.order.purchase_units[0].amount
    if (amount === undefined) response.status(404).type('html').send(donePage('There is no such order.'))
    else response.type('html').send(approvalPage(`${amount.value} ${amount.currency_code}`))
  })
  router.post('/', async (request, response) => {
    const { data } = outcome.safeParse(request.body)
    if (data === undefined) {
      const known = [...decisions, 'cancel'].join(', ')
      response
        .status(400)
        .type('html')
        .send(donePage(`The outcome is one of ${known}.`))
      return
    }
    const decided = await store.paypal.transact(null, async (ledger) => {
      const stored = await ledger.findOrder(tokenOf(request))
      if (stored === null) return null
      // A customer who leaves can come back: the order waits.
      if (data.outcome === 'cancel') return stored
      return (await approveOrder(ledger, stored, data.outcome)) ? stored : null
    })
    if (decided === null) {
      response.status(404).type('html').send(donePage('There is nothing to approve.'))
      return
    }
    const target = data.outcome === 'cancel' ? decided.cancelUrl : decided.returnUrl
    if (target === null) response.type('html').send(donePage('Done. Now confirm the payment.'))
    else response.redirect(303, withToken(target, decided.order.id))
  })
  return router
}

const tokenOf = ({ query }: Request): string => (typeof query['token'] === 'string' ? query['token'] : '')

function withToken(url: string, id: string): string {
  const target = new URL(url)
  target.searchParams.set('token', id)
  return target.href
}
