import { type RequestError, localError } from './request-error.ts'
import type { Tokens, TokenStore } from './tokens.ts'

/** Who sends the requests: a key, or a person with an access token. */
export type Credential =
  | {
      /** A secret key, `cg_live_…`, `cg_test_…` or `cg_op_…`: for programs on servers. */
      readonly key: string
      /** The tokens of a user or shopper for whom the program signs in. */
      readonly tokens?: TokenStore
      readonly publishableKey?: undefined
      readonly accessToken?: undefined
    }
  | {
      /** A publishable key, `cg_pub_…`: for pages in browsers. */
      readonly publishableKey: string
      /** The tokens of the shopper, from signing in or a guest checkout. */
      readonly tokens?: TokenStore
      /** The secret of the guest's cart, as `createCart` returns it; null if there is none. */
      readonly cartSecret?: string | (() => string | null)
      readonly key?: undefined
      readonly accessToken?: undefined
    }
  | {
      /** An access token that the program looks after itself. Called for each request, and again after a token was refused. */
      readonly accessToken: () => string | Promise<string>
      readonly key?: undefined
      readonly publishableKey?: undefined
    }

/** What a request says of its caller. */
export interface CallerHeaders {
  readonly authorization: string
  readonly 'x-cart-secret'?: string
}

/** Asks for other tokens, or says why there are none. The same `refreshKey` gets the same tokens. */
export type Refresh = (
  token: { readonly refreshToken: string; readonly refreshKey: string },
  caller: CallerHeaders,
) => Promise<Tokens | RequestError>

const bearer = (credential: string): CallerHeaders => ({ authorization: `Bearer ${credential}` })

const isError = (value: Tokens | RequestError): value is RequestError => 'kind' in value

/** Throws an Error if there isn't one credential, or a secret key is in a page: a mistake of the program. */
function checkCredential({ key, publishableKey, accessToken }: Credential): void {
  // A variable of the environment that isn't set is undefined, or empty.
  if ([key, publishableKey, accessToken].filter(Boolean).length !== 1)
    throw new Error('Pass one credential: key, publishableKey or accessToken')
  if (publishableKey?.startsWith('cg_pub_') === false)
    throw new Error('publishableKey must begin with cg_pub_: other keys are secret')
  if (key?.startsWith('cg_pub_') === true) throw new Error('Pass a publishable key as publishableKey')
  if (key !== undefined && 'document' in globalThis)
    throw new Error('A secret key must not be in a page: use a publishable key')
}

/** The caller of a client: its key, or the person whose tokens the client has. */
export class Caller {
  readonly #credential: Credential
  readonly #store: TokenStore | undefined
  readonly #refresh: Refresh
  readonly #newKey: () => string
  #refreshing: Promise<RequestError | null> | undefined

  constructor(credential: Credential, refresh: Refresh, newKey: () => string) {
    checkCredential(credential)
    this.#credential = credential
    this.#store = 'tokens' in credential ? credential.tokens : undefined
    this.#refresh = refresh
    this.#newKey = newKey
  }

  /** The headers of a request. `asKey` leaves the tokens out. */
  async headers(asKey = false): Promise<CallerHeaders> {
    const { accessToken } = this.#credential
    if (accessToken !== undefined) return bearer(await accessToken())
    const tokens = asKey ? null : ((await this.#store?.read()) ?? null)
    return tokens === null ? this.#keyHeaders() : bearer(tokens.accessToken)
  }

  /**
   * After an access token was refused: gets other ones. Null if there are now, undefined if the request had none, or the program has
   * no other, and otherwise why there are none. Callers at the same time share one refresh.
   */
  async renew(refused: CallerHeaders): Promise<RequestError | null | undefined> {
    const { accessToken } = this.#credential
    if (accessToken !== undefined)
      return bearer(await accessToken()).authorization === refused.authorization ? undefined : null
    const store = this.#store
    const tokens = await store?.read()
    if (store === undefined || tokens == null) return undefined
    if (bearer(tokens.accessToken).authorization !== refused.authorization)
      return refused.authorization === this.#keyHeaders().authorization ? undefined : null
    this.#refreshing ??= this.#renewOnce(store, tokens).finally(() => (this.#refreshing = undefined))
    return this.#refreshing
  }

  async #renewOnce(store: TokenStore, refused: Tokens): Promise<RequestError | null> {
    const run = async () => {
      const tokens = await store.read()
      if (tokens === null) return localError('unauthenticated', 'The session has ended.')
      // Another tab was quicker.
      if (tokens.accessToken !== refused.accessToken) return null
      const refreshKey = tokens.refreshKey ?? this.#newKey()
      await store.write({ ...tokens, refreshKey })
      const answer = await this.#refresh({ ...tokens, refreshKey }, this.#keyHeaders())
      if (!isError(answer)) await store.write(answer)
      else if (endsSession(answer)) await store.write(null)
      return isError(answer) ? answer : null
    }
    return store.exclusive === undefined ? run() : store.exclusive(run)
  }

  #keyHeaders(): CallerHeaders {
    const credential = this.#credential
    if (credential.key !== undefined) return bearer(credential.key)
    if (credential.publishableKey === undefined) throw new Error('a program with access tokens has no key')
    const { publishableKey, cartSecret } = credential
    const secret = typeof cartSecret === 'function' ? cartSecret() : cartSecret
    return { ...bearer(publishableKey), ...(secret != null && { 'x-cart-secret': secret }) }
  }
}

/** Whether the refresh token is of no use any more, unlike after a failure that may pass. */
const endsSession = ({ kind }: RequestError): boolean =>
  kind === 'unauthenticated' || kind === 'conflict' || kind === 'refused'
