/** What this browser remembers of the visit; the tokens are the client's. */
export interface Visit {
  readonly cartId?: string | undefined
  /** Opens a guest's cart, until the checkout begins. */
  readonly cartSecret?: string | undefined
  /** Of the cart, for the header of the page. */
  readonly itemCount?: number | undefined
  /** Whose tokens these are. */
  readonly caller?: 'guest' | 'customer' | undefined
  readonly customerId?: string | undefined
  readonly email?: string | undefined
  /** A payment that the visitor's bank is asked about, on a page of its own. */
  readonly pendingPayment?: { readonly orderId: string; readonly paymentId: string } | undefined
}

const key = 'storefront-visit'
const empty: Visit = {}
const listeners = new Set<() => void>()
let kept: { readonly text: string | null; readonly visit: Visit } = { text: null, visit: empty }

/** A small store for all tabs; React reads it by useSyncExternalStore. */
export const visit = {
  read: (): Visit => {
    if (typeof localStorage === 'undefined') return empty
    const text = localStorage.getItem(key)
    if (text !== kept.text) kept = { text, visit: parsed(text) }
    return kept.visit
  },
  /** Undefined takes a value away. */
  change(changes: Visit): void {
    localStorage.setItem(key, JSON.stringify({ ...visit.read(), ...changes }))
    for (const listener of listeners) listener()
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    addEventListener('storage', listener)
    return () => {
      listeners.delete(listener)
      removeEventListener('storage', listener)
    }
  },
  /** Before the page runs, nothing is known of the visitor. */
  onServer: (): Visit => empty,
}

function parsed(text: string | null): Visit {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? value : empty
  } catch {
    return empty
  }
}
