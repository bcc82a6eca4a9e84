import { columnName, type CustomerSegmentFilterInput, type Filled } from '@commerce-graph/contract'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Queryable } from '../database.ts'
import * as crm from '../sql/generated/crm.ts'

/**
 * How many customers meet a segment's conditions now, as many as the segment would have if it were saved; `unknown_tier` if the
 * merchant has not all of its loyalty tiers.
 *
 * @param filter null: every customer
 */
export const countCustomersIn = async (
  sql: Queryable,
  merchantId: MerchantId,
  filter: Filled<CustomerSegmentFilterInput> | null,
): Promise<crm.CountCustomersInAnswer> =>
  crm.countCustomersIn(sql, {
    merchantId,
    conditions: Object.fromEntries(
      Object.entries(filter ?? {}).map(([field, value]) => [columnName(field), value]),
    ),
  })
