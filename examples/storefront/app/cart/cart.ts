import type { RequestError } from '@commerce-graph/client'
import {
  AddCartItemDocument,
  ApplyCouponDocument,
  CartByIdDocument,
  type CartPartsFragment,
  CreateCartDocument,
  RemoveCartItemDocument,
  UpdateCartItemDocument,
} from '../generated/operations.ts'
import { ask, change } from '../shop/ask.ts'
import { browserShop } from '../shop/browser-shop.ts'
import { leaveEndedSession } from '../shop/ended-session.ts'
import { visit } from '../shop/visit.ts'
import { formText } from '../ui/form-text.ts'
import { type Problem, problemOf } from '../ui/problem.ts'

export type Cart = CartPartsFragment

/** What became of a form. */
export type Outcome = { readonly ok: true } | { readonly ok: false; readonly problem: Problem }

export const done: Outcome = { ok: true }
export const failed = (error: RequestError): Outcome => ({ ok: false, problem: problemOf(error) })

/** The visit's cart, or null. One that has expired or is an order now is forgotten. */
export async function loadCart(signal?: AbortSignal): Promise<Cart | null> {
  await leaveEndedSession()
  const { cartId } = visit.read()
  if (cartId === undefined) return null
  const { cart } = await ask(browserShop().client, CartByIdDocument, { id: cartId }, signal)
  if (cart === null) visit.change({ cartId: undefined, cartSecret: undefined, itemCount: 0 })
  else visit.change({ itemCount: cart.itemCount })
  return cart
}

/** Adds what the product's form says to the cart, which it makes if there is none. */
export async function addToCart(form: FormData): Promise<Outcome> {
  const variantId = form.get('variantId')
  const item = {
    productId: formText(form, 'productId'),
    quantity: Math.max(1, Math.trunc(Number(form.get('quantity')) || 1)),
    ...(typeof variantId === 'string' && variantId !== '' && { variantId }),
  }
  await leaveEndedSession()
  const added = await addItem(item)
  // A session that this request has found ended doesn't keep the visitor from buying.
  return added.ok || !(await leaveEndedSession()) ? added : addItem(item)
}

interface Item {
  readonly productId: string
  readonly quantity: number
  readonly variantId?: string
}

async function addItem(item: Item): Promise<Outcome> {
  const { client } = browserShop()
  const { cartId } = visit.read()
  if (cartId !== undefined) {
    const added = await change(client, AddCartItemDocument, { id: cartId, item })
    if (added.ok) {
      visit.change({ itemCount: added.data.addCartItem.cart?.itemCount })
      return done
    }
    const isGone =
      added.error.kind === 'refused' && added.error.userErrors.some(({ code }) => code === 'NOT_FOUND')
    if (!isGone || (await loadCart()) !== null) return failed(added.error)
  }
  return openCart(item)
}

async function openCart(item: Item): Promise<Outcome> {
  const { client, tokens } = browserShop()
  // A guest's visit ends with the order. What follows is a new purchase, by a visitor without tokens.
  if (visit.read().caller === 'guest') {
    await tokens.write(null)
    visit.change({ caller: undefined, email: undefined })
  }
  const opened = await change(client, CreateCartDocument, { items: [item] })
  if (!opened.ok) return failed(opened.error)
  const { cart, secret } = opened.data.createCart
  visit.change({ cartId: cart?.id, cartSecret: secret ?? undefined, itemCount: cart?.itemCount })
  return done
}

/** Changes the cart as a form of the cart's page says. */
export async function changeCart(form: FormData): Promise<Outcome> {
  const { client } = browserShop()
  const id = visit.read().cartId ?? ''
  const code = form.get('coupon')
  if (typeof code === 'string') {
    const applied = await change(client, ApplyCouponDocument, { id, code })
    return applied.ok ? done : failed(applied.error)
  }
  const itemId = formText(form, 'itemId')
  const quantity = Number(form.get('quantity'))
  const changed =
    quantity > 0
      ? await change(client, UpdateCartItemDocument, { id, itemId, quantity })
      : await change(client, RemoveCartItemDocument, { id, itemId })
  return changed.ok ? done : failed(changed.error)
}
