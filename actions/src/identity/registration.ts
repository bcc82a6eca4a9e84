import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Queryable } from '../database.ts'
import * as identity from '../sql/generated/identity.ts'

export interface NewCustomer {
  readonly email: string
  readonly name: string
  readonly phone: string | null
  readonly marketingOptIn: boolean
  readonly passwordHash: string
}

/** A new customer with a password. Null: the address is a customer's already. */
export async function registerCustomer(
  sql: Queryable,
  merchantId: MerchantId,
  { email, name, phone, marketingOptIn, passwordHash }: NewCustomer,
): Promise<string | null> {
  const outcome = await identity.registerCustomer(sql, {
    merchantId,
    email,
    name,
    phone,
    marketingOptIn,
    passwordHash,
  })
  return outcome.outcome === 'registered' ? outcome.id : null
}
