import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import {
  type EmailKind,
  type Template,
  type TemplateKind,
  withUnsubscribeLink,
} from '../messaging/compose/index.ts'
import * as email from '../sql/generated/email.ts'
import { previewTemplate, renderSample } from './templates.ts'

/** What a user wants to see in the own mailbox. */
export type TestedMail =
  | { readonly kind: TemplateKind; readonly draft: Partial<Template> }
  /** Of a saved campaign, with the draft's parts in the place of its own; or of the draft alone. */
  | { readonly kind: 'CAMPAIGN'; readonly campaignId: string | null; readonly draft: Partial<Template> }

export type TestOutcome =
  | email.QueueTestAnswer
  | { readonly outcome: 'unknown_campaign' }
  | { readonly outcome: 'incomplete'; readonly missing: readonly (keyof Template)[] }

/** The user who asks for a test. Its address isn't part of it: the database looks it up. */
export interface Tester {
  readonly merchantId: MerchantId
  readonly userId: string
}

/** Queues a message with sample data for the user's own address. */
export async function sendTestMail(
  database: Database,
  { merchantId, userId }: Tester,
  tested: TestedMail,
): Promise<TestOutcome> {
  const rendered = await renderTest(database, merchantId, tested)
  if (rendered.outcome !== 'rendered') return rendered
  const { subject, html, text } = rendered.message
  const message = { subject: `[Test] ${subject}`, html, text }
  return email.queueTest(database, { merchantId, userId, kind: tested.kind, message })
}

type Rendering =
  | { readonly outcome: 'rendered'; readonly message: Template }
  | Exclude<TestOutcome, email.QueueTestAnswer>

async function renderTest(
  database: Database,
  merchantId: MerchantId,
  tested: TestedMail,
): Promise<Rendering> {
  if (tested.kind !== 'CAMPAIGN') {
    const { rendered } = await previewTemplate(database, merchantId, tested.kind, tested.draft)
    return { outcome: 'rendered', message: rendered }
  }
  const saved = tested.campaignId === null ? {} : await wordsOf(database, merchantId, tested.campaignId)
  if (saved === null) return { outcome: 'unknown_campaign' }
  const words = { ...saved, ...tested.draft }
  if (!isComplete(words))
    return { outcome: 'incomplete', missing: parts.filter((part) => words[part] === undefined) }
  const message = await renderSample(database, merchantId, 'CAMPAIGN', withUnsubscribeLink(words))
  return { outcome: 'rendered', message }
}

const parts = ['subject', 'html', 'text'] as const

const isComplete = (words: Partial<Template>): words is Template =>
  parts.every((part) => words[part] !== undefined)

/** Null: the merchant has no such campaign. */
async function wordsOf(database: Database, merchantId: MerchantId, id: string): Promise<Template | null> {
  const [campaign] = await database<Template[]>`
    SELECT subject, html, text FROM email.campaign WHERE merchant_id = ${merchantId} AND id = ${id}`
  return campaign ?? null
}

/** Null where a campaign is named for a message of another kind. */
export function testedMail(
  kind: EmailKind,
  campaignId: string | null,
  draft: Partial<Template>,
): TestedMail | null {
  if (kind === 'CAMPAIGN') return { kind, campaignId, draft }
  return campaignId === null ? { kind, draft } : null
}
