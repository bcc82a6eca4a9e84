import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import {
  CreateEndpointDocument,
  type EndpointListQuery,
  UpdateEndpointDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Checkbox, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { useSendChanged } from '../ui/use-send-changed.ts'

export type Endpoint = EndpointListQuery['webhookEndpoints']['nodes'][number]

interface Props {
  /** Null: a new one. */
  readonly endpoint: Endpoint | null
  readonly onCreated: (secret: string) => void
  readonly onClose: () => void
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

/** An address that is told of what happens in the shop. */
export function EndpointDialog({ endpoint, onCreated, onClose }: Props): ReactNode {
  const t = useText()
  const [url, setUrl] = useState(endpoint?.url ?? 'https://')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [topics, setTopics] = useState(endpoint?.topics.join('\n') ?? 'order.*')
  const [query, setQuery] = useState(endpoint?.query ?? '')
  const [enabled, setEnabled] = useState(endpoint?.status !== 'DISABLED')
  const creation = useChange(CreateEndpointDocument, ['settings'])
  const change = useChange(UpdateEndpointDocument, ['settings'])
  const { error, pending } = endpoint === null ? creation : change
  const input = {
    url,
    description: description === '' ? null : description,
    topics: words(topics),
    query: query.trim() === '' ? null : query,
    enabled,
  }
  const sendChanged = useSendChanged(input)
  const submit = async () => {
    if (endpoint !== null) {
      const done = await sendChanged((changed) => change.run({ id: endpoint.id, input: changed }))
      if (done === null) return
      tell(t('endpointSaved'))
      onClose()
      return
    }
    const secret = (await creation.run({ input }))?.createWebhookEndpoint?.webhookEndpoint?.secret
    if (secret != null) onCreated(secret)
  }
  return (
    <FormDialog
      title={t(endpoint === null ? 'newEndpoint' : 'editEndpoint')}
      fields={['url', 'description', 'topics', 'query']}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        name="url"
        type="url"
        label={t('endpointUrl')}
        value={url}
        onChange={setUrl}
        isRequired
        autoFocus
      />
      <TextField name="description" label={t('endpointFor')} value={description} onChange={setDescription} />
      <TextField
        name="topics"
        label={t('topics')}
        hint={t('topicsHint')}
        value={topics}
        onChange={setTopics}
        isRequired
        multiline
      />
      <TextField
        name="query"
        label={t('selection')}
        hint={t('selectionHint')}
        value={query}
        onChange={setQuery}
        multiline
      />
      <Checkbox isSelected={enabled} onChange={setEnabled}>
        {t('endpointOn')}
      </Checkbox>
    </FormDialog>
  )
}
