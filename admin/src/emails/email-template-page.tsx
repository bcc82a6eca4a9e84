import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { change, useApi, useChange } from '../api/api.ts'
import { faultsOf } from '../api/field-errors.ts'
import {
  CreateTemplateDocument,
  DeleteTemplateDocument,
  EmailTemplateIdDocument,
  type EmailTemplateKind,
  PreviewTemplateDocument,
  SendTestEmailDocument,
  UpdateTemplateDocument,
  type WordsFragment,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault, FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { Page } from '../ui/page.tsx'
import { ServerForm } from '../ui/server-form.tsx'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { kindOf, templateKinds } from './email-names.ts'
import { MailPreview } from './mail-preview.tsx'
import { SendTestButton } from './send-test-button.tsx'

/** The words of one kind of message. */
export default function EmailTemplatePage({ kind: text }: { readonly kind: string }): ReactNode {
  const t = useText()
  const kind = kindOf(text)
  const back = { href: '/emails', text: t('emails') }
  return (
    <Page title={t(kind === undefined ? 'emails' : templateKinds[kind])} back={back}>
      {kind === undefined ? (
        <Empty icon="search" title={t('noSuchMail')} text={t('lostText')} />
      ) : (
        <Template kind={kind} />
      )}
    </Page>
  )
}

function Template({ kind }: { readonly kind: EmailTemplateKind }): ReactNode {
  const own = useApi('emails', EmailTemplateIdDocument, { kind })
  // The words in use, be they built in or the shop's own, are said by a preview alone.
  const words = useQuery({
    queryKey: ['emails', 'words', kind],
    queryFn: async () => (await change(PreviewTemplateDocument, { input: { kind } })).previewEmailTemplate,
  })
  const error = own.error ?? words.error
  if (error) return <Failed error={error} retry={() => void Promise.all([own.refetch(), words.refetch()])} />
  const { source, rendered } = words.data ?? {}
  if (own.data === undefined || source == null || rendered == null) return <Loading lines={8} />
  return <Editor kind={kind} ownId={own.data.emailTemplate?.id ?? null} source={source} rendered={rendered} />
}

const fields = ['subject', 'html', 'text'] as const
const same = (one: WordsFragment, other: WordsFragment): boolean =>
  fields.every((name) => one[name] === other[name])

interface EditorProps {
  readonly kind: EmailTemplateKind
  /** Null while the built-in words are sent. */
  readonly ownId: string | null
  readonly source: WordsFragment
  /** As it is sent now, with sample data. */
  readonly rendered: WordsFragment
}

function Editor({ kind, ownId, source, rendered }: EditorProps): ReactNode {
  const t = useText()
  const mayWrite = useMay('email:write')
  const [loaded, setLoaded] = useState(source)
  const [draft, setDraft] = useState(source)
  /** Of the draft, as it was when one last asked. */
  const [tried, setTried] = useState<WordsFragment | null>(null)
  const [leaving, setLeaving] = useState(false)
  const create = useChange(CreateTemplateDocument, ['emails'])
  const update = useChange(UpdateTemplateDocument, ['emails'])
  const preview = useChange(PreviewTemplateDocument, [])
  const test = useChange(SendTestEmailDocument, [])
  const changes = [create, update, preview, test]
  const faults = faultsOf(changes.find(({ error }) => error !== null)?.error ?? null, fields)
  const pending = changes.some((each) => each.pending)
  const isOld = !same(source, loaded)
  if (isOld && (same(draft, loaded) || same(draft, source))) reload()
  function reload(): void {
    setLoaded(source)
    setDraft(source)
    setTried(null)
  }
  const input = { subject: draft.subject, html: draft.html, text: draft.text }
  const forget = () => changes.forEach((each) => each.forget())
  const save = async () => {
    forget()
    const done =
      ownId === null
        ? await create.run({ input: { kind, ...input } })
        : await update.run({ id: ownId, input })
    if (done !== null) tell(t('saved'))
  }
  const show = async () => {
    forget()
    const answer = await preview.run({ input: { kind, ...input } })
    if (answer !== null) setTried(answer.previewEmailTemplate?.rendered ?? null)
  }
  const sendTest = async () => {
    forget()
    return (await test.run({ input: { kind, ...input } })) !== null
  }
  return (
    <div className="halves">
      <Card title={t('mailWords')}>
        <ServerForm className="form" errors={faults.fields} onSubmit={() => void save()}>
          <p className="small muted">{t('mailWordsLead')}</p>
          {faults.general !== null && <Fault text={faults.general} />}
          {isOld && (
            <div className="notice wait between" role="alert">
              <p>{t('changedMeanwhileMail')}</p>
              <Button onPress={reload}>{t('loadAgain')}</Button>
            </div>
          )}
          <WordsFields draft={draft} onChange={setDraft} readOnly={!mayWrite} />
          <div className="chips">
            {mayWrite && (
              <Button type="submit" look="primary" isDisabled={pending || same(draft, loaded)}>
                {pending ? t('sending') : t('save')}
              </Button>
            )}
            <Button isDisabled={pending} onPress={() => void show()}>
              {t('preview')}
            </Button>
            {mayWrite && <SendTestButton isDisabled={pending} send={sendTest} />}
            {mayWrite && ownId !== null && (
              <Button look="quiet" onPress={() => setLeaving(true)}>
                {t('backToBuiltIn')}
              </Button>
            )}
          </div>
        </ServerForm>
      </Card>
      <MailPreview mail={tried ?? rendered} />
      {leaving && ownId !== null && <BackDialog id={ownId} onClose={() => setLeaving(false)} />}
    </div>
  )
}

interface WordsProps {
  readonly draft: WordsFragment
  readonly onChange: (draft: WordsFragment) => void
  readonly readOnly: boolean
}

function WordsFields({ draft, onChange, readOnly }: WordsProps): ReactNode {
  const t = useText()
  const labels = { subject: 'mailSubject', text: 'mailText', html: 'mailHtml' } as const
  return (['subject', 'text', 'html'] as const).map((name) => (
    <TextField
      key={name}
      name={name}
      label={t(labels[name])}
      multiline={name !== 'subject'}
      value={draft[name]}
      onChange={(value) => onChange({ ...draft, [name]: value })}
      isReadOnly={readOnly}
      isRequired
    />
  ))
}

function BackDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const t = useText()
  const { run, error, pending } = useChange(DeleteTemplateDocument, ['emails'])
  const submit = async () => {
    if ((await run({ id })) !== null) onClose()
  }
  return (
    <FormDialog
      title={t('backToBuiltIn')}
      narrow
      danger
      fields={[]}
      error={error}
      submit={t('backToBuiltIn')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{t('backToBuiltInLead')}</p>
    </FormDialog>
  )
}
