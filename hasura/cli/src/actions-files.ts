import { type ASTNode, Kind, parseType, print } from 'graphql'
import { z } from 'zod'
import { yaml } from './yaml.ts'

const described = { name: z.string(), description: z.string().nullish() }
const argument = z.object({ ...described, type: z.string() })
const field = argument.extend({ arguments: z.array(argument).nullish() })
const fieldsType = z.looseObject({ ...described, fields: z.array(field) })
const enumValue = z.object({ value: z.string(), description: z.string().nullish() })

const customTypes = z.object({
  enums: z.array(z.looseObject({ ...described, values: z.array(enumValue) })).default([]),
  input_objects: z.array(fieldsType).default([]),
  objects: z.array(fieldsType).default([]),
  scalars: z.array(z.looseObject(described)).default([]),
})

const action = z.looseObject({
  name: z.string(),
  definition: z.looseObject({
    type: z.enum(['query', 'mutation']).default('mutation'),
    kind: z.string().default('synchronous'),
    handler: z.string(),
    arguments: z.array(argument).default([]),
    output_type: z.string().optional(),
  }),
})

type Action = z.output<typeof action>
type CustomTypes = z.output<typeof customTypes>
type Field = z.output<typeof field>

/** hasura-cli splits actions in two files: signatures and types as SDL, and the rest as YAML. */
export function actionsFiles(actions: unknown, types: unknown): readonly (readonly [string, string])[] {
  const parsedActions = z.array(action).default([]).parse(actions)
  const parsedTypes = customTypes.prefault({}).parse(types)
  return [
    ['actions.graphql', actionsSdl(parsedActions, parsedTypes)],
    [
      'actions.yaml',
      yaml({ actions: parsedActions.map(actionEntry), custom_types: typeEntries(parsedTypes) }),
    ],
  ]
}

/** Keys that are in actions.graphql, and therefore not in actions.yaml. */
const inSdl = ['type', 'arguments', 'output_type']

function actionEntry({ name, definition, ...rest }: Action): Record<string, unknown> {
  const { type, kind, handler, forward_client_headers: forwards, headers, timeout } = definition
  const settings = {
    // Only mutations have a kind; hasura-cli writes an empty one for queries.
    kind: type === 'query' ? '' : kind,
    handler,
    ...(forwards === true ? { forward_client_headers: true } : {}),
    ...(headers === undefined ? {} : { headers }),
    ...(timeout === undefined ? {} : { timeout }),
  }
  const others = without(definition, [...Object.keys(settings), ...inSdl, 'forward_client_headers'])
  return { name, definition: { ...settings, ...others }, ...rest }
}

const typeEntries = ({
  enums,
  input_objects: inputs,
  objects,
  scalars,
}: CustomTypes): Record<string, unknown> => ({
  enums,
  input_objects: inputs.map((type) => without(type, ['fields'])),
  objects: objects.map((type) => without(type, ['fields'])),
  scalars,
})

const without = (
  object: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))

function actionsSdl(actions: readonly Action[], types: CustomTypes): string {
  const { enums, input_objects: inputs, objects, scalars } = types
  const roots = (['query', 'mutation'] as const).flatMap((type) => {
    const fields = actions.filter(({ definition }) => definition.type === type).map(actionField)
    const name = type === 'query' ? 'Query' : 'Mutation'
    return fields.length === 0 ? [] : [fieldsDefinition(Kind.OBJECT_TYPE_DEFINITION, { name, fields })]
  })
  const definitions = [
    ...roots,
    ...inputs.map((each) => fieldsDefinition(Kind.INPUT_OBJECT_TYPE_DEFINITION, each)),
    ...objects.map((each) => fieldsDefinition(Kind.OBJECT_TYPE_DEFINITION, each)),
    ...scalars.map((each) => ({ kind: Kind.SCALAR_TYPE_DEFINITION, ...named(each) })),
    ...enums.map(enumDefinition),
  ]
  const sdl = definitions.map((definition) => print(definition as ASTNode)).join('\n\n')
  return sdl === '' ? '' : `${sdl}\n`
}

const actionField = ({ name, definition }: Action): Field => ({
  name,
  type: definition.output_type ?? '',
  arguments: definition.arguments,
})

const named = ({
  name,
  description,
}: {
  readonly name: string
  readonly description?: string | null | undefined
}) => ({
  name: { kind: Kind.NAME, value: name },
  ...(description == null
    ? {}
    : { description: { kind: Kind.STRING, value: description, block: description.includes('\n') } }),
})

function fieldsDefinition(
  kind: Kind.OBJECT_TYPE_DEFINITION | Kind.INPUT_OBJECT_TYPE_DEFINITION,
  type: {
    readonly name: string
    readonly description?: string | null | undefined
    readonly fields: readonly Field[]
  },
) {
  const isInput = kind === Kind.INPUT_OBJECT_TYPE_DEFINITION
  const fields = type.fields.map((each) => ({
    kind: isInput ? Kind.INPUT_VALUE_DEFINITION : Kind.FIELD_DEFINITION,
    ...named(each),
    type: parseType(each.type),
    ...(isInput ? {} : { arguments: (each.arguments ?? []).map(inputValue) }),
  }))
  return { kind, ...named(type), fields }
}

const inputValue = (each: z.output<typeof argument>) => ({
  kind: Kind.INPUT_VALUE_DEFINITION,
  ...named(each),
  type: parseType(each.type),
})

const enumDefinition = (type: CustomTypes['enums'][number]) => ({
  kind: Kind.ENUM_TYPE_DEFINITION,
  ...named(type),
  values: type.values.map(({ value, description }) => ({
    kind: Kind.ENUM_VALUE_DEFINITION,
    ...named({ name: value, description }),
  })),
})
