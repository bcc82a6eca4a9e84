import { type Fields, object, optionalLine, phone, type Rule, text } from './rules.ts'

export const addressColumns = ['line1', 'line2', 'city', 'state', 'postalCode', 'country', 'phone'] as const

/** What an AddressInput holds beyond its types. */
export const addressFields: Fields = {
  line1: text({ max: 255 }),
  line2: optionalLine({ max: 255 }),
  city: text({ max: 255 }),
  state: text({ max: 255 }),
  postalCode: text({ max: 32 }),
  country: text({ max: 255 }),
  phone,
}

export const address: Rule = object(addressFields)
