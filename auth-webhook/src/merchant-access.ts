import type { Fragment, Sql } from '@commerce-graph/postgres-driver'

/**
 * The part of a SELECT that reads a MerchantAccessRow, over a relation `m` of merchant.merchant. A merchant without
 * a subscription is on the free plan.
 */
export function merchantAccessColumns(sql: Sql): Fragment {
  return sql`
    coalesce(s.plan, 'FREE') AS plan,
    ARRAY(
      SELECT f.feature FROM merchant.plan_feature f WHERE f.plan = coalesce(s.plan, 'FREE') ORDER BY f.feature
    ) AS features,
    m.ip_allow_list_enabled,
    ARRAY(SELECT e.network::text FROM merchant.ip_allow_list_entry e WHERE e.merchant_id = m.id) AS networks`
}
