import type { Principal } from '@commerce-graph/auth-webhook'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { productMutations } from '../gateway/src/domains/catalog/product-mutations.ts'
import { crmMutations } from '../gateway/src/domains/crm/mutations.ts'
import { reviewMutations } from '../gateway/src/domains/catalog/review-mutations.ts'
import { loadContract, onePerField, validate } from '@commerce-graph/contract'
import type { MutationDefinition } from '../gateway/src/mutation/definition.ts'
import { parseRow, type RowKind } from '../importer/src/input/row.ts'

type Row = Readonly<Record<string, unknown>>

const merchant = { kind: 'merchant' } as unknown as Principal
const place = { line1: '1', city: 'Bend', state: 'OR', postalCode: '97701', country: 'US' }
const product: Row = { sku: 'A-1', name: 'A tent', price: 999, currency: 'USD' }
const customer: Row = { email: 'ann@example.com', name: 'Ann' }

/** For each field path, a row with the given text in that field. */
const customerFields: Readonly<Record<string, (text: string) => Row>> = {
  name: (name) => ({ ...customer, name }),
  phone: (phone) => ({ ...customer, phone }),
  notes: (notes) => ({ ...customer, notes }),
  'tags.0': (tag) => ({ ...customer, tags: [tag] }),
  ...Object.fromEntries(
    [...Object.keys(place), 'line2', 'phone'].map((name) => [
      `addresses.0.${name}`,
      (text: string) => ({ ...customer, addresses: [{ ...place, [name]: text }] }),
    ]),
  ),
}
const productFields: Readonly<Record<string, (text: string) => Row>> = {
  ...Object.fromEntries(
    ['sku', 'name', 'currency', 'description', 'slug', 'seoTitle', 'seoDescription'].map((name) => [
      name,
      (text: string) => ({ ...product, [name]: text }),
    ]),
  ),
  'tags.0': (tag) => ({ ...product, tags: [tag] }),
  'images.0.alt': (alt) => ({ ...product, images: [{ url: 'https://example.com/a.jpg', alt }] }),
  'variants.0.sku': (sku) => ({ ...product, variants: [{ sku }] }),
}
const reviewFields: Readonly<Record<string, (text: string) => Row>> = {
  authorName: (authorName) => ({ authorName, rating: 5 }),
  title: (title) => ({ authorName: 'Ann', rating: 5, title }),
  body: (body) => ({ authorName: 'Ann', rating: 5, body }),
}

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.nat({ max: 520 }).map((length) => '😀'.repeat(length)),
  fc.constantFrom('', ' ', 'A-1', 'x'.repeat(5001), '4242 4242 4242 4242', 'A\ud800B', 'A\0B', 'two\nlines'),
  fc.constantFrom('USA', 'Narnia', 'ZZZ', 'EUR', '(503) 555-9573', '+1 503', 'none', 'a-slug', 'A Slug'),
)

function refusedByImport(kind: RowKind, value: Row): readonly unknown[] {
  const parsed = parseRow({ location: { file: 'f', line: 1, index: 0 }, kind, value })
  return parsed.kind === 'refused' ? parsed.refused.problems : []
}

const { inputRules } = loadContract()
const mutations: Readonly<Record<string, MutationDefinition>> = {
  ...productMutations,
  ...crmMutations,
  ...reviewMutations,
}

function refusedByApi(name: string, input: Row): readonly unknown[] {
  const mutation = mutations[name]
  if (mutation?.kind !== 'rows') throw new Error('the mutation writes no rows')
  return onePerField([
    ...validate(inputRules.get(name) ?? [], { input }),
    ...mutation.check({ input }, merchant),
  ])
}

/** The importer trims a row's texts before it sends them. */
const asSent = (value: string) => value.trim()

describe('a dry run refuses the rows that the API refuses, with the same messages', () => {
  test.each(Object.keys(customerFields))('customers: %s', (field) => {
    const row = customerFields[field]
    fc.assert(
      fc.property(text.map(asSent), (value) => {
        const given = row?.(value) ?? {}
        expect(refusedByImport('customer', given)).toEqual(refusedByApi('createCustomer', given))
      }),
    )
  })

  test.each(Object.keys(productFields))('products: %s', (field) => {
    const row = productFields[field]
    fc.assert(
      fc.property(text.map(asSent), (value) => {
        const given = row?.(value) ?? {}
        expect(refusedByImport('product', given)).toEqual(refusedByApi('createProduct', given))
      }),
    )
  })

  test.each(Object.keys(reviewFields))('reviews: %s', (field) => {
    const review = reviewFields[field]
    fc.assert(
      fc.property(text.map(asSent), (value) => {
        const given = review?.(value) ?? {}
        const prefixed = refusedByApi('createReview', { productId: 'P', ...given }).map(
          (error) => JSON.parse(JSON.stringify(error).replaceAll(field, `reviews.0.${field}`)) as unknown,
        )
        expect(refusedByImport('product', { ...product, reviews: [given] })).toEqual(prefixed)
      }),
    )
  })

  test('a dry run has the API’s limits for lists', () => {
    const tags = Array.from({ length: 101 }, (_, index) => `t${index}`)
    expect(refusedByImport('customer', { ...customer, tags })).toEqual(
      refusedByApi('createCustomer', { ...customer, tags }),
    )
    const addresses = Array.from({ length: 51 }, () => place)
    expect(refusedByImport('customer', { ...customer, addresses })).toEqual(
      refusedByApi('createCustomer', { ...customer, addresses }),
    )
    const variants = Array.from({ length: 201 }, (_, index) => ({ sku: `V-${index}` }))
    expect(refusedByImport('product', { ...product, variants })).toEqual(
      refusedByApi('createProduct', { ...product, variants }),
    )
  })
})
