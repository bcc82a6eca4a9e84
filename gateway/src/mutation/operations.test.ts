import {
  getNamedType,
  getNullableType,
  getVariableValues,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Principal } from '@commerce-graph/auth-webhook'
import type { Operation } from '@commerce-graph/data-layer'
import { loadContract } from '@commerce-graph/contract'
import { prepareOperation } from '../plan/prepared-operation.ts'
import { toUuid } from '../projection/filter.ts'
import { projections } from '../projection/projections.ts'
import type { Role } from '../projection/types.ts'
import { isVisible, selectEverything } from '../testing/select-everything.ts'
import {
  customerPrincipal,
  keyPrincipal,
  openTestShop,
  operatorPrincipal,
  type TestShop,
} from '../testing/shop.ts'
import { roleOf } from '../plan/field-access.ts'
import { actionOperation } from './action-operation.ts'
import type { Arguments } from './definition.ts'
import { lookUpOperation } from './look-up.ts'
import { executeMutation } from './execute-mutation.ts'
import { mutationNamed, mutationNames } from './mutations.ts'
import { payloadSource, type PlannedCall, planMutation } from './plan-mutation.ts'
import { keyVariables } from './replay.ts'
import { rowsOperation } from './rows-operation.ts'

const contract = loadContract()
const fields = Object.values(contract.schema.getMutationType()?.getFields() ?? {})

let shop: TestShop
const schemas = new Map<Role, GraphQLSchema>()

beforeAll(async () => {
  shop = await openTestShop()
  for (const role of ['merchant', 'customer', 'operator'] as const)
    schemas.set(role, await shop.schemaOf(role))
})

afterAll(() => shop[Symbol.asyncDispose]())

const samples: Readonly<Record<string, unknown>> = {
  ID: '01a1f000-0001-7000-8000-000000000001',
  String: 'text',
  Int: 1,
  Float: 0.5,
  Boolean: true,
  DateTime: '2026-01-31T09:30:00Z',
  Date: '2026-01-31',
  Money: 100,
  URL: 'https://example.com/',
  EmailAddress: 'grace@example.com',
}

/** A value with every field. */
function sample(type: GraphQLInputType): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return [sample(nullable.ofType)]
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name
  if (!isInputObjectType(nullable)) return samples[nullable.name]
  return Object.fromEntries(
    Object.values(nullable.getFields()).map((field) => [field.name, sample(field.type)]),
  )
}

const inBrackets = (items: readonly string[]): string => (items.length > 0 ? `(${items.join()})` : '')

function planField(field: GraphQLField<unknown, unknown>, role: Role, principal: Principal): PlannedCall {
  const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`)
  const passed = field.args.map(({ name }) => `${name}: $${name}`)
  const selection = selectEverything(field.type, { depth: 4, include: isVisible(contract, role) })
  const document = parse(
    `mutation${inBrackets(declared)} { ${field.name}${inBrackets(passed)} ${selection} }`,
  )
  expect(validate(contract.schema, document)).toEqual([])
  const operation = document.definitions[0] as OperationDefinitionNode
  const variables = Object.fromEntries(field.args.map(({ name, type }) => [name, sample(type)]))
  const { fragments, responseKeys } = prepareOperation(contract.schema, document, operation)
  const options = { contract, projections, role, fragments, responseKeys, variables }
  const [planned] = planMutation(operation, options, { variables, principal })
  if (!planned?.call) throw new Error('nothing was planned')
  return planned.call
}

function operationsOf(call: PlannedCall, principal: Principal): readonly Operation[] {
  const { definition, args } = call
  if (definition.kind === 'action') return [actionOperation(definition, call)]
  if (definition.kind === 'each') {
    const items = args[definition.list] as readonly Arguments[]
    return items.flatMap((item) =>
      operationsOf({ ...call, definition: definition.of, args: definition.toArgs(item) }, principal),
    )
  }
  const lookUp = lookUpOperation(definition.lookUps(args, principal))
  const write = definition.write(args, principal)
  // The lookup of a repeated Idempotency-Key.
  const again = rowsOperation({ before: [], record: write.record.readAgain(toUuid('1')) }, call)
  return [
    rowsOperation(write, call),
    ...(definition.record === null ? [] : [again]),
    ...(lookUp ? [lookUp] : []),
  ]
}

function expectValid(schema: GraphQLSchema, { query, variables = {} }: Operation): void {
  const document = parse(query)
  expect(validate(schema, document).map(({ message }) => `${message} in ${query}`)).toEqual([])
  const [operation] = document.definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation')
  const values: unknown = JSON.parse(JSON.stringify(variables))
  const coerced = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    values as Record<string, unknown>,
  )
  expect(coerced.errors?.map(({ message }) => message) ?? []).toEqual([])
}

describe('every mutation of the contract', () => {
  test('is declared, and no other mutation is', () => {
    expect(mutationNames(contract).toSorted()).toEqual(fields.map(({ name }) => name).sort())
  })

  test.each(fields.map((field) => [field.name, field] as const))(
    '%s has a source for its payload',
    (_name, field) => {
      const payload = getNamedType(field.type)
      const definition = mutationNamed(field.name, contract)
      if (!isObjectType(payload) || !definition) throw new Error('no payload')
      for (const member of Object.values(payload.getFields()))
        expect(() => payloadSource({ contract, projections }, definition, member)).not.toThrow()
    },
  )

  test.each(fields.map((field) => [field.name, field] as const))(
    '%s with every argument and every field is valid for Hasura, for each role that may call it',
    (name, field) => {
      const rule = contract.permissions.ofField('Mutation', name)
      const principals = rule?.operator
        ? [operatorPrincipal]
        : [keyPrincipal(1), ...(rule?.customer === true ? [customerPrincipal(1)] : [])]
      for (const principal of principals) {
        const role = roleOf(principal)
        const schema = schemas.get(role)
        if (!schema) throw new Error('no schema')
        const call = planField(field, role, principal)
        if (call.definition.kind === 'rows' && principal.kind === 'customer') {
          // The input's rules refuse a shopper who sends a field for merchants.
          if (call.definition.check(call.args, principal).length > 0) continue
        }
        for (const operation of operationsOf(call, principal)) expectValid(schema, operation)
      }
    },
  )
})

/** The writes of a row mutation, or of the items of its list. */
function writesOf({ definition, args, ...call }: PlannedCall) {
  if (definition.kind === 'action') return []
  const items =
    definition.kind === 'each'
      ? (args[definition.list] as readonly Arguments[]).map((item) => definition.toArgs(item))
      : [args]
  const of = definition.kind === 'each' ? definition.of : definition
  return items.map((args) => ({
    call: { ...call, definition: of, args },
    write: of.write(args, keyPrincipal(1)),
  }))
}

/** Actions store keys themselves: see actions/src/action/idempotency-keys.test.ts. */
const ofRows = fields.filter(({ name }) => !contract.actions.has(name))

describe('with an Idempotency-Key', () => {
  let kept: ReadonlySet<unknown>
  beforeAll(async () => {
    const rows = await shop.sql(`
      SELECT n.nspname || '_' || c.relname AS "table" FROM pg_trigger
      JOIN pg_class c ON c.oid = tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE tgfoid = 'platform.keep_key'::regproc AND tgname IN ('keep_key_insert', 'keep_key_update', 'keep_key_delete')
      GROUP BY 1 HAVING count(*) = 3`)
    kept = new Set(rows.map(({ table }) => table))
  })

  test.each(ofRows.map((field) => [field.name, field] as const))(
    '%s writes to tables that record the key in the same transaction',
    (_name, field) => {
      const call = planField(field, 'merchant', keyPrincipal(1))
      const tables = writesOf(call).flatMap(({ write }) =>
        [...write.before, write.record].map(({ table }) => table),
      )
      expect(tables.filter((table) => !kept.has(table))).toEqual([])
      expect(tables).not.toEqual([])
    },
  )

  test.each(ofRows.map((field) => [field.name, field] as const))(
    '%s that is repeated writes nothing, and is marked as a repetition of the first answer',
    async (name, field) => {
      const principal = keyPrincipal(1)
      const idempotencyKey = { value: 'the same', part: '' }
      const sent: string[] = []
      const context = {
        dataLayer: {
          ...shop.dataLayer,
          execute: (...[operation, ...rest]: Parameters<typeof shop.dataLayer.execute>) => {
            sent.push(operation.query)
            return shop.dataLayer.execute(operation, ...rest)
          },
        },
        principal,
        report: () => undefined,
      }
      const call = planField(field, 'merchant', principal)
      const [first] = writesOf(call)
      if (first === undefined) throw new Error('the mutation writes nothing')
      const variables = keyVariables(first.call, first.write, { ...context, idempotencyKey })
      const used = {
        operation: name,
        fingerprint: variables['x-hasura-idempotency-fingerprint'] ?? '',
        recordIds: [toUuid('1')],
      }
      const usedKeys = { find: () => Promise.resolve(used) }
      const result = await executeMutation([{ key: name, call }], { ...context, idempotencyKey, usedKeys })
      expect(result).toMatchObject({ kind: 'data', errors: [], replayed: true })
      expect(sent.filter((query) => query.startsWith('mutation'))).toEqual([])
    },
  )
})
