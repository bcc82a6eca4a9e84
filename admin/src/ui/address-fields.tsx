import type { ReactNode } from 'react'
import { useLanguage, useText } from '../language/language.tsx'
import { TextField } from './fields.tsx'

export interface AddressDraft {
  readonly recipientName: string
  readonly company: string
  readonly line1: string
  readonly line2: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly country: string
  readonly phone: string
}

const optional = ['recipientName', 'company', 'line2', 'phone'] as const
const addressPartNames = [...optional, 'line1', 'city', 'state', 'postalCode', 'country'] as const

export const emptyAddress: AddressDraft = {
  recipientName: '',
  company: '',
  line1: '',
  line2: '',
  city: '',
  state: '',
  postalCode: '',
  country: '',
  phone: '',
}

/**
 * The names of an address' fields in a form.
 *
 * @param name of the address within the form; none: the form is of the address alone
 */
export const addressParts = (name?: string): readonly string[] =>
  addressPartNames.map((part) => partName(name, part))

const partName = (name: string | undefined, part: string): string =>
  name === undefined ? part : `${name}.${part}`

export const addressDraftOf = (
  address: Readonly<Record<Exclude<keyof AddressDraft, (typeof optional)[number]>, string>> &
    Readonly<Record<(typeof optional)[number], string | null>>,
): AddressDraft => ({
  recipientName: address.recipientName ?? '',
  company: address.company ?? '',
  line1: address.line1,
  line2: address.line2 ?? '',
  city: address.city,
  state: address.state,
  postalCode: address.postalCode,
  country: address.country,
  phone: address.phone ?? '',
})

/** As the API takes it: what is empty and may be is left out. */
export const addressInputOf = ({ line1, city, state, postalCode, country, ...draft }: AddressDraft) => ({
  line1,
  city,
  state,
  postalCode,
  country: country.toUpperCase(),
  ...Object.fromEntries(optional.flatMap((part) => (draft[part] === '' ? [] : [[part, draft[part]]]))),
})

/** What differs, as the API takes it: what was emptied and may be empty is taken away. */
export function addressChangesOf(before: AddressDraft, draft: AddressDraft) {
  const input = { ...Object.fromEntries(optional.map((part) => [part, null])), ...addressInputOf(draft) }
  const changed = new Set<string>(addressPartNames.filter((part) => draft[part] !== before[part]))
  return Object.fromEntries(Object.entries(input).filter(([part]) => changed.has(part)))
}

interface Props {
  /** Of the address within the form, such as `shippingAddress`; none: the form is of the address alone. */
  readonly name?: string
  readonly value: AddressDraft
  readonly onChange: (value: AddressDraft) => void
}

export function AddressFields({ name, value, onChange }: Props): ReactNode {
  const t = useText()
  const { locale } = useLanguage()
  const field = (part: keyof AddressDraft) => ({
    name: partName(name, part),
    value: value[part],
    onChange: (text: string) => onChange({ ...value, [part]: text }),
  })
  const { country } = value
  const countryName = /^[a-z]{2}$/i.test(country)
    ? new Intl.DisplayNames(locale, { type: 'region' }).of(country.toUpperCase())
    : undefined
  return (
    <>
      <div className="columns">
        <TextField {...field('recipientName')} label={t('recipient')} />
        <TextField {...field('company')} label={t('company')} />
      </div>
      <div className="columns">
        <TextField {...field('line1')} label={t('street')} isRequired />
        <TextField {...field('line2')} label={t('streetMore')} />
      </div>
      <div className="columns">
        <TextField {...field('postalCode')} label={t('postalCode')} isRequired />
        <TextField {...field('city')} label={t('city')} isRequired />
        <TextField {...field('state')} label={t('state')} isRequired />
      </div>
      <div className="columns">
        <TextField
          {...field('country')}
          label={t('country')}
          hint={countryName ?? t('countryHint')}
          maxLength={2}
          isRequired
        />
        <TextField {...field('phone')} label={t('phone')} />
      </div>
    </>
  )
}
