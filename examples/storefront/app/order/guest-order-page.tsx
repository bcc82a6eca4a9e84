import type { ReactNode } from 'react'
import { redirect, useLoaderData } from 'react-router'
import { OpenGuestOrderDocument } from '../generated/operations.ts'
import { privatePage } from '../language/private-page.ts'
import { change } from '../shop/ask.ts'
import { browserShop } from '../shop/browser-shop.ts'
import { visit } from '../shop/visit.ts'
import { Alert } from '../ui/alert.tsx'
import { type Problem, problemOf } from '../ui/problem.ts'

/** The page of the link in a guest's mails. The token is behind #, so that no server's log has it. */
export async function clientLoader(): Promise<Problem | Response> {
  const { client, tokens } = browserShop()
  const token = decodeURIComponent(location.hash.slice(1))
  await tokens.write(null)
  const opened = await change(client, OpenGuestOrderDocument, { token })
  if (!opened.ok) return problemOf(opened.error)
  const { accessToken, refreshToken, orderId } = opened.data.openGuestOrder
  if (accessToken !== null && refreshToken !== null) await tokens.write({ accessToken, refreshToken })
  visit.change({ caller: 'guest', cartId: undefined, cartSecret: undefined, itemCount: 0 })
  return redirect(`/order/${orderId ?? ''}`)
}
clientLoader.hydrate = true as const

export const meta = privatePage('yourOrder')
export { HydrateFallback } from '../cart/cart-page.tsx'

export default function GuestOrderPage(): ReactNode {
  return <Alert problem={useLoaderData<typeof clientLoader>()} />
}
