import type { Client } from '@commerce-graph/client'
import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  Link,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { CategoryBySlugDocument } from '../generated/operations.ts'
import { ask } from '../shop/ask.ts'
import { browserShop } from '../shop/browser-shop.ts'
import { serverShop } from '../shop/server-shop.server.ts'
import { Breadcrumb } from './breadcrumb.tsx'
import { ListingView } from './listing-view.tsx'
import { loadListing, type Sort } from './listing.ts'

const sorts: readonly [Sort, ...Sort[]] = ['best', 'new', 'price', '-price']

async function load(client: Client, request: Request, slug: string) {
  const { signal, url } = request
  const { category } = await ask(client, CategoryBySlugDocument, { slug }, signal)
  if (category === null) throw new Response(null, { status: 404 })
  const params = new URL(url).searchParams
  const listing = await loadListing(client, { params, sort: sorts[0], categoryId: category.id, signal })
  return { category, listing }
}

/** The first page of a visit comes from the server; from there on the browser asks the shop itself. */
export const loader = ({ request, params }: LoaderFunctionArgs) =>
  load(serverShop(request), request, params['slug'] ?? '')
export const clientLoader = ({ request, params }: ClientLoaderFunctionArgs) =>
  load(browserShop().client, request, params['slug'] ?? '')

export const meta: MetaFunction<typeof loader> = ({ loaderData }) => {
  if (loaderData === undefined) return []
  const { name, seoTitle, seoDescription, description } = loaderData.category
  return [
    { title: seoTitle ?? name },
    { name: 'description', content: seoDescription ?? description ?? name },
  ]
}

export default function Category(): ReactNode {
  const { category, listing } = useLoaderData<typeof loader>()
  const { name, description, parent, children } = category
  return (
    <>
      <Breadcrumb above={parent === null ? [] : [parent]} name={name} />
      <h1>{name}</h1>
      {description !== null && <p className="lead">{description}</p>}
      {children.length > 0 && (
        <ul className="chips">
          {children.map(({ id, name: child, slug }) => (
            <li key={id}>
              <Link to={`/c/${slug}`}>{child}</Link>
            </li>
          ))}
        </ul>
      )}
      <ListingView key={category.id} listing={listing} sorts={sorts} />
    </>
  )
}
