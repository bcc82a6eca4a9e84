import { useEffect, useState } from 'react'
import { useRevalidator } from 'react-router'
import { OrderStatusDocument, type OrderStatusSubscription } from '../generated/operations.ts'
import { browserShop } from '../shop/browser-shop.ts'
import type { Order } from './order.ts'

/** An order's status as it changes. When it does, the page's other data is asked again. */
export function useStatus({ id, status }: Order): Order['status'] {
  const [live, setLive] = useState({ id, status })
  const { revalidate } = useRevalidator()
  useEffect(() => {
    const leaving = new AbortController()
    void follow(id, leaving.signal, (next) => {
      setLive({ id, status: next })
      if (next !== status) void revalidate()
    })
    return () => leaving.abort()
    // The subscription is for the order, not for what it was like.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [id])
  return live.id === id ? live.status : status
}

async function follow(
  id: string,
  signal: AbortSignal,
  tell: (status: Order['status']) => void,
): Promise<void> {
  // Only this page needs it, so only this page loads it.
  const { createSubscriptions } = await import('@commerce-graph/client/subscriptions')
  const events = createSubscriptions(browserShop().client).subscribe<OrderStatusSubscription>(
    OrderStatusDocument.toString(),
    { id },
    { signal },
  )
  try {
    for await (const { order } of events) if (order !== null) tell(order.status)
  } catch {
    // The page goes on without live changes: what it shows was true when it was loaded.
  }
}
