/** `{ url, key }`: where the shop is, and its publishable key. */
const shop = await (await fetch('config.json')).json()

const storageKey = 'storefront'

/**
 * The visit, as it is kept in this browser: `cartId`, with `cartSecret` until the checkout begins; after it
 * `accessToken` and `refreshToken` of the guest; `method` and `payment`, while an order is being paid.
 */
export const visit = JSON.parse(localStorage.getItem(storageKey) ?? '{}')

/** @param changes undefined takes a value away */
export function remember(changes) {
  Object.assign(visit, changes)
  localStorage.setItem(storageKey, JSON.stringify(visit))
}

/** The shop has refused what was asked for. The message is for the visitor. */
export class Refusal extends Error {}

/**
 * Sends a request. Before the checkout the caller is the page, with its key; from then on the guest, with a token.
 * Throws a Refusal if there is no data.
 */
export async function ask(query, variables = {}) {
  const asGuest = visit.accessToken !== undefined
  let answer = await post(query, variables, asGuest ? visit.accessToken : shop.key)
  if (asGuest && answer.errors?.some(({ extensions }) => extensions.id === 'SVC_AUTH_002')) {
    await refresh()
    answer = await post(query, variables, visit.accessToken)
  }
  if (!answer.data) throw new Refusal(answer.errors[0].message)
  return answer.data
}

/** Runs a mutation. Returns its payload; throws a Refusal with the messages of its `errors`. */
export async function change(query, variables) {
  const [payload] = Object.values(await ask(query, variables))
  if (payload === null) throw new Refusal('The shop can not do this now.')
  if (payload.errors.length > 0) throw new Refusal(payload.errors.map(({ message }) => message).join('. '))
  return payload
}

/** The page's visitor is no guest any more: what follows is a new purchase. */
export const forgetGuest = () => remember({ accessToken: undefined, refreshToken: undefined })

async function post(query, variables, credential) {
  const response = await fetch(shop.url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${credential}`,
      'Content-Type': 'application/json',
      // A declined card and other errors come with the status 200, and the body says what they are.
      Accept: 'application/graphql-response+json',
      // The shop does a request once, though it should arrive twice.
      'Idempotency-Key': crypto.randomUUID(),
      ...(visit.cartSecret && credential === shop.key && { 'X-Cart-Secret': visit.cartSecret }),
    },
    body: JSON.stringify({ query, variables }),
  })
  return response.json()
}

let refreshing

/** New tokens. A refresh token works once, so requests that wait for it share one. */
function refresh() {
  refreshing ??= (async () => {
    const { data } = await post(
      'mutation ($token: String!) { refreshSession(refreshToken: $token) { accessToken refreshToken } }',
      { token: visit.refreshToken },
      shop.key,
    )
    if (!data?.refreshSession?.accessToken) {
      forgetGuest()
      throw new Refusal('Your visit has ended. The link in your mail leads to your order.')
    }
    remember(data.refreshSession)
  })().finally(() => (refreshing = undefined))
  return refreshing
}

/**
 * Follows a subscription until the signal aborts: over a lost connection, too.
 *
 * @param next gets the data of each event
 */
export function follow(query, variables, { next, signal }) {
  const socket = new WebSocket(shop.url.replace('http', 'ws'), 'graphql-transport-ws')
  const send = (message) => socket.send(JSON.stringify(message))
  signal.addEventListener('abort', () => socket.close(), { once: true })
  socket.onopen = () =>
    send({ type: 'connection_init', payload: { Authorization: `Bearer ${visit.accessToken}` } })
  socket.onclose = () => {
    if (!signal.aborted) setTimeout(() => follow(query, variables, { next, signal }), 2_000)
  }
  socket.onmessage = ({ data }) => {
    const { type, payload } = JSON.parse(data)
    if (type === 'connection_ack') send({ id: '1', type: 'subscribe', payload: { query, variables } })
    else if (type === 'ping') send({ type: 'pong' })
    else if (type === 'next' && payload.data) next(payload.data)
  }
}
