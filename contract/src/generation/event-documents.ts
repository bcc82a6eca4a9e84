import {
  getNamedType,
  getNullableType,
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Contract } from '../schema/compose.ts'

/** A row of events.source and of events.topic, as sql/events/data.sql has them. */
interface Source {
  readonly name: string
  readonly recordType: string
  /** The contract's type that has the columns as fields. */
  readonly rowType: string
  readonly permission: string
  readonly fields: readonly string[]
}

interface Topic {
  readonly name: string
  readonly source: string
  readonly change: string
  readonly description: string
}

type Value = string | null | readonly string[]

/** The values of an INSERT of texts, NULLs and arrays of texts. */
function rowsOf(sql: string, table: string): readonly (readonly Value[])[] {
  const statement =
    new RegExp(`INSERT INTO ${table.replace('.', '\\.')} \\([^)]*\\)\\s*VALUES([\\s\\S]*?);\\n`).exec(
      sql,
    )?.[1] ?? ''
  const rows: Value[][] = []
  let list: string[] | null = null
  for (const [token] of statement.matchAll(/'(?:[^']|'')*'|NULL|ARRAY\[|[()\]]/g)) {
    const row = rows.at(-1)
    if (token === '(') rows.push([])
    else if (token === 'ARRAY[') row?.push((list = []))
    else if (token === ']') list = null
    else if (token === 'NULL') row?.push(null)
    else if (token !== ')') (list ?? row)?.push(token.slice(1, -1).replaceAll("''", "'"))
  }
  return rows
}

const text = (value: Value | undefined): string => (typeof value === 'string' ? value : '')

/** The contract's name of a column: `order_number` is `orderNumber`. */
const fieldName = (column: string): string =>
  column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const sourcesOf = (sql: string): ReadonlyMap<string, Source> =>
  new Map(
    rowsOf(sql, 'events.source').map(([name, , recordType, , rowType, permission, columns]) => [
      text(name),
      {
        name: text(name),
        recordType: text(recordType),
        rowType: text(rowType ?? recordType),
        permission: text(permission),
        fields: Array.isArray(columns) ? columns.map(fieldName) : [],
      },
    ]),
  )

const topicsOf = (sql: string): readonly Topic[] =>
  rowsOf(sql, 'events.topic').map(([name, source, change, , , description]) => ({
    name: text(name),
    source: text(source),
    change: text(change),
    description: text(description),
  }))

type JsonSchema = Readonly<Record<string, unknown>>

const scalarSchemas: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string', format: 'uuid' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  Money: { type: 'integer' },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  EmailAddress: { type: 'string', format: 'email' },
  URL: { type: 'string', format: 'uri' },
  JSON: { type: 'object' },
}

function schemaOf(type: GraphQLOutputType): JsonSchema {
  if (!isNonNullType(type)) return { anyOf: [schemaOfValue(getNullableType(type)), { type: 'null' }] }
  return schemaOfValue(getNullableType(type))
}

function schemaOfValue(type: GraphQLOutputType): JsonSchema {
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType) }
  const named = getNamedType(type)
  // The platform may learn further values.
  if (isEnumType(named)) return { type: 'string', examples: named.getValues().map(({ name }) => name) }
  return scalarSchemas[named.name] ?? {}
}

/** A column that refers to a record is the field of its id: `warehouse_id` of `warehouse`. */
function fieldSchema({ schema }: Contract, { name, rowType }: Source, field: string): JsonSchema {
  const type = schema.getType(rowType)
  const fields = isObjectType(type) ? type.getFields() : {}
  const own = fields[field]
  if (own) return schemaOf(own.type)
  if (field.endsWith('Id') && fields[field.slice(0, -2)]) return { type: ['string', 'null'], format: 'uuid' }
  throw new Error(`${rowType} has no field ${field}, which events of ${name} show`)
}

const digits = { type: 'string', pattern: '^[0-9]{16}$' }
const time = { type: 'string', format: 'date-time' }
const uuid = { type: 'string', format: 'uuid' }

/** What webhooks of all topics have. */
const webhookSchema: JsonSchema = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    timestamp: time,
    id: uuid,
    position: digits,
    version: digits,
    occurredAt: time,
    recordType: { type: 'string' },
    recordId: uuid,
    record: { type: 'object' },
    changes: { type: 'object' },
    data: { description: "The answer to the endpoint's query; absent without one" },
    errors: { type: 'array', items: { type: 'string' } },
  },
  required: [
    'type',
    'timestamp',
    'id',
    'position',
    'version',
    'occurredAt',
    'recordType',
    'recordId',
    'record',
    'changes',
  ],
}

const recordSchema = (contract: Contract, source: Source): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(source.fields.map((field) => [field, fieldSchema(contract, source, field)])),
})

const recordOf = ({ name }: Source): string => `record of ${name}`

const topicSchema = ({ name, change, description }: Topic, source: Source): JsonSchema => ({
  description,
  $ref: '#/$defs/webhook',
  properties: {
    type: { const: name },
    recordType: { const: source.recordType },
    record: { $ref: `#/$defs/${recordOf(source)}` },
    changes:
      change === 'UPDATED'
        ? { propertyNames: { enum: source.fields }, additionalProperties: { $ref: '#/$defs/change' } }
        : { maxProperties: 0 },
  },
})

/** A JSON schema (2020-12) of the webhooks of each topic. @param sql sql/events/data.sql */
export function eventSchemas(contract: Contract, sql: string): string {
  const sources = sourcesOf(sql)
  const topics = topicsOf(sql).map(
    (topic) => [topic.name, topicSchema(topic, sourceOf(sources, topic))] as const,
  )
  const records = [...sources.values()].map(
    (source) => [recordOf(source), recordSchema(contract, source)] as const,
  )
  return JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Webhooks by topic',
    $defs: {
      ...Object.fromEntries(topics),
      webhook: webhookSchema,
      change: { type: 'object', properties: { old: {}, new: {} }, required: ['old', 'new'] },
      ...Object.fromEntries(records),
    },
  })
}

function sourceOf(sources: ReadonlyMap<string, Source>, topic: Topic): Source {
  const source = sources.get(topic.source)
  if (!source) throw new Error(`${topic.name} has no source`)
  return source
}

const [start, end] = ['<!-- topics:start -->', '<!-- topics:end -->']

/** The page with its table of topics. @throws if the page has no place for it */
export function withTopics(page: string, sql: string): string {
  const [before, after] = [page.indexOf(start), page.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`The page has no ${start} and ${end}`)
  const sources = sourcesOf(sql)
  const rows = topicsOf(sql).map((topic) => {
    const { recordType, permission } = sourceOf(sources, topic)
    return `| \`${topic.name}\` | ${topic.description} | ${recordType} | \`${permission}\` |`
  })
  const table = ['| Topic | When | Record | Permission |', '| --- | --- | --- | --- |', ...rows].join('\n')
  return `${page.slice(0, before)}${start}\n\n${table}\n\n${page.slice(after)}`
}
