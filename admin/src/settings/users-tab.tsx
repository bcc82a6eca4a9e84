import { type ReactNode, useMemo, useState } from 'react'
import { useFormat } from '../format/format.ts'
import { UserListDocument, type UserListQuery, type UserStatus } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { StatusName } from '../orders/order-names.ts'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Badge, Empty } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { usePages } from '../ui/use-pages.ts'
import { InviteDialog, UserDialog } from './user-dialog.tsx'

type Row = UserListQuery['users']['nodes'][number]

const statuses = {
  ACTIVE: { tone: 'good', name: 'userActive' },
  INACTIVE: { tone: 'wait', name: 'userInvited' },
  SUSPENDED: { tone: 'bad', name: 'userSuspended' },
  DELETED: { tone: 'calm', name: 'userDeleted' },
} as const satisfies Record<UserStatus, StatusName>

const connection = ({ users }: UserListQuery) => users
const keyOf = ({ id }: Row) => id

/** Who works here, in which roles. */
export function UsersTab(): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const mayWrite = useMay('users:write')
  const [inviting, setInviting] = useState(false)
  const [openId, setOpenId] = useState<string | null>(null)
  const pages = usePages({ subject: 'settings', document: UserListDocument, variables: {}, connection })
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'name',
        title: t('name'),
        width: 'minmax(12rem, 2fr)',
        phone: 'a',
        cell: ({ id, name, email }) => (
          <span className="two">
            {mayWrite ? (
              <button type="button" className="link strong" onClick={() => setOpenId(id)}>
                {name}
              </button>
            ) : (
              <span className="strong">{name}</span>
            )}
            <span className="small muted">{email}</span>
          </span>
        ),
      },
      {
        id: 'roles',
        title: t('roles'),
        width: 'minmax(8rem, 1.2fr)',
        phone: 'c',
        cell: ({ roles }) => roles.map(({ name }) => name).join(', '),
      },
      {
        id: 'status',
        title: t('status'),
        width: 'minmax(7rem, 0.8fr)',
        phone: 'b',
        cell: ({ status }) => <StatusBadge status={statuses[status]} />,
      },
      {
        id: 'mfa',
        title: t('secondFactor'),
        width: 'minmax(7rem, 0.8fr)',
        phone: 'd',
        cell: ({ mfaEnabled }) => (
          <Badge tone={mfaEnabled ? 'good' : 'calm'}>{t(mfaEnabled ? 'yes' : 'no')}</Badge>
        ),
      },
      {
        id: 'last',
        title: t('lastSignIn'),
        width: 'minmax(9rem, 1fr)',
        end: true,
        cell: ({ lastLoginAt }) => (lastLoginAt === null ? '–' : dateTime(lastLoginAt)),
      },
    ],
    [t, dateTime, mayWrite],
  )
  const open = pages.rows.find(({ id }) => id === openId)
  return (
    <>
      <ListCard
        label={t('users')}
        columns={columns}
        pages={pages}
        rowKey={keyOf}
        {...(mayWrite && {
          filters: (
            <Button icon="plus" look="primary" onPress={() => setInviting(true)}>
              {t('inviteUser')}
            </Button>
          ),
        })}
        empty={<Empty icon="users" title={t('nothingFound')} text={t('nothingFoundText')} />}
      />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      {open !== undefined && <UserDialog user={open} onClose={() => setOpenId(null)} />}
    </>
  )
}
