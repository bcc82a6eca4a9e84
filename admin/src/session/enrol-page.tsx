import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { faultsOf } from '../api/field-errors.ts'
import { ConfirmMfaDocument, EnrollMfaDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { session } from './session.ts'

/** For a user whose shop wants an authenticator: the session has no rights until there is one. */
export default function EnrolPage(): ReactNode {
  const t = useText()
  const [enrolled, setEnrolled] = useState<{ secret: string; url: string } | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  return (
    <main className="sign-in">
      <section className="card">
        <div>
          <h1>{t('enrolTitle')}</h1>
          <p className="muted">{t('enrolLead')}</p>
        </div>
        {codes !== null ? (
          <RecoveryCodes codes={codes} />
        ) : enrolled === null ? (
          <PasswordForm onEnrolled={setEnrolled} />
        ) : (
          <CodeForm {...enrolled} onConfirmed={setCodes} />
        )}
        <Button look="quiet" onPress={() => void session.signOut()}>
          {t('signOut')}
        </Button>
      </section>
    </main>
  )
}

function PasswordForm({
  onEnrolled,
}: {
  readonly onEnrolled: (enrolled: { secret: string; url: string }) => void
}): ReactNode {
  const t = useText()
  const [password, setPassword] = useState('')
  const { run, error, pending } = useChange(EnrollMfaDocument, [])
  const faults = faultsOf(error, ['password'])
  const submit = async () => {
    const { secret, url } = (await run({ password }))?.enrollMfa ?? {}
    if (secret != null && url != null) onEnrolled({ secret, url })
  }
  return (
    <ServerForm className="form" errors={faults.fields} onSubmit={() => void submit()}>
      {faults.general !== null && <Fault text={faults.general} />}
      <TextField
        name="password"
        type="password"
        autoComplete="current-password"
        label={t('password')}
        value={password}
        onChange={setPassword}
        isRequired
      />
      <Button type="submit" look="primary" isDisabled={pending}>
        {t('goOn')}
      </Button>
    </ServerForm>
  )
}

interface CodeProps {
  readonly secret: string
  readonly url: string
  readonly onConfirmed: (codes: readonly string[]) => void
}

function CodeForm({ secret, url, onConfirmed }: CodeProps): ReactNode {
  const t = useText()
  const [code, setCode] = useState('')
  const { run, error, pending } = useChange(ConfirmMfaDocument, [])
  const faults = faultsOf(error, ['code'])
  const submit = async () => {
    const codes = (await run({ code }))?.confirmMfa?.recoveryCodes
    if (codes != null) onConfirmed(codes)
  }
  return (
    <ServerForm className="form" errors={faults.fields} onSubmit={() => void submit()}>
      {faults.general !== null && <Fault text={faults.general} />}
      <p>{t('enrolSecret')}</p>
      <p className="secret">{secret.replaceAll(/(.{4})/g, '$1 ')}</p>
      <a href={url}>{t('enrolOpen')}</a>
      <TextField
        name="code"
        label={t('code')}
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        onChange={setCode}
        isRequired
      />
      <Button type="submit" look="primary" isDisabled={pending}>
        {t('confirm')}
      </Button>
    </ServerForm>
  )
}

function RecoveryCodes({ codes }: { readonly codes: readonly string[] }): ReactNode {
  const t = useText()
  return (
    <>
      <p>{t('recoveryCodes')}</p>
      <p className="secret pre">{codes.join('\n')}</p>
      <Button look="primary" onPress={() => void session.renew()}>
        {t('goOn')}
      </Button>
    </>
  )
}
