import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { queryClient } from '../api/api.ts'
import icon from '../icon.svg'
import { languages, useLanguage } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { assumedShop, type FieldFault, session } from './session.ts'

const shopKey = 'commerce-admin-shop'
const fields = ['shop', 'email', 'password', 'code']

/** The shop that a link names, that was signed in to before, or that the server assumes. */
function useShopField(): [string, (shop: string) => void, boolean] {
  const named = new URLSearchParams(location.search).get('shop') ?? localStorage.getItem(shopKey) ?? ''
  const [shop, setShop] = useState(named)
  const [asks, setAsks] = useState(false)
  useEffect(() => {
    if (named === '') void assumedShop().then((assumed) => setAsks(assumed === null))
  }, [named])
  return [shop, setShop, asks]
}

export function SignInPage({ ended }: { readonly ended: boolean }): ReactNode {
  const { t } = useLanguage()
  useEffect(() => {
    document.title = t('signIn')
  }, [t])
  return (
    <main className="sign-in">
      <section className="card">
        <div className="brand">
          <img src={icon} alt="" />
          Commerce Graph
        </div>
        <div>
          <h1>{t('signIn')}</h1>
          <p className="muted">{t('signInLead')}</p>
        </div>
        {ended && (
          <div className="notice wait" role="status">
            <Icon name="clock" />
            <p>{t('sessionEnded')}</p>
          </div>
        )}
        <SignInForm />
      </section>
      <LanguageLinks />
    </main>
  )
}

function SignInForm(): ReactNode {
  const { t } = useLanguage()
  const [shop, setShop, asksShop] = useShopField()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string | null>(null)
  const [pending, setPending] = useState(false)
  const [errors, setErrors] = useState<readonly FieldFault[]>([])
  const submit = async () => {
    setPending(true)
    // What somebody else was shown before.
    queryClient.clear()
    const named = shop === '' ? {} : { shop }
    const outcome = await session.signIn({ ...named, email, password, ...(code !== null && { code }) })
    setPending(false)
    setErrors(outcome.kind === 'refused' ? outcome.errors : [])
    if (outcome.kind === 'code-required') setCode('')
    if (outcome.kind === 'in' && shop !== '') localStorage.setItem(shopKey, shop)
  }
  const byField = useMemo(
    () => Object.fromEntries(errors.map(({ field, message }) => [field ?? '', message])),
    [errors],
  )
  const general = errors.find(({ field }) => field === null || !fields.includes(field))
  return (
    <ServerForm className="form" errors={byField} onSubmit={() => void submit()}>
      {general && <Fault text={general.message || t('notReached')} />}
      {asksShop && (
        <TextField
          name="shop"
          label={t('shopId')}
          hint={t('shopIdHint')}
          value={shop}
          onChange={setShop}
          isRequired
        />
      )}
      <TextField
        name="email"
        type="email"
        label={t('email')}
        autoComplete="username"
        value={email}
        onChange={setEmail}
        isRequired
        autoFocus
      />
      <TextField
        name="password"
        type="password"
        label={t('password')}
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      {code !== null && (
        <TextField
          name="code"
          label={t('code')}
          hint={t('codeHint')}
          autoComplete="one-time-code"
          inputMode="numeric"
          value={code}
          onChange={setCode}
          isRequired
          autoFocus
        />
      )}
      <Button type="submit" look="primary" isDisabled={pending}>
        {pending ? t('sending') : t('signIn')}
      </Button>
    </ServerForm>
  )
}

function LanguageLinks(): ReactNode {
  const { language, choose } = useLanguage()
  return (
    <div className="tools">
      {languages.map((each) => (
        <Button key={each} look="quiet" aria-pressed={each === language} onPress={() => choose(each)}>
          {each === 'en' ? 'English' : 'Deutsch'}
        </Button>
      ))}
    </div>
  )
}
