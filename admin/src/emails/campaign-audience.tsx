import type { ReactNode } from 'react'
import { useApi } from '../api/api.ts'
import { CampaignSegmentsDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { type Choice, Select } from '../ui/fields.tsx'

/** Everybody, and the segments that the person may see; always the chosen one. */
function useAudiences(chosen: string): readonly Choice[] {
  const t = useText()
  const enabled = useMay('customers:read')
  const { data } = useApi('customers', CampaignSegmentsDocument, {}, { enabled })
  const segments = data?.customerSegments.nodes.map(({ id, name }) => ({ id, text: name })) ?? []
  const known = chosen === '' || segments.some(({ id }) => id === chosen)
  return [
    { id: '', text: t('everyOptedIn') },
    ...segments,
    ...(known ? [] : [{ id: chosen, text: t('someSegment') }]),
  ]
}

/** Whom a campaign goes to, by name. */
export const useAudienceName = (segmentId: string): string =>
  useAudiences(segmentId).find(({ id }) => id === segmentId)?.text ?? ''

interface Props {
  readonly segmentId: string
  /** How many it would be now; undefined while that is asked. */
  readonly recipients: number | undefined
  readonly onChange: (segmentId: string) => void
}

export function AudienceSelect({ segmentId, recipients, onChange }: Props): ReactNode {
  const t = useText()
  const choices = useAudiences(segmentId)
  return (
    <Select
      name="segmentId"
      label={t('campaignAudience')}
      hint={recipients === undefined ? '…' : t('wouldGoTo', { count: recipients })}
      choices={choices}
      value={segmentId}
      onChange={onChange}
    />
  )
}
