import type { ReactNode } from 'react'
import { Link, useFetcher } from 'react-router'
import { privatePage } from '../language/private-page.ts'
import { useLanguage } from '../language/use-language.tsx'
import { Alert } from '../ui/alert.tsx'
import { Field } from '../ui/field.tsx'
import { setPassword } from './account.ts'

export const clientAction = async ({ request }: { readonly request: Request }) =>
  setPassword(await request.formData())

export const meta = privatePage('newPassword')

/** Where the link of a mail about the password leads: /account/password#<token>. */
export default function PasswordPage(): ReactNode {
  const { t } = useLanguage()
  const fetcher = useFetcher<typeof clientAction>()
  if (fetcher.data?.ok === true)
    return (
      <div className="narrow">
        <h1>{t('newPassword')}</h1>
        <p role="status">{t('passwordSet')}</p>
        <Link className="button" to="/account">
          {t('signIn')}
        </Link>
      </div>
    )
  const problem = fetcher.data?.ok === false ? fetcher.data.problem : null
  return (
    <fetcher.Form method="post" className="form narrow">
      <h1>{t('newPassword')}</h1>
      <Field
        label={t('newPassword')}
        name="password"
        type="password"
        autoComplete="new-password"
        hint={t('passwordHint')}
        error={problem?.fields['password']}
      />
      <Alert problem={problem} />
      <button className="button" disabled={fetcher.state !== 'idle'}>
        {t('setPassword')}
      </button>
    </fetcher.Form>
  )
}
