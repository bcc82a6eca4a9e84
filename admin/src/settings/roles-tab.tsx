import { type ReactNode, useState } from 'react'
import { useApi, useChange } from '../api/api.ts'
import {
  CreateRoleDocument,
  DeleteRoleDocument,
  RoleListDocument,
  type RoleListQuery,
  UpdateRoleDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { Badge, Card, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { useSendChanged } from '../ui/use-send-changed.ts'
import { PermissionMatrix } from './permission-matrix.tsx'
import { resourceNames, resourcesOf } from './permission-words.ts'

type Role = RoleListQuery['roles']['nodes'][number]

/** What people may, by role. Built-in roles are the same in every shop. */
export function RolesTab(): ReactNode {
  const t = useText()
  const mayWrite = useMay('roles:write')
  const { data, error, refetch } = useApi('settings', RoleListDocument, {})
  const [editing, setEditing] = useState<Role | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Role | null>(null)
  return (
    <Card
      title={t('roles')}
      actions={
        mayWrite && (
          <Button icon="plus" look="primary" onPress={() => setEditing('new')}>
            {t('newRole')}
          </Button>
        )
      }
    >
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <ul>
          {data.roles.nodes.map((role) => (
            <li key={role.id} className="parcel">
              <div className="between">
                <h3>{role.name}</h3>
                {role.builtIn && <Badge tone="calm">{t('builtIn')}</Badge>}
              </div>
              <p className="small muted">{role.description}</p>
              <InWords permissions={role.permissions} />
              {mayWrite && !role.builtIn && (
                <span className="chips">
                  <Button look="quiet" onPress={() => setEditing(role)}>
                    {t('edit')}
                  </Button>
                  <Button look="quiet" onPress={() => setDeleting(role)}>
                    {t('delete')}
                  </Button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {editing !== null && (
        <RoleDialog role={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      )}
      {deleting !== null && (
        <ConfirmDialog
          title={t('deleteRoleTitle', { name: deleting.name })}
          lead={t('deleteRoleLead')}
          submit={t('delete')}
          danger
          document={DeleteRoleDocument}
          variables={{ id: deleting.id }}
          subjects={['settings']}
          done={t('roleDeleted', { name: deleting.name })}
          onClose={() => setDeleting(null)}
        />
      )}
    </Card>
  )
}

/** `Orders: see, change`, and so on. */
function InWords({ permissions }: { readonly permissions: readonly string[] }): ReactNode {
  const t = useText()
  const held = new Set(permissions)
  return (
    <p className="small">
      {resourcesOf(permissions)
        .map((resource) => {
          const known = resourceNames[resource]
          const does = held.has(`${resource}:write`) ? t('maySeeAndChange') : t('maySee')
          return `${known === undefined ? resource : t(known)} (${does})`
        })
        .join(', ')}
    </p>
  )
}

interface RoleProps {
  readonly role: Role | null
  readonly onClose: () => void
}

function RoleDialog({ role, onClose }: RoleProps): ReactNode {
  const t = useText()
  const [name, setName] = useState(role?.name ?? '')
  const [description, setDescription] = useState(role?.description ?? '')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(role?.permissions))
  const creation = useChange(CreateRoleDocument, ['settings'])
  const change = useChange(UpdateRoleDocument, ['settings', 'viewer'])
  const { error, pending } = role === null ? creation : change
  const input = {
    name,
    description: description === '' ? null : description,
    permissions: [...chosen].toSorted(),
  }
  const sendChanged = useSendChanged(input)
  const submit = async () => {
    const done =
      role === null
        ? await creation.run({ input })
        : await sendChanged((changed) => change.run({ id: role.id, input: changed }))
    if (done === null) return
    tell(t('roleSaved', { name }))
    onClose()
  }
  return (
    <FormDialog
      title={role === null ? t('newRole') : t('editRole', { name: role.name })}
      fields={['name', 'description', 'permissions']}
      error={error}
      submit={t('save')}
      pending={pending}
      disabled={chosen.size === 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField name="name" label={t('name')} value={name} onChange={setName} isRequired autoFocus />
      <TextField name="description" label={t('roleFor')} value={description} onChange={setDescription} />
      <PermissionMatrix chosen={chosen} onChange={setChosen} />
    </FormDialog>
  )
}
