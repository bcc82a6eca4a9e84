import {
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type StringValueNode,
  parse,
  print,
} from 'graphql'
import { z } from 'zod'

/**
 * hasura-cli splits actions into two files: actions.graphql has their signatures and types, actions.yaml has the rest
 * (handlers, permissions, relationships of types). This code joins them.
 */
const actionsYaml = z.object({
  actions: z
    .array(z.object({ name: z.string(), definition: z.looseObject({}).optional() }).loose())
    .nullish(),
  custom_types: z
    .object({
      enums: z.array(z.object({ name: z.string() }).loose()).nullish(),
      input_objects: z.array(z.object({ name: z.string() }).loose()).nullish(),
      objects: z.array(z.object({ name: z.string() }).loose()).nullish(),
      scalars: z.array(z.object({ name: z.string() }).loose()).nullish(),
    })
    .nullish(),
})
type ActionsYaml = z.output<typeof actionsYaml>

interface ActionSignature {
  readonly name: string
  readonly type: 'query' | 'mutation'
  readonly arguments: readonly SdlField[]
  readonly output_type: string
  readonly description: string | undefined
}

interface SdlField {
  readonly name: string
  readonly type: string
  readonly description?: string | undefined
}

interface SdlTypes {
  readonly enums: readonly NamedDefinition[]
  readonly input_objects: readonly NamedDefinition[]
  readonly objects: readonly NamedDefinition[]
  readonly scalars: readonly NamedDefinition[]
}

type NamedDefinition = Readonly<Record<string, unknown>> & { readonly name: string }

export type ActionsResult =
  | {
      readonly kind: 'read'
      readonly metadata: { readonly actions?: unknown; readonly custom_types?: unknown }
    }
  | { readonly kind: 'invalid'; readonly reason: string }

/** Joins the content of both files. The result must still be parsed as metadata. */
export function customTypesAndActionsFromSdl(sdl: string, yaml: unknown): ActionsResult {
  const settings = actionsYaml.safeParse(yaml)
  if (!settings.success)
    return { kind: 'invalid', reason: `actions.yaml: ${z.prettifyError(settings.error)}` }
  if (sdl.replaceAll(/#.*$/gm, '').trim() === '') return withoutSdl(settings.data)
  let document: DocumentNode
  try {
    document = parse(sdl)
  } catch (error) {
    return {
      kind: 'invalid',
      reason: `actions.graphql: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
  return combine(signaturesOf(document), typesOf(document), settings.data)
}

const withoutSdl = ({ actions }: ActionsYaml): ActionsResult =>
  actions && actions.length > 0
    ? {
        kind: 'invalid',
        reason: `actions.graphql: the action ${actions[0]?.name ?? ''} is not defined there`,
      }
    : { kind: 'read', metadata: {} }

function combine(
  signatures: readonly ActionSignature[],
  types: SdlTypes,
  { actions, custom_types: customTypes }: ActionsYaml,
): ActionsResult {
  const byName = new Map(signatures.map((signature) => [signature.name, signature]))
  const settings = actions ?? []
  const undefinedAction = settings.find(({ name }) => !byName.has(name))
  if (undefinedAction) {
    return {
      kind: 'invalid',
      reason: `actions.graphql: the action ${undefinedAction.name} is not defined there`,
    }
  }
  const unsetAction = signatures.find(({ name }) => !settings.some((each) => each.name === name))
  if (unsetAction)
    return { kind: 'invalid', reason: `actions.yaml: the action ${unsetAction.name} has no definition there` }
  const combined = settings.map((action) => {
    const signature = byName.get(action.name)
    const { kind, ...definition } = action.definition ?? {}
    return {
      ...action,
      comment: action['comment'] ?? signature?.description,
      definition: {
        ...definition,
        // A query has no kind: only mutations can be asynchronous.
        ...(signature?.type === 'mutation'
          ? { kind: kind === '' || kind == null ? 'synchronous' : kind }
          : {}),
        type: signature?.type,
        arguments: signature?.arguments,
        output_type: signature?.output_type,
      },
    }
  })
  return {
    kind: 'read',
    metadata: { actions: combined, custom_types: mergeTypes(types, customTypes ?? {}) },
  }
}

/** The SDL defines the types; actions.yaml adds what SDL can't express, such as relationships. */
function mergeTypes(types: SdlTypes, additions: NonNullable<ActionsYaml['custom_types']>): SdlTypes {
  const merge = (
    definitions: readonly NamedDefinition[],
    extra: readonly NamedDefinition[] | null | undefined,
  ): readonly NamedDefinition[] =>
    definitions.map((definition) => ({
      ...extra?.find(({ name }) => name === definition.name),
      ...definition,
    }))
  return {
    enums: merge(types.enums, additions.enums),
    input_objects: merge(types.input_objects, additions.input_objects),
    objects: merge(types.objects, additions.objects),
    scalars: merge(types.scalars, additions.scalars),
  }
}

const rootTypes = { Query: 'query', Mutation: 'mutation' } as const

const isRootType = (name: string): name is keyof typeof rootTypes => name === 'Query' || name === 'Mutation'

const signaturesOf = (document: DocumentNode): readonly ActionSignature[] =>
  document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.OBJECT_TYPE_EXTENSION)
      return []
    const root = definition.name.value
    if (!isRootType(root)) return []
    return (definition.fields ?? []).map((field): ActionSignature => ({
      name: field.name.value,
      type: rootTypes[root],
      arguments: (field.arguments ?? []).map(fieldOf),
      output_type: print(field.type),
      description: field.description?.value,
    }))
  })

function typesOf(document: DocumentNode): SdlTypes {
  const enums: NamedDefinition[] = []
  const inputs: NamedDefinition[] = []
  const objects: NamedDefinition[] = []
  const scalars: NamedDefinition[] = []
  for (const definition of document.definitions) {
    switch (definition.kind) {
      case Kind.SCALAR_TYPE_DEFINITION:
        scalars.push(named(definition))
        break
      case Kind.ENUM_TYPE_DEFINITION:
        enums.push({
          ...named(definition),
          values: (definition.values ?? []).map((value) => ({
            value: value.name.value,
            ...described(value.description),
          })),
        })
        break
      case Kind.INPUT_OBJECT_TYPE_DEFINITION:
        inputs.push({ ...named(definition), fields: (definition.fields ?? []).map(fieldOf) })
        break
      case Kind.OBJECT_TYPE_DEFINITION:
        if (!isRootType(definition.name.value)) {
          objects.push({ ...named(definition), fields: (definition.fields ?? []).map(fieldOf) })
        }
        break
      default:
        break
    }
  }
  return { enums, input_objects: inputs, objects, scalars }
}

const described = (description: StringValueNode | undefined): { description?: string } =>
  description ? { description: description.value } : {}

const named = (node: {
  readonly name: { readonly value: string }
  readonly description?: StringValueNode | undefined
}): NamedDefinition => ({ name: node.name.value, ...described(node.description) })

const fieldOf = (node: FieldDefinitionNode | InputValueDefinitionNode): SdlField => ({
  name: node.name.value,
  type: print(node.type),
  ...described(node.description),
})
