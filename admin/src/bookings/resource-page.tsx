import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useApi, useChange } from '../api/api.ts'
import {
  CreateResourceDocument,
  DeleteResourceDocument,
  ResourceDetailDocument,
  type ResourcePartsFragment,
  UpdateResourceDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { DraftForm } from '../ui/draft-form.tsx'
import { NumberField, TextField } from '../ui/fields.tsx'
import { Page } from '../ui/page.tsx'
import { Card } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { useDraft } from '../ui/use-draft.ts'
import { BookablePage } from './bookable-page.tsx'

const list = '/bookings/resources'

/** A room, a chair or a piece of equipment, or a new one. */
export default function ResourcePage({ id }: { readonly id: string | null }): ReactNode {
  const t = useText()
  if (id !== null) return <KnownResource id={id} />
  return (
    <Page title={t('newResource')} back={{ href: list, text: t('bookingResources') }} narrow>
      <ResourceForm resource={null} />
    </Page>
  )
}

function KnownResource({ id }: { readonly id: string }): ReactNode {
  const t = useText()
  const { data, error, refetch } = useApi('bookings', ResourceDetailDocument, { id })
  return (
    <BookablePage
      kind={t('bookingResource')}
      list={{ href: list, text: t('bookingResources') }}
      row={data?.resource}
      error={error}
      retry={() => void refetch()}
      missing={t('noSuchResource')}
      update={UpdateResourceDocument}
      deletion={DeleteResourceDocument}
      narrow
    >
      {(resource) => <ResourceForm resource={resource} />}
    </BookablePage>
  )
}

interface ResourceDraft {
  readonly name: string
  readonly kind: string
  readonly priority: number
}

const newResource: ResourceDraft = { name: '', kind: '', priority: 0 }
const draftOf = ({ name, kind, priority }: ResourcePartsFragment): ResourceDraft => ({ name, kind, priority })
const fields = ['name', 'kind', 'priority'] as const

function ResourceForm({ resource }: { readonly resource: ResourcePartsFragment | null }): ReactNode {
  const t = useText()
  const [, go] = useLocation()
  const mayWrite = useMay('booking:write')
  const form = useDraft(resource === null ? newResource : draftOf(resource))
  const { draft, set, changed } = form
  const creation = useChange(CreateResourceDocument, ['bookings'])
  const change = useChange(UpdateResourceDocument, ['bookings'])
  const { error, pending } = resource === null ? creation : change
  const submit = async () => {
    if (resource !== null) {
      if ((await change.run({ id: resource.id, input: changed })) !== null) tell(t('saved'))
      return
    }
    const id = (await creation.run({ input: draft }))?.createResource?.resource?.id
    if (id === undefined) return
    tell(t('saved'))
    go(`${list}/${id}`, { replace: true })
  }
  return (
    <Card title={t('bookingResource')}>
      <DraftForm
        draft={form}
        fields={fields}
        error={error}
        pending={pending}
        mayWrite={mayWrite}
        onSubmit={() => void submit()}
      >
        <TextField
          name="name"
          label={t('name')}
          value={draft.name}
          onChange={(name) => set({ name })}
          isRequired
          isReadOnly={!mayWrite}
        />
        <TextField
          name="kind"
          label={t('resourceKind')}
          hint={t('resourceKindHint')}
          value={draft.kind}
          onChange={(kind) => set({ kind })}
          isRequired
          isReadOnly={!mayWrite}
        />
        <NumberField
          name="priority"
          label={t('bookingPriority')}
          hint={t('resourcePriorityHint')}
          value={draft.priority}
          onChange={(priority) => set({ priority })}
          minValue={0}
          isRequired
          isReadOnly={!mayWrite}
        />
      </DraftForm>
    </Card>
  )
}
