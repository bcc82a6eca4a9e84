import { element, money } from './element.js'
import { ask, change, forgetGuest, remember, visit } from './shop.js'

/** Adds an item to the visit's cart, which it makes if there is none. */
export async function addToCart(item) {
  if (visit.cartId !== undefined) {
    await change(
      `mutation ($id: ID!, $item: CartItemInput!) {
        addCartItem(cartId: $id, item: $item) { errors { field message } }
      }`,
      { id: visit.cartId, item },
    )
    return
  }
  forgetGuest()
  const { cart, secret } = await change(
    `mutation ($items: [CartItemInput!]) {
      createCart(input: { items: $items }) { cart { id } secret errors { field message } }
    }`,
    { items: [item] },
  )
  remember({ cartId: cart.id, cartSecret: secret })
}

const setQuantity = (itemId, quantity) =>
  change(
    quantity === 0
      ? 'mutation ($id: ID!, $item: ID!) { removeCartItem(cartId: $id, itemId: $item) { errors { message } } }'
      : `mutation ($id: ID!, $item: ID!, $quantity: Int!) {
          updateCartItem(cartId: $id, itemId: $item, quantity: $quantity) { errors { message } }
        }`,
    { id: visit.cartId, item: itemId, ...(quantity > 0 && { quantity }) },
  )

/** The visit's cart, or null. One that has expired is forgotten. */
export async function findCart() {
  if (visit.cartId === undefined) return null
  const { cart } = await ask(
    `query ($id: ID!) {
      cart(id: $id) {
        id currency subtotal shipping tax discount total
        items { id quantity price subtotal available product { name } variant { options { value } } }
        availableShippingMethods { shippingMethodId name price }
        availablePaymentMethods { method name }
      }
    }`,
    { id: visit.cartId },
  )
  if (cart === null) remember({ cartId: undefined, cartSecret: undefined })
  return cart
}

/** @param show shows the page anew, after a change */
export async function cartPage(_parameters, { show }) {
  const cart = await findCart()
  if (cart === null || cart.items.length === 0) return [element('h1', {}, 'Your cart is empty')]
  const amount = (value) => element('td', { class: 'amount' }, money(value, cart.currency))
  const rows = cart.items.map(({ id, quantity, subtotal, available, product, variant }) => {
    const change = (more) => () => void setQuantity(id, quantity + more).then(show)
    return element(
      'tr',
      {},
      element('td', {}, [product.name, ...(variant?.options ?? []).map(({ value }) => value)].join(', ')),
      element(
        'td',
        {},
        element('button', { onclick: change(-1), 'aria-label': 'One less' }, '−'),
        ` ${quantity} `,
        element('button', { onclick: change(1), 'aria-label': 'One more' }, '+'),
        available ? null : ' no longer available',
      ),
      amount(subtotal),
    )
  })
  return [
    element('h1', {}, 'Your cart'),
    element('table', {}, ...rows),
    element('p', {}, `Goods: ${money(cart.subtotal, cart.currency)}`),
    element('a', { href: '#/checkout' }, 'Check out'),
  ]
}
