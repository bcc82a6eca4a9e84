import { type ReactNode, useState } from 'react'
import { errorOf, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { instantOf, localMinute } from '../format/shop-times.ts'
import { useFormat } from '../format/format.ts'
import { type CampaignPartsFragment, ScheduleCampaignDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { Fault, FormDialog } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { useAudienceName } from './campaign-audience.tsx'
import { draftOf, previewInputOf } from './campaign-draft.ts'
import { useCampaignPreview } from './use-campaign-preview.ts'

interface Props {
  readonly campaign: CampaignPartsFragment
  readonly onClose: () => void
}

const hour = 3_600_000
/** On the shop's clocks. */
const nextHour = (timeZone: string): string =>
  localMinute(new Date(Math.ceil(Date.now() / hour) * hour).toISOString(), timeZone)

/** Sends a campaign now or at a time, after it has said to how many customers. */
export function SendDialog({ campaign, onClose }: Props): ReactNode {
  const t = useText()
  const { timeZone } = useShop()
  const { dateTime } = useFormat()
  const { id, name, scheduledAt } = campaign
  const [when, setWhen] = useState<'now' | 'later'>(scheduledAt === null ? 'now' : 'later')
  const [time, setTime] = useState(() =>
    scheduledAt === null ? nextHour(timeZone) : localMinute(scheduledAt, timeZone),
  )
  const { run, error, pending } = useChange(ScheduleCampaignDocument, ['emails'])
  const audience = useAudience(campaign)
  const at = when === 'now' ? null : instantOf(time, timeZone)
  const isReady =
    audience.recipients !== undefined && (when === 'later' ? at !== null : audience.recipients > 0)
  const submit = async () => {
    if (!isReady || (await run({ id, scheduledAt: at })) === null) return
    tell(at === null ? t('campaignLeaves', { name }) : t('campaignBegins', { name, time: dateTime(at) }))
    onClose()
  }
  return (
    <FormDialog
      title={t('sendCampaignTitle', { name })}
      narrow
      fields={['scheduledAt']}
      error={error}
      submit={
        when === 'later'
          ? t('scheduleCampaign')
          : audience.recipients === undefined
            ? t('sendCampaign')
            : t('sendToCount', { count: audience.recipients })
      }
      pending={pending}
      disabled={!isReady}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {audience.fault !== null && <Fault text={audience.fault} />}
      <p role="status">{audience.text}</p>
      <Select
        label={t('campaignWhen')}
        value={when}
        onChange={(next) => setWhen(next === 'later' ? 'later' : 'now')}
        choices={[
          { id: 'now', text: t('sendNow') },
          { id: 'later', text: t('sendLater') },
        ]}
      />
      {when === 'later' && (
        <TextField
          name="scheduledAt"
          type="datetime-local"
          label={t('begins')}
          hint={t('shopTime', { zone: timeZone })}
          value={time}
          onChange={setTime}
          isRequired
        />
      )}
      <p className="small muted">{t(when === 'now' ? 'sendNowLead' : 'sendLaterLead')}</p>
    </FormDialog>
  )
}

interface Audience {
  /** Undefined while it is asked. */
  readonly recipients: number | undefined
  readonly text: string
  readonly fault: string | null
}

function useAudience(campaign: CampaignPartsFragment): Audience {
  const t = useText()
  const audience = useAudienceName(campaign.segmentId ?? '')
  const { data, error } = useCampaignPreview(previewInputOf(draftOf(campaign)))
  const refusal = errorOf(error)
  const recipients = data?.recipients ?? undefined
  return {
    recipients,
    text:
      recipients === undefined
        ? '…'
        : `${audience}: ${t(recipients === 0 ? 'wouldGoToNobody' : 'wouldGoTo', { count: recipients })}`,
    fault: refusal === null ? null : reasonOf(refusal),
  }
}
