import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useApi, useChange } from '../api/api.ts'
import { CampaignDetailDocument, CreateCampaignDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'
import { useFilters } from '../ui/use-filters.ts'
import { type CampaignDraft, draftOf, inputOf, newDraft } from './campaign-draft.ts'
import { CampaignEditor } from './campaign-editor.tsx'

const filterNames = ['from'] as const

/** A campaign that isn't stored yet, with the words of the one that the address names. */
export default function NewCampaignPage(): ReactNode {
  const t = useText()
  const mayWrite = useMay('email:write')
  const [{ from }] = useFilters(filterNames)
  return (
    <Page title={t('newCampaign')} back={{ href: '/emails/campaigns', text: t('campaigns') }}>
      {!mayWrite ? (
        <Empty icon="key" title={t('forbiddenTitle')} text={t('forbiddenText')} />
      ) : from === '' ? (
        <NewCampaign current={newDraft(t)} />
      ) : (
        <Copy id={from} />
      )}
    </Page>
  )
}

function Copy({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { data, error, refetch } = useApi('emails', CampaignDetailDocument, { id })
  if (error) return <Failed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading lines={8} />
  const { emailCampaign: campaign } = data
  // Two campaigns of a name would be taken for one.
  return <NewCampaign current={campaign === null ? newDraft(t) : { ...draftOf(campaign), name: '' }} />
}

function NewCampaign({ current }: { readonly current: CampaignDraft }): ReactNode {
  const t = useText()
  const [, go] = useLocation()
  const draft = useDraft(current)
  const create = useChange(CreateCampaignDocument, ['emails'])
  const save = async () => {
    const id = (await create.run({ input: inputOf(draft.draft) }))?.createEmailCampaign?.campaign?.id
    if (id === undefined) return false
    tell(t('saved'))
    go(`/emails/campaigns/${id}`, { replace: true })
    return true
  }
  return <CampaignEditor current={current} draft={draft} change={create} save={save} />
}
