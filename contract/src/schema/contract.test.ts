import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  specifiedScalarTypes,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { compose } from './compose.ts'
import { loadContract } from './load.ts'

const { schema, permissions } = loadContract()
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !specifiedScalarTypes.some(({ name }) => name === type.name),
)

interface Member {
  readonly path: string
  readonly description: string | null | undefined
}

function members(type: GraphQLNamedType): Member[] {
  if (isEnumType(type))
    return type.getValues().map(({ name, description }) => ({ path: `${type.name}.${name}`, description }))
  if (isInputObjectType(type)) return fieldsOf(type.name, Object.values(type.getFields()))
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  const fields = Object.values(type.getFields())
  return [
    ...fieldsOf(type.name, fields),
    ...fields.flatMap(({ name, args }) => fieldsOf(`${type.name}.${name}`, args)),
  ]
}

const fieldsOf = (
  type: string,
  fields: readonly (GraphQLInputField | GraphQLArgument | GraphQLField<unknown, unknown>)[],
): Member[] => fields.map(({ name, description }) => ({ path: `${type}.${name}`, description }))

describe('contract', () => {
  test('declares its root types, and the merchant’s plan Subscription is none of them', () => {
    expect(schema.getQueryType()?.name).toBe('Query')
    expect(schema.getMutationType()?.name).toBe('Mutation')
    expect(schema.getSubscriptionType()?.name).toBe('SubscriptionRoot')
    expect(schema.getType('Subscription')).toBeDefined()
  })

  test('does not compose if subgraphs contradict each other', () => {
    const from =
      (...sdls: string[]) =>
      () =>
        compose(
          'scalar Date',
          sdls.map((sdl) => ({ name: 'x', sdl })),
        )
    const query = 'extend type Query { thing: Thing } extend type Mutation { x: Int }'
    expect(from(`${query} type Thing { id: ID }`, 'extend type Thing { id: ID }')).toThrow(
      '"Thing.id" can only be defined once',
    )
    expect(from(`${query} type Thing { id: ID }`, 'type Thing { id: ID }')).toThrow(
      'only one type named "Thing"',
    )
    expect(from(`${query} type Thing { id: ID }`, 'extend type Other { id: ID }')).toThrow(
      'Other is extended and defined nowhere',
    )
    expect(from(query)).toThrow('Unknown type "Thing"')
  })

  test('shows routers the federation fields that they need, and no directives', () => {
    const names = types.map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('_')).sort()).toEqual([
      '_Any',
      '_Entity',
      '_Service',
      '_Subgraph',
    ])
    expect(
      schema
        .getDirectives()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(
      buildSchema('type Query { x: Int }')
        .getDirectives()
        .map(({ name }) => name)
        .sort(),
    )
  })

  test('describes every type, field, argument and enum value', () => {
    const undescribed = types.flatMap((type) => [
      ...(type.description ? [] : [type.name]),
      ...members(type).flatMap(({ path, description }) => (description ? [] : [path])),
    ])
    expect(undescribed).toEqual([])
  })

  test('needs a permission for every root field except those about the caller, and those of federation, whose types need them', () => {
    const open = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(
      (root) =>
        Object.keys(root?.getFields() ?? {}).filter(
          (field) => root && !permissions.ofField(root.name, field),
        ),
    )
    // These act on a secret that the caller holds, or on the caller's own account.
    const ofTheCaller = [
      ...[
        'refreshSession',
        'signOut',
        'revokeSession',
        'resetPassword',
        'changePassword',
        'requestEmailVerification',
      ],
      ...['verifyEmail', 'enrollMfa', 'confirmMfa', 'disableMfa'],
    ]
    // Search finds the records that the caller's permissions cover, and nothing without any.
    const ofSearch = ['search', 'searchSuggestions']
    // A node is a record of a type that needs its permission, as a reference of federation is.
    const ofTypes = ['_entities', '_service', 'node', 'nodes']
    expect(open).toEqual(['viewer', 'sessions', ...ofSearch, ...ofTypes, ...ofTheCaller])
  })

  test('has a nullable payload of nullable fields and errors for every mutation', () => {
    for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      expect(String(field.type)).toBe(`${field.name[0]?.toUpperCase() ?? ''}${field.name.slice(1)}Payload`)
      const payload = getNamedType(field.type)
      if (!isObjectType(payload)) throw new Error(`${field.name} answers no object`)
      for (const { name, type } of Object.values(payload.getFields()))
        expect([name, String(type).endsWith('!')]).toEqual([name, name === 'errors'])
    }
  })
})

describe('scalars', () => {
  const parses = (name: string, value: unknown) => {
    const type = schema.getType(name)
    if (!isScalarType(type)) throw new Error(`${name} is no scalar`)
    return type.parseValue(value)
  }

  test.each([
    ['DateTime', '2026-01-31T09:30:00Z'],
    ['DateTime', '2026-01-31T09:30:00.123456+01:00'],
    ['DateTime', '2026-01-31T09:30:00-15:59'],
    ['Date', '2024-02-29'],
    ['Money', 0],
    ['Money', 9007199254740991],
    ['JSON', { a: [1] }],
    ['URL', 'https://example.com/a?b=c'],
    ['EmailAddress', 'grace.hopper+navy@example.co.uk'],
  ])('%s accepts %j unchanged', (name, value) => {
    expect(parses(name, value)).toEqual(value)
  })

  test.each([
    ['DateTime', '2026-01-31'],
    ['DateTime', '2026-01-31T09:30:00'],
    ['DateTime', '2026-02-30T09:30:00Z'],
    ['DateTime', '2026-01-31T25:30:00Z'],
    ['DateTime', '2026-01-31T09:30:00+16:00'],
    ['DateTime', '2026-01-31T09:30:00-16:00'],
    ['DateTime', '0000-01-31T09:30:00Z'],
    ['DateTime', 1769851800],
    ['Date', '2026-02-29'],
    ['Date', '31.01.2026'],
    ['Money', 9.99],
    ['Money', '999'],
    ['Money', 9007199254740992],
    ['JSON', 'text'],
    ['JSON', [1]],
    ['URL', 'javascript:alert(1)'],
    ['URL', 'example.com'],
    ['EmailAddress', 'no-address'],
    ['EmailAddress', 'a b@example.com'],
  ])('%s refuses %j', (name, value) => {
    expect(() => parses(name, value)).toThrow(/^Not an? /)
  })
})
