import type { Fragment, Sql } from '@commerce-graph/postgres-driver'

/**
 * The part of a SELECT that reads a MerchantAccessRow, over relations `m` of merchant.merchant and `s` of its
 * subscription.
 */
export const merchantAccessColumns = (sql: Sql): Fragment => sql`
    m.status AS merchant_status,
    m.twin_of IS NOT NULL AS is_twin,
    s.plan,
    ARRAY(
      SELECT f.feature FROM merchant.plan_feature f
      WHERE f.plan = s.plan AND s.status <> 'UNPAID' ORDER BY f.feature
    ) AS features,
    m.ip_allow_list_enabled,
    ARRAY(SELECT e.network::text FROM merchant.ip_allow_list_entry e WHERE e.merchant_id = m.id) AS networks`
