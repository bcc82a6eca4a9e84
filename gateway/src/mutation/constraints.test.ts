import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestShop, type TestShop } from '../testing/shop.ts'
import { violationInMessage } from '@commerce-graph/data-layer'
import { constraints, violationError } from './constraints.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await openTestShop()
})

afterAll(() => shop[Symbol.asyncDispose]())

/** The tables that row mutations write, and how. Actions handle the other tables themselves. */
const inserted = [
  'catalog.product',
  'catalog.product_image',
  'catalog.product_variant',
  'catalog.product_category',
  'catalog.variant_option',
  'catalog.category',
  'catalog.review',
  'crm.customer',
  'crm.address',
  'crm.contact',
  'crm.interaction',
  'crm.segment',
  'crm.loyalty_tier',
  'crm.loyalty_reward',
  'booking.service',
  'booking.staff_member',
  'booking.staff_service',
  'booking.schedule',
  'booking.resource',
  'booking.resource_requirement',
  'inventory.warehouse',
  'inventory.warehouse_address',
  'merchant.shipping_zone',
  'merchant.shipping_method',
  'merchant.ip_allow_list_entry',
  'metadata.definition',
  'promotion.promotion',
  'promotion.campaign',
  'search.article',
]
const updated = ['merchant.merchant', 'merchant.settings', 'crm.loyalty_program']
const deleted = [
  'email.template',
  'email.campaign',
  'notification.device',
  'catalog.category',
  'catalog.review',
  'crm.customer',
  'crm.address',
  'crm.contact',
  'crm.interaction',
  'crm.segment',
  'crm.loyalty_tier',
  'crm.loyalty_reward',
  'booking.service',
  'booking.staff_member',
  'booking.staff_service',
  'booking.schedule',
  'booking.resource',
  'booking.resource_requirement',
  'inventory.warehouse',
  'cart.cart',
  'merchant.shipping_zone',
  'merchant.shipping_method',
  'merchant.ip_allow_list_entry',
  'promotion.promotion',
  'promotion.campaign',
]

/**
 * Constraints that clients can't violate: the merchant comes from the session, the database makes keys, actions
 * write blocks and a merchant's status, and a merchant's first test key makes its twin.
 */
const outOfReach = [
  /_merchant_id_fkey$/,
  /^product_variant_of_product_key$/,
  /^contact_of_customer_key$/,
  /^customer_blocked/,
  /^merchant_(status_check|deleted_when_closed|one_twin|twin_of_fkey)$/,
]

const list = (tables: readonly string[]): string => tables.map((name) => `'${name}'::regclass`).join()

test('every constraint that a mutation can violate has an error for clients', async () => {
  const rows = await shop.sql(`
    SELECT conname AS name FROM pg_constraint
    WHERE conrelid IN (${list([...inserted, ...updated])}) AND contype IN ('c', 'f', 'u', 'x')
    UNION
    SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid IN (${list([...inserted, ...updated])}) AND i.indisunique AND NOT i.indisprimary
    UNION
    SELECT conname FROM pg_constraint
    WHERE confrelid IN (${list(deleted)}) AND contype = 'f' AND confdeltype IN ('a', 'r')
    ORDER BY 1`)
  const names = rows
    .map(({ name }) => String(name))
    .filter((name) => !outOfReach.some((pattern) => pattern.test(name)))
  expect(names.length).toBeGreaterThan(40)
  expect(names.filter((name) => !(name in constraints))).toEqual([])
})

test('every constraint with an error exists under its name', async () => {
  const rows = await shop.sql(String.raw`
    SELECT conname AS name FROM pg_constraint UNION SELECT relname FROM pg_class WHERE relkind = 'i'
    UNION SELECT match[1] FROM pg_proc p, regexp_matches(p.prosrc, 'platform\.violate\(\s*''[a-z_.]+'', ''([a-z_]+)''', 'g') match
    UNION SELECT match[1] FROM pg_trigger t, regexp_matches(pg_get_triggerdef(t.oid), 'EXECUTE FUNCTION merchant\.keep_\w+\(''(\w+)''') match`)
  const names = new Set(rows.map(({ name }) => String(name)))
  expect(Object.keys(constraints).filter((name) => !names.has(name))).toEqual([])
})

test.each([
  [
    'Uniqueness violation. duplicate key value violates unique constraint "customer_email_key"',
    { field: 'email', code: 'ALREADY_EXISTS', message: 'A record with email=a@b.example already exists' },
  ],
  [
    'Foreign key violation. insert or update on table "review" violates foreign key constraint "review_merchant_id_customer_id_fkey"',
    { field: 'customerId', code: 'NOT_FOUND', message: 'Customer 7 does not exist' },
  ],
  [
    'Foreign key violation. update or delete on table "customer" violates foreign key constraint "order_merchant_id_customer_id_fkey" on table "order"',
    { field: 'id', code: 'INVALID_VALUE', message: 'The customer has orders' },
  ],
  [
    'Check constraint violation. new row for relation "category" violates check constraint "category_no_cycle"',
    { field: 'parentId', code: 'INVALID_VALUE', message: 'A category can not be its own ancestor' },
  ],
])('Hasura’s message for a violation becomes a field and a code: %s', (message, error) => {
  const violation = violationInMessage(message)
  expect(violation && violationError(violation, { email: 'a@b.example', customerId: '7' })).toEqual(error)
})

test('a constraint that clients can’t violate is no input error', () => {
  const violation = {
    sqlState: '23505',
    constraint: 'order_number_key',
    stillReferenced: false,
    detail: null,
  }
  expect(violationError(violation, {})).toBeNull()
})
