import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { CardFragment } from '../generated/operations.ts'
import { useLanguage } from '../language/use-language.tsx'
import { Picture } from './picture.tsx'

export type CardProduct = CardFragment

export const ProductGrid = ({ products }: { readonly products: readonly CardProduct[] }): ReactNode => (
  <ul className="grid">
    {products.map((product, index) => (
      <ProductCard key={product.id} product={product} eager={index < 4} />
    ))}
  </ul>
)

function ProductCard({
  product,
  eager,
}: {
  readonly product: CardProduct
  readonly eager: boolean
}): ReactNode {
  const { t, money } = useLanguage()
  const { name, slug, price, currency, compareAtPrice, hasVariants, availability, images } = product
  const text = money(price, currency)
  return (
    <li className="card">
      <Link to={`/p/${slug}`} prefetch="intent">
        <Picture image={images[0]} name={name} eager={eager} />
        <span className="card-name">{name}</span>
      </Link>
      <p className="card-price">
        <span>{hasVariants ? t('from', { price: text }) : text}</span>
        {compareAtPrice !== null && compareAtPrice > price && <s>{money(compareAtPrice, currency)}</s>}
      </p>
      {availability?.inStock === false && <p className="sold-out">{t('soldOut')}</p>}
    </li>
  )
}
