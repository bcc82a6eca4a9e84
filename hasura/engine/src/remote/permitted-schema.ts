import { isDeepStrictEqual } from 'node:util'
import {
  type ConstDirectiveNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  buildASTSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isSpecifiedScalarType,
  isUnionType,
  parse,
  validateSchema,
  valueFromASTUntyped,
  visit,
} from 'graphql'
import type { Json } from '../metadata/parse.ts'

/** A value that a role's permission sets for an argument hidden from the role. */
type RemotePreset =
  | { readonly kind: 'static'; readonly value: Json }
  | { readonly kind: 'session'; readonly name: string }

/** By `Type.field.argument` and `Input.field`. */
export type RemotePresets = ReadonlyMap<string, RemotePreset>

export type PermittedSchema =
  | { readonly kind: 'permitted'; readonly schema: GraphQLSchema; readonly presets: RemotePresets }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

/** Reads a role's SDL: a part of the remote schema. An argument with `@preset` is hidden from the role. */
export function permittedSchema(sdl: string, upstream: GraphQLSchema): PermittedSchema {
  try {
    const presets = new Map<string, RemotePreset>()
    const document = withoutPresets(parse(sdl, { noLocation: true, maxLexicalTokens: 200_000 }), presets)
    const schema = buildASTSchema(document, { assumeValidSDL: true })
    const found = differences(schema, upstream, presets)
    // Every query would fail on a schema that is not valid in itself.
    const problems = found.length > 0 ? found : validateSchema(schema).map(({ message }) => message)
    return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'permitted', schema, presets }
  } catch (error) {
    if (error instanceof GraphQLError || error instanceof Error)
      return { kind: 'invalid', problems: [error.message] }
    throw error
  }
}

/**
 * The document without arguments and fields that have a preset. The presets are added to `presets`. Throws GraphQLError
 * for a preset elsewhere: it would have no effect.
 */
function withoutPresets(document: DocumentNode, presets: Map<string, RemotePreset>): DocumentNode {
  const withoutArguments = <Type extends ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode>(
    type: Type,
  ): Type => ({
    ...type,
    fields: (type.fields ?? []).map((field) => ({
      ...field,
      arguments: kept(field.arguments, `${type.name.value}.${field.name.value}`, presets),
    })),
  })
  return visit(document, {
    ObjectTypeDefinition: withoutArguments,
    InterfaceTypeDefinition: withoutArguments,
    InputObjectTypeDefinition: (type) => ({ ...type, fields: kept(type.fields, type.name.value, presets) }),
    Directive: ({ name }) => {
      if (name.value === presetDirective)
        throw new GraphQLError(
          '@preset belongs to arguments of the fields of types and interfaces, and to fields of input types',
        )
    },
  })
}

const presetDirective = 'preset'

const kept = (
  values: readonly InputValueDefinitionNode[] | undefined,
  owner: string,
  presets: Map<string, RemotePreset>,
): readonly InputValueDefinitionNode[] =>
  (values ?? []).filter(({ name, directives }) => {
    const preset = directives?.find((directive) => directive.name.value === presetDirective)
    if (preset !== undefined) presets.set(`${owner}.${name.value}`, presetOf(preset))
    return preset === undefined
  })

function presetOf({ arguments: given = [] }: ConstDirectiveNode): RemotePreset {
  const argument = (name: string) => given.find((each) => each.name.value === name)?.value
  const value = argument('value')
  if (value === undefined) throw new GraphQLError('@preset needs the argument "value"')
  const isStatic = argument('static')
  const literal = valueFromASTUntyped(value) as Json
  return typeof literal === 'string' &&
    /^x-hasura-/i.test(literal) &&
    !(isStatic?.kind === Kind.BOOLEAN && isStatic.value)
    ? { kind: 'session', name: literal.toLowerCase() }
    : { kind: 'static', value: literal }
}

/** The differences that make the schema no part of the other. */
const differences = (
  schema: GraphQLSchema,
  upstream: GraphQLSchema,
  presets: RemotePresets,
): readonly string[] => [
  ...rootProblems(schema, upstream),
  ...interfacePresetProblems(schema, upstream, presets),
  ...Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type) => typeProblems(type, upstream.getType(type.name), presets)),
]

function rootProblems(schema: GraphQLSchema, upstream: GraphQLSchema): readonly string[] {
  const query = schema.getQueryType()
  if (query == null) return ['the schema has no query root']
  return query.name === upstream.getQueryType()?.name
    ? []
    : [`the query root "${query.name}" is not that of the remote schema`]
}

/**
 * A field of an interface and that of a type behind it must have the same presets: a client can ask for either, and gets
 * the same field. Which types an interface has is the remote schema's to say.
 */
const interfacePresetProblems = (
  schema: GraphQLSchema,
  upstream: GraphQLSchema,
  presets: RemotePresets,
): readonly string[] =>
  Object.keys(schema.getTypeMap()).flatMap((name) => {
    const type = upstream.getType(name)
    if (!isObjectType(type) && !isInterfaceType(type)) return []
    return type.getInterfaces().flatMap((general) =>
      Object.values(type.getFields())
        .filter((field) => hasField(schema, name, field.name) && hasField(schema, general.name, field.name))
        .flatMap((field) => field.args.map((argument) => `${field.name}.${argument.name}`))
        .map((path) => [`${name}.${path}`, `${general.name}.${path}`] as const)
        .filter(([one, other]) => !isDeepStrictEqual(presets.get(one), presets.get(other)))
        .map(
          ([one, other]) =>
            `"${one}" and "${other}" of its interface have different presets; give both the same, or leave the field out of the interface`,
        ),
    )
  })

function hasField(schema: GraphQLSchema, typeName: string, field: string): boolean {
  const type = schema.getType(typeName)
  return (isObjectType(type) || isInterfaceType(type)) && type.getFields()[field] !== undefined
}

function typeProblems(
  type: GraphQLNamedType,
  other: GraphQLNamedType | undefined,
  presets: RemotePresets,
): readonly string[] {
  if (other === undefined || other.constructor !== type.constructor)
    return [`"${type.name}" does not exist in the upstream remote schema`]
  if (isEnumType(type) && isEnumType(other))
    return type
      .getValues()
      .filter(({ name }) => other.getValue(name) === undefined)
      .map(({ name }) => `enum "${type.name}" has no value "${name}" in the upstream remote schema`)
  if (isUnionType(type) && isUnionType(other)) {
    const known = new Set(other.getTypes().map(({ name }) => name))
    return type
      .getTypes()
      .filter(({ name }) => !known.has(name))
      .map(({ name }) => `union "${type.name}" has no member "${name}" in the upstream remote schema`)
  }
  if (isInputObjectType(type) && isInputObjectType(other))
    return inputProblems(Object.values(type.getFields()), other.getFields(), type.name, presets)
  if ((isObjectType(type) || isInterfaceType(type)) && (isObjectType(other) || isInterfaceType(other)))
    return Object.values(type.getFields()).flatMap((field) => {
      const upstream = other.getFields()[field.name]
      if (upstream === undefined || String(upstream.type) !== String(field.type))
        return [
          `field "${type.name}.${field.name}" does not exist with this type in the upstream remote schema`,
        ]
      const args = Object.fromEntries(upstream.args.map((argument) => [argument.name, argument]))
      return inputProblems(field.args, args, `${type.name}.${field.name}`, presets)
    })
  return []
}

const inputProblems = (
  own: readonly (GraphQLArgument | GraphQLInputField)[],
  upstream: Readonly<Record<string, GraphQLArgument | GraphQLInputField>>,
  owner: string,
  presets: RemotePresets,
): readonly string[] => [
  ...own
    .filter(({ name, type }) => String(upstream[name]?.type) !== String(type))
    .map(({ name }) => `"${owner}.${name}" does not exist with this type in the upstream remote schema`),
  ...Object.values(upstream)
    .filter(({ name }) => !own.some((each) => each.name === name) && !presets.has(`${owner}.${name}`))
    .filter((each) => 'defaultValue' in each && isRequired(each))
    .map(({ name }) => `"${owner}.${name}" is required, and has no preset`),
  ...[...presets.keys()]
    .filter((key) => key.startsWith(`${owner}.`) && !key.slice(owner.length + 1).includes('.'))
    .filter((key) => upstream[key.slice(owner.length + 1)] === undefined)
    .map((key) => `"${key}" has a preset, and does not exist in the upstream remote schema`),
]

const isRequired = (value: GraphQLArgument | GraphQLInputField): boolean =>
  isRequiredArgument(value) || isRequiredInputField(value as GraphQLInputField)
