import { z } from 'zod'
import { optionalText, text } from './values.ts'

const address = z.strictObject({
  line1: text,
  line2: optionalText,
  city: text,
  state: z.string(),
  postalCode: z.string(),
  country: text,
  phone: optionalText,
  isDefault: z.boolean().optional(),
})

export const customerRow = z.strictObject({
  type: z.literal('customer').optional(),
  email: z.email({ error: 'must be an e-mail address' }),
  name: text,
  phone: optionalText,
  marketingOptIn: z.boolean().optional(),
  tags: z.array(text).optional(),
  notes: optionalText,
  addresses: z.array(address).optional(),
})

export type CustomerRow = z.infer<typeof customerRow>
export type AddressRow = z.infer<typeof address>
