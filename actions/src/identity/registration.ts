import type { MerchantId } from '@commerce-graph/contract/ids'
import { onlyOutcome, type Queryable } from '../database.ts'

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
  const outcome = onlyOutcome(
    await sql<{ outcome: { outcome: 'registered'; id: string } | { outcome: 'taken' } }[]>`
      SELECT identity.register_customer(
        ${merchantId}, ${email}, ${name}, ${phone}, ${marketingOptIn}, ${passwordHash}
      ) AS outcome`,
  )
  return outcome.outcome === 'registered' ? outcome.id : null
}
