import {
  buildSchema,
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  parse,
} from 'graphql'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RootKind } from './example-of.ts'
import { repository } from './site-map.ts'

export interface Operation {
  readonly kind: RootKind
  readonly field: GraphQLField<unknown, unknown>
  /** Who may call it, in words. */
  readonly callers: string
}

export interface Domain {
  readonly name: string
  readonly operations: readonly Operation[]
}

const roots: Readonly<Record<string, RootKind>> = {
  Query: 'query',
  Mutation: 'mutation',
  SubscriptionRoot: 'subscription',
}

export const readSchema = (): GraphQLSchema =>
  buildSchema(readFileSync(join(repository, 'docs/schema.graphql'), 'utf8'))

/** The operations of the contract, by the domains of its SDL. */
export function readDomains(schema: GraphQLSchema): readonly Domain[] {
  const folder = join(repository, 'contract/domains')
  return readdirSync(folder)
    .toSorted()
    .map((file) => ({
      name: file.replace('.graphql', ''),
      operations: operationsIn(readFileSync(join(folder, file), 'utf8'), schema),
    }))
    .filter(({ operations }) => operations.length > 0)
}

const operationsIn = (sdl: string, schema: GraphQLSchema): readonly Operation[] =>
  parse(sdl).definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_EXTENSION) return []
    const kind = roots[definition.name.value]
    const type = schema.getType(definition.name.value)
    if (kind === undefined || type === undefined || !('getFields' in type)) return []
    const fields = type.getFields() as Readonly<Record<string, GraphQLField<unknown, unknown>>>
    return (definition.fields ?? []).flatMap((node) => {
      const field = fields[node.name.value]
      return field === undefined ? [] : [{ kind, field, callers: callersOf(node) }]
    })
  })

function callersOf({ directives = [] }: FieldDefinitionNode): string {
  const permission = directives.find(({ name }) => name.value === 'permission')
  const named = permission && argument(permission, 'name')
  const has = (name: string): boolean => directives.some((directive) => directive.name.value === name)
  return [
    ...(has('operator') ? ['operators'] : []),
    ...(named === undefined ? [] : [`keys and users with \`${named}\``]),
    ...(permission !== undefined && argument(permission, 'customer') === 'true'
      ? ['signed-in shoppers']
      : []),
    ...(has('guest') ? ['pages with a publishable key'] : []),
  ].join(', ')
}

function argument({ arguments: given = [] }: ConstDirectiveNode, wanted: string): string | undefined {
  const value = given.find(({ name }) => name.value === wanted)?.value
  if (value?.kind === Kind.STRING) return value.value
  return value?.kind === Kind.BOOLEAN ? String(value.value) : undefined
}
