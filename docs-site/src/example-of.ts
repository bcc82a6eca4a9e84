import { exampleInput, inDays } from './example-input.ts'
import {
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'

/** A request to copy: each field of the API has one, made of its schema alone. */
export interface Example {
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
}

export type RootKind = 'query' | 'mutation' | 'subscription'

/** Of a list, how many; of a lookup, by what. Optional arguments that make an example better. */
const shownArguments = new Set(['id', 'first', 'query'])
/** Of a record, what is selected first. */
const telling = [
  'id',
  'name',
  'orderNumber',
  'title',
  'sku',
  'status',
  'total',
  'price',
  'currency',
  'quantity',
  'createdAt',
]
const maxLeaves = 6

export function exampleOf(kind: RootKind, field: GraphQLField<unknown, unknown>): Example {
  const passed = field.args.filter(({ name, type }) => isNonNullType(type) || shownArguments.has(name))
  const declared = passed.map(({ name, type }) => `$${name}: ${String(type)}`)
  const given = passed.map(({ name }) => `${name}: $${name}`)
  const head = declared.length === 0 ? '' : `(${declared.join(', ')})`
  const call = given.length === 0 ? field.name : `${field.name}(${given.join(', ')})`
  const selection = selectionOf(field.type, 0)
  return {
    document: `${kind} ${capitalized(field.name)}${head} {\n  ${call}${indented(selection)}\n}`,
    variables: Object.fromEntries(
      passed.map((argument) => [argument.name, argumentValue(field.name, argument)]),
    ),
  }
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replace(/^_+/, '')

const indented = (text: string): string => text.replaceAll('\n', '\n  ')

/** What is selected of a type, with braces; empty for a value. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (!isObjectType(named)) {
    const members = isUnionType(named) ? named.getTypes() : []
    return block([
      '__typename',
      ...members.map((member) => `... on ${member.name} ${block(leavesOf(member).slice(0, 2))}`),
    ])
  }
  const fields = named.getFields()
  const { nodes, errors } = fields
  if (nodes !== undefined) {
    const lines = [
      ...('totalCount' in fields ? ['totalCount'] : []),
      `nodes${selectionOf(nodes.type, depth + 1)}`,
    ]
    return block(lines)
  }
  if (errors !== undefined && named.name.endsWith('Payload'))
    return block([...payloadOf(fields, depth), 'errors {\n  field\n  message\n  code\n}'])
  return block(leavesOf(named).slice(0, maxLeaves))
}

/** Of a mutation's answer: its values, and the record that it has changed. */
function payloadOf(
  fields: Readonly<Record<string, GraphQLField<unknown, unknown>>>,
  depth: number,
): readonly string[] {
  const others = Object.values(fields).filter(({ name, args }) => name !== 'errors' && args.length === 0)
  const leaves = others.filter(({ type }) => isLeafType(getNamedType(type))).map(({ name }) => name)
  const record = others.find(({ type }) => isObjectType(getNamedType(type)))
  return [
    ...(record === undefined ? [] : [`${record.name}${selectionOf(record.type, depth + 1)}`]),
    ...leaves.slice(0, maxLeaves),
  ]
}

function leavesOf(type: ReturnType<typeof getNamedType>): readonly string[] {
  if (!isObjectType(type)) return ['__typename']
  const names = Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && field.args.length === 0)
    .map(({ name }) => name)
  if (names.length === 0) return ['__typename']
  return [
    ...telling.filter((name) => names.includes(name)),
    ...names.filter((name) => !telling.includes(name)),
  ]
}

const block = (lines: readonly string[]): string =>
  ` {\n${lines.map((line) => `  ${indented(line)}`).join('\n')}\n}`

function argumentValue(operation: string, { name, type }: GraphQLArgument): unknown {
  const value = valueOf(type, name)
  const more = exampleInput[operation]
  if (more === undefined) return value
  if (isInputObjectType(getNullableType(type))) return { ...(value as object), ...more }
  return name in more ? more[name] : value
}

function valueOf(type: GraphQLInputType, name: string): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return [valueOf(nullable.ofType, name)]
  if (isEnumType(nullable)) return nullable.getValues()[0]?.name
  if (isInputObjectType(nullable)) {
    const fields = Object.values(nullable.getFields())
    const required = fields.filter((field) => isNonNullType(field.type))
    const shown =
      required.length > 0
        ? required
        : fields.filter(({ name: field }) => field === 'name' || field === 'title').slice(0, 1)
    return Object.fromEntries(shown.map((field) => [field.name, valueOf(field.type, field.name)]))
  }
  return sample(nullable.name, name)
}

/** An id in the form that ids have. */
const someId = '01a1f000-0000-7000-8000-000000000001'

const texts: Readonly<Record<string, string>> = {
  currency: 'USD',
  country: 'US',
  locale: 'en',
  timezone: 'America/New_York',
  timeZone: 'America/New_York',
  code: 'SUMMER-10',
  query: 'tent',
  password: 'correct horse battery staple',
  newPassword: 'correct horse battery staple',
  origins: 'https://shop.example',
  ip: '203.0.113.7',
  sku: 'LANTERN-1',
  phone: '+12025550123',
  email: 'grace@example.com',
  name: 'Lantern',
  title: 'Lantern',
  reason: 'The customer asked for it',
  slug: 'lantern',
}

function sample(type: string, name: string): unknown {
  switch (type) {
    case 'ID':
      return someId
    case 'Int':
      return name === 'first' ? 3 : 1
    case 'Float':
      return 1
    case 'Money':
      return 4_900
    case 'Boolean':
      return true
    case 'DateTime':
      return inDays(name === 'to' ? 35 : 30)
    case 'Date':
      return inDays(30).slice(0, 10)
    case 'URL':
      return 'https://shop.example/page'
    case 'EmailAddress':
      return 'grace@example.com'
    case 'JSON':
      return {}
    default:
      return texts[name] ?? 'Example'
  }
}
