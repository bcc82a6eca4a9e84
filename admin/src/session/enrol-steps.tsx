import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { faultsOf } from '../api/field-errors.ts'
import { ConfirmMfaDocument, EnrollMfaDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { ServerForm } from '../ui/server-form.tsx'

/** Sets up an authenticator: the password, the key with the first code, and the recovery codes. */
export function EnrolSteps({ onDone }: { readonly onDone: () => void }): ReactNode {
  const [enrolled, setEnrolled] = useState<{ secret: string; url: string } | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (codes !== null) return <RecoveryCodes codes={codes} onDone={onDone} />
  return enrolled === null ? (
    <PasswordForm onEnrolled={setEnrolled} />
  ) : (
    <CodeForm {...enrolled} onConfirmed={setCodes} />
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

interface CodesProps {
  readonly codes: readonly string[]
  readonly onDone: () => void
}

function RecoveryCodes({ codes, onDone }: CodesProps): ReactNode {
  const t = useText()
  return (
    <>
      <p>{t('recoveryCodes')}</p>
      <p className="secret pre">{codes.join('\n')}</p>
      <Button look="primary" onPress={onDone}>
        {t('goOn')}
      </Button>
    </>
  )
}
