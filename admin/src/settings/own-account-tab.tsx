import { type ReactNode, useState } from 'react'
import { errorOf, useApi, useChange } from '../api/api.ts'
import { faultsOf } from '../api/field-errors.ts'
import { ChangePasswordDocument, DisableMfaDocument, OwnMfaDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { EnrolSteps } from '../session/enrol-steps.tsx'
import { useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault, FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { Card, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { SessionsCard } from './sessions-card.tsx'

/** The password, the authenticator and the sessions of the person who is signed in. */
export const OwnAccountTab = (): ReactNode => (
  <div className="stack">
    <PasswordCard />
    <AuthenticatorCard />
    <SessionsCard />
  </div>
)

function PasswordCard(): ReactNode {
  const t = useText()
  const { userEmail } = useShop()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const { run, error, pending } = useChange(ChangePasswordDocument, [])
  const faults = faultsOf(error, ['currentPassword', 'newPassword'])
  const submit = async () => {
    if ((await run({ currentPassword: current, newPassword: next })) === null) return
    setCurrent('')
    setNext('')
    tell(t('passwordChanged'))
  }
  return (
    <Card title={t('password')}>
      <ServerForm className="form" errors={faults.fields} onSubmit={() => void submit()}>
        {faults.general !== null && <Fault text={faults.general} />}
        <input type="text" name="username" autoComplete="username" value={userEmail} readOnly hidden />
        <div className="columns">
          <TextField
            name="currentPassword"
            type="password"
            autoComplete="current-password"
            label={t('currentPassword')}
            value={current}
            onChange={setCurrent}
            isRequired
          />
          <TextField
            name="newPassword"
            type="password"
            autoComplete="new-password"
            label={t('newPassword')}
            hint={t('newPasswordHint')}
            value={next}
            onChange={setNext}
            isRequired
          />
        </div>
        <div>
          <Button type="submit" isDisabled={pending}>
            {t('changePassword')}
          </Button>
        </div>
      </ServerForm>
    </Card>
  )
}

function AuthenticatorCard(): ReactNode {
  const t = useText()
  const { userId } = useShop()
  const { data, error, refetch } = useApi('settings', OwnMfaDocument, { id: userId })
  const [open, setOpen] = useState<'nothing' | 'enrolling' | 'leaving'>('nothing')
  // Only roles that may see users are told. The others may still set it up and take it away.
  const isUnknown = errorOf(error)?.kind === 'forbidden'
  const enabled = data?.user?.mfaEnabled
  const done = () => {
    setOpen('nothing')
    void refetch()
  }
  return (
    <Card title={t('secondFactor')}>
      {error !== null && !isUnknown ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : open === 'enrolling' ? (
        <div className="form">
          <EnrolSteps onDone={done} />
        </div>
      ) : enabled === undefined && !isUnknown ? (
        <Loading lines={1} />
      ) : (
        <div className="between">
          <p>{t(isUnknown ? 'mfaIsUnknown' : enabled === true ? 'mfaIsOn' : 'mfaIsOff')}</p>
          <span className="chips">
            {enabled !== true && (
              <Button look={isUnknown ? 'plain' : 'primary'} onPress={() => setOpen('enrolling')}>
                {t('enrolTitle')}
              </Button>
            )}
            {enabled !== false && (
              <Button look="quiet" onPress={() => setOpen('leaving')}>
                {t('mfaOff')}
              </Button>
            )}
          </span>
        </div>
      )}
      {open === 'leaving' && <DisableDialog onClose={done} />}
    </Card>
  )
}

function DisableDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useText()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { run, error, pending } = useChange(DisableMfaDocument, ['settings'])
  const submit = async () => {
    if ((await run({ password, code })) === null) return
    tell(t('mfaIsOff'))
    onClose()
  }
  return (
    <FormDialog
      title={t('mfaOff')}
      narrow
      fields={['password', 'code']}
      error={error}
      submit={t('mfaOff')}
      danger
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        name="password"
        type="password"
        autoComplete="current-password"
        label={t('password')}
        value={password}
        onChange={setPassword}
        isRequired
      />
      <TextField
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        label={t('code')}
        hint={t('codeHint')}
        value={code}
        onChange={setCode}
        isRequired
      />
    </FormDialog>
  )
}
