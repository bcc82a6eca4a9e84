import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import {
  defaultTemplates,
  type Enclosed,
  type EmailKind,
  isTokenMail,
  render,
  sampleOccasion,
  sampleShop,
  type Template,
  type TemplateKind,
  templateFault,
  variablesOf,
} from '../messaging/compose/index.ts'
import { shopFacts } from '../sql/generated/notification.ts'

/** The enclosed values of a sample message. */
const sampleValues: Enclosed = {
  unsubscribeUrl: 'https://shop.example.com/unsubscribe',
  token: '0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
  link: 'https://shop.example.com/account?token=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
}

export type TemplateOutcome =
  | { readonly outcome: 'changed'; readonly templateId: string }
  | { readonly outcome: 'taken'; readonly kind: TemplateKind }
  | { readonly outcome: 'unknown' }

/** The faults of the given parts of a template, by part. */
export function templateFaults(
  kind: EmailKind,
  template: Partial<Template>,
): readonly { readonly field: keyof Template; readonly fault: string }[] {
  const sample = variablesOf(sampleOccasion(kind), sampleShop, sampleValues)
  return (['subject', 'html', 'text'] as const).flatMap((field) => {
    const source = template[field]
    const fault =
      source === undefined ? null : (templateFault(source, sample) ?? missingToken(kind, field, source))
    return fault === null ? [] : [{ field, fault }]
  })
}

/** A mail that brings a token shows it, or leads to a page with it. */
function missingToken(kind: EmailKind, field: keyof Template, source: string): string | null {
  if (!isTokenMail(kind)) return null
  const has = /\{\{\s*(link|token)\s*\}\}/.test(source)
  if (field === 'subject') return has ? 'A subject is shown on locked screens: it has no token' : null
  return has ? null : 'A message of this kind is good for nothing without {{link}} or {{token}}'
}

/** A kind's template with sample data, in the words of the merchant where it has its own and of the draft where one is given. */
export async function previewTemplate(
  database: Database,
  merchantId: MerchantId,
  kind: TemplateKind,
  draft: Partial<Template>,
): Promise<{ readonly source: Template; readonly rendered: Template }> {
  const [own] = await database<Template[]>`
    SELECT subject, html, text FROM email.template WHERE merchant_id = ${merchantId} AND kind = ${kind}`
  const source = { ...(own ?? defaultTemplates[kind]), ...draft }
  return { source, rendered: await renderSample(database, merchantId, kind, source) }
}

/** A message of the shop with sample data. */
export async function renderSample(
  database: Database,
  merchantId: MerchantId,
  kind: EmailKind,
  template: Template,
): Promise<Template> {
  const shop = await shopFacts(database, { merchantId })
  return render(template, variablesOf(sampleOccasion(kind), shop, sampleValues))
}

export async function createTemplate(
  database: Database,
  merchantId: MerchantId,
  kind: TemplateKind,
  { subject, html, text }: Template,
): Promise<TemplateOutcome> {
  const [created] = await database<{ id: string }[]>`
    INSERT INTO email.template (merchant_id, kind, subject, html, text)
    VALUES (${merchantId}, ${kind}, ${subject}, ${html}, ${text})
    ON CONFLICT ON CONSTRAINT template_kind_key DO NOTHING
    RETURNING id`
  return created === undefined ? { outcome: 'taken', kind } : { outcome: 'changed', templateId: created.id }
}

/** The kind of a template; null when the merchant has no such template. */
export async function kindOfTemplate(
  database: Database,
  merchantId: MerchantId,
  id: string,
): Promise<TemplateKind | null> {
  const [template] = await database<{ kind: TemplateKind }[]>`
    SELECT kind FROM email.template WHERE merchant_id = ${merchantId} AND id = ${id}`
  return template?.kind ?? null
}

export async function updateTemplate(
  database: Database,
  merchantId: MerchantId,
  id: string,
  changes: Partial<Template>,
): Promise<TemplateOutcome> {
  if (Object.keys(changes).length > 0) {
    const updated = await database`
      UPDATE email.template SET ${database(changes)} WHERE merchant_id = ${merchantId} AND id = ${id} RETURNING id`
    if (updated.length === 0) return { outcome: 'unknown' }
  }
  return { outcome: 'changed', templateId: id }
}
