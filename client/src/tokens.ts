/** The tokens of a person who has signed in, as `signInCustomer`, `signInUser` and others return them. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** The client's own: names a refresh that was begun, so that it can be repeated after its answer was lost. */
  readonly refreshKey?: string | undefined
}

/** Where the client finds and keeps the tokens. Without tokens, the key is the caller. */
export interface TokenStore {
  read(): Tokens | null | Promise<Tokens | null>
  /** Null after the session has ended. */
  write(tokens: Tokens | null): void | Promise<void>
  /**
   * Runs the refresh while no other client of the same tokens does. A refresh token works once, so two clients that use it at a time
   * would end the session.
   */
  exclusive?<T>(refresh: () => Promise<T>): Promise<T>
}

/** Keeps the tokens in this process or page. */
export function tokensInMemory(tokens: Tokens | null = null): TokenStore {
  let kept = tokens
  return {
    read: () => kept,
    write(changed) {
      kept = changed
    },
  }
}

interface Locks {
  request<T>(name: string, run: () => Promise<T>): Promise<T>
}

interface Page {
  readonly localStorage: {
    getItem(key: string): string | null
    setItem(key: string, value: string): void
    removeItem(key: string): void
  }
  readonly navigator?: { readonly locks?: Locks }
}

/**
 * Keeps the tokens in the browser, for all tabs of the shop's origin. One tab at a time refreshes them.
 *
 * @param key the name of the entry in localStorage
 */
export function tokensInBrowser(key = 'commerce-graph-tokens'): TokenStore {
  const { localStorage, navigator } = globalThis as unknown as Page
  const locks = navigator?.locks
  return {
    read: () => tokensFrom(localStorage.getItem(key)),
    write(tokens) {
      if (tokens === null) localStorage.removeItem(key)
      else localStorage.setItem(key, JSON.stringify(tokens))
    },
    exclusive: (refresh) => (locks === undefined ? refresh() : locks.request(key, refresh)),
  }
}

/** Null for an entry that another program has written. */
function tokensFrom(text: string | null): Tokens | null {
  if (text === null) return null
  try {
    const { accessToken, refreshToken, refreshKey } = JSON.parse(text) as Readonly<Record<string, unknown>>
    if (typeof accessToken !== 'string' || typeof refreshToken !== 'string') return null
    return { accessToken, refreshToken, ...(typeof refreshKey === 'string' && { refreshKey }) }
  } catch {
    return null
  }
}
