import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isObjectType,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { neededRules } from '@commerce-graph/gateway/testing'
import { chunks } from '../support/chunks.ts'
import { createClient, type Answer } from '../support/graphql-client.ts'
import { longTests } from '../support/long-tests.ts'
import { createSubscriptionClient } from '../support/subscription-client.ts'
import { contractTypes, refusedCredentials, rootFields, type RootFieldRow } from './expectations.ts'
import { headersOf } from './guests.ts'
import { openMatrix, type Matrix } from './open-matrix.ts'
import { generateOperation, type GeneratedOperation } from './operation-generator.ts'
import { fieldPaths, pathQuery, type FieldPath } from './paths.ts'
import { sampleValue } from './sample-value.ts'

/**
 * Which caller may use which field of /graphql, and which type behind it. expected/root-fields.csv and
 * expected/types.csv define it, and every kind of caller calls every field that the schema shows.
 */
describe('on /graphql', { timeout: 240_000 }, () => {
  let matrix: Matrix
  let schema: GraphQLSchema
  let shopper: string
  const rows = rootFields()
  const types = contractTypes()

  beforeAll(async () => {
    matrix = await openMatrix()
    schema = await matrix.schemaFor('/graphql', matrix.platform.liveKey)
    shopper = await matrix.shopper(0)
  }, 120_000)
  afterAll(() => matrix.close())

  /** Values that lock no caller out, and in which a shopper names only itself. */
  const leaf = (name: string, type: string): unknown => {
    if (name === 'ipWhitelistEnabled') return false
    // Templates of users' mails need every permission there is (actions/src/email/token-mail-access.ts).
    if (type === 'EmailLinkKind') return 'CUSTOMER_PASSWORD_RESET'
    return name === 'customerId' ? matrix.customers[0] : sampleValue(type, name)
  }

  const keys = new Map<string, Promise<string>>()

  /** A key with these permissions; the same permissions give the same key. */
  function keyWith(permissions: Iterable<string>): Promise<string> {
    const names = [...permissions].sort()
    const known = keys.get(names.join()) ?? matrix.callers.key(names)
    keys.set(names.join(), known)
    return known
  }

  const ask = (credential: string, { query, variables }: Pick<GeneratedOperation, 'query' | 'variables'>) =>
    matrix.client('/graphql', credential)(query, variables)

  let rootOperations: readonly (readonly [RootFieldRow, GeneratedOperation])[] | undefined

  /** The root fields of queries and mutations, each as an operation that selects nothing. */
  const operations = () => (rootOperations ??= generateOperations())

  function generateOperations(): readonly (readonly [RootFieldRow, GeneratedOperation])[] {
    return (['query', 'mutation'] as const).flatMap((kind) =>
      fieldsOf(schema, kind).map((field) => {
        const row = rows.get(`${kind}.${field.name}`)
        if (row === undefined) throw new Error(`root-fields.csv has no row for ${kind}.${field.name}`)
        return [row, generateOperation(kind, field, { depth: -1, leaf, withOptional: () => false })] as const
      }),
    )
  }

  test('every root field has its row in root-fields.csv, and every type in types.csv', () => {
    const kinds = ['query', 'mutation', 'subscription'] as const
    const fields = kinds.flatMap((kind) => fieldsOf(schema, kind).map(({ name }) => `${kind}.${name}`))
    expect([...rows.keys()].sort()).toEqual(fields.sort())
    const roots = new Set(kinds.map((kind) => rootOf(schema, kind)))
    const named = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type) && !roots.has(type))
      .map(({ name }) => name)
      .filter((name) => !/^__|(Connection|Edge|Payload)$/.test(name))
    expect([...types.keys()].filter((name) => !name.includes('.')).sort()).toEqual(named.sort())
    // types.csv has no fields that no longer exist.
    const gone = [...types.keys()].filter((name) => {
      const [type, field] = name.split('.')
      const found = schema.getType(type ?? '')
      return (
        field !== undefined &&
        !(isObjectType(found) || isInputObjectType(found) ? found.getFields()[field] : false)
      )
    })
    expect(gone).toEqual([])
  })

  test('a caller without a valid credential is refused at every field, with the id in credentials.csv', async () => {
    const credentials = await matrix.callers.refused(matrix.permissions, matrix.customers[0])
    const expected = refusedCredentials()
    expect([...credentials.keys()].sort()).toEqual([...expected.keys()].sort())
    const wrong: string[] = []
    const all = operations()
    for (const [name, authorization] of credentials) {
      const client = createClient(matrix.url('/graphql'), authorization === null ? {} : { authorization })
      const compare = async ([{ field }, { query, variables }]: (typeof all)[number]) => {
        const answered = idsOf(await client(query, variables))
        if (answered !== expected.get(name)?.contract) wrong.push(`${field} by ${name}: ${answered}`)
      }
      for (const some of chunks(all, 20)) await Promise.all(some.map(compare))
    }
    expect(wrong).toEqual([])
  })

  /** Of the fields that take what their type takes, one in so many is tried; those with a row of their own all are. */
  const oneFieldOf = longTests ? 1 : 8
  const isTried = ({ name }: FieldPath, place: number): boolean => types.has(name) || place % oneFieldOf === 0

  /** Of the fields that a permission doesn't open, one in so many is tried with it: each with other permissions. */
  const oneOf = longTests ? 1 : 48

  const permits = ({ permission: needed }: RootFieldRow, permission: string) =>
    needed.every((name) => name === permission)

  test('a key with one permission gets the fields of that permission and no other', async () => {
    const wrong: string[] = []
    for (const [place, permission] of [...matrix.permissions, 'none'].entries()) {
      const key = await matrix.callers.key(permission === 'none' ? [] : [permission])
      const compare = async ([row, operation]: readonly [RootFieldRow, GeneratedOperation]) => {
        const expected = permits(row, permission) ? row.key : row['without it']
        const outcome = outcomeOf(await ask(key, operation))
        if (outcome !== expected) wrong.push(`${row.field} with ${permission}: ${outcome}, not ${expected}`)
      }
      // Operations that may run come one after the other; those that are to be refused change nothing.
      const permitted = operations().filter(([row]) => permits(row, permission))
      for (const operation of permitted) await compare(operation)
      const refused = operations().filter(
        ([row], index) => !permits(row, permission) && (index + place) % oneOf === 0,
      )
      for (const some of chunks(refused, 20)) await Promise.all(some.map(compare))
    }
    expect(wrong).toEqual([])
  })

  test('all permissions except the needed one are not enough, also for a user’s token', async () => {
    const wrong: string[] = []
    for (const [row, operation] of operations()) {
      const others = matrix.permissions.filter((name) => !row.permission.includes(name))
      const calls = [
        ['a key without it', await matrix.callers.key(others), row['without it'], row.permission.length > 0],
        [
          'a user without it',
          await matrix.callers.user(others),
          row['without it'],
          row.permission.length > 0,
        ],
        ['a user with it', await matrix.callers.user(row.permission), row.user, true],
        ['a shopper', shopper, row.shopper, true],
        ['a guest', matrix.guest(0), row.guest, true],
      ] as const
      for (const [who, credential, expected, applies] of calls) {
        const asked =
          who === 'a guest' && row.field === 'query._entities'
            ? { query: reference, variables: {} }
            : operation
        const outcome = applies ? outcomeOf(await ask(credential, asked)) : expected
        if (outcome !== expected) wrong.push(`${row.field} by ${who}: ${outcome}, not ${expected}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('an operator’s key gets the fields for operators and all types behind them, and no field of a merchant', async () => {
    const key = await matrix.callers.operator()
    const wrong: string[] = []
    for (const [row, generated] of operations()) {
      const operation = row.field === 'query._entities' ? { query: reference, variables: {} } : generated
      const answer = await ask(key, operation)
      const outcome = outcomeOf(answer)
      if (outcome !== row.operator) wrong.push(`${row.field}: ${outcome}, not ${row.operator}`)
      if (outcome !== 'allowed' && answer.errors[0]?.extensions.details['reason'] !== operatorsOnly)
        wrong.push(`${row.field} doesn't say why`)
    }
    for (const path of fieldPaths(schema).filter(forOperators)) {
      const outcome = outcomeOf(await ask(key, { query: pathQuery(path, literal), variables: {} }))
      if (outcome !== 'allowed') wrong.push(`${path.name}: ${outcome}`)
    }
    expect(wrong).toEqual([])
  })

  test('a type behind a field needs the permissions in types.csv, on every path', async () => {
    const asShopper = matrix.client('/graphql', shopper)
    const asGuest = matrix.client('/graphql', matrix.guest(0))
    const wrong: string[] = []
    let refusals = 0
    for (const path of fieldPaths(schema).filter(
      (path, place) => !forOperators(path) && isTried(path, place),
    )) {
      const query = pathQuery(path, literal)
      const needed = neededFor(path)
      const rules = neededRules(query)
      const takes = [...new Set(rules.map(({ name }) => name))].sort().join(' ')
      const expected = [...needed.permissions].sort().join(' ')
      if (takes !== expected) wrong.push(`${path.name}: takes ${takes}, not ${expected}`)
      for (const lacking of needed.permissions) {
        const others = [...needed.permissions].filter((name) => name !== lacking)
        const answer = await ask(await keyWith(others), { query, variables: {} })
        if (missing(answer) === lacking) refusals += 1
        // Where there is no row to hold the field, or a look-up lacks its id, nothing is refused, and nothing shows.
        else if (!['', 'SVC_VAL_001'].includes(missing(answer)) || reaches(answer.data, path))
          wrong.push(`${path.name} without ${lacking}: ${answer.text}`)
      }
      const enough = outcomeOf(await ask(await keyWith(needed.permissions), { query, variables: {} }))
      if (enough !== 'allowed') wrong.push(`${path.name} with ${expected}: ${enough}`)
      const may = rules.every(({ customer }) => customer) ? 'allowed' : 'SVC_AUTH_003'
      if (may !== needed.shopper) wrong.push(`${path.name}: to shoppers ${may}, not ${needed.shopper}`)
      const answer = await asShopper(query)
      if (outcomeOf(answer) !== may && (may === 'allowed' || reaches(answer.data, path)))
        wrong.push(`${path.name} by a shopper: ${answer.text}`)
      const guests = await asGuest(query)
      if (outcomeOf(guests) !== needed.guest && (needed.guest === 'allowed' || reaches(guests.data, path)))
        wrong.push(`${path.name} by a guest: ${guests.text}`)
    }
    expect(wrong).toEqual([])
    expect(refusals).toBeGreaterThan(150)
  })

  test('a filter of a list needs the permissions in types.csv', async () => {
    const wrong: string[] = []
    for (const field of fieldsOf(schema, 'query')) {
      // Operators need no permission.
      if (rows.get(`query.${field.name}`)?.operator === 'allowed') continue
      for (const filter of filtersOf(field)) {
        const row = types.get(`${filter.type}.${filter.name}`)
        const needed = new Set([
          ...(rows.get(`query.${field.name}`)?.permission ?? []),
          ...(row?.permission ?? []),
        ])
        const operation = generateOperation('query', field, {
          depth: -1,
          leaf: (name, type) => leaf(name, type),
          withOptional: ({ name }) => name === filter.argument,
          onlyMember: filter.name,
        })
        const expected = [...needed].sort().join(' ')
        for (const lacking of needed) {
          const others = await keyWith([...needed].filter((name) => name !== lacking))
          const answered = missing(await ask(others, operation))
          if (answered !== lacking)
            wrong.push(`${field.name} by ${filter.name} without ${lacking}: ${answered || 'allowed'}`)
        }
        const none = missing(await ask(await keyWith([]), operation))
        // Without a permission to lack, only the value can be refused: no attribute of the shop has the sample's name.
        if (needed.size > 0 ? !needed.has(none) : !['', 'SVC_VAL_002'].includes(none))
          wrong.push(`${field.name} by ${filter.name}: takes ${none}, not ${expected}`)
        const enough = outcomeOf(await ask(await keyWith(needed), operation))
        if (enough !== 'allowed') wrong.push(`${field.name} by ${filter.name} with ${expected}: ${enough}`)
        const outcome = outcomeOf(await ask(shopper, operation))
        const shoppers = [rows.get(`query.${field.name}`)?.shopper, row?.shopper]
        const may = shoppers.includes('SVC_AUTH_003') ? 'SVC_AUTH_003' : 'allowed'
        if (outcome !== may)
          wrong.push(`${field.name} by ${filter.name} by a shopper: ${outcome}, not ${may}`)
        const guests = outcomeOf(await ask(matrix.guest(0), operation))
        const forbidden = [rows.get(`query.${field.name}`)?.guest, row?.guest].includes('SVC_AUTH_003')
        if (guests !== (forbidden ? 'SVC_AUTH_003' : 'allowed'))
          wrong.push(`${field.name} by ${filter.name} by a guest: ${guests}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('a subscription needs the permissions of its row', async () => {
    const wrong: string[] = []
    for (const field of fieldsOf(schema, 'subscription')) {
      const row = rows.get(`subscription.${field.name}`)
      if (row === undefined) continue
      const operation = generateOperation('subscription', field, {
        depth: -1,
        leaf,
        withOptional: ({ name }) => name === 'after',
      })
      for (const [who, credential, expected] of [
        ['a key with it', await matrix.callers.key(row.permission), row.key],
        ['a key without it', await matrix.callers.key([]), row['without it']],
        ['a user with it', await matrix.callers.user(row.permission), row.user],
        ['a shopper', shopper, row.shopper],
        ['a guest', matrix.guest(0), row.guest],
        ['an operator', await matrix.callers.operator(), row.operator],
      ] as const) {
        const outcome = await subscribed(credential, operation)
        if (outcome !== expected) wrong.push(`${row.field} by ${who}: ${outcome}, not ${expected}`)
      }
    }
    expect(wrong).toEqual([])
  })

  const forOperators = ({ steps }: FieldPath): boolean =>
    rows.get(`query.${steps[0]?.field.name ?? ''}`)?.operator === 'allowed'

  function neededFor({ steps }: FieldPath): {
    permissions: ReadonlySet<string>
    shopper: string
    guest: string
  } {
    const needed = new Set<string>()
    const may = { shopper: 'allowed', guest: 'allowed' }
    const add = (row: { permission: readonly string[]; shopper: string; guest: string } | undefined) => {
      for (const permission of row?.permission ?? []) needed.add(permission)
      if (row?.shopper === 'SVC_AUTH_003') may.shopper = row.shopper
      if (row?.guest === 'SVC_AUTH_003') may.guest = row.guest
    }
    add(rows.get(`query.${steps[0]?.field.name ?? ''}`))
    for (const { type, field } of steps) {
      add(types.get(type.name))
      add(types.get(`${type.name}.${field.name}`))
      // A connection and its edges need the permissions of their nodes.
      add(types.get(getNamedType(field.type).name.replace(/(Connection|Edge)$/, '')))
    }
    return { permissions: needed, ...may }
  }

  async function subscribed(credential: string, operation: GeneratedOperation): Promise<string> {
    const client = createSubscriptionClient(matrix.url('/graphql'), headersOf(credential))
    try {
      return await new Promise<string>((resolve) => {
        // A permitted subscription answers at once, or sends nothing because nothing happens.
        const timer = setTimeout(() => resolve('allowed'), 1_000)
        client.subscribe(operation, {
          next: () => {
            clearTimeout(timer)
            resolve('allowed')
          },
          error: (error) => {
            clearTimeout(timer)
            resolve(/SVC_\w+/.exec(JSON.stringify(error))?.[0] ?? 'failed')
          },
          complete: () => undefined,
        })
      })
    } finally {
      await client.dispose()
    }
  }
})

// An invalid reference is refused before anything else.
const reference = '{ _entities(representations: [{ __typename: "Product", id: "x" }]) { __typename } }'

const operatorsOnly =
  'An operator’s key belongs to no merchant: it may call the fields for operators and no others'

/** The fields of a field's arguments that are input objects, one by one. */
function filtersOf({ args }: GraphQLField<unknown, unknown>) {
  return args.flatMap((argument) => {
    const type = getNullableType(argument.type)
    if (!isInputObjectType(type)) return []
    return Object.keys(type.getFields()).map((name) => ({ argument: argument.name, type: type.name, name }))
  })
}

type Kind = 'query' | 'mutation' | 'subscription'

function rootOf(schema: GraphQLSchema, kind: Kind) {
  switch (kind) {
    case 'query':
      return schema.getQueryType()
    case 'mutation':
      return schema.getMutationType()
    case 'subscription':
      return schema.getSubscriptionType()
    default:
      return kind satisfies never
  }
}

const fieldsOf = (schema: GraphQLSchema, kind: Kind) => Object.values(rootOf(schema, kind)?.getFields() ?? {})

function literal(name: string, type: string): string {
  if (name === 'metrics') return '[ORDERS]'
  return JSON.stringify(sampleValue(type.replaceAll(/[[\]!]/g, '')))
}

/** The outcome as far as access is concerned: input errors and missing rows count as `allowed`. */
function outcomeOf({ status, errors }: Answer<unknown>): string {
  const refusal = errors.find(({ extensions }) => extensions.id.startsWith('SVC_AUTH'))
  if (refusal !== undefined) return refusal.extensions.id
  return status >= 500 ? String(status) : 'allowed'
}

const idsOf = ({ errors }: Answer<unknown>): string => errors.map(({ extensions }) => extensions.id).join(' ')

const missing = ({ errors }: Answer<unknown>): string =>
  [
    ...new Set(
      errors.map(
        ({ extensions }) => (extensions.details['permission'] as string | undefined) ?? extensions.id,
      ),
    ),
  ]
    .sort()
    .join(' ')

/** Whether an answer has a value at the end of a path, in any of the lists on the path. */
function reaches(data: unknown, { steps }: FieldPath): boolean {
  const ends = (values: readonly unknown[], [step, ...more]: FieldPath['steps']): boolean => {
    const found = values
      .flat(Infinity)
      .filter((value) => value !== null && value !== undefined)
      .map((value) => value as Readonly<Record<string, unknown>>)
    return step === undefined
      ? found.length > 0
      : ends(
          found.map((value) => value[step.field.name]),
          more,
        )
  }
  return ends([data], steps)
}
