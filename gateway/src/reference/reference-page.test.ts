import { isIntrospectionType, isObjectType, isSpecifiedScalarType } from 'graphql'
import { expect, test } from 'vitest'
import { catalogue } from '@commerce-graph/contract/errors'
import { contract } from '../testing/run.ts'
import { referencePage } from './reference-page.ts'

const page = referencePage(contract.schema, '{ products { totalCount } }')

test('the page has every type, field and error, and every link has a target on it', () => {
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  const types = Object.values(contract.schema.getTypeMap()).filter((type) => !isIntrospectionType(type))
  for (const type of types) {
    if (isSpecifiedScalarType(type)) continue
    expect(ids).toContain(type.name)
    if (isObjectType(type))
      for (const field of Object.keys(type.getFields())) expect(ids).toContain(`${type.name}.${field}`)
  }
  for (const id of Object.keys(catalogue)) expect(ids).toContain(id)
  const targets = [...page.matchAll(/href="#(\w+)"/g)].map(([, target]) => target)
  expect(targets.filter((target) => !ids.has(target))).toEqual([])
})

test('the page loads nothing from other hosts, and shows permissions and the open points of the specification', () => {
  expect(page).not.toMatch(/(src|href)="(https?:)?\/\//)
  expect(page).toContain('Needs the permission <code>orders:read</code>')
  expect(page).toContain('<mark>open</mark>')
  expect(page.match(/<script>/g)).toHaveLength(1)
})
