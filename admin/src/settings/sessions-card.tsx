import type { ReactNode } from 'react'
import { errorOf, useApi, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import {
  OwnSessionDocument,
  OwnSessionsDocument,
  type OwnSessionsQuery,
  RevokeSessionDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Badge, Card, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { usePages } from '../ui/use-pages.ts'
import { deviceOf } from './device.ts'
import { useEndOthers } from './use-end-others.ts'

const connection = ({ sessions }: OwnSessionsQuery) => sessions

/** Where the person is signed in. The present session is marked; it ends with signing out. */
export function SessionsCard(): ReactNode {
  const t = useText()
  const pages = usePages({ subject: 'settings', document: OwnSessionsDocument, variables: {}, connection })
  const ownId = useApi('settings', OwnSessionDocument, {}).data?.viewer.sessionId
  const { mutate, error, isPending } = useEndOthers()
  const fault = errorOf(error)
  return (
    <Card
      title={t('ownSessions')}
      actions={
        pages.totalCount > 1 && (
          <Button
            isDisabled={isPending}
            onPress={() => mutate(undefined, { onSuccess: () => tell(t('othersEnded')) })}
          >
            {t('endOthers')}
          </Button>
        )
      }
    >
      {fault !== null && <Fault text={reasonOf(fault)} />}
      {pages.error !== null ? (
        <Failed error={pages.error} retry={pages.retry} />
      ) : pages.pending ? (
        <Loading lines={2} />
      ) : (
        <ul>
          {pages.rows.map((session) => (
            <SessionRow key={session.id} session={session} isOwn={session.id === ownId} />
          ))}
        </ul>
      )}
      {pages.hasMore && (
        <Button onPress={pages.loadMore} isDisabled={pages.loading}>
          {t('showMore', { count: pages.rows.length, total: pages.totalCount })}
        </Button>
      )}
    </Card>
  )
}

interface RowProps {
  readonly session: OwnSessionsQuery['sessions']['nodes'][number]
  readonly isOwn: boolean
}

function SessionRow({ session, isOwn }: RowProps): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const { run, error, pending } = useChange(RevokeSessionDocument, ['settings'])
  const { id, device, network, createdAt, lastUsedAt } = session
  const known = device === null ? null : deviceOf(device)
  const name = known === null ? (device ?? t('unknownDevice')) : t('browserOn', { ...known })
  const end = async () => {
    if ((await run({ id })) !== null) tell(t('ownSessionEnded', { name }))
  }
  return (
    <li className="parcel">
      {error !== null && <Fault text={reasonOf(error)} />}
      <div className="between">
        <span className="strong wrap">{name}</span>
        {isOwn ? (
          <Badge tone="good">{t('thisSession')}</Badge>
        ) : (
          <Button
            look="quiet"
            isDisabled={pending}
            aria-label={t('endSessionOf', { name, date: dateTime(createdAt) })}
            onPress={() => void end()}
          >
            {t('endSession')}
          </Button>
        )}
      </div>
      <p className="small muted">
        {network ?? t('unknownPlace')} · {t('lastUsed', { date: dateTime(lastUsedAt) })} ·{' '}
        {t('signedInOn', { date: dateTime(createdAt) })}
      </p>
    </li>
  )
}
