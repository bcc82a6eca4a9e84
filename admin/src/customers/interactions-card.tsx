import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import {
  AddInteractionDocument,
  CustomerInteractionsDocument,
  type CustomerInteractionsQuery,
  type InteractionType,
} from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'
import { useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { Badge, Card } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { noRows, usePages } from '../ui/use-pages.ts'
import type { Customer } from './customer-page.tsx'

const types = {
  NOTE: 'interactionNote',
  CALL: 'interactionCall',
  EMAIL: 'interactionEmail',
  MEETING: 'interactionMeeting',
} as const satisfies Record<InteractionType, MessageName>

const isType = (text: string): text is InteractionType => Object.hasOwn(types, text)

const connection = ({ customer }: CustomerInteractionsQuery) => customer?.interactions ?? noRows

/** What was talked about with a customer, and when. */
export function InteractionsCard({ customer }: { readonly customer: Customer }): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const mayWrite = useMay('customers:write')
  const [adding, setAdding] = useState(false)
  const pages = usePages({
    subject: 'customers',
    document: CustomerInteractionsDocument,
    variables: { id: customer.id },
    connection,
  })
  return (
    <Card
      title={t('interactions')}
      actions={mayWrite && <Button onPress={() => setAdding(true)}>{t('add')}</Button>}
    >
      <PagedList
        pages={pages}
        empty={t('noInteractions')}
        item={({ id, type, subject, body, author, occurredAt }) => (
          <li key={id} className="parcel">
            <div className="between">
              <span className="strong wrap">{subject}</span>
              <Badge tone="calm">{t(types[type])}</Badge>
            </div>
            <span className="small muted">
              {[dateTime(occurredAt), author].filter((part) => part !== null).join(' · ')}
            </span>
            {body !== null && body !== '' && <p className="note">{body}</p>}
          </li>
        )}
      />
      {adding && <InteractionDialog customerId={customer.id} onClose={() => setAdding(false)} />}
    </Card>
  )
}

interface Props {
  readonly customerId: string
  readonly onClose: () => void
}

function InteractionDialog({ customerId, onClose }: Props): ReactNode {
  const t = useText()
  const { userName } = useShop()
  const [type, setType] = useState<InteractionType>('NOTE')
  const [subject, setSubject] = useState('')
  const [body, setBody] = useState('')
  const { run, error, pending } = useChange(AddInteractionDocument, ['customers'])
  const submit = async () => {
    const input = {
      customerId,
      type,
      subject,
      ...(body !== '' && { body }),
      ...(userName !== '' && { author: userName }),
    }
    if ((await run({ input })) === null) return
    tell(t('saved'))
    onClose()
  }
  return (
    <FormDialog
      title={t('addInteraction')}
      narrow
      fields={['type', 'subject', 'body']}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Select
        name="type"
        label={t('interactionType')}
        value={type}
        onChange={(next) => isType(next) && setType(next)}
        choices={Object.entries(types).map(([id, name]) => ({ id, text: t(name) }))}
      />
      <TextField name="subject" label={t('subject')} value={subject} onChange={setSubject} isRequired />
      <TextField name="body" label={t('interactionBody')} multiline value={body} onChange={setBody} />
    </FormDialog>
  )
}
