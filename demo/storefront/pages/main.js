import { cartPage } from './cart.js'
import { catalogPage, productPage } from './catalog.js'
import { checkoutPage } from './checkout.js'
import { element, valuesOf } from './element.js'
import { guestOrderPage, orderPage } from './order.js'

/** Pages by the beginning of the address behind `#`. A page gets the named part, and returns its elements. */
const pages = [
  [/^#\/product\/(?<id>[\w-]+)$/, productPage],
  [/^#\/cart$/, cartPage],
  [/^#\/checkout$/, checkoutPage],
  [/^#\/order\/(?<id>[\w-]+)$/, orderPage],
  [/^#\/guest-order\/(?<token>.+)$/, guestOrderPage],
  [/^#\/search\/(?<search>.+)$/, ({ search }) => catalogPage({ search: decodeURIComponent(search) })],
  [/^(#\/?)?$/, catalogPage],
]

const main = document.querySelector('#page')
let leaving = new AbortController()

/** Shows the page of the address. What the page before it follows ends. */
async function show() {
  leaving.abort()
  leaving = new AbortController()
  const { signal } = leaving
  const [pattern, page] = pages.find(([form]) => form.test(location.hash)) ?? [/^/, notFoundPage]
  const parameters = pattern.exec(location.hash)?.groups ?? {}
  try {
    const parts = await page(parameters, { signal, show })
    if (!signal.aborted) main.replaceChildren(...parts)
  } catch (error) {
    if (!signal.aborted) main.replaceChildren(element('p', { role: 'alert' }, error.message))
  }
}

const notFoundPage = () => [element('h1', {}, 'There is no such page')]

const searchAddress = (search) => (search === '' ? '#/' : `#/search/${encodeURIComponent(search)}`)

addEventListener('hashchange', show)
document.querySelector('#search').addEventListener('submit', (event) => {
  event.preventDefault()
  location.hash = searchAddress(valuesOf(event.target).q)
})
// A visitor who searches before this script has run sends the form to the page itself.
const early = new URLSearchParams(location.search).get('q')
if (early !== null) history.replaceState(null, '', location.pathname + searchAddress(early))
await show()
