import type { Client } from '@commerce-graph/client'
import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  Link,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { SuggestionsDocument } from '../generated/operations.ts'
import { useLanguage } from '../language/use-language.tsx'
import { ask } from '../shop/ask.ts'
import { browserShop } from '../shop/browser-shop.ts'
import { serverShop } from '../shop/server-shop.server.ts'
import { ListingView } from './listing-view.tsx'
import { loadListing, type Sort } from './listing.ts'

const sorts: readonly [Sort, ...Sort[]] = ['relevance', 'best', 'price', '-price']

async function load(client: Client, request: Request) {
  const params = new URL(request.url).searchParams
  const text = (params.get('q') ?? '').trim().slice(0, 100)
  if (text.length < 2) return { text, listing: null, suggestions: [] }
  const { signal } = request
  const [listing, { searchSuggestions }] = await Promise.all([
    loadListing(client, { params, sort: sorts[0], query: text, signal }),
    ask(client, SuggestionsDocument, { query: text }, signal),
  ])
  return { text, listing, suggestions: searchSuggestions }
}

export const loader = ({ request }: LoaderFunctionArgs) => load(serverShop(request), request)
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) => load(browserShop().client, request)

export const meta: MetaFunction<typeof loader> = ({ loaderData }) => [
  { title: loaderData?.text ?? '' },
  { name: 'robots', content: 'noindex' },
]

export default function Search(): ReactNode {
  const { text, listing, suggestions } = useLoaderData<typeof loader>()
  const { t } = useLanguage()
  if (listing === null)
    return (
      <>
        <h1>{t('search')}</h1>
        <p>{t('searchLead')}</p>
      </>
    )
  return (
    <>
      <h1>{t('searchFor', { text })}</h1>
      {suggestions.length > 0 && (
        <ul className="chips" aria-label={t('suggestions')}>
          {suggestions.map((suggestion) => (
            <li key={`${suggestion.type} ${suggestion.text}`}>
              <Link to={`/search?q=${encodeURIComponent(suggestion.text)}`}>{suggestion.text}</Link>
            </li>
          ))}
        </ul>
      )}
      <ListingView listing={listing} sorts={sorts} kept={{ q: text }} />
    </>
  )
}
