import type { ReactNode } from 'react'
import {
  Form,
  Link,
  redirect,
  useActionData,
  useLoaderData,
  useNavigation,
  useSearchParams,
  useSubmit,
} from 'react-router'
import { type Cart, loadCart } from '../cart/cart.ts'
import { CartTotals } from '../cart/cart-totals.tsx'
import { privatePage } from '../language/private-page.ts'
import { useLanguage } from '../language/use-language.tsx'
import { useVisit } from '../shop/use-visit.ts'
import { Alert } from '../ui/alert.tsx'
import { Field } from '../ui/field.tsx'
import type { Problem } from '../ui/problem.ts'
import { takeStep } from './checkout.ts'

export async function clientLoader({ request }: { readonly request: Request }) {
  const cart = await loadCart(request.signal)
  return cart === null || cart.items.length === 0 ? redirect('/cart') : cart
}
export const clientAction = async ({ request }: { readonly request: Request }) =>
  takeStep(await request.formData())

export const meta = privatePage('checkout')
export { HydrateFallback } from '../cart/cart-page.tsx'

export default function CheckoutPage(): ReactNode {
  const cart = useLoaderData<typeof clientLoader>()
  const outcome = useActionData<typeof clientAction>()
  const [params] = useSearchParams()
  const { caller } = useVisit()
  const { t } = useLanguage()
  const problem = outcome !== undefined && 'ok' in outcome && !outcome.ok ? outcome.problem : null
  const addressed = caller !== undefined && cart.availableShippingMethods.length > 0
  return (
    <div className="split">
      <div>
        <h1>{t('checkout')}</h1>
        {addressed && !params.has('address') ? (
          <OrderForm cart={cart} problem={problem} />
        ) : (
          <AddressForm cart={cart} problem={problem} />
        )}
      </div>
      <aside className="panel">
        <h2>{t('yourOrder')}</h2>
        <ul className="summary">
          {cart.items.map(({ id, quantity, product }) => (
            <li key={id}>
              {quantity} × {product.name}
            </li>
          ))}
        </ul>
        <CartTotals cart={cart} />
      </aside>
    </div>
  )
}

interface StepProps {
  readonly cart: Cart
  readonly problem: Problem | null
}

function AddressForm({ cart, problem }: StepProps): ReactNode {
  const { t } = useLanguage()
  const { caller, email } = useVisit()
  const busy = useNavigation().state !== 'idle'
  const { shippingAddress } = cart
  const errors = problem?.fields ?? {}
  return (
    <Form method="post" action="/checkout" className="form" aria-label={t('whereTo')}>
      <h2>{t('whereTo')}</h2>
      {caller === undefined && (
        <p>
          <Link to="/account?to=/checkout">{t('haveAccount')}</Link>
        </p>
      )}
      <input type="hidden" name="step" value="address" />
      {caller === undefined && (
        <Field
          label={t('email')}
          name="email"
          type="email"
          autoComplete="email"
          error={errors['email']}
          defaultValue={email}
        />
      )}
      <Field
        label={t('name')}
        name="recipientName"
        autoComplete="name"
        error={errors['recipientName']}
        defaultValue={shippingAddress?.recipientName ?? ''}
      />
      <Field
        label={t('line1')}
        name="line1"
        autoComplete="address-line1"
        error={errors['line1']}
        defaultValue={shippingAddress?.line1}
      />
      <div className="row">
        <Field
          label={t('postalCode')}
          name="postalCode"
          autoComplete="postal-code"
          error={errors['postalCode']}
          defaultValue={shippingAddress?.postalCode}
        />
        <Field
          label={t('city')}
          name="city"
          autoComplete="address-level2"
          error={errors['city']}
          defaultValue={shippingAddress?.city}
        />
      </div>
      <div className="row">
        <Field
          label={t('state')}
          name="state"
          autoComplete="address-level1"
          error={errors['state']}
          defaultValue={shippingAddress?.state}
        />
        <Field
          label={t('country')}
          name="country"
          autoComplete="country"
          minLength={2}
          maxLength={2}
          error={errors['country']}
          defaultValue={shippingAddress?.country ?? 'US'}
        />
      </div>
      <Alert problem={problem} />
      <button className="button" disabled={busy}>
        {t('continue')}
      </button>
    </Form>
  )
}

function OrderForm({ cart, problem }: StepProps): ReactNode {
  const { t, money } = useLanguage()
  const submit = useSubmit()
  const busy = useNavigation().state !== 'idle'
  const { shippingAddress: to, availableShippingMethods, availablePaymentMethods, currency, total } = cart
  return (
    <>
      {to !== null && (
        <p>
          {[to.recipientName, to.line1, `${to.postalCode} ${to.city}`, to.country].filter(Boolean).join(', ')}{' '}
          <Link to="/checkout?address">{t('change')}</Link>
        </p>
      )}
      <Form
        method="post"
        className="form"
        onChange={({ currentTarget }) => void submit(currentTarget, { preventScrollReset: true })}
      >
        <input type="hidden" name="step" value="shipping" />
        <fieldset className="choices">
          <legend>{t('shipping')}</legend>
          {availableShippingMethods.map(({ shippingMethodId, name, price, chosen }) => (
            <label key={shippingMethodId}>
              <input type="radio" name="shippingMethodId" value={shippingMethodId} defaultChecked={chosen} />
              {name} <span className="amount">{money(price, currency)}</span>
            </label>
          ))}
        </fieldset>
      </Form>
      <Form method="post" className="form" aria-label={t('placeOrder')}>
        <input type="hidden" name="expectedTotal" value={total} />
        <fieldset className="choices">
          <legend>{t('method')}</legend>
          {availablePaymentMethods.map(({ method, name }, index) => (
            <label key={method}>
              <input type="radio" name="method" value={method} defaultChecked={index === 0} />
              {name}
            </label>
          ))}
        </fieldset>
        <Alert problem={problem} />
        <button className="button" disabled={busy}>
          {t('placeOrder')} · {money(total, currency)}
        </button>
      </Form>
    </>
  )
}
