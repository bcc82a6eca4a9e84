import type { ReactNode } from 'react'
import { Form, Link, useFetcher, useLoaderData, useSearchParams } from 'react-router'
import type { MessageName } from '../language/catalogue.ts'
import { privatePage } from '../language/private-page.ts'
import { useLanguage } from '../language/use-language.tsx'
import { useVisit } from '../shop/use-visit.ts'
import { Alert } from '../ui/alert.tsx'
import { Field } from '../ui/field.tsx'
import type { Problem } from '../ui/problem.ts'
import { changeAccount, loadOrders, type Orders } from './account.ts'

export const clientLoader = ({ request }: { readonly request: Request }) => loadOrders(request.signal)
export const clientAction = async ({ request }: { readonly request: Request }) =>
  changeAccount(await request.formData())

export const meta = privatePage('account')
export { HydrateFallback } from '../cart/cart-page.tsx'

export default function AccountPage(): ReactNode {
  const orders = useLoaderData<typeof clientLoader>()
  const { t } = useLanguage()
  if (orders !== null) return <SignedIn orders={orders} />
  return (
    <>
      <h1>{t('account')}</h1>
      <div className="columns">
        <EntryForm step="sign-in" title="signIn" />
        <EntryForm step="register" title="register" />
        <ForgottenForm />
      </div>
    </>
  )
}

function SignedIn({ orders }: { readonly orders: Orders }): ReactNode {
  const { t, money, date } = useLanguage()
  const { email = '' } = useVisit()
  return (
    <>
      <h1>{t('account')}</h1>
      <p>{t('signedInAs', { email })}</p>
      <h2>{t('yourOrders')}</h2>
      {orders.length === 0 ? (
        <p>{t('noOrders')}</p>
      ) : (
        <ul className="summary">
          {orders.map(({ id, orderNumber, status, total, currency, createdAt }) => (
            <li key={id}>
              <Link to={`/order/${id}`}>{orderNumber}</Link> {date(createdAt)} · {t(`status${status}`)}{' '}
              <span className="amount">{money(total, currency)}</span>
            </li>
          ))}
        </ul>
      )}
      <Form method="post">
        <button className="secondary" name="step" value="sign-out">
          {t('signOut')}
        </button>
      </Form>
    </>
  )
}

interface EntryFormProps {
  readonly step: 'sign-in' | 'register'
  readonly title: MessageName
}

function EntryForm({ step, title }: EntryFormProps): ReactNode {
  const { t } = useLanguage()
  const [params] = useSearchParams()
  const fetcher = useFetcher<typeof clientAction>()
  const problem = problemIn(fetcher.data)
  const errors = problem?.fields ?? {}
  const isNew = step === 'register'
  return (
    <fetcher.Form method="post" className="form panel" aria-label={t(title)}>
      <h2>{t(title)}</h2>
      <input type="hidden" name="step" value={step} />
      <input type="hidden" name="to" value={params.get('to') ?? ''} />
      {isNew && <Field label={t('name')} name="name" autoComplete="name" error={errors['name']} />}
      <Field label={t('email')} name="email" type="email" autoComplete="email" error={errors['email']} />
      <Field
        label={t('password')}
        name="password"
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        error={errors['password']}
        {...(isNew && { hint: t('passwordHint') })}
      />
      <Alert problem={problem} />
      <button className="button" disabled={fetcher.state !== 'idle'}>
        {t(title)}
      </button>
    </fetcher.Form>
  )
}

function ForgottenForm(): ReactNode {
  const { t } = useLanguage()
  const fetcher = useFetcher<typeof clientAction>()
  const isDone = fetcher.data !== undefined && 'ok' in fetcher.data && fetcher.data.ok
  return (
    <fetcher.Form method="post" className="form panel" aria-label={t('forgotPassword')}>
      <h2>{t('forgotPassword')}</h2>
      <input type="hidden" name="step" value="forgotten" />
      <Field label={t('email')} name="email" type="email" autoComplete="email" />
      <Alert problem={problemIn(fetcher.data)} />
      <p role="status">{isDone && t('passwordMailed')}</p>
      <button className="secondary" disabled={fetcher.state !== 'idle'}>
        {t('mailPassword')}
      </button>
    </fetcher.Form>
  )
}

const problemIn = (outcome: Awaited<ReturnType<typeof clientAction>> | undefined): Problem | null =>
  outcome !== undefined && 'problem' in outcome ? outcome.problem : null
