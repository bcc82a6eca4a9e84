import type { ReactNode } from 'react'
import { Link, useFetcher, useLoaderData } from 'react-router'
import { Picture } from '../catalog/picture.tsx'
import { privatePage } from '../language/private-page.ts'
import { useLanguage } from '../language/use-language.tsx'
import { Alert } from '../ui/alert.tsx'
import { Field } from '../ui/field.tsx'
import { type Cart, changeCart, loadCart } from './cart.ts'
import { CartTotals } from './cart-totals.tsx'

export const clientLoader = ({ request }: { readonly request: Request }) => loadCart(request.signal)
export const clientAction = async ({ request }: { readonly request: Request }) =>
  changeCart(await request.formData())

export const meta = privatePage('yourCart')

export function HydrateFallback(): ReactNode {
  const { t } = useLanguage()
  return <p role="status">{t('loading')}</p>
}

export default function CartPage(): ReactNode {
  const cart = useLoaderData<typeof clientLoader>()
  const { t } = useLanguage()
  if (cart === null || cart.items.length === 0)
    return (
      <div className="narrow">
        <h1>{t('emptyCart')}</h1>
        <Link className="button" to="/">
          {t('goShopping')}
        </Link>
      </div>
    )
  return (
    <div className="split">
      <div>
        <h1>{t('yourCart')}</h1>
        <ul className="lines">
          {cart.items.map((item) => (
            <CartLine key={item.id} item={item} currency={cart.currency} />
          ))}
        </ul>
      </div>
      <aside className="panel">
        <CartTotals cart={cart} />
        <p className="hint">{t('shippingLater')}</p>
        <Coupon />
        <Link className="button" to="/checkout">
          {t('checkOut')}
        </Link>
      </aside>
    </div>
  )
}

function Coupon(): ReactNode {
  const { t } = useLanguage()
  const fetcher = useFetcher<typeof clientAction>()
  return (
    <fetcher.Form method="post" className="coupon">
      <Field label={t('coupon')} name="coupon" maxLength={50} autoComplete="off" />
      <button className="secondary">{t('applyCoupon')}</button>
      <Alert problem={fetcher.data?.ok === false ? fetcher.data.problem : null} />
    </fetcher.Form>
  )
}

interface CartLineProps {
  readonly item: Cart['items'][number]
  readonly currency: string
}

function CartLine({ item, currency }: CartLineProps): ReactNode {
  const { t, money } = useLanguage()
  const fetcher = useFetcher<typeof clientAction>()
  const { id, quantity, subtotal, available, product, variant } = item
  const name = [product.name, ...(variant?.options ?? []).map(({ value }) => value)].join(', ')
  const change = (to: number, label: string, text: string): ReactNode => (
    <fetcher.Form method="post">
      <input type="hidden" name="itemId" value={id} />
      <button
        className="step"
        name="quantity"
        value={to}
        aria-label={label}
        disabled={fetcher.state !== 'idle'}
      >
        {text}
      </button>
    </fetcher.Form>
  )
  return (
    <li className="line">
      <Picture image={product.images[0]} name={product.name} />
      <div>
        <Link to={`/p/${product.slug}`}>{name}</Link>
        {!available && <p className="sold-out">{t('unavailable')}</p>}
        <div className="steps">
          {change(quantity - 1, t('less', { name }), '−')}
          <span aria-live="polite">{quantity}</span>
          {change(quantity + 1, t('more', { name }), '+')}
          {change(0, t('remove', { name }), '×')}
        </div>
        <Alert problem={fetcher.data?.ok === false ? fetcher.data.problem : null} />
      </div>
      <span className="amount">{money(subtotal, currency)}</span>
    </li>
  )
}
