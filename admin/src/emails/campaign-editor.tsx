import { type ReactNode, useState } from 'react'
import { type Change, useChange } from '../api/api.ts'
import {
  PreviewCampaignDocument,
  SendTestEmailDocument,
  type WordsFragment,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Button } from '../ui/button.tsx'
import { DraftForm } from '../ui/draft-form.tsx'
import { TextField } from '../ui/fields.tsx'
import { Card, Failed, Loading } from '../ui/states.tsx'
import type { DraftState } from '../ui/use-draft.ts'
import { AudienceSelect } from './campaign-audience.tsx'
import { type CampaignDraft, previewInputOf } from './campaign-draft.ts'
import { MailPreview } from './mail-preview.tsx'
import { SendTestButton } from './send-test-button.tsx'
import { useCampaignPreview } from './use-campaign-preview.ts'

const fields = ['name', 'segmentId', 'subject', 'text', 'html']

interface Props {
  /** As it is stored, or to begin with. */
  readonly current: CampaignDraft
  readonly draft: DraftState<CampaignDraft>
  readonly change: Pick<Change<unknown, never>, 'error' | 'pending' | 'forget'>
  /** Resolves with whether it is saved. */
  readonly save: () => Promise<boolean>
}

/** The words of a campaign and whom it goes to, beside what a customer would get. */
export function CampaignEditor({ current, draft, change, save }: Props): ReactNode {
  const t = useText()
  const [tried, setTried] = useState<WordsFragment | null>(null)
  const preview = useChange(PreviewCampaignDocument, [])
  const test = useChange(SendTestEmailDocument, [])
  const { segmentId, subject, html, text } = draft.draft
  const stored = useCampaignPreview(previewInputOf({ ...current, segmentId }))
  const forget = () => {
    change.forget()
    preview.forget()
    test.forget()
  }
  const submit = async () => {
    forget()
    if (await save()) setTried(null)
  }
  const show = async () => {
    forget()
    const answer = await preview.run({ input: previewInputOf(draft.draft) })
    if (answer !== null) setTried(answer.previewEmailCampaign?.rendered ?? null)
  }
  const sendTest = async () => {
    forget()
    return (await test.run({ input: { kind: 'CAMPAIGN', subject, html, text } })) !== null
  }
  const pending = change.pending || preview.pending || test.pending
  const mail = tried ?? stored.data?.rendered
  return (
    <div className="halves">
      <Card title={t('mailWords')}>
        <DraftForm
          draft={draft}
          fields={fields}
          error={change.error ?? preview.error ?? test.error}
          pending={pending}
          mayWrite
          onSubmit={() => void submit()}
        >
          <CampaignFields draft={draft} recipients={stored.data?.recipients ?? undefined} />
          <div className="chips">
            <Button isDisabled={pending} onPress={() => void show()}>
              {t('preview')}
            </Button>
            <SendTestButton isDisabled={pending} send={sendTest} />
          </div>
        </DraftForm>
      </Card>
      {mail != null ? (
        <MailPreview mail={mail} />
      ) : (
        <Card title={t('preview')}>
          {stored.error ? <Failed error={stored.error} retry={() => void stored.refetch()} /> : <Loading />}
        </Card>
      )}
    </div>
  )
}

interface FieldsProps {
  readonly draft: DraftState<CampaignDraft>
  readonly recipients: number | undefined
}

function CampaignFields({ draft: { draft, set }, recipients }: FieldsProps): ReactNode {
  const t = useText()
  return (
    <>
      <TextField
        name="name"
        label={t('name')}
        hint={t('campaignNameHint')}
        value={draft.name}
        onChange={(name) => set({ name })}
        isRequired
      />
      <AudienceSelect
        segmentId={draft.segmentId}
        recipients={recipients}
        onChange={(segmentId) => set({ segmentId })}
      />
      <TextField
        name="subject"
        label={t('mailSubject')}
        value={draft.subject}
        onChange={(subject) => set({ subject })}
        isRequired
      />
      <TextField
        name="html"
        label={t('mailHtml')}
        hint={t('campaignValues', {
          names: '{{customer.name}}, {{customer.email}}, {{shop.name}}, {{unsubscribeUrl}}',
        })}
        multiline
        value={draft.html}
        onChange={(html) => set({ html })}
        isRequired
      />
      <TextField
        name="text"
        label={t('mailText')}
        multiline
        value={draft.text}
        onChange={(text) => set({ text })}
        isRequired
      />
    </>
  )
}
