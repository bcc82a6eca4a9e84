import type { Client } from '@commerce-graph/client'
import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { AddToCart } from '../cart/add-to-cart.tsx'
import { ProductBySlugDocument, type ProductBySlugQuery } from '../generated/operations.ts'
import { useLanguage } from '../language/use-language.tsx'
import { ask } from '../shop/ask.ts'
import { browserShop } from '../shop/browser-shop.ts'
import { serverShop } from '../shop/server-shop.server.ts'
import { addToCart } from '../cart/cart.ts'
import { Breadcrumb } from './breadcrumb.tsx'
import { Picture } from './picture.tsx'

export type Product = NonNullable<ProductBySlugQuery['product']>

async function load(client: Client, { signal }: Request, slug: string): Promise<Product> {
  const { product } = await ask(client, ProductBySlugDocument, { slug }, signal)
  if (product === null) throw new Response(null, { status: 404 })
  return product
}

export const loader = ({ request, params }: LoaderFunctionArgs) =>
  load(serverShop(request), request, params['slug'] ?? '')
export const clientLoader = ({ request, params }: ClientLoaderFunctionArgs) =>
  load(browserShop().client, request, params['slug'] ?? '')

/** Adds to the cart of this browser: the server has no part in it. */
export const clientAction = async ({ request }: { readonly request: Request }) =>
  addToCart(await request.formData())

export const meta: MetaFunction<typeof loader> = ({ loaderData }) => {
  if (loaderData === undefined) return []
  const { name, seoTitle, seoDescription, description } = loaderData
  return [
    { title: seoTitle ?? name },
    { name: 'description', content: (seoDescription ?? description ?? name).slice(0, 160) },
  ]
}

export default function ProductPage(): ReactNode {
  const product = useLoaderData<typeof loader>()
  const { t } = useLanguage()
  const { name, description, categories, gallery, averageRating, reviewCount } = product
  const [first, ...others] = gallery
  return (
    <>
      <Breadcrumb above={categories.slice(0, 1)} name={name} />
      <div className="product">
        <div className="gallery">
          <Picture image={first} name={name} eager />
          {others.map((image) => (
            <Picture key={image.id} image={image} name={`${name} ${image.id}`} />
          ))}
        </div>
        <div>
          <h1>{name}</h1>
          {averageRating !== null && reviewCount > 0 && (
            <p className="rating">{t('rating', { stars: averageRating.toFixed(1) })}</p>
          )}
          <AddToCart key={product.id} product={product} />
          {description !== null && <p className="description">{description}</p>}
        </div>
      </div>
      <Reviews product={product} />
    </>
  )
}

function Reviews({ product: { reviews } }: { readonly product: Product }): ReactNode {
  const { t, date } = useLanguage()
  const nodes = reviews?.nodes ?? []
  return (
    <section aria-labelledby="reviews">
      <h2 id="reviews">{t('reviews')}</h2>
      {nodes.length === 0 && <p>{t('noReviews')}</p>}
      <ul className="reviews">
        {nodes.map(({ id, rating, title, body, authorName, createdAt, verifiedPurchase }) => (
          <li key={id}>
            <p className="rating">{t('rating', { stars: rating })}</p>
            {title !== null && <h3>{title}</h3>}
            {body !== null && <p>{body}</p>}
            <p className="hint">
              {authorName}, {date(createdAt)}
              {verifiedPurchase && ` · ${t('verifiedPurchase')}`}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
