import { ascending, descending } from '../../projection/condition.ts'
import { equals, idEquals, searchIn, statusFilters } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

/** A merchant keeps networks on its allow-list, not single users' addresses; beyond this the list is cut. */
const maxAllowListEntries = 1000

/** More wait only where no operator answers; the answer says that the list goes on. */
const maxPlanRequests = 1000

const merchants: ConnectionProjection = {
  projection: 'Merchant',
  sortFields: {
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    NAME: { column: 'name', type: 'String' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    ...statusFilters(),
    plan: equals('plan', 'String'),
    searchQuery: searchIn({ name: 'String', email: 'citext' }),
  },
}

export const merchant: DomainProjection = {
  queries: {
    merchantAccount: { kind: 'only', projection: 'MerchantAccount' },
    ipWhitelist: {
      kind: 'list',
      projection: 'IPWhitelistEntry',
      filters: {},
      orderBy: [ascending('created_at'), ascending('id')],
      limit: maxAllowListEntries,
    },
    merchantPlan: {
      kind: 'lookup',
      projection: 'MerchantPlan',
      by: { merchantId: idEquals('merchant_id') },
    },
    planRequests: {
      kind: 'list',
      projection: 'MerchantPlan',
      filters: {},
      only: { requested_plan: { _is_null: false } },
      orderBy: [ascending('requested_at'), ascending('merchant_id')],
      limit: maxPlanRequests,
    },
    merchants: { kind: 'connection', connection: merchants },
  },
  types: {
    MerchantAccount: {
      type: 'MerchantAccount',
      table: 'merchant_merchant',
      fields: {
        apiKeys: {
          kind: 'list',
          relationship: 'api_keys',
          where: { revoked_at: { _is_null: true } },
          orderBy: [descending('created_at'), descending('id')],
        },
        readiness: { kind: 'list', relationship: 'readiness', orderBy: [ascending('position')] },
        emailSender: { kind: 'object', relationship: 'sender' },
        ipWhitelistEnabled: { kind: 'column', column: 'ip_allow_list_enabled' },
      },
    },
    Merchant: { type: 'Merchant', table: 'operator_merchant' },
    MerchantPlan: { type: 'MerchantPlan', table: 'operator_merchant_plan' },
    EmailSender: {
      type: 'EmailSender',
      table: 'merchant_sender',
      fields: { records: { kind: 'list', relationship: 'records', orderBy: [ascending('purpose')] } },
    },
    SenderRecord: { type: 'SenderRecord', table: 'merchant_sender_record' },
    ReadinessCheck: { type: 'ReadinessCheck', table: 'merchant_readiness_check' },
    Subscription: { type: 'Subscription', table: 'merchant_subscription' },
    MerchantSettings: {
      type: 'MerchantSettings',
      table: 'merchant_settings',
      fields: {
        shippingZones: {
          kind: 'list',
          relationship: 'shipping_zones',
          orderBy: [ascending('id')],
        },
      },
    },
    ShippingZone: {
      type: 'ShippingZone',
      table: 'merchant_shipping_zone',
      fields: {
        methods: {
          kind: 'list',
          relationship: 'methods',
          orderBy: [ascending('price'), ascending('id')],
        },
      },
    },
    ShippingMethod: { type: 'ShippingMethod', table: 'merchant_shipping_method' },
    ApiKey: { type: 'ApiKey', table: 'merchant_api_key' },
    IPWhitelistEntry: {
      type: 'IPWhitelistEntry',
      table: 'merchant_ip_allow_list_entry',
      fields: { ipAddress: { kind: 'column', column: 'network' } },
    },
  },
}
