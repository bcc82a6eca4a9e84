import { redirect } from 'react-router'
import { done, failed, loadCart, type Outcome } from '../cart/cart.ts'
import {
  CheckoutCartDocument,
  SetShippingAddressDocument,
  SetShippingMethodDocument,
  StartGuestCheckoutDocument,
} from '../generated/operations.ts'
import { change } from '../shop/ask.ts'
import { browserShop } from '../shop/browser-shop.ts'
import { visit } from '../shop/visit.ts'
import { formText } from '../ui/form-text.ts'

export const addressFields = ['recipientName', 'line1', 'city', 'state', 'postalCode', 'country'] as const

/** What a form of the checkout asks for. */
export async function takeStep(form: FormData): Promise<Outcome | Response> {
  switch (form.get('step')) {
    case 'address':
      return setAddress(form)
    case 'shipping':
      return setShippingMethod(formText(form, 'shippingMethodId'))
    default:
      return placeOrder(Number(formText(form, 'expectedTotal')), formText(form, 'method'))
  }
}

async function setAddress(form: FormData): Promise<Outcome> {
  const { client } = browserShop()
  const text = (name: string): string => formText(form, name)
  if (visit.read().caller === undefined) {
    const started = await startGuestCheckout(text('email'), text('recipientName'))
    if (!started.ok) return started
  }
  const [recipientName, line1, city, state, postalCode, country] = addressFields.map(text)
  const address = {
    recipientName: recipientName ?? '',
    line1: line1 ?? '',
    city: city ?? '',
    state: state ?? '',
    postalCode: postalCode ?? '',
    country: country?.toUpperCase() ?? '',
  }
  const id = visit.read().cartId ?? ''
  const addressed = await change(client, SetShippingAddressDocument, { id, address })
  if (!addressed.ok) return failed(addressed.error)
  const method = addressed.data.setCartShippingAddress.cart?.availableShippingMethods[0]
  if (method === undefined) return { ok: false, problem: { text: 'noDelivery', message: '', fields: {} } }
  return setShippingMethod(method.shippingMethodId)
}

/** The visitor becomes a guest of the shop, and the cart is the guest's: its secret has ended. */
async function startGuestCheckout(email: string, name: string): Promise<Outcome> {
  const { client, tokens } = browserShop()
  const input = { email, name, cartId: visit.read().cartId ?? '' }
  const started = await change(client, StartGuestCheckoutDocument, { input })
  if (!started.ok) return failed(started.error)
  const { accessToken, refreshToken } = started.data.startGuestCheckout
  if (accessToken !== null && refreshToken !== null) await tokens.write({ accessToken, refreshToken })
  visit.change({ caller: 'guest', email, cartSecret: undefined })
  return done
}

async function setShippingMethod(method: string): Promise<Outcome> {
  const { client } = browserShop()
  const id = visit.read().cartId ?? ''
  const chosen = await change(client, SetShippingMethodDocument, { id, method })
  return chosen.ok ? done : failed(chosen.error)
}

/** Places the order if it still costs what the visitor was shown, and goes on to its payment. */
async function placeOrder(expectedTotal: number, method: string): Promise<Outcome | Response> {
  const { client } = browserShop()
  const id = visit.read().cartId ?? ''
  const placed = await change(client, CheckoutCartDocument, { id, input: { expectedTotal } })
  if (!placed.ok) {
    // Somebody pressed the button twice, or in two tabs: the cart is an order already, or its price has changed.
    const cart = await loadCart()
    if (cart !== null && cart.total !== expectedTotal)
      return { ok: false, problem: { text: 'priceChanged', message: placed.error.message, fields: {} } }
    return failed(placed.error)
  }
  visit.change({ cartId: undefined, cartSecret: undefined, itemCount: 0 })
  return redirect(`/order/${placed.data.checkoutCart.order?.id ?? ''}?method=${encodeURIComponent(method)}`)
}
