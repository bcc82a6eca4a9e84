import {
  assertValidSchema,
  buildASTSchema,
  type ConstDirectiveNode,
  type DefinitionNode,
  type GraphQLSchema,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  OperationTypeNode,
  type SchemaDefinitionNode,
} from 'graphql'
import { type InputRules, type RowRules, rulesOf } from '../validation/input-rules.ts'
import { readResults } from './action-results.ts'
import { type Action, ActionRegister } from './actions.ts'
import { BoundRegister } from './bound-register.ts'
import {
  type Federation,
  type Subgraph,
  definitionsOf,
  federate,
  federationTypes,
  isExternal,
  subscriptionRoot,
} from './federation.ts'
import { nodeFields } from './nodes.ts'
import { PermissionRegister, type Permissions } from './permissions.ts'
import { installScalars } from './scalars.ts'

/** The public schema, and what its SDL says that introspection does not show. */
export interface Contract {
  readonly schema: GraphQLSchema
  readonly permissions: Permissions
  readonly bounds: BoundRegister
  /** The mutations that Hasura Actions do, by name. */
  readonly actions: ReadonlyMap<string, Action>
  /** The rules for the arguments of mutations. */
  readonly inputRules: InputRules
  /** The rules for the rows of imports. */
  readonly rowRules: RowRules
  readonly federation: Federation
}

interface Root {
  readonly operation: OperationTypeNode
  readonly name: string
  readonly description: string
}

/** They have no definition in any file, only extensions. The name Subscription is taken: it is the merchant's plan. */
const roots: readonly Root[] = [
  {
    operation: OperationTypeNode.QUERY,
    name: 'Query',
    description: 'What can be read. A request reads in one go, however much it selects.',
  },
  {
    operation: OperationTypeNode.MUTATION,
    name: 'Mutation',
    description: 'What can be changed. The fields of a request run one after the other, each all or nothing.',
  },
  {
    operation: OperationTypeNode.SUBSCRIPTION,
    name: subscriptionRoot,
    description:
      'What can be watched, over WebSocket: each field answers at once, and again whenever its answer changes. Open in the specification.',
  },
]

/**
 * Composes the subgraphs into the one schema that clients see: extensions are merged into their types, and what is
 * there for federation only (`@key`, `@external` fields) is left out, save that `_entities` and `_service` are added.
 * Permissions, bounds and actions move from directives into registers and, for readers, into the descriptions.
 *
 * @param resultsSdl what the actions answer to Hasura
 */
export function compose(coreSdl: string, subgraphs: readonly Subgraph[], resultsSdl = ''): Contract {
  const permissions = new PermissionRegister()
  const bounds = new BoundRegister()
  const actions = new ActionRegister()
  const take = (definition: DefinitionNode) =>
    actions.takeFrom(bounds.takeFrom(permissions.takeFrom(definition)))
  const core = definitionsOf(coreSdl)
  const domains = subgraphs.map(({ name, sdl }) => ({ name, definitions: definitionsOf(sdl) }))
  const federation = federate(core, domains)
  const definitions = [
    ...core,
    ...domains.flatMap((domain) => domain.definitions),
    ...definitionsOf(federationTypes(federation.entities)),
    ...(coreSdl.includes('interface Node') ? definitionsOf(nodeFields) : []),
  ].filter((definition) => !isFederation(definition))
  const extensions = definitions.filter((definition) => definition.kind === Kind.OBJECT_TYPE_EXTENSION)
  const types = definitions.filter((definition) => definition.kind !== Kind.OBJECT_TYPE_EXTENSION)
  const present = roots.filter(({ name }) => extensions.some((extension) => extension.name.value === name))
  const names = new Set([
    ...present.map(({ name }) => name),
    ...types.map((type) => ('name' in type ? type.name.value : '')),
  ])
  const lost = extensions.find(({ name }) => !names.has(name.value))
  if (lost) throw new Error(`${lost.name.value} is extended and defined nowhere`)
  const schema = buildASTSchema({
    kind: Kind.DOCUMENT,
    definitions: [schemaDefinition(present), ...present.map(rootType), ...types].map((definition) =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION
        ? take(mergeExtensions(definition, extensions))
        : take(definition),
    ),
  })
  assertValidSchema(schema)
  installScalars(schema)
  return {
    schema,
    permissions,
    bounds,
    actions: actions.actions(schema, resultsSdl === '' ? new Map() : readResults(resultsSdl)),
    ...rulesOf(schema, bounds),
    federation,
  }
}

const isFederation = (definition: DefinitionNode): boolean =>
  definition.kind === Kind.DIRECTIVE_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION

/** Without it, graphql-js would take the type Subscription for a root. */
const schemaDefinition = (present: readonly Root[]): SchemaDefinitionNode => ({
  kind: Kind.SCHEMA_DEFINITION,
  operationTypes: present.map(({ operation, name }) => ({
    kind: Kind.OPERATION_TYPE_DEFINITION,
    operation,
    type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: name } },
  })),
})

const rootType = ({ name, description }: Root): ObjectTypeDefinitionNode => ({
  kind: Kind.OBJECT_TYPE_DEFINITION,
  name: { kind: Kind.NAME, value: name },
  description: { kind: Kind.STRING, value: description },
})

function mergeExtensions(
  type: ObjectTypeDefinitionNode,
  extensions: readonly ObjectTypeExtensionNode[],
): ObjectTypeDefinitionNode {
  const own = extensions.filter(({ name }) => name.value === type.name.value)
  const fields = [type, ...own].flatMap((part) => part.fields ?? []).filter((field) => !isExternal(field))
  return { ...type, fields, directives: withoutFederation(type.directives) }
}

const federationDirectives = new Set(['key', 'shareable'])

const withoutFederation = (directives: readonly ConstDirectiveNode[] = []) =>
  directives.filter(({ name }) => !federationDirectives.has(name.value))
