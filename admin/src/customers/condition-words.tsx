import type { ReactNode } from 'react'
import { useApi } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { type SegmentPartsFragment, SegmentTiersDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useShop } from '../shell/shop.ts'
import { type ConditionKind, conditionNames, conditions, filterOf } from './segment-conditions.ts'

/** The conditions of a segment, in one line. */
export function ConditionWords({ segment }: { readonly segment: SegmentPartsFragment }): ReactNode {
  const t = useText()
  const valueInWords = useValueInWords(segment)
  const filter = filterOf(segment.filter)
  const words = conditionNames
    .filter((name) => name in filter)
    .map((name) => `${t(conditions[name].name)}: ${valueInWords(conditions[name].kind, filter[name])}`)
  return <p className="small muted wrap">{words.length === 0 ? t('everyCustomer') : words.join(' · ')}</p>
}

function useValueInWords({ filter }: SegmentPartsFragment): (kind: ConditionKind, value: unknown) => string {
  const t = useText()
  const { money, number, dateTime } = useFormat()
  const { currency } = useShop()
  const enabled = filter?.loyaltyTierIds != null
  const { data } = useApi('customers', SegmentTiersDocument, {}, { enabled })
  const tierName = (id: unknown) => data?.loyaltyProgram.tiers.find((tier) => tier.id === id)?.name ?? '…'
  return (kind, value) => {
    switch (kind) {
      case 'yesNo':
        return t(value === true ? 'yes' : 'no')
      case 'money':
        return money(Number(value), currency)
      case 'number':
      case 'days':
        return number(Number(value))
      case 'time':
        return dateTime(String(value))
      case 'list':
        return Array.isArray(value) ? value.join(', ') : ''
      case 'tiers':
        return Array.isArray(value) ? value.map(tierName).join(', ') : ''
      default:
        return kind satisfies never
    }
  }
}
