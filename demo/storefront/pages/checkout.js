import { findCart } from './cart.js'
import { choice, element, field, form, money } from './element.js'
import { change, remember, visit } from './shop.js'

const addressFields = () => [
  field('Street', 'line1', { autocomplete: 'address-line1' }),
  field('City', 'city', { autocomplete: 'address-level2' }),
  field('State', 'state', { autocomplete: 'address-level1' }),
  field('Postal code', 'postalCode', { autocomplete: 'postal-code' }),
  field('Country', 'country', { autocomplete: 'country', value: 'US' }),
]

/** First the e-mail address and the address, then shipping and payment, with the total before the order is placed. */
export async function checkoutPage(_parameters, { show }) {
  const cart = await findCart()
  if (cart === null) return [element('h1', {}, 'Your cart is empty')]
  if (cart.availableShippingMethods.length === 0 || visit.accessToken === undefined) {
    const fields = [field('E-mail', 'email', { type: 'email', autocomplete: 'email' }), ...addressFields()]
    return [
      element('h1', {}, 'Where do we send it?'),
      form('Continue', fields, async ({ email, ...address }) => {
        if (visit.accessToken === undefined) await startGuestCheckout(email)
        await setAddress(address)
        await show()
      }),
    ]
  }
  return [element('h1', {}, 'Your order'), orderForm(cart)]
}

/** The page's visitor becomes a guest of the shop, and the cart is the guest's. */
async function startGuestCheckout(email) {
  const { accessToken, refreshToken } = await change(
    `mutation ($input: StartGuestCheckoutInput!) {
      startGuestCheckout(input: $input) { accessToken refreshToken errors { field message } }
    }`,
    { input: { email, cartId: visit.cartId } },
  )
  remember({ accessToken, refreshToken, cartSecret: undefined })
}

async function setAddress(address) {
  const { cart } = await change(
    `mutation ($id: ID!, $address: AddressInput!) {
      setCartShippingAddress(cartId: $id, address: $address) {
        cart { availableShippingMethods { shippingMethodId } } errors { field message }
      }
    }`,
    { id: visit.cartId, address },
  )
  const [first] = cart.availableShippingMethods
  if (first === undefined) throw new Error('We do not deliver to this address.')
  await setShippingMethod(first.shippingMethodId)
}

const setShippingMethod = async (method) => {
  const { cart } = await change(
    `mutation ($id: ID!, $method: ID!) {
      setCartShippingMethod(cartId: $id, shippingMethodId: $method) { cart { total } errors { field message } }
    }`,
    { id: visit.cartId, method },
  )
  return cart.total
}

function orderForm(cart) {
  const shipping = Object.fromEntries(
    cart.availableShippingMethods.map(({ shippingMethodId, name, price }) => [
      shippingMethodId,
      `${name}: ${money(price, cart.currency)}`,
    ]),
  )
  const payment = Object.fromEntries(cart.availablePaymentMethods.map(({ method, name }) => [method, name]))
  const total = element('output', {}, money(cart.total, cart.currency))
  let expectedTotal = cart.total
  const shippingChoice = choice('Shipping', 'shippingMethodId', shipping)
  shippingChoice.addEventListener('change', ({ target }) => {
    void setShippingMethod(target.value).then((changed) => {
      expectedTotal = changed
      total.textContent = money(changed, cart.currency)
    })
  })
  return form(
    'Place the order',
    [
      shippingChoice,
      choice('Payment', 'method', payment),
      element('p', {}, 'Total, with shipping and tax: ', total),
    ],
    async ({ method }) => {
      // No order is placed if a price has changed since the page showed the total.
      const { order } = await change(
        `mutation ($id: ID!, $input: CheckoutCartInput!) {
          checkoutCart(id: $id, input: $input) { order { id } errors { field message } }
        }`,
        { id: visit.cartId, input: { expectedTotal } },
      )
      remember({ cartId: undefined, method })
      location.hash = `#/order/${order.id}`
    },
  )
}
