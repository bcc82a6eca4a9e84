import { z } from 'zod'
import { mostEntries, textBounds } from './contract-bounds.ts'
import { boundedText, country, email, list, phone, text } from './values.ts'

const address = z.strictObject({
  line1: text(textBounds('AddressInput.line1')),
  line2: boundedText(textBounds('AddressInput.line2')).optional(),
  city: text(textBounds('AddressInput.city')),
  state: text(textBounds('AddressInput.state')),
  postalCode: text(textBounds('AddressInput.postalCode')),
  country,
  phone: phone.optional(),
  isDefault: z.boolean().optional(),
})

export const customerRow = z.strictObject({
  type: z.literal('customer').optional(),
  email,
  name: text(textBounds('CustomerInput.name')),
  phone: phone.optional(),
  marketingOptIn: z.boolean().optional(),
  tags: list(text(textBounds('CustomerInput.tags')), mostEntries('CustomerInput.tags')).optional(),
  notes: boundedText(textBounds('CustomerInput.notes')).optional(),
  addresses: list(address, mostEntries('CustomerInput.addresses')).optional(),
})

export type CustomerRow = z.infer<typeof customerRow>
export type AddressRow = z.infer<typeof address>
