import type { Arguments, MutationDefinition, RowsMutation, Values, Write } from '../../mutation/definition.ts'
import {
  byId,
  change,
  creation,
  deletion,
  insertOne,
  pick,
  present,
  remove,
  table,
  update,
  valueOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'

const accountTable = table('merchant_merchant')
const settingsTable = table('merchant_settings')
const zoneTable = table('merchant_shipping_zone')
const methodTable = table('merchant_shipping_method')
const allowListTable = table('merchant_ip_allow_list_entry')

const settingsColumns = [
  'currency',
  'timezone',
  'language',
  'taxRate',
  'lowStockThreshold',
  'mfaRequired',
  'cardPaymentMinutes',
  'acceptsBankTransfer',
  'acceptsCash',
  'bankTransferPaymentMinutes',
  'cashPaymentMinutes',
  'maxUnpaidOrders',
  'searchSynonyms',
  'searchStopWords',
  'maxUnpaidUnits',
  'stockVisibility',
  'stockVisibilityBound',
] as const
/** Each country once. */
const countriesColumn = (countries: readonly string[] | null | undefined): Values =>
  countries == null ? {} : { countries: [...new Set(countries)] }

const methodColumns = ['name', 'price', 'active'] as const

/** The rows of these tables are the session's merchant's by permission, and there is one. */
const theOnlyOne: Values = {}

export const merchantMutations: Readonly<Record<string, MutationDefinition>> = {
  updateMerchantAccount: change<'updateMerchantAccount'>({
    record: 'MerchantAccount',
    what: 'Merchant account',
    byId: false,
    write: (input, args) => {
      const { ipWhitelistEnabled: enabled } = input
      const record = update(accountTable, theOnlyOne, {
        ...pick(input, ['name', 'email', 'phone', 'website', 'country']),
        ...(enabled !== undefined && { ip_allow_list_enabled: enabled }),
      })
      return { before: [], record, ...confirmation(args) }
    },
  }),
  updateMerchantSettings: change<'updateMerchantSettings'>({
    record: 'MerchantSettings',
    what: 'Merchant settings',
    byId: false,
    write: (input) => update(settingsTable, theOnlyOne, pick(input, settingsColumns)),
  }),
  createShippingZone: creation<'createShippingZone'>({
    record: 'ShippingZone',
    what: 'Shipping zone',
    write: (input) =>
      insertOne(zoneTable, {
        name: input.name,
        ...countriesColumn(input.countries),
        methods: { data: (input.methods ?? []).map((method) => pick(method, methodColumns, 'left out')) },
      }),
  }),
  updateShippingZone: change<'updateShippingZone'>({
    record: 'ShippingZone',
    what: 'Shipping zone',
    write: (input, { id }) =>
      update(zoneTable, byId(id), {
        ...pick(input, ['name']),
        ...countriesColumn(input.countries),
      }),
  }),
  deleteShippingZone: deletion('Shipping zone', (id) => remove(zoneTable, byId(id))),
  createShippingMethod: creation<'createShippingMethod'>({
    record: 'ShippingMethod',
    what: 'Shipping method',
    lookUps: (_input, { shippingZoneId }) => [
      present(zoneTable, valueOf('shippingZoneId', shippingZoneId), 'Shipping zone'),
    ],
    write: (input, { shippingZoneId }) =>
      insertOne(methodTable, {
        ...pick(input, methodColumns, 'left out'),
        shipping_zone_id: toUuid(shippingZoneId),
      }),
  }),
  updateShippingMethod: change<'updateShippingMethod'>({
    record: 'ShippingMethod',
    what: 'Shipping method',
    write: (input, { id }) => update(methodTable, byId(id), pick(input, methodColumns)),
  }),
  deleteShippingMethod: deletion('Shipping method', (id) => remove(methodTable, byId(id))),
  addIPWhitelist: addToAllowList(),
  removeIPWhitelist: {
    ...deletion('Allow-list entry', (id) => remove(allowListTable, byId(id))),
    write: (args) => ({
      before: [],
      record: remove(allowListTable, byId(args['id'])),
      ...confirmation(args),
    }),
  },
}

/** The database asks for it where the caller's own address would be shut out (migrations, `merchant.keep_the_caller_in`). */
const confirmation = ({ confirmLockout }: Arguments): Pick<Write, 'session'> =>
  confirmLockout === true ? { session: { 'x-hasura-confirmed': 'lockout' } } : {}

function addToAllowList(): RowsMutation {
  return {
    kind: 'rows',
    record: 'IPWhitelistEntry',
    what: 'Allow-list entry',
    id: null,
    input: null,
    check: () => [],
    // Postgres compares networks, and finds 10.0.0.1 and 10.0.0.1/32 equal; the constraint tells what is taken.
    lookUps: () => [],
    write: ({ ip, description }) => ({
      before: [],
      record: insertOne(allowListTable, {
        network: ip,
        ...(description != null && { description }),
      }),
    }),
  }
}
