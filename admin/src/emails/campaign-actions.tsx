import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import {
  CancelCampaignDocument,
  type CampaignPartsFragment,
  DeleteCampaignDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { PauseButton } from './pause-button.tsx'
import { SendDialog } from './send-dialog.tsx'

interface Props {
  readonly campaign: CampaignPartsFragment
  /** What is typed isn't saved yet, and wouldn't be sent. */
  readonly isChanged: boolean
}

/** What can be done to a campaign in its state. */
export function CampaignActions({ campaign, isChanged }: Props): ReactNode {
  const t = useText()
  const [open, setOpen] = useState<'send' | 'cancel' | 'delete' | null>(null)
  const { id, status, total } = campaign
  return (
    <>
      {status !== 'DRAFT' && (
        <Link href={`/emails/campaigns/new?from=${id}`} className="button">
          {t('campaignAgain')}
        </Link>
      )}
      {(status === 'DRAFT' || (status === 'CANCELLED' && total === 0)) && (
        <Button onPress={() => setOpen('delete')}>{t('delete')}</Button>
      )}
      {(status === 'SCHEDULED' || status === 'SENDING' || status === 'PAUSED') && (
        <Button onPress={() => setOpen('cancel')}>{t('stopCampaign')}</Button>
      )}
      {(status === 'SENDING' || status === 'PAUSED') && <PauseButton campaign={campaign} />}
      {(status === 'DRAFT' || status === 'SCHEDULED') && (
        <Button look="primary" isDisabled={isChanged} onPress={() => setOpen('send')}>
          {t(status === 'DRAFT' ? 'sendCampaign' : 'campaignOtherTime')}
        </Button>
      )}
      {open === 'send' && <SendDialog campaign={campaign} onClose={() => setOpen(null)} />}
      {open === 'cancel' && <StopDialog campaign={campaign} onClose={() => setOpen(null)} />}
      {open === 'delete' && <DeleteDialog campaign={campaign} onClose={() => setOpen(null)} />}
    </>
  )
}

interface DialogProps {
  readonly campaign: CampaignPartsFragment
  readonly onClose: () => void
}

function StopDialog({ campaign: { id, name, status }, onClose }: DialogProps): ReactNode {
  const t = useText()
  return (
    <ConfirmDialog
      title={t('stopCampaignTitle', { name })}
      lead={t(status === 'SCHEDULED' ? 'stopScheduledLead' : 'stopSendingLead')}
      submit={t('stopCampaign')}
      danger
      document={CancelCampaignDocument}
      variables={{ id }}
      subjects={['emails']}
      done={t('campaignStopped', { name })}
      onClose={onClose}
    />
  )
}

function DeleteDialog({ campaign: { id, name }, onClose }: DialogProps): ReactNode {
  const t = useText()
  const [, go] = useLocation()
  return (
    <ConfirmDialog
      title={t('deleteNamed', { name })}
      lead={t('deleteCampaignLead')}
      submit={t('delete')}
      danger
      document={DeleteCampaignDocument}
      variables={{ id }}
      subjects={['emails']}
      done={t('campaignDeleted', { name })}
      onDone={() => go('/emails/campaigns', { replace: true })}
      onClose={onClose}
    />
  )
}
