import { type ReactNode, useState } from 'react'
import { Link, useFetcher } from 'react-router'
import type { clientAction, Product } from '../catalog/product.tsx'
import { useLanguage } from '../language/use-language.tsx'
import { Alert } from '../ui/alert.tsx'
import { Field } from '../ui/field.tsx'

/** The price, what there is to choose, and the button. */
export function AddToCart({ product }: { readonly product: Product }): ReactNode {
  const { t, money } = useLanguage()
  const fetcher = useFetcher<typeof clientAction>()
  const { variants, currency, price } = product
  const [variantId, choose] = useState(
    () => (variants.find(({ availability }) => availability?.inStock) ?? variants[0])?.id ?? '',
  )
  const variant = variants.find(({ id }) => id === variantId)
  const availability = variant === undefined ? product.availability : variant.availability
  const stock =
    availability?.inStock !== true
      ? t('soldOut')
      : availability.quantity === null
        ? t('inStock')
        : t('itemsLeft', { count: availability.quantity })
  return (
    <fetcher.Form method="post" className="buy">
      <p className="price">{money(variant?.price ?? price, currency)}</p>
      <p className={availability?.inStock === true ? 'in-stock' : 'sold-out'}>{stock}</p>
      <input type="hidden" name="productId" value={product.id} />
      {variants.length > 0 && (
        <fieldset className="variants">
          <legend>{t('choose')}</legend>
          {variants.map(({ id, sku, options, availability: available }) => (
            <label key={id} className={available?.inStock === true ? '' : 'gone'}>
              <input
                type="radio"
                name="variantId"
                value={id}
                checked={id === variantId}
                onChange={() => choose(id)}
              />
              {options.map(({ value }) => value).join(', ') || sku}
            </label>
          ))}
        </fieldset>
      )}
      <Field label={t('quantity')} name="quantity" type="number" min={1} max={999} defaultValue={1} />
      <button className="button" disabled={fetcher.state !== 'idle' || availability?.inStock !== true}>
        {t('addToCart')}
      </button>
      <Alert problem={fetcher.data?.ok === false ? fetcher.data.problem : null} />
      <p role="status">
        {fetcher.data?.ok === true && fetcher.state === 'idle' && (
          <>
            {t('added')} <Link to="/cart">{t('viewCart')}</Link>
          </>
        )}
      </p>
    </fetcher.Form>
  )
}
