import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  AssignRoleDocument,
  CreateUserDocument,
  DeleteUserDocument,
  ReactivateUserDocument,
  RemoveRoleDocument,
  ResetUserMfaDocument,
  RoleListDocument,
  SuspendUserDocument,
  type UserListQuery,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, Fault, FormDialog } from '../ui/dialog.tsx'
import { Checkbox, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'

export type User = UserListQuery['users']['nodes'][number]

const useRoles = () => useApi('settings', RoleListDocument, {}).data?.roles.nodes ?? []

/** Invites somebody, who sets a password by the link in the mail. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useText()
  const roles = useRoles()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { run, error, pending } = useChange(CreateUserDocument, ['settings'])
  const submit = async () => {
    const input = { email, roleIds: [...chosen], ...(name !== '' && { name }) }
    if ((await run({ input })) === null) return
    tell(t('userIsInvited', { email }))
    onClose()
  }
  return (
    <FormDialog
      title={t('inviteUser')}
      narrow
      fields={['email', 'name', 'roleIds']}
      error={error}
      submit={t('invite')}
      pending={pending}
      disabled={chosen.size === 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p className="muted">{t('inviteLead')}</p>
      <TextField
        name="email"
        type="email"
        label={t('email')}
        value={email}
        onChange={setEmail}
        isRequired
        autoFocus
      />
      <TextField name="name" label={t('name')} value={name} onChange={setName} />
      <fieldset className="stack">
        <legend>{t('roles')}</legend>
        {roles.map(({ id, name: role, description }) => (
          <Checkbox
            key={id}
            isSelected={chosen.has(id)}
            onChange={(on) =>
              setChosen(new Set(on ? [...chosen, id] : [...chosen].filter((each) => each !== id)))
            }
          >
            {role} <span className="small muted">{description}</span>
          </Checkbox>
        ))}
      </fieldset>
    </FormDialog>
  )
}

interface UserProps {
  readonly user: User
  readonly onClose: () => void
}

/** A user's roles and rights. Each change is sent at once. */
export function UserDialog({ user, onClose }: UserProps): ReactNode {
  const t = useText()
  const { userId } = useShop()
  const roles = useRoles()
  const subjects = ['settings', 'viewer'] as const
  const assigning = useChange(AssignRoleDocument, subjects)
  const removing = useChange(RemoveRoleDocument, subjects)
  const error = assigning.error ?? removing.error
  const pending = assigning.pending || removing.pending
  const held = new Set(user.roles.map(({ id }) => id))
  const set = (roleId: string, on: boolean) => {
    assigning.forget()
    removing.forget()
    void (on ? assigning : removing).run({ userId: user.id, roleId })
  }
  return (
    <Dialog title={user.name} narrow onClose={onClose}>
      <div className="body">
        <p className="muted">{user.email}</p>
        {error !== null && <Fault text={reasonOf(error)} />}
        <fieldset className="stack">
          <legend>{t('roles')}</legend>
          {roles.map(({ id, name, description }) => (
            <Checkbox key={id} isSelected={held.has(id)} isDisabled={pending} onChange={(on) => set(id, on)}>
              {name} <span className="small muted">{description}</span>
            </Checkbox>
          ))}
        </fieldset>
        {user.id !== userId && <Rights user={user} onClose={onClose} />}
      </div>
      <footer>
        <Button look="primary" onPress={onClose}>
          {t('done')}
        </Button>
      </footer>
    </Dialog>
  )
}

/** What ends or gives back the rights of another person. */
function Rights({ user, onClose }: UserProps): ReactNode {
  const t = useText()
  const { id, name, status, mfaEnabled } = user
  const [leaving, setLeaving] = useState(false)
  const suspend = useChange(SuspendUserDocument, ['settings'])
  const reactivate = useChange(ReactivateUserDocument, ['settings'])
  const reset = useChange(ResetUserMfaDocument, ['settings'])
  const remove = useChange(DeleteUserDocument, ['settings'])
  const all = [suspend, reactivate, reset, remove]
  const error = all.find((change) => change.error !== null)?.error ?? null
  const pending = all.some((change) => change.pending)
  const act = async (change: (typeof all)[number], text: string) => {
    for (const each of all) each.forget()
    if ((await change.run({ id })) === null) return
    tell(text)
    onClose()
  }
  return (
    <div className="stack">
      {error !== null && <Fault text={reasonOf(error)} />}
      <span className="chips">
        {status === 'SUSPENDED' ? (
          <Button isDisabled={pending} onPress={() => void act(reactivate, t('userIsActive', { name }))}>
            {t('reactivate')}
          </Button>
        ) : (
          <Button isDisabled={pending} onPress={() => void act(suspend, t('userIsSuspended', { name }))}>
            {t('suspend')}
          </Button>
        )}
        {mfaEnabled && (
          <Button isDisabled={pending} onPress={() => void act(reset, t('mfaIsReset', { name }))}>
            {t('resetMfa')}
          </Button>
        )}
        {leaving ? (
          <Button
            look="danger"
            isDisabled={pending}
            onPress={() => void act(remove, t('userIsGone', { name }))}
          >
            {t('reallyDelete', { name })}
          </Button>
        ) : (
          <Button look="quiet" onPress={() => setLeaving(true)}>
            {t('delete')}
          </Button>
        )}
      </span>
    </div>
  )
}
