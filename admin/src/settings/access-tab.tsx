import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { faultsOf, reasonOf } from '../api/field-errors.ts'
import {
  AccessDocument,
  AddAddressDocument,
  RemoveAddressDocument,
  UpdateAccountDocument,
  UpdateSettingsDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Checkbox, TextField } from '../ui/fields.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { Card, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'

/** From where, and how, people and programs get in. */
export function AccessTab(): ReactNode {
  const t = useText()
  const mayWrite = useMay('api_keys:write')
  const mayChangeShop = useMay('merchant:write')
  const { data, error, refetch } = useApi('settings', AccessDocument, {})
  const settings = useChange(UpdateSettingsDocument, ['settings'])
  const list = useChange(UpdateAccountDocument, ['settings'])
  if (error) return <Failed error={error} retry={() => void refetch()} />
  const account = data?.merchantAccount
  if (data === undefined || account == null) return <Loading />
  const fault = settings.error ?? list.error
  const requireMfa = async (mfaRequired: boolean) => {
    if ((await settings.run({ input: { mfaRequired } })) !== null) tell(t('saved'))
  }
  const switchList = async (ipWhitelistEnabled: boolean) => {
    if ((await list.run({ input: { ipWhitelistEnabled } })) !== null) tell(t('saved'))
  }
  return (
    <div className="stack">
      {fault !== null && <Fault text={reasonOf(fault)} />}
      <Card title={t('secondFactor')}>
        <Checkbox
          isSelected={account.settings.mfaRequired}
          isDisabled={!mayChangeShop || settings.pending}
          onChange={(on) => void requireMfa(on)}
        >
          {t('mfaOfEveryone')}
        </Checkbox>
      </Card>
      <Card title={t('allowList')}>
        <div className="form">
          <p className="muted">{t('allowListLead')}</p>
          <Checkbox
            isSelected={account.ipWhitelistEnabled}
            isDisabled={!mayChangeShop || list.pending}
            onChange={(on) => void switchList(on)}
          >
            {t('allowListOn')}
          </Checkbox>
          <ul>
            {data.ipWhitelist.map((entry) => (
              <li key={entry.id} className="parcel">
                <Entry {...entry} mayWrite={mayWrite} />
              </li>
            ))}
          </ul>
          {mayWrite && <AddForm />}
        </div>
      </Card>
    </div>
  )
}

interface EntryProps {
  readonly id: string
  readonly ipAddress: string
  readonly description: string | null
  readonly mayWrite: boolean
}

function Entry({ id, ipAddress, description, mayWrite }: EntryProps): ReactNode {
  const t = useText()
  const { run, error, pending } = useChange(RemoveAddressDocument, ['settings'])
  const remove = async () => {
    if ((await run({ id })) !== null) tell(t('addressRemoved', { address: ipAddress }))
  }
  return (
    <>
      {error !== null && <Fault text={reasonOf(error)} />}
      <div className="between">
        <span>
          <span className="strong">{ipAddress}</span> <span className="small muted">{description}</span>
        </span>
        {mayWrite && (
          <Button
            look="quiet"
            isDisabled={pending}
            aria-label={t('removeAddress', { address: ipAddress })}
            onPress={() => void remove()}
          >
            {t('remove')}
          </Button>
        )}
      </div>
    </>
  )
}

function AddForm(): ReactNode {
  const t = useText()
  const [ip, setIp] = useState('')
  const [description, setDescription] = useState('')
  const { run, error, pending } = useChange(AddAddressDocument, ['settings'])
  const faults = faultsOf(error, ['ip', 'description'])
  const submit = async () => {
    if ((await run({ ip, description: description === '' ? null : description })) === null) return
    setIp('')
    setDescription('')
  }
  return (
    <ServerForm className="form" errors={faults.fields} onSubmit={() => void submit()}>
      {faults.general !== null && <Fault text={faults.general} />}
      <div className="columns">
        <TextField
          name="ip"
          label={t('address')}
          hint={t('addressHint')}
          value={ip}
          onChange={setIp}
          isRequired
        />
        <TextField name="description" label={t('addressOf')} value={description} onChange={setDescription} />
      </div>
      <div>
        <Button type="submit" isDisabled={pending}>
          {t('add')}
        </Button>
      </div>
    </ServerForm>
  )
}
