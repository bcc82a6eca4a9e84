import { useEffect } from 'react'
import { useFormat } from '../format/format.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { tell } from '../ui/toasts.tsx'

/**
 * Keeps the pages as the shop is, by subscriptions: new orders for whoever may see orders, and all other changes for whoever may see the
 * events. The client connects again by itself. Without a connection, pages are as old as their last visit.
 */
export function useLive(): void {
  const t = useText()
  const { money } = useFormat()
  const seesOrders = useMay('orders:read')
  const seesEvents = useMay('events:read')
  useEffect(() => {
    if (!seesOrders) return undefined
    const ending = new AbortController()
    // The protocol's code isn't needed for the first page.
    void import('./follow.ts')
      .then(({ followOrders }) =>
        followOrders(ending.signal, ({ orderNumber, total, currency }) =>
          tell(t('newOrder', { order: orderNumber, total: money(total, currency) })),
        ),
      )
      .catch(ignore)
    return () => ending.abort()
  }, [seesOrders, t, money])
  useEffect(() => {
    if (!seesEvents) return undefined
    const ending = new AbortController()
    void import('./follow.ts').then(({ followEvents }) => followEvents(ending.signal)).catch(ignore)
    return () => ending.abort()
  }, [seesEvents])
}

/** The server has refused, or stayed away for ten minutes: the pages still ask at each visit. */
const ignore = (): void => undefined
