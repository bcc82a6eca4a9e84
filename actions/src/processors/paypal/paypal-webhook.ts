import { z } from 'zod'
import type { WebhookReading, WebhookRequest } from '../processor-kind.ts'
import type { Paypal } from './connect-paypal.ts'
import { paypalCapture } from './paypal-order.ts'

/** The headers of a transmission, by the names that PayPal's check has for them. */
const signed = z.object({
  auth_algo: z.string().regex(/^\w{1,100}$/),
  cert_url: z.url().max(500),
  transmission_id: z.string().min(1).max(50),
  transmission_sig: z.string().min(1).max(500),
  transmission_time: z.string().min(1).max(100),
})

const event = z.object({
  id: z.string().min(1).max(255),
  event_type: z.string().min(1).max(255),
  resource: z.unknown(),
})

const verdict = z.object({ verification_status: z.string() })

/**
 * Has PayPal check that a webhook is its own, and reads which payment it is about.
 * @param webhookId PayPal's id of the endpoint, which its signature contains
 */
export async function readPaypalWebhook(
  paypal: Paypal,
  { headers, body }: WebhookRequest,
  webhookId: string,
): Promise<WebhookReading> {
  const header = (name: string) => headers[`paypal-${name}`]
  const transmission = signed.safeParse({
    auth_algo: header('auth-algo'),
    cert_url: header('cert-url'),
    transmission_id: header('transmission-id'),
    transmission_sig: header('transmission-sig'),
    transmission_time: header('transmission-time'),
  })
  if (!transmission.success) return refused('The headers of a transmission of PayPal are missing')
  const read = event.safeParse(json(body))
  if (!read.success) return refused('This is no event of PayPal')
  const answer = await paypal.send({
    method: 'POST',
    path: '/v1/notifications/verify-webhook-signature',
    body: checkOf({ ...transmission.data, webhook_id: webhookId }, body),
  })
  // PayPal refuses a check whose values have the wrong form.
  if (answer.kind === 'refused') return refused(`PayPal does not know the signature: ${answer.issue}`)
  if (answer.kind !== 'ok') return { kind: 'unanswered' }
  if (verdict.safeParse(answer.body).data?.verification_status !== 'SUCCESS')
    return refused('PayPal does not know the signature')
  const { id, event_type: type, resource } = read.data
  const named = await paymentNamedBy(paypal, resource)
  return named === 'unanswered' ? { kind: 'unanswered' } : { kind: 'event', id, type, ...named }
}

const refused = (reason: string): WebhookReading => ({ kind: 'refused', reason })

function json(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown
  } catch {
    return null
  }
}

/** The signature is of the event's bytes, so they are passed on as they came. */
const checkOf = (values: Readonly<Record<string, string>>, body: Buffer): string =>
  `${JSON.stringify(values).slice(0, -1)},"webhook_event":${body.toString('utf8')}}`

interface Named {
  readonly intentId: string | null
  readonly paymentId: string | null
}

const nothing: Named = { intentId: null, paymentId: null }

/** An order, or something of one: authorizations and captures have the order's id. */
const resource = z.object({
  id: z.string().optional(),
  custom_id: z.string().optional(),
  purchase_units: z.array(z.object({ custom_id: z.string().optional() })).optional(),
  supplementary_data: z
    .object({ related_ids: z.object({ order_id: z.string().optional() }).optional() })
    .optional(),
  links: z.array(z.object({ rel: z.string(), href: z.string() })).optional(),
  disputed_transactions: z.array(z.object({ seller_transaction_id: z.string().optional() })).optional(),
})
type Resource = z.infer<typeof resource>

async function paymentNamedBy(paypal: Paypal, value: unknown): Promise<Named | 'unanswered'> {
  const { data } = resource.safeParse(value)
  if (data === undefined) return nothing
  const { purchase_units: units, id, custom_id: custom, supplementary_data: more } = data
  if (units !== undefined) return { intentId: id ?? null, paymentId: units[0]?.custom_id ?? null }
  const captureId = captureNamedBy(data)
  if (captureId !== null) return paymentOfCapture(paypal, captureId)
  return { intentId: more?.related_ids?.order_id ?? null, paymentId: custom ?? null }
}

/** Refunds and disputes name only the capture that they are about. */
function captureNamedBy({ links, disputed_transactions: disputed }: Resource): string | null {
  const up = links?.find(({ rel }) => rel === 'up')?.href
  const ofRefund = /\/v2\/payments\/captures\/(\w+)$/.exec(up ?? '')?.[1]
  return ofRefund ?? disputed?.[0]?.seller_transaction_id ?? null
}

async function paymentOfCapture(paypal: Paypal, id: string): Promise<Named | 'unanswered'> {
  const path = `/v2/payments/captures/${encodeURIComponent(id)}`
  const answer = await paypal.send({ method: 'GET', path })
  if (answer.kind === 'refused') return nothing
  const { data } = paypalCapture.safeParse(answer.kind === 'ok' ? answer.body : null)
  if (data === undefined) return 'unanswered'
  const { custom_id: paymentId = null, supplementary_data: more } = data
  return { intentId: more?.related_ids?.order_id ?? null, paymentId }
}
