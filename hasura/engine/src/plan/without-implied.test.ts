import { expect, test } from 'vitest'
import { allOf, type Predicate, type Value } from '../schema/predicate.ts'
import { withoutImplied } from './without-implied.ts'

const text = { schema: 'pg_catalog', name: 'text' }
const constant = (value: string): Value => ({ kind: 'constant', text: value, type: text })
const literal = (value: string): Value => ({
  kind: 'parameter',
  source: { kind: 'literal', text: value },
  type: text,
})
const variable: Value = {
  kind: 'parameter',
  source: { kind: 'variable', path: ['status'], encoding: { scalar: 'string', list: false } },
  type: text,
}
const is = (name: string, right: Value): Predicate => ({
  kind: 'compare',
  left: { kind: 'column', name },
  operator: '=',
  right,
})
const isKept: Predicate = { kind: 'is-null', operand: { kind: 'column', name: 'deleted_at' }, negated: false }
const or = (...operands: readonly Predicate[]): Predicate => ({ kind: 'or', operands })
const own = is('owner', {
  kind: 'parameter',
  source: { kind: 'session', name: 'x-hasura-user-id' },
  type: text,
})
const sold = allOf([is('status', constant('ACTIVE')), isKept])
const filter: Predicate = {
  kind: 'permission',
  predicate: allOf([is('shop', constant('1')), or(sold, own)]),
}
const withoutAlternatives: Predicate = { kind: 'permission', predicate: is('shop', constant('1')) }

test('a filter has no alternatives beside a condition that says one of them, in any order and with more', () => {
  const asked = allOf([is('name', variable), isKept, is('status', literal('ACTIVE'))])
  expect(withoutImplied(filter, asked)).toEqual(withoutAlternatives)
  expect(withoutImplied(filter, own)).toEqual(withoutAlternatives)
})

test.each<[string, Predicate]>([
  ['a part of an alternative', is('status', literal('ACTIVE'))],
  ['another value', allOf([is('status', literal('DRAFT')), isKept])],
  ['a variable, whose value is not known yet', allOf([is('status', variable), isKept])],
  ['another column', allOf([is('state', literal('ACTIVE')), isKept])],
  ['the opposite', allOf([is('status', literal('ACTIVE')), { kind: 'not', operand: isKept }])],
  ['an alternative of the client’s', or(allOf([is('status', literal('ACTIVE')), isKept]), own)],
  ['nothing', allOf([])],
])('a filter stays whole beside %s', (_, asked) => {
  expect(withoutImplied(filter, asked)).toEqual(filter)
})
