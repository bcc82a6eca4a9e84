import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { loadContract } from '@commerce-graph/contract'
import { parse, print, validate } from 'graphql'
import { expect, test } from 'vitest'
import * as operations from '../generated/operations.ts'
import { batchOf, creation, field } from './batch.ts'

const { CreateReviewDocument, ProductBySkuDocument, SetInventoryLevelDocument } = operations

const { schema } = loadContract()
const documents = Object.entries(operations).filter(([name]) => name.endsWith('Document'))

test.each(documents)('%s is valid by the contract three times in one request', (_name, document) => {
  const any = document as TypedDocumentNode<Record<string, unknown>, Record<string, unknown>>
  const batch = batchOf([field(any, {}), field(any, {}), field(any, {})])
  expect(validate(schema, batch.document)).toEqual([])
})

test('a batch gives each field its own alias and variables, and has each fragment once', () => {
  const { document, variables } = batchOf([
    creation(CreateReviewDocument, { input: { productId: 'p', authorName: 'Ann', rating: 5 } }),
    creation(CreateReviewDocument, { input: { productId: 'q', authorName: 'Bo', rating: 1 } }),
  ])
  expect(print(document)).toBe(`mutation ($input0: CreateReviewInput!, $input1: CreateReviewInput!) {
  f0: createReview(input: $input0) {
    review {
      id
    }
    errors {
      ...UserErrorParts
    }
  }
  f1: createReview(input: $input1) {
    review {
      id
    }
    errors {
      ...UserErrorParts
    }
  }
}

fragment UserErrorParts on UserError {
  field
  message
  code
}`)
  expect(variables).toEqual({
    input0: { productId: 'p', authorName: 'Ann', rating: 5 },
    input1: { productId: 'q', authorName: 'Bo', rating: 1 },
  })
})

test('a batch has either queries or mutations, each with one root field', () => {
  const query = field(ProductBySkuDocument, { sku: 'A' })
  const mutation = field(SetInventoryLevelDocument, { input: { sku: 'A', available: 1 } })
  const two: TypedDocumentNode<Record<string, unknown>> = parse('{ a b }')
  expect(() => batchOf<unknown>([query, mutation])).toThrow('queries and mutations')
  expect(() => batchOf([field(two, {})])).toThrow('other root fields than one')
})

test('TypeScript refuses variables that the contract does not have', () => {
  // @ts-expect-error An integer is needed.
  field(SetInventoryLevelDocument, { input: { sku: 'A', available: '1' } })
  // @ts-expect-error There is no such field.
  field(SetInventoryLevelDocument, { input: { sku: 'A', available: 1, units: 1 } })
  // @ts-expect-error A variable is missing.
  expect(field(ProductBySkuDocument, {}).variables).toEqual({})
})
