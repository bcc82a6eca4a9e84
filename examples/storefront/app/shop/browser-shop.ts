import { type Client, createClient, type TokenStore, tokensInBrowser } from '@commerce-graph/client'
import { visit } from './visit.ts'

/** What the root of the page says about the shop: no secret, every visitor can read it. */
const attribute = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''

interface BrowserShop {
  readonly client: Client
  /** The tokens of the guest who buys or the customer who has signed in, for all tabs. */
  readonly tokens: TokenStore
}

let shop: BrowserShop | undefined

/** The shop, as this visitor's browser asks it. */
export function browserShop(): BrowserShop {
  if (shop !== undefined) return shop
  const tokens = tokensInBrowser()
  const client = createClient({
    url: attribute('shop-url'),
    publishableKey: attribute('shop-key'),
    tokens,
    cartSecret: () => visit.read().cartSecret ?? null,
  })
  return (shop = { client, tokens })
}
