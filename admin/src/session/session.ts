/** Whether somebody is signed in. The access token is nowhere but here, in memory; what renews it is in a cookie that no script reads. */
export type SessionState =
  /** The page asks whether there is a session. */
  | { readonly kind: 'asking' }
  /** It has asked, and had no answer. It asks again by itself. */
  | { readonly kind: 'unreachable'; readonly attempts: number }
  | { readonly kind: 'out'; readonly ended: boolean }
  | SignedIn

export interface SignedIn {
  readonly kind: 'in'
  readonly accessToken: string
  /** Milliseconds. */
  readonly expiresAt: number
  readonly merchantId: string
  /** The shop wants an authenticator that the user doesn't have yet. */
  readonly mfaRequired: boolean
}

export interface SignInInput {
  readonly shop?: string
  readonly email: string
  readonly password: string
  readonly code?: string
}

export interface FieldFault {
  readonly field: string | null
  readonly message: string
}

export type SignInOutcome =
  | { readonly kind: 'in' }
  | { readonly kind: 'code-required' }
  | { readonly kind: 'refused'; readonly errors: readonly FieldFault[] }

const path = '/admin/session'
const headers = { 'content-type': 'application/json', 'x-commerce-admin': '1' }
/** Set while there may be a session, so that a first visit asks for none. */
const mark = 'commerce-admin-session'
/** Milliseconds before its end in which a token is renewed. */
const margin = 60_000
/** Milliseconds until the server is asked again whether there is a session: twice as long after each time, up to the longest. */
const firstPause = 2_000
const longestPause = 30_000

const listeners = new Set<() => void>()
const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel(mark) : null
let state: SessionState =
  localStorage.getItem(mark) === null ? { kind: 'out', ended: false } : { kind: 'asking' }
let renewing: Promise<SessionState> | undefined
let nextAttempt: ReturnType<typeof setTimeout> | undefined

function enter(next: SessionState): SessionState {
  state = next
  clearTimeout(nextAttempt)
  if (next.kind === 'unreachable') nextAttempt = setTimeout(() => void renew(), pauseAfter(next.attempts))
  if (next.kind === 'in') localStorage.setItem(mark, '1')
  if (next.kind === 'out') localStorage.removeItem(mark)
  for (const listener of listeners) listener()
  return next
}

const pauseAfter = (attempts: number): number => Math.min(firstPause * 2 ** (attempts - 1), longestPause)

/** Somebody has signed out, or somebody else in, in another tab. */
tabs?.addEventListener('message', () => location.reload())

export const session = {
  current: (): SessionState => state,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  /** At the page's start. */
  resume: () => (state.kind === 'asking' ? renew() : Promise.resolve(state)),
  signIn,
  signOut,
  /** After the server has refused the token. That of one which couldn't be renewed in time says nothing: the next request renews it. */
  end(): void {
    if (state.kind !== 'in' || state.expiresAt > Date.now()) enter({ kind: 'out', ended: true })
  },
  /** After the rights of the user have changed, and when somebody doesn't want to wait for the next attempt. */
  renew,
  async accessToken(): Promise<string> {
    const fresh = state.kind === 'in' && state.expiresAt - margin > Date.now() ? state : await renew()
    return fresh.kind === 'in' ? fresh.accessToken : 'none'
  },
}

async function signIn(input: SignInInput): Promise<SignInOutcome> {
  const { status, body } = await post(path, input)
  if (status === 200 && body['codeRequired'] === true) return { kind: 'code-required' }
  const signedIn = status === 200 ? tokensOf(body) : undefined
  if (signedIn !== undefined) {
    enter(signedIn)
    tabs?.postMessage('in')
    return { kind: 'in' }
  }
  return { kind: 'refused', errors: faultsOf(body) }
}

/** Whether the server has ended the session. If not, it lives on, and the page stays as it is. */
async function signOut(): Promise<boolean> {
  const { status } = await post(`${path}/end`, {})
  if (status !== 204) return false
  enter({ kind: 'out', ended: false })
  tabs?.postMessage('out')
  return true
}

/** A refresh token is good for once, so tabs take turns, and the callers of a tab share the answer. */
function renew(): Promise<SessionState> {
  renewing ??= exclusively(async () => {
    const { status, body } = await post(`${path}/refresh`, {})
    const signedIn = status === 200 ? tokensOf(body) : undefined
    if (signedIn !== undefined) return enter(signedIn)
    if (status === 401) return enter({ kind: 'out', ended: state.kind === 'in' })
    if (state.kind === 'asking') return enter({ kind: 'unreachable', attempts: 1 })
    return state.kind === 'unreachable' ? enter({ ...state, attempts: state.attempts + 1 }) : state
  }).finally(() => (renewing = undefined))
  return renewing
}

/** Pages at an address without HTTPS have no locks, except those of this machine. */
const exclusively = (run: () => Promise<SessionState>): Promise<SessionState> =>
  'locks' in navigator ? navigator.locks.request(mark, run) : run()

type Body = Readonly<Record<string, unknown>>

async function post(url: string, input: object): Promise<{ status: number; body: Body }> {
  try {
    const signal = AbortSignal.timeout(30_000)
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input), signal })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Body) }
  } catch {
    return { status: 0, body: {} }
  }
}

function tokensOf({ accessToken, expiresAt, merchantId, mfaRequired }: Body): SignedIn | undefined {
  if (typeof accessToken !== 'string' || typeof expiresAt !== 'string' || typeof merchantId !== 'string')
    return undefined
  const expires = Date.parse(expiresAt)
  return { kind: 'in', accessToken, expiresAt: expires, merchantId, mfaRequired: mfaRequired === true }
}

/** The errors of the input, or those of GraphQL, as one form. */
function faultsOf({ errors }: Body): readonly FieldFault[] {
  if (!Array.isArray(errors)) return [{ field: null, message: '' }]
  return errors.map((error: Body) => ({
    field: typeof error['field'] === 'string' ? error['field'] : null,
    message: typeof error['message'] === 'string' ? error['message'] : '',
  }))
}

/** The shop that the server assumes; null where the person has to name it. */
export async function assumedShop(): Promise<string | null> {
  try {
    const response = await fetch(path, { signal: AbortSignal.timeout(10_000) })
    const { shop } = (await response.json()) as { shop: string | null }
    return shop
  } catch {
    return null
  }
}
