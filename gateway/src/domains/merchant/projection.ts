import { ascending, descending } from '../../projection/condition.ts'
import { idEquals } from '../../projection/filter.ts'
import type { DomainProjection } from '../../projection/types.ts'

/** A merchant keeps networks on its allow-list, not single users' addresses; beyond this the list is cut. */
const maxAllowListEntries = 1000

/** More wait only where nobody answers; the answer tells that the list goes on. */
const maxPlanRequests = 1000

export const merchant: DomainProjection = {
  queries: {
    merchantAccount: { kind: 'only', table: 'merchantAccounts', projection: 'MerchantAccount' },
    ipWhitelist: {
      kind: 'list',
      table: 'ipAllowListEntries',
      projection: 'IPWhitelistEntry',
      filters: {},
      orderBy: [ascending('createdAt'), ascending('id')],
      limit: maxAllowListEntries,
    },
    merchantPlan: {
      kind: 'lookup',
      table: 'merchantPlans',
      projection: 'MerchantPlan',
      by: { merchantId: idEquals('merchantId') },
    },
    planRequests: {
      kind: 'list',
      table: 'merchantPlans',
      projection: 'MerchantPlan',
      filters: {},
      only: { requestedPlan: { _is_null: false } },
      orderBy: [ascending('requestedAt'), ascending('merchantId')],
      limit: maxPlanRequests,
    },
  },
  types: {
    MerchantAccount: {
      type: 'MerchantAccount',
      from: 'MerchantAccount',
      fields: {
        apiKeys: {
          kind: 'list',
          relationship: 'apiKeys',
          where: { revokedAt: { _is_null: true } },
          orderBy: [descending('createdAt'), descending('id')],
        },
        ipWhitelistEnabled: { kind: 'column', column: 'ipAllowListEnabled' },
      },
    },
    MerchantPlan: { type: 'MerchantPlan', from: 'MerchantPlan' },
    Subscription: { type: 'Subscription', from: 'Subscription' },
    MerchantSettings: {
      type: 'MerchantSettings',
      from: 'MerchantSettings',
      fields: {
        shippingZones: {
          kind: 'list',
          relationship: 'shippingZones',
          orderBy: [ascending('id')],
        },
      },
    },
    ShippingZone: {
      type: 'ShippingZone',
      from: 'ShippingZone',
      table: 'shippingZones',
      fields: {
        methods: {
          kind: 'list',
          relationship: 'methods',
          orderBy: [ascending('price'), ascending('id')],
        },
      },
    },
    ShippingMethod: { type: 'ShippingMethod', from: 'ShippingMethod', table: 'shippingMethods' },
    ApiKey: { type: 'ApiKey', from: 'ApiKey', table: 'apiKeys' },
    IPWhitelistEntry: {
      type: 'IPWhitelistEntry',
      from: 'IpAllowListEntry',
      fields: { ipAddress: { kind: 'column', column: 'network' } },
    },
  },
}
