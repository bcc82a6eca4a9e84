import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { merchantsOfRun, type OfMerchant } from '../by-merchant.ts'
import type { Database } from '../database.ts'
import { eachApart } from '../each-apart.ts'
import { type Template, withUnsubscribeLink } from '../messaging/compose/index.ts'
import { type CampaignStatus, campaignTransitions } from './campaign-machine.ts'
import { renderSample } from './templates.ts'
import * as email from '../sql/generated/email.ts'

export interface CampaignContent extends Template {
  readonly name: string
  /** null: every customer who has opted in. */
  readonly segmentId: string | null
}

export type CampaignOutcome = email.ChangeCampaignAnswer | { readonly outcome: 'unknown_segment' }

export async function createCampaign(
  database: Database,
  merchantId: MerchantId,
  { name, segmentId, subject, html, text }: CampaignContent,
): Promise<CampaignOutcome> {
  const [created] = await database<{ id: string }[]>`
    INSERT INTO email.campaign (merchant_id, name, segment_id, subject, html, text)
    SELECT ${merchantId}, ${name}, ${segmentId}, ${subject}, ${html}, ${text}
    WHERE ${segmentId}::uuid IS NULL OR EXISTS (
      SELECT FROM crm.segment s WHERE s.merchant_id = ${merchantId} AND s.id = ${segmentId}
    )
    RETURNING id`
  return created === undefined
    ? { outcome: 'unknown_segment' }
    : { outcome: 'changed', campaignId: created.id }
}

export type CampaignPreview =
  | { readonly outcome: 'rendered'; readonly rendered: Template; readonly recipients: number }
  | { readonly outcome: 'unknown_segment' }

/** A campaign with sample data, as a customer gets it, and how many would get it if it began now. */
export async function previewCampaign(
  database: Database,
  merchantId: MerchantId,
  { segmentId, ...words }: Omit<CampaignContent, 'name'>,
): Promise<CampaignPreview> {
  if (segmentId !== null && !(await hasSegment(database, merchantId, segmentId)))
    return { outcome: 'unknown_segment' }
  const [rendered, recipients] = await Promise.all([
    renderSample(database, merchantId, 'CAMPAIGN', withUnsubscribeLink(words)),
    email.countRecipients(database, { merchantId, segmentId }),
  ])
  return { outcome: 'rendered', rendered, recipients }
}

async function hasSegment(database: Database, merchantId: MerchantId, id: string): Promise<boolean> {
  const segments = await database`SELECT FROM crm.segment WHERE merchant_id = ${merchantId} AND id = ${id}`
  return segments.length > 0
}

/** Changes what is given of a campaign that is still a draft. */
export async function updateCampaign(
  database: Database,
  merchantId: MerchantId,
  id: string,
  { segmentId, ...content }: Partial<CampaignContent>,
): Promise<CampaignOutcome> {
  const { from } = campaignTransitions.edit
  const outcome = await database.begin(async (sql): Promise<CampaignOutcome> => {
    const [campaign] = await sql<{ status: CampaignStatus }[]>`
      SELECT status FROM email.campaign WHERE merchant_id = ${merchantId} AND id = ${id} FOR UPDATE`
    if (campaign === undefined) return { outcome: 'unknown' }
    if (!from.includes(campaign.status)) return { outcome: 'not_allowed', status: campaign.status }
    if (segmentId != null) {
      const segments = await sql`
        SELECT FROM crm.segment WHERE merchant_id = ${merchantId} AND id = ${segmentId} FOR KEY SHARE`
      if (segments.length === 0) return { outcome: 'unknown_segment' }
    }
    const changes = { ...content, ...(segmentId !== undefined && { segment_id: segmentId }) }
    if (Object.keys(changes).length > 0) {
      await sql`
        UPDATE email.campaign SET ${sql(changes)} WHERE merchant_id = ${merchantId} AND id = ${id}`
    }
    return { outcome: 'changed', campaignId: id }
  })
  return outcome
}

/** @param scheduledAt null: now */
export async function scheduleCampaign(
  database: Database,
  merchantId: MerchantId,
  id: string,
  scheduledAt: string | null,
): Promise<CampaignOutcome> {
  const { from, to } = campaignTransitions.schedule
  return email.changeCampaign(database, {
    merchantId,
    campaignId: id,
    from,
    to,
    scheduledAt: scheduledAt ?? 'now',
  })
}

/**
 * Stops a campaign, holds the rest of it back, or goes on with the recipients and messages that it hadn't come to. What
 * senders have claimed by then is sent in any case.
 */
export async function moveCampaign(
  database: Database,
  merchantId: MerchantId,
  id: string,
  event: 'cancel' | 'pause' | 'resume',
): Promise<CampaignOutcome> {
  const { from, to } = campaignTransitions[event]
  return email.changeCampaign(database, { merchantId, campaignId: id, from, to })
}

/** Recipients that are written in one transaction. */
const batch = 500
/** Customers that are looked at in one transaction. */
const scan = 10_000
/** After so many steps, a run begins no further round; the next run goes on. */
const maxSteps = 100

/**
 * Begins the campaigns whose time has come, addresses them, and ends those that are through. The merchants take turns, and what one's
 * campaign fails with is no other's. Returns how many steps it took.
 */
export async function advanceCampaigns(database: Database): Promise<number> {
  const due = await database<OfMerchant[]>`
    SELECT c.merchant_id AS "merchantId" FROM email.campaign c
    WHERE c.status = 'SENDING' OR c.status = 'SCHEDULED' AND c.scheduled_at <= now()
    GROUP BY c.merchant_id ORDER BY min(c.scheduled_at) LIMIT ${merchantsOfRun}`
  return eachApart(turnsOf(due), async ({ merchantId, goesOn }) => {
    const advanced = await email.advanceCampaign(forMerchant(database, merchantId), {
      merchantId,
      limit: batch,
      scan,
    })
    if (!advanced) return 0
    goesOn()
    return 1
  })
}

interface Turn extends OfMerchant {
  /** The merchant has another turn in the next round. */
  readonly goesOn: () => void
}

/** A turn for each merchant, and further rounds for those whose work goes on. */
function* turnsOf(due: readonly OfMerchant[]): Generator<Turn> {
  let round = due
  let steps = 0
  while (round.length > 0 && steps < maxSteps) {
    const next: OfMerchant[] = []
    for (const each of round) yield { ...each, goesOn: () => next.push(each) }
    steps += next.length
    round = next
  }
}
