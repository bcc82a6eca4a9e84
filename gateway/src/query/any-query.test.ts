import fc from 'fast-check'
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Documents } from '../document/documents.ts'
import { depthOf } from '../limits/depth.ts'
import { limitsFrom } from '../limits/limits.ts'
import { contract, runQuery } from '../testing/run.ts'
import { isVisible } from '../testing/select-everything.ts'
import {
  customerPrincipal,
  everyPermission,
  fixtureId,
  keyPrincipal,
  openTestShop,
  type TestShop,
} from '../testing/shop.ts'

const merchant = keyPrincipal(1)

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const daysAhead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** Valid values for arguments, by name or type. An argument that is missing here is an enum, or is omitted. */
const values: Readonly<Record<string, readonly string[]>> = {
  first: ['1', '7', '100'],
  limit: ['2'],
  featured: ['true', 'false'],
  searchQuery: ['"product"', '"a%_"'],
  query: ['"product"', '"a%_"', '"catgory 01"'],
  representations: [
    '[]',
    `[{ __typename: "Product", id: "${fixtureId('product', 1, 1)}" }, { __typename: "Order", id: "x" }]`,
  ],
  ids: ['["x"]', `["${fixtureId('product', 1, 1)}", "${fixtureId('order', 1, 1)}"]`],
  metrics: ['[ORDERS]', '[GROSS_SALES, ORDERS]'],
  startDate: ['"2026-01-01"'],
  endDate: ['"2026-01-31"'],
  skus: ['["SKU-1", "SKU-1-2", "x"]'],
  serviceId: ['"x"', `"${fixtureId('service', 1, 1)}"`],
  staffId: ['"x"', `"${fixtureId('staff', 1, 1)}"`],
  from: [`"${daysAhead(1)}"`, `"${daysAhead(-1)}"`],
  to: [`"${daysAhead(2)}"`, `"${daysAhead(5)}"`],
  id: [
    '"x"',
    `"${fixtureId('product', 1, 1)}"`,
    `"${fixtureId('order', 1, 1)}"`,
    `"${fixtureId('customer', 1, 1)}"`,
    `"${fixtureId('appointment', 1, 1)}"`,
    `"${fixtureId('staff', 1, 1)}"`,
  ],
  ProductFilters: [
    '{}',
    '{ searchQuery: "product", inStock: true, status: ACTIVE, featured: false, tags: ["all"], priceMin: 1, priceMax: 99999 }',
    '{ categoryId: "x", categorySlug: "category-1", inStock: false }',
    '{ statuses: [ACTIVE, DRAFT], updatedAfter: "2026-01-01T00:00:00Z", updatedBefore: "2100-01-01T00:00:00Z" }',
  ],
  CategoryFilters: ['{}', '{ parentId: "x", level: 1, searchQuery: "category" }'],
  OrderFilters: [
    '{}',
    '{ status: CONFIRMED, startDate: "2026-01-01T00:00:00Z", endDate: "2027-01-01T00:00:00+01:00", minTotal: 1, maxTotal: 99999, customerId: "x" }',
  ],
  CustomerFilters: ['{}', '{ searchQuery: "example", email: "a@example.com", marketingOptIn: false }'],
  CartFilters: ['{}', '{ customerId: "x", checkedOut: true }', '{ checkedOut: false }'],
  PaymentFilters: ['{}', '{ orderId: "x", status: FAILED, method: CARD }'],
  WarehouseFilters: ['{}', '{ active: true }'],
  BookingServiceFilters: ['{}', '{ active: true, searchQuery: "service", staffId: "x" }'],
  StaffMemberFilters: ['{}', `{ active: true, serviceId: "${fixtureId('service', 1, 1)}" }`],
  ResourceFilters: ['{}', '{ active: true, kind: "Bench", searchQuery: "resource" }'],
  EmailTemplateFilters: ['{}', '{ kind: ORDER_SHIPPED }'],
  EmailCampaignFilters: ['{}', '{ status: SENT, segmentId: "x", searchQuery: "spring" }'],
  EmailDeliveryFilters: [
    '{}',
    '{ status: SENT, kind: CAMPAIGN, customerId: "x", campaignId: "x", recipient: "Customer2@example.com" }',
    '{ startDate: "2026-01-01T00:00:00Z", endDate: "2100-01-01T00:00Z" }',
  ],
  NotificationFilters: ['{}', '{ kind: ORDER_SHIPPED, unread: true }', '{ unread: false }'],
  PushDeliveryFilters: ['{}', '{ status: SENT, kind: LOW_STOCK_ALERT, customerId: "x" }'],
  ProductVariantFilters: ['{}', `{ productId: "${fixtureId('product', 1, 1)}", skus: ["SKU-1-1"] }`],
  ShipmentFilters: ['{}', '{ orderId: "x", statuses: [PACKED, SHIPPED], trackingNumber: "x" }'],
  RefundFilters: ['{}', `{ orderId: "${fixtureId('order', 1, 1)}", statuses: [PENDING, SUCCEEDED] }`],
  ReservationFilters: ['{}', '{ orderId: "x", sku: "SKU-1", statuses: [ACTIVE] }'],
  DraftOrderFilters: ['{}', '{ statuses: [OPEN, COMPLETED], updatedBefore: "2100-01-01T00:00:00Z" }'],
  AppointmentFilters: [
    '{}',
    '{ status: SCHEDULED, startDate: "2026-01-01T00:00:00Z", endDate: "2100-01-01T00:00Z", customerId: "x", staffId: "x", serviceId: "x", resourceId: "x" }',
  ],
}

/** Arguments that are refused together: `first` and `limit` mean the same, and a lookup takes one argument. */
const exclusive = new Set([
  'groupBy',
  'interval',
  'limit',
  'sku',
  'slug',
  'orderNumber',
  'kind',
  'after',
  'last',
  'before',
])

function argumentText(argument: GraphQLArgument): fc.Arbitrary<string> {
  const type = getNamedType(argument.type)
  const pool =
    values[argument.name] ?? (isEnumType(type) ? type.getValues().map(({ name }) => name) : values[type.name])
  if (!pool || exclusive.has(argument.name)) return fc.constant('')
  const value = fc.constantFrom(...pool).map((text) => `${argument.name}: ${text}`)
  return String(argument.type).endsWith('!') || argument.name === 'id' ? value : fc.option(value, { nil: '' })
}

/** Without arguments that are for staff alone. */
const argumentsText = (field: string, args: readonly GraphQLArgument[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...args
        .filter(({ name }) => !(contract.permissions.ofArgument('Query', field, name)?.customer === false))
        .map(argumentText),
    )
    .map((texts) => {
      const given = texts.filter((text) => text !== '')
      return given.length > 0 ? `(${given.join(', ')})` : ''
    })

type Shown = (type: string, field: string) => boolean

/** Some of a type's fields, some of them with aliases, down to a depth; of a union, those of one of its types. */
function selection(type: GraphQLOutputType, depth: number, shown: Shown): fc.Arbitrary<string> {
  const named = getNamedType(type)
  if (isUnionType(named)) {
    const members = named.getTypes().filter((member) => shown(member.name, 'id'))
    return fc
      .constantFrom(...members)
      .chain((member) => selection(member, depth, shown).map((text) => `{ ... on ${member.name} ${text} }`))
  }
  if (isInterfaceType(named)) {
    const members = contract.federation.entities
    return fc
      .subarray(
        [...members].filter((member) => shown(member, 'id')),
        { maxLength: 3 },
      )
      .map((some) => `{ __typename id ${some.map((member) => `... on ${member} { id }`).join(' ')} }`)
  }
  if (!isObjectType(named)) return fc.constant('')
  const fields = Object.values(named.getFields()).filter(
    ({ name, type: of }) => shown(named.name, name) && (depth > 0 || isLeafType(getNamedType(of))),
  )
  const some = fc.subarray(fields, {
    minLength: Math.min(1, fields.length),
    maxLength: Math.min(5, fields.length),
  })
  return some.chain((chosen) =>
    fc
      .tuple(...chosen.map((field, index) => fieldText(field, index, depth - 1, shown)))
      .map((texts) => `{ __typename ${texts.join(' ')} }`),
  )
}

/** Aliases are numbered, so that no two fields of a selection share one. */
const fieldText = (
  field: GraphQLField<unknown, unknown>,
  index: number,
  depth: number,
  shown: Shown,
): fc.Arbitrary<string> =>
  fc
    .tuple(fc.boolean(), argumentsText(field.name, field.args), selection(field.type, depth, shown))
    .map(([aliased, args, inner]) => `${aliased ? `h${index}: ` : ''}${field.name}${args} ${inner}`)

/** A path of fields as deep as the limits allow, from a root field down, with lists of a few items. */
function deepest(type: GraphQLOutputType, depth: number, shown: Shown): fc.Arbitrary<string> {
  const named = getNamedType(type)
  if (!isObjectType(named)) return fc.constant('')
  const fields = Object.values(named.getFields()).filter((field) => shown(named.name, field.name))
  const inner = fields.filter(
    ({ name, type: of, args }) =>
      !name.startsWith('_') &&
      isObjectType(getNamedType(of)) &&
      !args.some((argument) => String(argument.type).endsWith('!') && argument.name !== 'id'),
  )
  // Only the edges and nodes of a page lead further down; its other parts end there.
  const onward = inner.filter(({ name }) => ['edges', 'node'].includes(name))
  const candidates = onward.length > 0 ? onward : inner
  if (depth <= 1 || candidates.length === 0) return fc.constant('{ __typename }')
  return fc.constantFrom(...candidates).chain((field) =>
    deepest(field.type, depth - 1, shown).map((text) => {
      const size = field.args.some(({ name }) => name === 'first') ? '(first: 2)' : ''
      const id = field.args.some(({ name }) => name === 'id') ? `(id: "${fixtureId('product', 1, 1)}")` : size
      return `{ ${field.name}${id} ${text} }`
    }),
  )
}

test('the deepest query within the limits is one operation, on any path', async () => {
  const query = contract.schema.getQueryType()
  if (!query) throw new Error('the contract has no Query')
  const limits = limitsFrom({})
  const depths: number[] = []
  await fc.assert(
    fc.asyncProperty(deepest(query, limits.depth, isVisible(contract, 'merchant')), async (text) => {
      const checked = new Documents(contract.schema, limits).check(text, null)
      if (checked.kind === 'refused') throw new Error(JSON.stringify([text, checked.errors]))
      depths.push(depthOf(checked.operation.prepared.operation, checked.operation.prepared.fragments))
      shop.takeCount()
      const result = await runQuery(shop, keyPrincipal(1), text)
      expect(result).toMatchObject({ kind: 'data', errors: [], defects: [] })
      expect(shop.takeCount()).toBeLessThanOrEqual(1)
    }),
    // One path in twenty reaches the deepest level; fewer runs could miss it.
    { numRuns: 250 },
  )
  expect(Math.max(...depths)).toBe(limits.depth - 1)
}, 120_000)

/** The value at a path of an answer, and a function that sets it to null. */
function placeOf(data: unknown, path: readonly (string | number)[]) {
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], data)
  const object = holder as Record<string | number, unknown>
  const last = path.at(-1) ?? ''
  return { value: object[last], empty: () => void (object[last] = null) }
}

test('a caller without some permissions gets the full answer except for the refused fields', async () => {
  const query = contract.schema.getQueryType()
  if (!query) throw new Error('the contract has no Query')
  const visible = isVisible(contract, 'merchant')
  // They hide what the caller may not see, and refuse nothing.
  const hiding = ['node', 'nodes', 'events', 'deletedRecords']
  const shown = (type: string, field: string) =>
    visible(type, field) && !['search', 'searchSuggestions', 'viewer', ...hiding].includes(field)
  let partial = 0
  await fc.assert(
    fc.asyncProperty(
      selection(query, 5, shown),
      fc.subarray([...everyPermission]),
      async (text, permissions) => {
        shop.takeCount()
        const result = await runQuery(shop, keyPrincipal(1, permissions), text)
        for (const { id, path, details } of result.errors) {
          expect([id, path?.length]).toEqual(['SVC_AUTH_003', expect.any(Number)])
          expect(permissions).not.toContain(details['permission'])
        }
        if (result.kind === 'refused') {
          expect(shop.takeCount()).toBe(0)
          return
        }
        expect(shop.takeCount()).toBeLessThanOrEqual(1)
        if ((result.omitted ?? 0) > 0) return
        const whole = await runQuery(shop, merchant, text)
        const expected: unknown = JSON.parse(JSON.stringify('data' in whole ? whole.data : null))
        const answered: unknown = JSON.parse(JSON.stringify(result.data))
        for (const { path = [] } of result.errors) {
          expect(placeOf(answered, path).value).toBeNull()
          placeOf(expected, path).empty()
        }
        expect(answered).toEqual(expected)
        if (result.errors.length > 0) partial += 1
      },
    ),
    { numRuns: 400 },
  )
  expect(partial).toBeGreaterThan(0)
}, 120_000)

test.each([
  ['key', 'merchant', keyPrincipal(1)],
  ['shopper’s token', 'customer', customerPrincipal(1)],
] as const)(
  'any valid query with a %s is at most one operation, and answered in full',
  async (_, role, principal) => {
    const query = contract.schema.getQueryType()
    if (!query) throw new Error('the contract has no Query')
    await fc.assert(
      fc.asyncProperty(selection(query, 5, isVisible(contract, role)), async (text) => {
        shop.takeCount()
        const result = await runQuery(shop, principal, text)
        expect(result).toMatchObject({ kind: 'data', errors: [], defects: [] })
        expect(shop.takeCount()).toBeLessThanOrEqual(1)
      }),
      { numRuns: 60 },
    )
  },
  120_000,
)
