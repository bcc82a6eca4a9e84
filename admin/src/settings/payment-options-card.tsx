import { type ReactNode, useState } from 'react'
import type { RequestError } from '@commerce-graph/client'
import { askAgain, changeOrRefusal, useApi } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import {
  DeletePaymentOptionDocument,
  type PaymentMethod,
  PaymentOptionListDocument,
  UpdatePaymentOptionDocument,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { paymentMethods } from '../orders/order-names.ts'
import { useMay } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Fault } from '../ui/dialog.tsx'
import { movedBy } from '../ui/moved-by.ts'
import { Card, Empty, Failed, Loading } from '../ui/states.tsx'
import { ChangeOptionDialog, NewOptionDialog } from './payment-option-dialog.tsx'
import { type PaymentOption, positionChanges } from './payment-option-draft.ts'
import { PaymentOptionRow } from './payment-option-row.tsx'

/** What is open over the list. */
type Open =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'adding' }
  | { readonly kind: 'editing'; readonly option: PaymentOption }
  | { readonly kind: 'deleting'; readonly option: PaymentOption }

const nothing: Open = { kind: 'nothing' }
const none = [] as const

/** How shoppers may pay. */
export function PaymentOptionsCard(): ReactNode {
  const t = useText()
  const mayWrite = useMay('merchant:write')
  const { data, error, refetch } = useApi('settings', PaymentOptionListDocument, {})
  const [open, setOpen] = useState<Open>(nothing)
  const options = data?.paymentOptions ?? none
  const [refusal, move] = useMove(options)
  const offered = methodsWithout(options)
  return (
    <Card
      title={t('waysToPay')}
      actions={
        mayWrite &&
        data !== undefined &&
        offered.length > 0 && (
          <Button icon="plus" onPress={() => setOpen({ kind: 'adding' })}>
            {t('newWayToPay')}
          </Button>
        )
      }
    >
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : options.length === 0 ? (
        <Empty icon="creditCard" title={t('noWaysToPay')} text={t('noWaysToPayText')} />
      ) : (
        <>
          {refusal !== null && <Fault text={reasonOf(refusal)} />}
          <ul>
            {options.map((option, place) => (
              <PaymentOptionRow
                key={option.id}
                option={option}
                place={place}
                count={options.length}
                onMove={(by) => void move(place, by)}
                onEdit={() => setOpen({ kind: 'editing', option })}
                onDelete={() => setOpen({ kind: 'deleting', option })}
              />
            ))}
          </ul>
          <p className="small muted">{t('waysToPayElse')}</p>
        </>
      )}
      <OpenDialog open={open} options={options} offered={offered} onClose={() => setOpen(nothing)} />
    </Card>
  )
}

/** A method has one option. What was paid elsewhere was paid before it came here, so nobody chooses it. */
const methodsWithout = (options: readonly PaymentOption[]): readonly PaymentMethod[] =>
  (Object.keys(paymentMethods) as readonly PaymentMethod[]).filter(
    (method) => method !== 'EXTERNAL' && options.every((option) => option.method !== method),
  )

/** Moves an option to another place, and says why if that is refused. */
function useMove(
  options: readonly PaymentOption[],
): [RequestError | null, (place: number, by: number) => Promise<void>] {
  const [refusal, setRefusal] = useState<RequestError | null>(null)
  const move = async (place: number, by: number) => {
    setRefusal(null)
    for (const { id, position } of positionChanges(movedBy(options, place, by))) {
      const refused = await changeOrRefusal(UpdatePaymentOptionDocument, { id, input: { position } })
      if (refused === null) continue
      setRefusal(refused)
      break
    }
    await askAgain(['settings'])
  }
  return [refusal, move]
}

interface OpenProps {
  readonly open: Open
  readonly options: readonly PaymentOption[]
  readonly offered: readonly PaymentMethod[]
  readonly onClose: () => void
}

function OpenDialog({ open, options, offered, onClose }: OpenProps): ReactNode {
  const t = useText()
  switch (open.kind) {
    case 'nothing':
      return null
    case 'adding':
      return <NewOptionDialog methods={offered} options={options} onClose={onClose} />
    case 'editing':
      return <ChangeOptionDialog option={open.option} onClose={onClose} />
    case 'deleting':
      return (
        <ConfirmDialog
          title={t('deleteNamed', { name: open.option.name })}
          lead={t('deleteWayToPayLead')}
          submit={t('delete')}
          danger
          document={DeletePaymentOptionDocument}
          variables={{ id: open.option.id }}
          subjects={['settings']}
          done={t('wayToPayDeleted', { name: open.option.name })}
          onClose={onClose}
        />
      )
    default:
      return open satisfies never
  }
}
