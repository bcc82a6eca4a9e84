import type { ReactNode } from 'react'
import { type LoaderFunctionArgs, type MetaFunction, useLoaderData } from 'react-router'
import { HomeDocument } from '../generated/operations.ts'
import { useLanguage } from '../language/use-language.tsx'
import type { RootData } from '../root.tsx'
import { ask } from '../shop/ask.ts'
import { serverShop } from '../shop/server-shop.server.ts'
import { ProductGrid } from './product-card.tsx'
import { translate } from '../language/translate.ts'

export const loader = async ({ request }: LoaderFunctionArgs) =>
  (await ask(serverShop(request), HomeDocument, {}, request.signal)).products.nodes

export const meta: MetaFunction<typeof loader> = ({ matches }) => {
  const root = matches[0]?.loaderData as RootData | undefined
  return [
    { title: root?.name ?? '' },
    { name: 'description', content: translate(root?.language ?? 'en', 'homeLead') },
  ]
}

export default function Home(): ReactNode {
  const products = useLoaderData<typeof loader>()
  const { t } = useLanguage()
  return (
    <>
      <section className="hero">
        <h1>{t('homeTitle')}</h1>
        <p>{t('homeLead')}</p>
      </section>
      <h2>{t('popular')}</h2>
      <ProductGrid products={products} />
    </>
  )
}
