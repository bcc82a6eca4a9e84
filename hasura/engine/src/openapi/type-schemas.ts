import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLScalarType,
  type GraphQLOutputType,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql'
import type { JsonObject } from '../metadata/parse.ts'

/** Named schemas that others refer to. A nullable type and its non-null form (`uuid!`) are different ones. */
export type Components = Map<string, JsonObject>

interface KnownScalar {
  readonly type: string
  readonly pattern?: string
  /** Whether the schema is written at each use, and not referred to. */
  readonly inline: boolean
}

const uuidPattern = '[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89aAbB][a-f0-9]{3}-[a-f0-9]{12}'

/** Scalars with a type in OpenAPI, by their names in lower case. */
const knownScalars: Readonly<Record<string, KnownScalar>> = {
  int: { type: 'integer', inline: true },
  float: { type: 'number', inline: true },
  double: { type: 'number', inline: true },
  uuid: { type: 'string', pattern: uuidPattern, inline: false },
  bool: { type: 'boolean', inline: true },
  boolean: { type: 'boolean', inline: true },
  string: { type: 'string', inline: true },
  id: { type: 'string', inline: true },
}

export function knownScalar(name: string): JsonObject | undefined {
  const key = name.toLowerCase()
  const known = Object.hasOwn(knownScalars, key) ? knownScalars[key] : undefined
  return known && { type: known.type, ...(known.pattern === undefined ? {} : { pattern: known.pattern }) }
}

/** The schema of a type, with its lists and nullability. */
export function typeSchema(
  type: GraphQLOutputType | GraphQLInputType,
  named: (nullable: boolean) => JsonObject,
): JsonObject {
  const nullable = !isNonNullType(type)
  const inner = isNonNullType(type) ? type.ofType : type
  return isListType(inner)
    ? { type: 'array', nullable, items: typeSchema(inner.ofType, named) }
    : named(nullable)
}

export const leafSchema = (
  type: GraphQLScalarType | GraphQLEnumType,
  nullable: boolean,
  components: Components,
): JsonObject =>
  isScalarType(type) ? scalarSchema(type, nullable, components) : enumSchema(type, nullable, components)

function scalarSchema(type: GraphQLScalarType, nullable: boolean, components: Components): JsonObject {
  const known = knownScalar(type.name)
  const schema = { title: type.name, nullable, ...(known ?? described(type)) }
  if (known !== undefined && knownScalars[type.name.toLowerCase()]?.inline === true) return schema
  return declared(type, nullable, components, () => schema)
}

const enumSchema = (type: GraphQLEnumType, nullable: boolean, components: Components): JsonObject =>
  declared(type, nullable, components, () => ({
    title: type.name,
    nullable,
    enum: type.getValues().map(({ name }) => name),
    ...described(type),
  }))

/** The schema of a variable's type. Input objects may refer to each other, and to themselves. */
export function inputSchema(type: GraphQLInputType, components: Components): JsonObject {
  const named = getNamedType(type)
  return typeSchema(type, (nullable) =>
    isInputObjectType(named)
      ? declared(named, nullable, components, () => objectSchema(named, nullable, components))
      : leafSchema(named, nullable, components),
  )
}

const objectSchema = (
  type: GraphQLInputObjectType,
  nullable: boolean,
  components: Components,
): JsonObject => ({
  title: type.name,
  type: 'object',
  nullable,
  ...described(type),
  properties: Object.fromEntries(
    Object.values(type.getFields()).map((field) => [field.name, inputSchema(field.type, components)]),
  ),
})

export const described = ({
  description,
}: {
  readonly description?: string | null | undefined
}): JsonObject => (description == null ? {} : { description })

/** A reference to a named schema, which is built at the first reference. */
function declared(
  { name }: GraphQLNamedType,
  nullable: boolean,
  components: Components,
  make: () => JsonObject,
): JsonObject {
  const key = nullable ? name : `${name}!`
  if (!components.has(key)) {
    // The name is reserved before the fields are built, because they may refer to this same type.
    components.set(key, {})
    components.set(key, make())
  }
  return { $ref: `${referencePrefix}${key}` }
}

const referencePrefix = '#/components/schemas/'

/** The schema itself, for a reference. */
export function referredSchema(schema: JsonObject, components: Components): JsonObject {
  const { $ref: reference } = schema
  if (typeof reference !== 'string') return schema
  return components.get(reference.slice(referencePrefix.length)) ?? schema
}
