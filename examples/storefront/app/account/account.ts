import { redirect } from 'react-router'
import { done, failed, type Outcome } from '../cart/cart.ts'
import {
  AccountOrdersDocument,
  type AccountOrdersQuery,
  RegisterCustomerDocument,
  RequestPasswordResetDocument,
  ResetPasswordDocument,
  SignInCustomerDocument,
  SignOutDocument,
} from '../generated/operations.ts'
import { ask, change } from '../shop/ask.ts'
import { browserShop } from '../shop/browser-shop.ts'
import { leaveEndedSession } from '../shop/ended-session.ts'
import { visit } from '../shop/visit.ts'
import { formText } from '../ui/form-text.ts'

export type Orders = AccountOrdersQuery['orders']['nodes']

/** The orders of the customer who is signed in; null: none is. */
export async function loadOrders(signal: AbortSignal): Promise<Orders | null> {
  const { client, tokens } = browserShop()
  if (visit.read().caller !== 'customer' || (await tokens.read()) === null) return null
  return (await ask(client, AccountOrdersDocument, {}, signal)).orders.nodes
}

/** What a form of the account asks for. */
export async function changeAccount(form: FormData): Promise<Outcome | Response> {
  switch (form.get('step')) {
    case 'sign-out':
      return signOut()
    case 'register':
    case 'sign-in':
      return enter(form)
    default: {
      const { client } = browserShop()
      const requested = await change(client, RequestPasswordResetDocument, { email: formText(form, 'email') })
      return requested.ok ? done : failed(requested.error)
    }
  }
}

interface Session {
  readonly accessToken: string | null
  readonly refreshToken: string | null
  readonly cartId: string | null
  readonly customerId: string | null
}

/** Signs in, or makes an account. The cart comes along, and its secret ends. */
async function enter(form: FormData): Promise<Outcome | Response> {
  const { client } = browserShop()
  await leaveEndedSession()
  const { cartId, caller } = visit.read()
  const email = formText(form, 'email')
  const input = {
    email,
    password: passwordOf(form),
    ...(cartId !== undefined && caller === undefined && { cartId }),
  }
  if (form.get('step') === 'register') {
    const registered = await change(client, RegisterCustomerDocument, {
      input: { ...input, name: formText(form, 'name') },
    })
    if (!registered.ok) return failed(registered.error)
    return begin(registered.data.registerCustomer, email, form)
  }
  const signedIn = await change(client, SignInCustomerDocument, { input })
  if (!signedIn.ok) {
    const isWrong = signedIn.error.kind === 'refused' || signedIn.error.kind === 'unauthenticated'
    return isWrong
      ? { ok: false, problem: { text: 'wrongPassword', message: signedIn.error.message, fields: {} } }
      : failed(signedIn.error)
  }
  return begin(signedIn.data.signInCustomer, email, form)
}

async function begin(session: Session, email: string, form: FormData): Promise<Response> {
  const { accessToken, refreshToken, cartId, customerId } = session
  if (accessToken !== null && refreshToken !== null)
    await browserShop().tokens.write({ accessToken, refreshToken })
  visit.change({
    caller: 'customer',
    email,
    cartSecret: undefined,
    customerId: customerId ?? undefined,
    cartId: cartId ?? undefined,
  })
  const to = formText(form, 'to')
  return redirect(/^\/(?![/\\])/.test(to) ? to : '/account')
}

async function signOut(): Promise<Outcome> {
  const { client, tokens } = browserShop()
  const kept = await tokens.read()
  if (kept !== null) await change(client, SignOutDocument, { refreshToken: kept.refreshToken })
  await tokens.write(null)
  visit.change({
    caller: undefined,
    email: undefined,
    customerId: undefined,
    cartId: undefined,
    itemCount: 0,
  })
  return done
}

/** The page of the link in a mail about the password. */
export async function setPassword(form: FormData): Promise<Outcome> {
  const token = decodeURIComponent(location.hash.slice(1)) || formText(form, 'token')
  const password = passwordOf(form)
  const changed = await change(browserShop().client, ResetPasswordDocument, { token, password })
  return changed.ok ? done : failed(changed.error)
}

/** As it was typed: blanks at its ends are part of it. */
function passwordOf(form: FormData): string {
  const value = form.get('password')
  return typeof value === 'string' ? value : ''
}
