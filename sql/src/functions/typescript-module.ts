import type { AnswerType, Field } from './answer-type.ts'
import type { Declarations } from './declarations.ts'
import type { Parameter, SqlFunction } from './read-functions.ts'

const scalars: Readonly<Record<string, string>> = {
  uuid: 'string',
  text: 'string',
  citext: 'string',
  date: 'string',
  timestamptz: 'string',
  integer: 'number',
  bigint: 'number',
  numeric: 'number',
  boolean: 'boolean',
  jsonb: 'unknown',
  /** An object of any keys. */
  object: 'object',
  /** An object of texts. */
  texts: 'Readonly<Record<string, string>>',
  null: 'null',
  true: 'true',
  false: 'false',
  void: 'void',
}

/** The TypeScript types that the driver returns outside of JSON. */
const outsideOfJson: Readonly<Record<string, string>> = {
  date: 'Date',
  timestamptz: 'Date',
  bigint: 'string',
  numeric: 'string',
}

/** The module of a schema: its declared types, and a function for each of `functions`, which are those that TypeScript calls. */
export function typescriptModule(
  schema: string,
  functions: readonly SqlFunction[],
  declarations: Declarations,
): string {
  const types = [...declarations.types].filter(([name]) => schemaOf(name) === schema)
  const columns = [...declarations.columns].filter(
    ([name, type]) => schemaOf(name) === schema && type.kind === 'union' && declarations.named.has(name),
  )
  const body = [
    ...columns.map(
      ([name, type]) =>
        `export type ${pascal(nameOf(columnType(name)))} =\n  | ${typescriptOf(type, schema, declarations)}\n`,
    ),
    ...types.map(
      ([name, type]) =>
        `export type ${pascal(nameOf(name))} =${broken(type)}${typescriptOf(type, schema, declarations)}\n`,
    ),
    ...functions.map((source) => functionText(source, schema, declarations)),
  ].join('\n')
  return `${headOf(body)}\n${body}`
}

function headOf(body: string): string {
  const uses = (word: string) => new RegExp(`\\b${word}\\b`).test(body)
  const database = [...(uses('jsonOf') ? ['jsonOf'] : []), ...(uses('Queryable') ? ['type Queryable'] : [])]
  const answer = ['answerOf', 'Caller', 'listOf', 'rowsOf', 'Seconds'].filter(uses)
  const written = answer.map((name) => (/^[A-Z]/.test(name) ? `type ${name}` : name))
  const schemas = [...new Set([...body.matchAll(/\b([a-z]+)\.[A-Z]\w+/g)].map(([, name = '']) => name))]
  return [
    "// Written from sql/ by `npm run generate`. Don't edit.",
    ...(uses('MerchantId') ? ["import type { MerchantId } from '@commerce-graph/contract/ids'"] : []),
    ...(database.length > 0 ? [`import { ${database.join(', ')} } from '../../database.ts'`] : []),
    ...(written.length > 0 ? [`import { ${written.join(', ')} } from '../answer-of.ts'`] : []),
    ...schemas
      .filter((name) => name !== 'args')
      .map((name) => `import type * as ${name} from './${name}.ts'`),
    '',
  ].join('\n')
}

function functionText(source: SqlFunction, schema: string, declarations: Declarations): string {
  const { parameters, answers, nullable, doc } = source
  if (answers === null) throw new TypeError(`${source.name} declares no answers`)
  const name = nameOf(source.name)
  const prefix = pascal(name)
  const fields = parameters.map((parameter) => `  ${fieldOf(parameter, nullable, declarations)}`)
  const args = fields.length === 0 ? '' : `, args: ${prefix}Arguments`
  const text = [
    ...(fields.length === 0 ? [] : [`export interface ${prefix}Arguments {`, ...fields, '}', '']),
    `export type ${prefix}Answer =${broken(answers)}${answerText(answers, source, schema, declarations)}`,
    '',
    `/** \`${source.name}\`${doc.length === 0 ? '' : `: ${doc.join(' ')}`} */`,
  ]
  const call = callOf(source, declarations)
  if (answers.kind === 'rows') {
    const columns = answers.fields.map((field) => `${field.name} AS "${camel(field.name)}"`).join(', ')
    return [
      ...text,
      `export const ${camel(name)} = (sql: Queryable${args}): Promise<readonly ${prefix}Answer[]> =>`,
      `  rowsOf<${prefix}Answer>(sql\`SELECT ${columns} FROM ${call}\`)\n`,
    ].join('\n')
  }
  return [
    ...text,
    `export const ${camel(name)} = (caller: Caller${args}): Promise<${prefix}Answer> =>`,
    `  answerOf<${prefix}Answer>(caller, '${source.name}', (sql) => sql\`${call}\`)\n`,
  ].join('\n')
}

function answerText(
  type: AnswerType,
  { returns, nullable }: SqlFunction,
  schema: string,
  declarations: Declarations,
): string {
  if (type.kind === 'rows') {
    const fields = type.fields.map((field) => {
      const plain = field.type.kind === 'name' ? outsideOfJson[field.type.name] : undefined
      const text = plain ?? fieldType(field, schema, declarations)
      return `readonly ${camel(field.name)}: ${text}${nullable.has(field.name) ? ' | null' : ''}`
    })
    return `{ ${fields.join('; ')} }`
  }
  if (returns === 'jsonb') return typescriptOf(type, schema, declarations)
  const members = declarations.membersOf(type)
  return members
    .map(
      (member) =>
        (member.kind === 'name' ? outsideOfJson[member.name] : undefined) ??
        typescriptOf(member, schema, declarations),
    )
    .join(' | ')
}

function typescriptOf(type: AnswerType, schema: string, declarations: Declarations): string {
  switch (type.kind) {
    case 'name':
      return namedType(type.name, schema, declarations)
    case 'literal':
      return `'${type.value}'`
    case 'list': {
      const of = typescriptOf(type.of, schema, declarations)
      return `readonly ${of.includes('|') ? `(${of})` : of}[]`
    }
    case 'union':
      return type.members.map((member) => typescriptOf(member, schema, declarations)).join('\n  | ')
    case 'answers':
      return qualified(`${type.of}_answer`, schema)
    case 'rows':
    case 'object': {
      const fields = type.fields.map(
        (field) =>
          `readonly ${field.name}${field.optional ? '?' : ''}: ${fieldType(field, schema, declarations)}`,
      )
      const outcome =
        type.kind === 'object' && type.outcome !== null ? [`readonly outcome: '${type.outcome}'`] : []
      return `{ ${[...outcome, ...fields].join('; ')} }`
    }
    default:
      return type satisfies never
  }
}

const fieldType = ({ name, type }: Field, schema: string, declarations: Declarations): string =>
  brandOf(name) ?? typescriptOf(type, schema, declarations).replace(/\n {2}/g, ' ')

const brandOf = (name: string): string | undefined =>
  camel(name) === 'merchantId' ? 'MerchantId' : undefined

function namedType(name: string, schema: string, declarations: Declarations): string {
  const column = declarations.columns.get(name)
  if (column !== undefined)
    // Values of another schema's column stand here themselves: two modules that import each other would be a cycle.
    return column.kind === 'union' && schemaOf(name) === schema
      ? qualified(columnType(name), schema)
      : typescriptOf(column, schema, declarations)
  if (declarations.types.has(name)) return qualified(name, schema)
  return scalarOf(name)
}

function scalarOf(name: string): string {
  const scalar = scalars[name]
  if (scalar === undefined) throw new SyntaxError(`TypeScript has no type for ${name}`)
  return scalar
}

function fieldOf(
  { name, type, hasDefault }: Parameter,
  nullable: ReadonlySet<string>,
  declarations: Declarations,
): string {
  const composite = declarations.composites.get(type)
  const text =
    composite === undefined
      ? (brandOf(argument(name)) ?? argumentType(type))
      : `{ ${composite.map((attribute) => `readonly ${argument(attribute.name)}: ${argumentType(attribute.type)}`).join('; ')} }`
  const others = `${nullable.has(name) ? ' | null' : ''}${hasDefault ? ' | undefined' : ''}`
  return `readonly ${argument(name)}${hasDefault ? '?' : ''}: ${text}${others}`
}

function argumentType(type: string): string {
  if (type === 'jsonb') return 'object'
  if (type === 'interval') return 'Seconds'
  if (type === 'bytea') return 'Buffer'
  return type.endsWith('[]') ? `readonly ${scalarOf(type.slice(0, -2))}[]` : scalarOf(type)
}

/** `ordering.place_order(p_merchant_id => …)`; an argument with a default is left out where it is undefined. */
function callOf({ name, parameters }: SqlFunction, declarations: Declarations): string {
  const parts = [...parameters]
    .sort((a, b) => Number(a.hasDefault) - Number(b.hasDefault))
    .map((parameter, at) => {
      const text = `${at === 0 ? '' : ','}\n      ${parameter.name} => ${valueOf(parameter, declarations, 'args')}`
      return parameter.hasDefault
        ? `\${args.${argument(parameter.name)} === undefined ? sql\`\` : sql\`${text}\`}`
        : text
    })
  return `${name}(${parts.join('')}${parts.length > 0 ? '\n    ' : ''})`
}

function valueOf({ name, type }: Parameter, declarations: Declarations, from: string): string {
  const value = `${from}.${argument(name)}`
  const composite = declarations.composites.get(type)
  if (composite !== undefined)
    return `ROW(${composite.map((attribute) => valueOf(attribute, declarations, value)).join(', ')})::${type}`
  if (type === 'jsonb') return `\${jsonOf(sql, ${value})}::jsonb`
  if (type === 'interval') return `make_interval(secs => \${${value}})`
  // As a text, so that the driver doesn't make a Date of it, which has milliseconds only.
  if (type === 'timestamptz' || type === 'date') return `\${${value}}::text::${type}`
  if (type.endsWith('[]')) return `\${listOf(${value})}::${type}`
  return `\${${value}}::${type}`
}

const broken = (type: AnswerType): string => (type.kind === 'union' ? '\n  | ' : ' ')
/** `payment.payment.status` is `payment.payment_status`. */
const columnType = (name: string): string => name.replace(/\.(\w+)$/, '_$1')
const schemaOf = (name: string): string => name.split('.')[0] ?? ''
const nameOf = (name: string): string => name.split('.')[1] ?? ''
const argument = (name: string): string => camel(name.replace(/^p_/, ''))
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const pascal = (name: string): string => camel(`_${name}`)
const qualified = (name: string, schema: string): string =>
  schemaOf(name) === schema ? pascal(nameOf(name)) : `${schemaOf(name)}.${pascal(nameOf(name))}`
