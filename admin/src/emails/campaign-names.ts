import type { CampaignProgressFragment, EmailCampaignStatus } from '../generated/operations.ts'
import type { StatusName } from '../orders/order-names.ts'

export const campaignStatuses = {
  DRAFT: { tone: 'calm', name: 'campaignDraft' },
  SCHEDULED: { tone: 'wait', name: 'campaignScheduled' },
  SENDING: { tone: 'info', name: 'campaignSending' },
  PAUSED: { tone: 'wait', name: 'campaignPaused' },
  SENT: { tone: 'good', name: 'campaignSent' },
  CANCELLED: { tone: 'calm', name: 'campaignCancelled' },
} as const satisfies Record<EmailCampaignStatus, StatusName>

/** Milliseconds between two questions how far campaigns are: no event tells of a single message. */
const pause = 1_500
/** The same while one is paused: what was in hand still leaves. */
const longPause = 10_000
/** Milliseconds before its time in which a campaign is watched. */
const near = 60_000

/** How long to wait before one asks again how far these are; false while nothing happens to them. */
export function pauseFor(
  campaigns: readonly Pick<CampaignProgressFragment, 'status' | 'scheduledAt'>[],
): number | false {
  const isNear = (time: string | null) => time !== null && Date.parse(time) < Date.now() + near
  if (
    campaigns.some(
      ({ status, scheduledAt }) => status === 'SENDING' || (status === 'SCHEDULED' && isNear(scheduledAt)),
    )
  )
    return pause
  return campaigns.some(({ status }) => status === 'PAUSED') ? longPause : false
}

/** Its messages of which it is known what became of them. */
export const settledOf = ({
  sent,
  failed,
  suppressed,
}: Pick<CampaignProgressFragment, 'sent' | 'failed' | 'suppressed'>): number => sent + failed + suppressed
