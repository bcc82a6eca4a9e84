import fc from 'fast-check'
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql'
import { needsNoArguments, operationText } from '../tenancy/operation-generator.ts'
import { sampleValue } from '../tenancy/sample-value.ts'
import { oddText, oddValue } from './odd-values.ts'

/** The JSON body of the POST. */
export interface TypedRequest {
  readonly query: unknown
  readonly variables?: unknown
  readonly operationName?: unknown
}

/**
 * Requests generated from the schema: any root field with arguments that are right, wrong, odd or missing, and any
 * selection. The text of every tenth document is damaged.
 *
 * @param ids of existing rows, so that a request gets as far as possible
 */
export function typedRequests(schema: GraphQLSchema, ids: readonly string[]): fc.Arbitrary<TypedRequest> {
  const operations = (['query', 'mutation', 'subscription'] as const).flatMap((kind) => {
    const type = { query: schema.getQueryType(), mutation: schema.getMutationType(), subscription: null }[
      kind
    ]
    return Object.values(type?.getFields() ?? {}).map((field) => ({ kind, field }))
  })
  const whole = fc
    .constantFrom(...operations)
    .chain(({ kind, field }) =>
      fc.tuple(fc.constant({ kind, field }), argumentsOf(field, ids), selectionOf(field.type, 2)),
    )
    .map(([{ kind, field }, variables, selection]): TypedRequest & { readonly query: string } => {
      const passed = field.args.filter(({ name }) => Object.hasOwn(variables, name))
      return { query: operationText(kind, field.name, passed, selection), variables }
    })
  const damaged = fc
    .tuple(
      whole,
      fc.nat(),
      fc.nat(60),
      fc.oneof(oddText, fc.constantFrom('{', '}', '(', '@', '...', '"""', '$', '#', '!')),
    )
    .map(([request, position, length, text]): TypedRequest => {
      const start = position % (request.query.length + 1)
      return {
        ...request,
        query: request.query.slice(0, start) + text + request.query.slice(start + (length % 8)),
      }
    })
  const shapeless = fc.record(
    { query: oddValue, variables: oddValue, operationName: oddValue, extensions: oddValue },
    { requiredKeys: [] },
  )
  return fc.oneof(
    { weight: 8, arbitrary: whole },
    { weight: 1, arbitrary: damaged },
    { weight: 1, arbitrary: shapeless as fc.Arbitrary<TypedRequest> },
  )
}

type Values = Readonly<Record<string, unknown>>

/** A field's arguments; sometimes a required one is missing. */
const argumentsOf = (field: GraphQLField<unknown, unknown>, ids: readonly string[]): fc.Arbitrary<Values> =>
  fc.record(Object.fromEntries(field.args.map(({ name, type }) => [name, valueOf(name, type, ids, 0)])), {
    requiredKeys: [],
  })

/** A value for an argument or input field: valid four times out of five, and otherwise anything. */
function valueOf(
  name: string,
  type: GraphQLInputType,
  ids: readonly string[],
  depth: number,
): fc.Arbitrary<unknown> {
  // The fuzzer must not lock itself out.
  if (name === 'ipWhitelistEnabled') return fc.constant(false)
  return fc.oneof(
    { weight: 20, arbitrary: rightValue(name, type, ids, depth) },
    { weight: isNonNullType(type) ? 1 : 3, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: oddValue },
  )
}

function rightValue(
  name: string,
  type: GraphQLInputType,
  ids: readonly string[],
  depth: number,
): fc.Arbitrary<unknown> {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return fc.array(valueOf(name, nullable.ofType, ids, depth), { maxLength: 3 })
  if (isEnumType(nullable)) return fc.constantFrom(...nullable.getValues().map((value) => value.name))
  if (isInputObjectType(nullable)) {
    const fields = Object.values(nullable.getFields()).filter(
      (field) => depth < 3 || isNonNullType(field.type),
    )
    const required = fields.filter((field) => isNonNullType(field.type)).map((field) => field.name)
    return fc.record(
      Object.fromEntries(
        fields.map((field) => [field.name, valueOf(field.name, field.type, ids, depth + 1)]),
      ),
      { requiredKeys: required },
    )
  }
  const { name: typeName } = nullable
  if (typeName === 'ID' && ids.length > 0) return fc.oneof(fc.constantFrom(...ids), oddText)
  if (typeName === 'Int' || typeName === 'Money') return fc.integer({ min: -2, max: 200 })
  if (typeName === 'JSON' || typeName === '_Any')
    return fc.constantFrom<unknown>({}, { __typename: 'Product', id: ids[0] }, { __typename: 'Query' })
  if (typeName === 'String')
    return fc.oneof(fc.constantFrom('USD', 'tarp', 'AP-RIDGE-TARP', 'Europe/Berlin'), oddText)
  return fc.constant(sampleValue(typeName))
}

/** Some of a type's fields, without those that need arguments. */
function selectionOf(type: GraphQLOutputType, depth: number): fc.Arbitrary<string> {
  const named = getNamedType(type)
  if (isLeafType(named)) return fc.constant('')
  if (isUnionType(named)) {
    const members = named.getTypes().map(({ name }) => `... on ${name} { __typename }`)
    return fc.constant(` { __typename ${members.join(' ')} }`)
  }
  if (!isObjectType(named)) return fc.constant(' { __typename }')
  const fields = Object.values(named.getFields()).filter(
    (field) => needsNoArguments(field) && (depth > 0 || isLeafType(getNamedType(field.type))),
  )
  if (fields.length === 0) return fc.constant(' { __typename }')
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(fields.length, 5) })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((field) => selectionOf(field.type, depth - 1).map((inner) => field.name + inner)),
      ),
    )
    .map((parts) => ` { __typename ${parts.join(' ')} }`)
}
