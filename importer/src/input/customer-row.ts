import { addressTexts, customerTexts, listBounds } from '@commerce-graph/contract/input'
import { z } from 'zod'
import { boundedText, country, email, list, phone, text } from './values.ts'

const address = z.strictObject({
  line1: text(addressTexts.line1),
  line2: boundedText(addressTexts.line2).optional(),
  city: text(addressTexts.city),
  state: text(addressTexts.state),
  postalCode: text(addressTexts.postalCode),
  country,
  phone: phone.optional(),
  isDefault: z.boolean().optional(),
})

export const customerRow = z.strictObject({
  type: z.literal('customer').optional(),
  email,
  name: text(customerTexts.name),
  phone: phone.optional(),
  marketingOptIn: z.boolean().optional(),
  tags: list(text(customerTexts.tag), listBounds.tags).optional(),
  notes: boundedText(customerTexts.notes).optional(),
  addresses: list(address, listBounds.customerAddresses).optional(),
})

export type CustomerRow = z.infer<typeof customerRow>
export type AddressRow = z.infer<typeof address>
