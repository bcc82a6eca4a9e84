import type { ReactNode } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  CampaignFailuresDocument,
  type CampaignFailuresQuery,
  RetryCampaignMessageDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Card, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { usePages } from '../ui/use-pages.ts'

const connection = ({ emailDeliveries }: CampaignFailuresQuery) => emailDeliveries

/** The messages of a campaign that didn't arrive, and why. */
export function CampaignFailures({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const pages = usePages({
    subject: 'emails',
    document: CampaignFailuresDocument,
    variables: { id },
    connection,
  })
  return (
    <Card title={t('campaignFailures')}>
      {pages.error !== null ? (
        <Failed error={pages.error} retry={pages.retry} />
      ) : pages.pending ? (
        <Loading />
      ) : (
        <ul>
          {pages.rows.map((message) => (
            <FailureRow key={message.id} message={message} />
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
  readonly message: CampaignFailuresQuery['emailDeliveries']['nodes'][number]
}

function FailureRow({ message: { id, recipient, recipientName, reason } }: RowProps): ReactNode {
  const t = useText()
  const mayWrite = useMay('email:write')
  const { run, error, pending } = useChange(RetryCampaignMessageDocument, ['emails'])
  const send = async () => {
    if ((await run({ id })) !== null) tell(t('messageWaits', { recipient }))
  }
  return (
    <li className="parcel">
      <div className="between">
        <span className="wrap">{recipientName === null ? recipient : `${recipientName} · ${recipient}`}</span>
        {mayWrite && (
          <Button
            isDisabled={pending}
            aria-label={t('sendAgainTo', { recipient })}
            onPress={() => void send()}
          >
            {t('sendMessageAgain')}
          </Button>
        )}
      </div>
      {reason !== null && <p className="small muted wrap">{reason}</p>}
      {error && <Fault text={reasonOf(error)} />}
    </li>
  )
}
