import { z } from 'zod'
import { bounds } from './contract-bounds.ts'
import { boundedText, country, email, list, phone, text } from './values.ts'

const address = z.strictObject({
  line1: text(bounds.textOf('AddressInput.line1')),
  line2: boundedText(bounds.textOf('AddressInput.line2')).optional(),
  city: text(bounds.textOf('AddressInput.city')),
  state: text(bounds.textOf('AddressInput.state')),
  postalCode: text(bounds.textOf('AddressInput.postalCode')),
  country,
  phone: phone.optional(),
  isDefault: z.boolean().optional(),
})

export const customerRow = z.strictObject({
  type: z.literal('customer').optional(),
  email,
  name: text(bounds.textOf('CustomerInput.name')),
  phone: phone.optional(),
  marketingOptIn: z.boolean().optional(),
  tags: list(
    text(bounds.textOf('CustomerInput.tags')),
    bounds.mostEntriesOf('CustomerInput.tags'),
  ).optional(),
  notes: boundedText(bounds.textOf('CustomerInput.notes')).optional(),
  addresses: list(address, bounds.mostEntriesOf('CustomerInput.addresses')).optional(),
})

export type CustomerRow = z.infer<typeof customerRow>
export type AddressRow = z.infer<typeof address>
