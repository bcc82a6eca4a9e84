import type { ReactNode } from 'react'
import { useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { useFormat } from '../format/format.ts'
import { unitsOf } from '../format/money.ts'
import { UpdatePaymentOptionDocument } from '../generated/operations.ts'
import { useLanguage, useText } from '../language/language.tsx'
import { paymentMethods } from '../orders/order-names.ts'
import { useMay, useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { MoveButtons } from '../ui/move-buttons.tsx'
import { Badge } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { currencyOfTotals, type PaymentOption } from './payment-option-draft.ts'

interface Props {
  readonly option: PaymentOption
  readonly place: number
  readonly count: number
  readonly onMove: (by: -1 | 1) => void
  readonly onEdit: () => void
  readonly onDelete: () => void
}

/** A way to pay: for which purchases it is, and what can be done with it. */
export function PaymentOptionRow({ option, place, count, onMove, onEdit, onDelete }: Props): ReactNode {
  const t = useText()
  const mayWrite = useMay('merchant:write')
  const limits = useLimits(option)
  const { id, name, enabled, instructions } = option
  const { run, error, pending } = useChange(UpdatePaymentOptionDocument, ['settings'])
  const turn = async () => {
    if ((await run({ id, input: { enabled: !enabled } })) !== null) tell(t('saved'))
  }
  return (
    <li className="parcel">
      <div className="between">
        <h3>{name}</h3>
        <Badge tone={enabled ? 'good' : 'calm'}>{t(enabled ? 'isOffered' : 'switchedOff')}</Badge>
      </div>
      <p className="small muted">{limits.join(' · ')}</p>
      {instructions !== null && <p className="small wrap">{instructions}</p>}
      {error !== null && <Fault text={reasonOf(error)} />}
      {mayWrite && (
        <span className="chips">
          <MoveButtons name={name} place={place} count={count} onMove={onMove} />
          <Button
            look="quiet"
            isDisabled={pending}
            aria-label={t(enabled ? 'switchOffTitle' : 'switchOnTitle', { name })}
            onPress={() => void turn()}
          >
            {t(enabled ? 'switchAccountOff' : 'switchOn')}
          </Button>
          <Button look="quiet" aria-label={t('editNamed', { name })} onPress={onEdit}>
            {t('edit')}
          </Button>
          <Button look="quiet" aria-label={t('deleteNamed', { name })} onPress={onDelete}>
            {t('delete')}
          </Button>
        </span>
      )}
    </li>
  )
}

/** The method if it is called otherwise, and for which purchases it is, in words. */
function useLimits(option: PaymentOption): readonly string[] {
  const t = useText()
  const { locale } = useLanguage()
  const { money } = useFormat()
  const { currency } = useShop()
  const { method, name, currencies, countries, minAmount, maxAmount, paymentMinutes } = option
  const names = new Intl.DisplayNames([locale], { type: 'region' })
  const total = currencyOfTotals(currencies, { currency, unitsOf })
  const limits = [
    ...(currencies.length === 0 ? [] : [currencies.join(', ')]),
    ...(countries.length === 0 ? [] : [countries.map((code) => names.of(code) ?? code).join(', ')]),
    ...(minAmount === null ? [] : [t('fromTotal', { total: money(minAmount, total) })]),
    ...(maxAmount === null ? [] : [t('upToTotal', { total: money(maxAmount, total) })]),
  ]
  const methodName = t(paymentMethods[method])
  return [
    ...(name === methodName ? [] : [methodName]),
    ...(limits.length === 0 ? [t('everyPurchase')] : limits),
    ...(paymentMinutes === null ? [] : [t('waitsMinutes', { count: paymentMinutes })]),
  ]
}
