import ipaddr from 'ipaddr.js'
import { invalidFormat, type UserError } from '@commerce-graph/contract/input'
import { countryValues } from '../../mutation/address-rules.ts'
import {
  action,
  type Arguments,
  type MutationDefinition,
  type RowsMutation,
  type Values,
  type Write,
} from '../../mutation/definition.ts'
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
import {
  amount,
  checkFields,
  country,
  currency,
  type Fields,
  integer,
  list,
  numberBetween,
  object,
  optionalText,
  phone,
  text,
  timeZone,
} from '../../mutation/rules.ts'
import { toUuid } from '../../projection/filter.ts'

const accountTable = table('MerchantAccount', 'merchantAccounts')
const settingsTable = table('MerchantSettings', 'merchantSettings')
const zoneTable = table('ShippingZone', 'shippingZones')
const methodTable = table('ShippingMethod', 'shippingMethods')
const allowListTable = table('IpAllowListEntry', 'ipAllowListEntries')

const accountRules: Fields = { name: text({ max: 200 }), email: text({ max: 254 }), phone }
/** At most a year. */
const paymentMinutes = integer({ min: 1, max: 525_600 })
const settingsRules: Fields = {
  currency,
  timezone: timeZone,
  language: text({ max: 2 }),
  taxRate: numberBetween({ min: 0, max: 1 }),
  lowStockThreshold: numberBetween({ min: 0, max: 999_999 }),
  cardPaymentMinutes: paymentMinutes,
  bankTransferPaymentMinutes: paymentMinutes,
  cashPaymentMinutes: paymentMinutes,
  maxUnpaidOrders: integer({ min: 1, max: 10_000 }),
  maxUnpaidUnits: integer({ min: 1, max: 999_999 }),
}
const requiredSettings = [
  'currency',
  'timezone',
  'language',
  'taxRate',
  'lowStockThreshold',
  'cardPaymentMinutes',
  'acceptsBankTransfer',
  'acceptsCash',
] as const
const settingsColumns = [
  ...requiredSettings,
  'bankTransferPaymentMinutes',
  'cashPaymentMinutes',
  'maxUnpaidOrders',
  'maxUnpaidUnits',
] as const
const methodRules: Fields = { name: text({ max: 200 }), price: amount }
const zoneRules: Fields = {
  name: text({ max: 200 }),
  countries: list(country, { max: 300 }),
  methods: list(object(methodRules), { max: 50 }),
}
const methodColumns = ['name', 'price', 'active'] as const

interface ZoneInput {
  readonly countries?: readonly string[] | null
  readonly methods?: readonly Values[] | null
}

const zoneValues = (input: ZoneInput): Values => ({ ...input, countries: countryValues(input.countries) })

/** The rows of these tables are the session's merchant's by permission, and there is one. */
const theOnlyOne: Values = {}

const merchantPlan = { record: { relationship: 'merchantPlan', projection: 'MerchantPlan' } } as const

const subscription = { record: { relationship: 'subscription', projection: 'Subscription' } } as const

export const merchantMutations: Readonly<Record<string, MutationDefinition>> = {
  updateMerchantAccount: change({
    record: 'MerchantAccount',
    what: 'Merchant account',
    rules: accountRules,
    required: ['name', 'email', 'ipWhitelistEnabled'],
    byId: false,
    write: (input, args) => {
      const { ipWhitelistEnabled: ipAllowListEnabled } = input as Values
      const record = update(accountTable, theOnlyOne, {
        ...pick(input as Values, ['name', 'email', 'phone', 'website']),
        ...(ipAllowListEnabled !== undefined && { ipAllowListEnabled }),
      })
      return { before: [], record, ...confirmation(args) }
    },
  }),
  updateMerchantSettings: change({
    record: 'MerchantSettings',
    what: 'Merchant settings',
    rules: settingsRules,
    required: requiredSettings,
    byId: false,
    write: (input) => update(settingsTable, theOnlyOne, pick(input as Values, settingsColumns)),
  }),
  createShippingZone: creation<ZoneInput>({
    record: 'ShippingZone',
    what: 'Shipping zone',
    rules: zoneRules,
    write: (input) =>
      insertOne(zoneTable, {
        ...pick(zoneValues(input), ['name', 'countries'], 'left out'),
        methods: { data: (input.methods ?? []).map((method) => pick(method, methodColumns, 'left out')) },
      }),
  }),
  updateShippingZone: change<ZoneInput>({
    record: 'ShippingZone',
    what: 'Shipping zone',
    rules: zoneRules,
    required: ['name', 'countries'],
    write: (input, { id }) => update(zoneTable, byId(id), pick(zoneValues(input), ['name', 'countries'])),
  }),
  deleteShippingZone: deletion('Shipping zone', (id) => remove(zoneTable, byId(id))),
  createShippingMethod: creation({
    record: 'ShippingMethod',
    what: 'Shipping method',
    rules: methodRules,
    lookUps: (_input, { shippingZoneId }) => [
      present(zoneTable, valueOf('shippingZoneId', shippingZoneId as string), 'Shipping zone'),
    ],
    write: (input, { shippingZoneId }) =>
      insertOne(methodTable, {
        ...pick(input as Values, methodColumns, 'left out'),
        shippingZoneId: toUuid(shippingZoneId),
      }),
  }),
  updateShippingMethod: change({
    record: 'ShippingMethod',
    what: 'Shipping method',
    rules: methodRules,
    required: ['name', 'price', 'active'],
    write: (input, { id }) => update(methodTable, byId(id), pick(input as Values, methodColumns)),
  }),
  deleteShippingMethod: deletion('Shipping method', (id) => remove(methodTable, byId(id))),
  createApiKey: action({
    record: { relationship: 'apiKey', projection: 'ApiKey' },
    fromResult: ['key'],
    toInput: ({ input }) => ({ input: { ...(input as Values), mode: modeOf(input as Values) } }),
  }),
  rotateApiKey: action({
    record: { relationship: 'apiKey', projection: 'ApiKey' },
    fromResult: ['key'],
  }),
  changePlan: action(subscription),
  confirmPlanRequest: action(merchantPlan),
  declinePlanRequest: action(merchantPlan),
  setMerchantPlan: action(merchantPlan),
  cancelSubscription: action(subscription),
  resumeSubscription: action(subscription),
  revokeApiKey: action({ record: { relationship: 'apiKey', projection: 'ApiKey' } }),
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

/** The SDL's ApiKeyMode is in capitals, the column isn't. */
const modeOf = ({ mode }: Values): string => (mode === 'TEST' ? 'test' : 'live')

function addToAllowList(): RowsMutation {
  return {
    kind: 'rows',
    record: 'IPWhitelistEntry',
    what: 'Allow-list entry',
    id: null,
    input: null,
    check: (args) => checkFields({ ip: network, description: optionalText({ max: 500 }) }, args),
    // Postgres compares networks, and finds 10.0.0.1 and 10.0.0.1/32 equal; the constraint tells what is taken.
    lookUps: () => [],
    write: ({ ip, description }) => ({
      before: [],
      record: insertOne(allowListTable, {
        network: (ip as string).trim(),
        ...(description != null && { description }),
      }),
    }),
  }
}

/** A single address, or a range in CIDR notation whose bits to the right of the prefix are zero. */
function network(value: unknown, field: string): readonly UserError[] {
  if (typeof value !== 'string' || !isNetwork(value.trim())) {
    return [invalidFormat(field, 'IP address or CIDR range such as 203.0.113.7 or 203.0.113.0/24')]
  }
  return []
}

function isNetwork(text: string): boolean {
  // Forms like 0x7f.1 and ::1%eth0 are addresses to some, but not to Postgres.
  if (!/^[0-9a-f.:]+(\/\d{1,3})?$/i.test(text)) return false
  if (!text.includes('/')) return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return isNetworkAddress(ipaddr.IPv4, text)
  return ipaddr.IPv6.isValidCIDR(text) && isNetworkAddress(ipaddr.IPv6, text)
}

function isNetworkAddress(family: typeof ipaddr.IPv4 | typeof ipaddr.IPv6, text: string): boolean {
  return family.parseCIDR(text)[0].toString() === family.networkAddressFromCIDR(text).toString()
}
