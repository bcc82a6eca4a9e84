import { choice, element, form, money } from './element.js'
import { ask, change, follow, remember, Refusal, visit } from './shop.js'

/**
 * In a real shop the processor's form makes the payment method, so that no card number reaches the page. These are the
 * sandbox's.
 */
const testCards = {
  pm_card_visa: 'A card that is good',
  pm_card_chargeDeclined: 'A card that is declined',
  pm_card_threeDSecure2Required: 'A card whose bank asks its holder',
}

/** An order of the guest: its status as it changes, and how to pay it. */
export async function orderPage({ id }, { signal, show }) {
  const trouble = await finishPayment(id)
  const { order } = await ask(
    `query ($id: ID!) {
      order(id: $id) {
        orderNumber status total currency items { productName quantity subtotal }
        payments { status method reference instructions }
      }
    }`,
    { id },
  )
  if (order === null) return [element('h1', {}, 'There is no such order')]
  const status = element('output', { 'aria-label': 'Status' }, order.status)
  follow(
    'subscription ($id: ID!) { order(id: $id) { status } }',
    { id },
    {
      signal,
      next: (data) => (status.textContent = data.order?.status ?? order.status),
    },
  )
  const isPaid = order.payments.some((payment) => payment.status === 'SUCCEEDED')
  const awaited = order.payments.find((payment) => payment.instructions !== null)
  return [
    element('h1', {}, `Order ${order.orderNumber}`),
    element('p', {}, 'Status: ', status),
    element(
      'table',
      {},
      ...order.items.map(({ productName, quantity, subtotal }) =>
        element(
          'tr',
          {},
          element('td', {}, `${quantity} × ${productName}`),
          element('td', { class: 'amount' }, money(subtotal, order.currency)),
        ),
      ),
    ),
    element('p', {}, `Total: ${money(order.total, order.currency)}`),
    trouble === null ? null : element('p', { role: 'alert' }, trouble),
    isPaid ? element('p', {}, 'Thank you. Your order is paid.') : null,
    awaited === undefined ? null : element('p', {}, awaited.instructions, ' ', awaited.reference ?? ''),
    isPaid || awaited !== undefined || order.status !== 'PENDING' ? null : paymentForm(id, show),
  ].filter((part) => part !== null)
}

function paymentForm(orderId, show) {
  const method = visit.method ?? 'CARD'
  return form(
    'Pay',
    method === 'CARD' ? [choice('Card', 'paymentMethodId', testCards)] : [],
    async (values) => {
      const returnUrl = `${location.origin}${location.pathname}#/order/${orderId}`
      const { id, requiresAction, error } = await change(
        `mutation ($input: PaymentInput!) {
        processPayment(input: $input) {
          id status requiresAction { redirectUrl } error { message } errors { field message }
        }
      }`,
        { input: { orderId, method, ...values, ...(method === 'CARD' && { returnUrl }) } },
      )
      if (error !== null) throw new Refusal(`${error.message} Please try another card.`)
      if (requiresAction !== null) {
        remember({ payment: { id, orderId } })
        location.assign(requiresAction.redirectUrl)
      } else await show()
    },
  )
}

/** After the visitor has come back from the bank's page. Returns what went wrong there, or null. */
async function finishPayment(orderId) {
  if (visit.payment?.orderId !== orderId) return null
  const { id } = visit.payment
  remember({ payment: undefined })
  const { error } = await change(
    'mutation ($id: ID!) { confirmPayment(id: $id) { status error { message } errors { field message } } }',
    { id },
  )
  return error === null ? null : `${error.message} Please try again.`
}

/** The page of the link in a guest's mails. */
export async function guestOrderPage({ token }) {
  const { accessToken, refreshToken, orderId } = await change(
    `mutation ($token: String!) {
      openGuestOrder(token: $token) { accessToken refreshToken orderId errors { field message } }
    }`,
    { token },
  )
  remember({ accessToken, refreshToken, cartId: undefined, cartSecret: undefined })
  location.replace(`#/order/${orderId}`)
  return []
}
