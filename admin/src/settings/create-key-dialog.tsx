import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { CreateKeyDocument, CreatePublishableKeyDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { PermissionMatrix } from './permission-matrix.tsx'

interface Props {
  readonly onCreated: (key: string) => void
  readonly onClose: () => void
}

/** A secret key, for programs. */
export function CreateKeyDialog({ onCreated, onClose }: Props): ReactNode {
  const t = useText()
  const [name, setName] = useState('')
  const [mode, setMode] = useState('LIVE')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { run, error, pending } = useChange(CreateKeyDocument, ['settings'])
  const submit = async () => {
    const input = {
      name,
      mode: mode === 'TEST' ? ('TEST' as const) : ('LIVE' as const),
      permissions: [...chosen],
    }
    const key = (await run({ input }))?.createApiKey?.key
    if (key != null) onCreated(key)
  }
  return (
    <FormDialog
      title={t('newSecretKey')}
      fields={['name', 'permissions']}
      error={error}
      submit={t('createKey')}
      pending={pending}
      disabled={chosen.size === 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={t('name')}
        hint={t('keyNameHint')}
        value={name}
        onChange={setName}
        isRequired
        autoFocus
      />
      <Select
        label={t('keyMode')}
        hint={t('keyModeHint')}
        value={mode}
        onChange={setMode}
        choices={[
          { id: 'LIVE', text: t('keyLive') },
          { id: 'TEST', text: t('keyTest') },
        ]}
      />
      <PermissionMatrix chosen={chosen} onChange={setChosen} />
    </FormDialog>
  )
}

/** A key for the pages of a storefront, which everybody can read. */
export function CreatePublishableKeyDialog({ onCreated, onClose }: Props): ReactNode {
  const t = useText()
  const [name, setName] = useState('')
  const [origins, setOrigins] = useState('')
  const { run, error, pending } = useChange(CreatePublishableKeyDocument, ['settings'])
  const submit = async () => {
    const list = origins.split(/\s+/).filter((origin) => origin !== '')
    const key = (await run({ input: { name, origins: list } }))?.createPublishableKey?.key
    if (key != null) onCreated(key)
  }
  return (
    <FormDialog
      title={t('newPublishableKey')}
      narrow
      fields={['name', 'origins']}
      error={error}
      submit={t('createKey')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="name" label={t('name')} value={name} onChange={setName} isRequired autoFocus />
      <TextField
        name="origins"
        label={t('origins')}
        hint={t('originsHint')}
        placeholder="https://shop.example"
        value={origins}
        onChange={setOrigins}
        multiline
      />
    </FormDialog>
  )
}
