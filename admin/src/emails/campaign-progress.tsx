import type { ReactNode } from 'react'
import { useFormat } from '../format/format.ts'
import type { CampaignPartsFragment } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Progress } from '../ui/progress.tsx'
import { Card } from '../ui/states.tsx'
import { useAudienceName } from './campaign-audience.tsx'
import { settledOf } from './campaign-names.ts'

interface Props {
  readonly campaign: CampaignPartsFragment
  /** How many it would go to if it began now; undefined while that is asked. */
  readonly recipients: number | undefined
}

/** Whom a campaign goes to, when, and how many of its messages have left. */
export function CampaignProgress({ campaign, recipients }: Props): ReactNode {
  const t = useText()
  const { dateTime, number } = useFormat()
  const audience = useAudienceName(campaign.segmentId ?? '')
  const { status, scheduledAt, startedAt, finishedAt, total, sent, failed, suppressed } = campaign
  const settled = settledOf(campaign)
  return (
    <Card title={t('campaignProgress')}>
      {(status === 'SENDING' || status === 'PAUSED') && (
        <Progress
          label={t('campaignSettled', { count: settled, total: number(total) })}
          share={total === 0 ? null : settled / total}
        />
      )}
      <dl className="facts">
        <dt>{t('campaignAudience')}</dt>
        <dd>{audience}</dd>
        {startedAt === null && scheduledAt !== null && (
          <>
            <dt>{t('begins')}</dt>
            <dd>{dateTime(scheduledAt)}</dd>
          </>
        )}
        {startedAt !== null && (
          <>
            <dt>{t('campaignBegun')}</dt>
            <dd>{dateTime(startedAt)}</dd>
          </>
        )}
        {finishedAt !== null && (
          <>
            <dt>{t(status === 'CANCELLED' ? 'campaignCancelled' : 'campaignEnded')}</dt>
            <dd>{dateTime(finishedAt)}</dd>
          </>
        )}
        {startedAt !== null && (
          <>
            <dt>{t('campaignRecipients')}</dt>
            <dd className="number strong">{number(total)}</dd>
            <dt>{t('campaignSent')}</dt>
            <dd className="number">{number(sent)}</dd>
            <dt>{t('campaignFailed')}</dt>
            <dd className="number">{number(failed)}</dd>
            <dt>{t('campaignUnwanted')}</dt>
            <dd className="number">{number(suppressed)}</dd>
            <dt>{t(status === 'CANCELLED' ? 'campaignNotSent' : 'campaignWaiting')}</dt>
            <dd className="number">{number(total - settled)}</dd>
          </>
        )}
      </dl>
      {status === 'PAUSED' && <p className="small muted">{t('campaignPausedLead')}</p>}
      {(status === 'SCHEDULED' || status === 'DRAFT') && recipients !== undefined && (
        <p className="small muted">{t('wouldGoTo', { count: recipients })}</p>
      )}
    </Card>
  )
}
