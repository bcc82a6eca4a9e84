import {
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { Contract } from '../schema/compose.ts'
import { isRowType } from '../validation/input-rules.ts'

const scalarTypes: Readonly<Record<string, string>> = {
  Int: 'number',
  Float: 'number',
  Money: 'number',
  Boolean: 'boolean',
  JSON: 'Readonly<Record<string, unknown>>',
  JSONValue: 'unknown',
}

/** The TypeScript types of what mutations take, written from the contract: one interface for each input, and the arguments by mutation. */
export function inputTypes({ schema, bounds }: Contract): string {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {})
  const member = (field: GraphQLArgument | GraphQLInputField, path: string): string => {
    const type = typeText(getNullableType(field.type))
    if (isNonNullType(field.type)) return `readonly ${field.name}: ${type}`
    return `readonly ${field.name}?: ${type}${bounds.of(path).notNull ? '' : ' | null'}`
  }
  const inputs = inputTypesOf(
    schema,
    fields.flatMap(({ args }) => args),
  ).map(
    (type) =>
      `export interface ${type.name} {\n${Object.values(type.getFields())
        .map((field) => `  ${member(field, `${type.name}.${field.name}`)}\n`)
        .join('')}}\n`,
  )
  const mutations = fields.map(
    ({ name, args }) =>
      `  readonly ${name}: {${args
        .map((argument) => ` ${member(argument, `Mutation.${name}.${argument.name}`)}`)
        .join(';')} }\n`,
  )
  return `// Written from the SDL: change that, then \`npm run generate\`.

${inputs.join('\n')}
/** The arguments of each field of Mutation, by the field's name. */
export interface MutationArguments {
${mutations.join('')}}
`
}

/** The input types that arguments and rows of imports have, and those within them, by name. */
export function inputTypesOf(
  schema: GraphQLSchema,
  args: readonly GraphQLArgument[],
): readonly GraphQLInputObjectType[] {
  const seen = new Set<string>()
  const see = (type: GraphQLInputType): void => {
    const named = getNamedType(type)
    if (!isInputObjectType(named) || seen.has(named.name)) return
    seen.add(named.name)
    for (const field of Object.values(named.getFields())) see(field.type)
  }
  for (const { type } of args) see(type)
  for (const type of Object.values(schema.getTypeMap())) if (isRowType(type)) see(type)
  return Object.values(schema.getTypeMap())
    .filter(isInputObjectType)
    .filter(({ name }) => seen.has(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

function typeText(type: GraphQLInputType): string {
  if (isNonNullType(type)) return typeText(type.ofType)
  if (isListType(type)) {
    const item = `${typeText(type.ofType)}${isNonNullType(type.ofType) ? '' : ' | null'}`
    return `readonly ${/[ |]/.test(item) ? `(${item})` : item}[]`
  }
  if (isInputObjectType(type)) return type.name
  if (isEnumType(type))
    return type
      .getValues()
      .map(({ name }) => `'${name}'`)
      .join(' | ')
  return scalarTypes[type.name] ?? 'string'
}
