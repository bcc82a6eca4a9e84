import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ask, useChange } from '../api/api.ts'
import {
  CampaignDetailDocument,
  type CampaignPartsFragment,
  UpdateCampaignDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Page } from '../ui/page.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'
import { CampaignActions } from './campaign-actions.tsx'
import { changesOf, draftOf, previewInputOf } from './campaign-draft.ts'
import { CampaignEditor } from './campaign-editor.tsx'
import { CampaignFailures } from './campaign-failures.tsx'
import { campaignStatuses, pauseFor } from './campaign-names.ts'
import { CampaignProgress } from './campaign-progress.tsx'
import { MailPreview } from './mail-preview.tsx'
import { useCampaignPreview } from './use-campaign-preview.ts'

/** A campaign: its words while it is a draft, and then how far it is. */
export default function CampaignPage({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const mayWrite = useMay('email:write')
  const { data, error, refetch } = useQuery({
    queryKey: ['emails', 'campaign', id],
    queryFn: ({ signal }) => ask(CampaignDetailDocument, { id }, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.emailCampaign ? pauseFor([state.data.emailCampaign]) : false,
  })
  const campaign = data?.emailCampaign
  if (campaign === undefined || campaign === null)
    return (
      <Page title={t('campaign')} back={{ href: '/emails/campaigns', text: t('campaigns') }}>
        <div className="card">
          {error ? (
            <Failed error={error} retry={() => void refetch()} />
          ) : campaign === null ? (
            <Empty icon="search" title={t('noSuchCampaign')} text={t('noSuchOrderText')} />
          ) : (
            <Loading lines={8} />
          )}
        </div>
      </Page>
    )
  return mayWrite && campaign.status === 'DRAFT' ? (
    <DraftCampaign campaign={campaign} />
  ) : (
    <SettledCampaign campaign={campaign} />
  )
}

interface Props {
  readonly campaign: CampaignPartsFragment
}

function DraftCampaign({ campaign }: Props): ReactNode {
  const t = useText()
  const current = draftOf(campaign)
  const draft = useDraft(current)
  const update = useChange(UpdateCampaignDocument, ['emails'])
  const save = async () => {
    const saved = (await update.run({ id: campaign.id, input: changesOf(draft.changed) })) !== null
    if (saved) tell(t('saved'))
    return saved
  }
  return (
    <Frame campaign={campaign} isChanged={draft.isChanged}>
      <CampaignEditor current={current} draft={draft} change={update} save={save} />
    </Frame>
  )
}

function SettledCampaign({ campaign }: Props): ReactNode {
  const t = useText()
  const preview = useCampaignPreview(previewInputOf(draftOf(campaign)))
  const mail = preview.data?.rendered
  return (
    <Frame campaign={campaign} isChanged={false}>
      <div className="halves">
        <div className="stack">
          <CampaignProgress campaign={campaign} recipients={preview.data?.recipients ?? undefined} />
          {campaign.failed > 0 && <CampaignFailures id={campaign.id} />}
        </div>
        {mail != null ? (
          <MailPreview mail={mail} />
        ) : (
          <Card title={t('preview')}>
            {preview.error ? (
              <Failed error={preview.error} retry={() => void preview.refetch()} />
            ) : (
              <Loading />
            )}
          </Card>
        )}
      </div>
    </Frame>
  )
}

interface FrameProps extends Props {
  /** What is typed isn't saved yet. */
  readonly isChanged: boolean
  readonly children: ReactNode
}

function Frame({ campaign, isChanged, children }: FrameProps): ReactNode {
  const t = useText()
  const mayWrite = useMay('email:write')
  return (
    <Page
      title={campaign.name}
      back={{ href: '/emails/campaigns', text: t('campaigns') }}
      badges={<StatusBadge status={campaignStatuses[campaign.status]} />}
      {...(isChanged && { lead: t('saveBeforeSending') })}
      actions={mayWrite && <CampaignActions campaign={campaign} isChanged={isChanged} />}
    >
      {children}
    </Page>
  )
}
