import { filled } from './filled.ts'
import type { Fields } from './medusa-records.ts'
import type { Row } from './shop-table.ts'

/** An address of Medusa's, whose fields begin with `kind` in the mapping; null when there is none. */
export function medusaAddress(fields: Fields, kind: string): Row | null {
  const text = (field: string) => fields.text(`${kind}${field}`)
  const place = filled({
    line1: text('Address1'),
    line2: text('Address2'),
    city: text('City'),
    state: text('Province'),
    postalCode: text('PostalCode'),
    country: text('Country').toUpperCase(),
  })
  if (Object.keys(place).length === 0) return null
  return {
    ...filled({ recipientName: medusaName(fields, kind), company: text('Company').slice(0, 200) }),
    ...place,
    ...filled({ phone: text('Phone').slice(0, 50) }),
  }
}

export const medusaName = (fields: Fields, kind: string): string =>
  `${fields.text(`${kind}FirstName`)} ${fields.text(`${kind}LastName`)}`.trim().slice(0, 200)
