import {
  address,
  createCustomer,
  dataOf,
  found,
  type TestMerchant,
  type TestProduct,
  type TestShop,
} from './test-shop.ts'

/** A merchant with an account of its own at the sandbox's PayPal. */
export interface PaypalSide {
  readonly merchant: TestMerchant
  readonly accountId: string
  readonly clientId: string
  readonly product: TestProduct
}

let sides = 0

export async function openPaypalSide(shop: TestShop): Promise<PaypalSide> {
  const merchant = await shop.createMerchant()
  const product = await shop.createProduct(merchant, { price: 1999, stock: [10_000] })
  await shop.database`
    INSERT INTO payment.payment_option (merchant_id, method, name) VALUES (${merchant.merchantId}, 'PAYPAL', 'PayPal')`
  const clientId = `sandbox_${process.pid}x${(sides += 1)}`
  const input = { processor: 'PAYPAL', clientId, secretKey: `${clientId}_secret` }
  const { paymentAccountId } = dataOf(await shop.call(merchant, 'connectPaymentAccount', { input }))
  return { merchant, accountId: String(paymentAccountId), clientId, product }
}

export interface BegunPayment {
  readonly orderId: string
  readonly paymentId: string
  /** The page where the customer decides. */
  readonly redirectUrl: string
}

export const returnUrl = 'https://shop.example.com/thanks'

/** An order of one unit by a new customer. */
export async function placeOrder(shop: TestShop, { merchant, product }: PaypalSide): Promise<string> {
  const input = {
    customerId: await createCustomer(shop.database, merchant.merchantId),
    items: [{ productId: product.id, quantity: 1 }],
    shippingAddress: address,
  }
  return String(dataOf(await shop.call(merchant, 'createOrder', { input })).orderId)
}

/** A payment at PayPal that its customer has to approve. */
export async function beginPaypal(
  shop: TestShop,
  side: PaypalSide,
  more: object = {},
): Promise<BegunPayment> {
  const orderId = await placeOrder(shop, side)
  const input = { orderId, method: 'PAYPAL', returnUrl, ...more }
  const { paymentId, requiresAction } = dataOf(await shop.call(side.merchant, 'processPayment', { input }))
  const { redirectUrl } = requiresAction as { redirectUrl: string }
  return { orderId, paymentId: String(paymentId), redirectUrl }
}

/** The customer's decision on the sandbox's page. Returns where the browser is sent. */
export async function decide(redirectUrl: string, outcome: string): Promise<string | null> {
  const body = new URLSearchParams({ outcome })
  const response = await fetch(redirectUrl, { method: 'POST', body, redirect: 'manual' })
  await response.body?.cancel()
  return response.headers.get('location')
}

/** A call of PayPal's API with the account's credentials, as the merchant's dashboard. */
export async function callPaypal(
  shop: Pick<TestShop, 'sandboxUrl'>,
  { clientId }: Pick<PaypalSide, 'clientId'>,
  path: string,
  body: object = {},
): Promise<Readonly<Record<string, unknown>>> {
  const credentials = Buffer.from(`${clientId}:${clientId}_secret`).toString('base64')
  const response = await fetch(`${shop.sandboxUrl}/paypal${path}`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as Readonly<Record<string, unknown>>
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer
}

/** Has the sandbox know a webhook at this address, which its events are sent to. Returns PayPal's id of it. */
export async function createWebhook(
  shop: TestShop,
  side: Pick<PaypalSide, 'clientId' | 'merchant' | 'accountId'>,
  url: string,
  event: string,
): Promise<string> {
  const body = { url, event_types: [{ name: event }] }
  const { id } = await callPaypal(shop, side, '/v1/notifications/webhooks', body)
  const webhookSecret = String(id)
  const input = { webhookSecret }
  dataOf(await shop.call(side.merchant, 'updatePaymentAccount', { id: side.accountId, input }))
  return webhookSecret
}

/** The captures of a payment at the sandbox. */
export const capturesOf = (shop: TestShop, paymentId: string) => shop.database<
  { id: string; status: string; value: string }[]
>`
  SELECT c ->> 'id' AS id, c ->> 'status' AS status, c #>> '{amount,value}' AS value
  FROM sandbox_processor.paypal_order o, jsonb_array_elements(o.body #> '{purchase_units,0,payments,captures}') c
  WHERE o.body #>> '{purchase_units,0,custom_id}' = ${paymentId}`

/** A payment with its refunds, as it is on record. */
export async function paymentRow(shop: TestShop, paymentId: string) {
  const [row] = await shop.database`
    SELECT p.status, p.processor, p.captured_amount::integer AS captured, p.refunded_amount::integer AS refunded,
      p.failure_code, p.decline_code, p.attention, p.authorized_at IS NOT NULL AS authorized, o.status AS order,
      ARRAY(SELECT r.status FROM payment.refund r WHERE r.payment_id = p.id ORDER BY r.created_at, r.id) AS refunds
    FROM payment.payment p JOIN ordering.order o ON o.id = p.order_id WHERE p.id = ${paymentId}`
  return found(row)
}
