import type {
  CampaignPartsFragment,
  CreateEmailCampaignInput,
  PreviewEmailCampaignInput,
  UpdateEmailCampaignInput,
} from '../generated/operations.ts'
import type { Translate } from '../language/language.tsx'

/** A campaign as one types it. */
export interface CampaignDraft {
  readonly name: string
  /** Empty: everybody who has opted in. */
  readonly segmentId: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Words to begin with, in the language of who writes them: each part that a mailing has, with the values that it can name. */
export function newDraft(t: Translate): CampaignDraft {
  const hello = t('campaignHello', { name: '{{customer.name}}' })
  const news = t('campaignNews')
  const regards = t('campaignRegards', { shop: '{{shop.name}}' })
  return {
    name: '',
    segmentId: '',
    subject: t('campaignNewsFrom', { shop: '{{shop.name}}' }),
    text: `${hello}\n\n${news}\n\n${regards}\n\n${t('campaignNoMore')}: {{unsubscribeUrl}}\n`,
    html: `<div style="max-width: 36rem; margin: 0 auto; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: #1c1917">
  <p>${hello}</p>
  <p>${news}</p>
  <p>${regards}</p>
  <p style="font-size: 13px"><a href="{{unsubscribeUrl}}" style="color: #57534e">${t('campaignNoMore')}</a></p>
</div>
`,
  }
}

export const draftOf = ({
  name,
  segmentId,
  subject,
  text,
  html,
}: Pick<CampaignPartsFragment, 'name' | 'segmentId' | 'subject' | 'text' | 'html'>): CampaignDraft => ({
  name,
  segmentId: segmentId ?? '',
  subject,
  text,
  html,
})

const segmentOf = (segmentId: string): string | null => (segmentId === '' ? null : segmentId)

export const inputOf = (draft: CampaignDraft): CreateEmailCampaignInput => ({
  ...draft,
  segmentId: segmentOf(draft.segmentId),
})

export const previewInputOf = ({
  segmentId,
  subject,
  text,
  html,
}: CampaignDraft): PreviewEmailCampaignInput => ({
  segmentId: segmentOf(segmentId),
  subject,
  text,
  html,
})

export const changesOf = ({ segmentId, ...changed }: Partial<CampaignDraft>): UpdateEmailCampaignInput => ({
  ...changed,
  ...(segmentId !== undefined && { segmentId: segmentOf(segmentId) }),
})
