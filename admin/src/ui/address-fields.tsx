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

/** The parts of an address, for the names of a form's fields. */
export const addressParts = (name: string): readonly string[] =>
  [...optional, 'line1', 'city', 'state', 'postalCode', 'country'].map((part) => `${name}.${part}`)

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

interface Props {
  /** Of the address within the form, such as `shippingAddress`. */
  readonly name: string
  readonly value: AddressDraft
  readonly onChange: (value: AddressDraft) => void
}

export function AddressFields({ name, value, onChange }: Props): ReactNode {
  const t = useText()
  const { locale } = useLanguage()
  const field = (part: keyof AddressDraft) => ({
    name: `${name}.${part}`,
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
