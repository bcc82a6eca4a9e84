import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { errorOf, useApi } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  PromotionCustomerNameDocument,
  PromotionSegmentsDocument,
  PromotionCustomersDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { fewestLetters, FoundList } from './found-list.tsx'
import { Chosen } from './promotion-scope.tsx'
import { maxCustomers, membersOf } from './segment-members.ts'

interface Props {
  readonly ids: readonly string[]
  readonly readOnly: boolean
  readonly onChange: (ids: readonly string[]) => void
}

/** Each shown one is asked for by itself. */
const shownAtOnce = 20

/** The customers that a promotion is for. */
export function CustomerScope({ ids, readOnly, onChange }: Props): ReactNode {
  const t = useText()
  const mayRead = useMay('customers:read')
  const [shown, setShown] = useState(shownAtOnce)
  const count = Math.min(shown, ids.length)
  return (
    <div className="field" role="group" aria-label={t('onlyCustomers')}>
      <span className="label">{t('onlyCustomers')}</span>
      <span className="hint">
        {ids.length === 0 ? t('allCustomers') : t('chosenCustomers', { count: ids.length })}
      </span>
      {mayRead && (
        <div className="chips">
          {ids.slice(0, count).map((id) => (
            <ChosenCustomer
              key={id}
              id={id}
              readOnly={readOnly}
              onRemove={() => onChange(ids.filter((each) => each !== id))}
            />
          ))}
          {count < ids.length && (
            <Button look="quiet" onPress={() => setShown(shown + shownAtOnce)}>
              {t('showMore', { count, total: ids.length })}
            </Button>
          )}
          {!readOnly && ids.length > 1 && (
            <Button look="quiet" onPress={() => onChange([])}>
              {t('removeAllCustomers')}
            </Button>
          )}
        </div>
      )}
      {mayRead && !readOnly && (
        <>
          <CustomerSearch onChoose={(id) => onChange([...new Set([...ids, id])])} />
          <SegmentSearch ids={ids} onChange={onChange} />
        </>
      )}
    </div>
  )
}

interface ChosenProps {
  readonly id: string
  readonly readOnly: boolean
  readonly onRemove: () => void
}

function ChosenCustomer({ id, readOnly, onRemove }: ChosenProps): ReactNode {
  const { data } = useApi('customers', PromotionCustomerNameDocument, { id })
  const name = data === undefined ? '…' : (data.customer?.name ?? id)
  return <Chosen name={name} readOnly={readOnly} onRemove={onRemove} />
}

function CustomerSearch({ onChoose }: { readonly onChoose: (id: string) => void }): ReactNode {
  const t = useText()
  const [words, setWords] = useState('')
  const enabled = words.length >= fewestLetters
  const { data } = useApi('customers', PromotionCustomersDocument, { searchQuery: words }, { enabled })
  const found = data?.customers.nodes.map(({ id, name, email }) => ({ id, text: `${name} · ${email}` }))
  return (
    <FoundList
      label={t('addCustomer')}
      words={words}
      onWords={setWords}
      found={enabled ? found : undefined}
      onChoose={onChoose}
    />
  )
}

/** Adds the customers who are in a segment now: a promotion knows customers, and no segments. */
function SegmentSearch({ ids, onChange }: Omit<Props, 'readOnly'>): ReactNode {
  const t = useText()
  const [words, setWords] = useState('')
  const [isTooMany, setTooMany] = useState(false)
  const enabled = words.length >= fewestLetters
  const { data } = useApi('customers', PromotionSegmentsDocument, { searchQuery: words }, { enabled })
  const { mutate, isPending, error } = useMutation({
    mutationFn: membersOf,
    onSuccess(members) {
      const all = [...new Set([...ids, ...members])]
      setTooMany(all.length > maxCustomers)
      if (all.length <= maxCustomers) onChange(all)
    },
  })
  const found = data?.customerSegments.nodes.map(({ id, name, memberCount }) => ({
    id,
    text: `${name} · ${t('customersCount', { count: memberCount })}`,
  }))
  const fault = errorOf(error)
  return (
    <>
      <FoundList
        label={t('addSegmentCustomers')}
        words={words}
        onWords={setWords}
        found={enabled ? found : undefined}
        onChoose={mutate}
      />
      <span className="hint">{t('addSegmentCustomersHint')}</span>
      {isPending && <span role="status">{t('loading')}</span>}
      {fault !== null && <Fault text={reasonOf(fault)} />}
      {isTooMany && <Fault text={t('tooManyCustomers', { max: maxCustomers })} />}
    </>
  )
}
