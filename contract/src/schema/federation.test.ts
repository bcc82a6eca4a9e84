import { composeServices } from '@theguild/federation-composition'
import { buildSchema, isObjectType, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { domains, loadContract } from './load.ts'

const { schema, federation } = loadContract()
const url = 'https://commerce.example/graphql'

const composed = composeServices(
  federation.subgraphs.map(({ name, sdl }) => ({ name, url, typeDefs: parse(sdl) })),
)

describe('the contract as a federation', () => {
  test('has a subgraph for every domain, and all of them compose without an error', () => {
    expect(federation.subgraphs.map(({ name }) => name)).toEqual(domains)
    expect(composed.errors ?? []).toEqual([])
  })

  test('has every type and field of the contract in the supergraph', () => {
    const supergraph = buildSchema(composed.supergraphSdl ?? '', { assumeValidSDL: true })
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type) || type.name.startsWith('_') || type === schema.getSubscriptionType()) continue
      const other = supergraph.getType(type.name)
      expect(isObjectType(other) && Object.keys(other.getFields()).sort(), type.name).toEqual(
        Object.keys(type.getFields())
          // Those of the whole contract, which no subgraph has.
          .filter((name) => !name.startsWith('_') && !(type.name === 'Query' && /^nodes?$/.test(name)))
          .sort(),
      )
    }
  })

  test('composes as one subgraph too', () => {
    const whole = composeServices([{ name: 'commerce', url, typeDefs: parse(federation.sdl) }])
    expect(whole.errors ?? []).toEqual([])
  })

  test.each(federation.entities)('has a %s with an id as its key', (entity) => {
    const type = schema.getType(entity)
    expect(isObjectType(type) && String(type.getFields()['id']?.type)).toBe('ID!')
  })
})
