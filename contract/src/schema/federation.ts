import { type ConstDirectiveNode, type DefinitionNode, Kind, parse, print } from 'graphql'

/** The contract for a federation router. */
export interface Federation {
  /** The object types that have a key, which is always their `id`, in alphabetical order. */
  readonly entities: readonly string[]
  /** Each domain with the core in front of it: what `_service { subgraphs }` answers. */
  readonly subgraphs: readonly Subgraph[]
  /** The whole contract as one subgraph: what `_service { sdl }` answers. */
  readonly sdl: string
}

/** The contract's name for the root type of subscriptions. */
export const subscriptionRoot = 'SubscriptionRoot'

/**
 * Makes complete federated subgraphs of the contract's files. Of what they say, only the root of subscriptions is left out:
 * federation would call it Subscription, which is the merchant's plan (docs/decisions/0030-federation.md).
 */
export function federate(core: readonly DefinitionNode[], domains: readonly ParsedDomain[]): Federation {
  const parts = domains.map(({ name, definitions }) => ({
    name,
    definitions: definitions.filter((definition) => !isSubscriptionRoot(definition)),
  }))
  const all = parts.flatMap(({ definitions }) => definitions)
  // A router asks for them seldom. Printing them takes a third of the time that the contract takes to load.
  let subgraphs: readonly Subgraph[] | undefined
  let sdl: string | undefined
  return {
    entities: all
      .filter((definition) => definition.kind === Kind.OBJECT_TYPE_DEFINITION)
      .filter(({ directives }) => directives?.some(isKey))
      .map(({ name }) => name.value)
      .sort(),
    get subgraphs() {
      return (subgraphs ??= parts.map(({ name, definitions }) => ({
        name,
        sdl: printAll([...core, ...definitions]),
      })))
    },
    get sdl() {
      return (sdl ??= printAll([...core, ...all.flatMap(withoutStub)]))
    },
  }
}

/** The types and fields that federation adds to every subgraph's schema. */
export const federationTypes = (entities: readonly string[]): string => `
  "A reference to a record: an object with its \`__typename\` and its \`id\`."
  scalar _Any

  ${entities.length > 0 ? `"A record that other subgraphs can refer to." union _Entity = ${entities.join(' | ')}` : ''}

  "The schema as subgraphs of a federation."
  type _Service {
    "The whole schema as one subgraph."
    sdl: String!
    "The same as one subgraph for each domain, all of them served here."
    subgraphs: [_Subgraph!]!
  }

  "A subgraph of the federation."
  type _Subgraph {
    "Its domain."
    name: String!
    "Its schema."
    sdl: String!
  }

  extend type Query {
    ${
      entities.length > 0
        ? `"The records that a federation router refers to, in the order of the references; null for those that are not there."
           _entities("The references, at most 1,000." representations: [_Any!]!): [_Entity]!`
        : ''
    }
    "The schema for a federation router."
    _service: _Service!
  }
`

export const definitionsOf = (sdl: string): readonly DefinitionNode[] =>
  parse(sdl, { noLocation: true }).definitions

const printAll = (definitions: readonly DefinitionNode[]): string => definitions.map(print).join('\n\n')

const isSubscriptionRoot = (definition: DefinitionNode): boolean =>
  definition.kind === Kind.OBJECT_TYPE_EXTENSION && definition.name.value === subscriptionRoot

const isKey = ({ name }: ConstDirectiveNode): boolean => name.value === 'key'

/** In the whole schema an extension stands beside its type, so it needs neither the key nor the fields it refers to. */
function withoutStub(definition: DefinitionNode): readonly DefinitionNode[] {
  if (definition.kind !== Kind.OBJECT_TYPE_EXTENSION) return [definition]
  const fields = definition.fields?.filter((field) => !isExternal(field)) ?? []
  if (fields.length === 0) return []
  return [{ ...definition, fields, directives: definition.directives?.filter((node) => !isKey(node)) ?? [] }]
}

export const isExternal = ({
  directives,
}: {
  readonly directives?: readonly ConstDirectiveNode[]
}): boolean => directives?.some(({ name }) => name.value === 'external') ?? false

/** One domain's schema file. */
export interface Subgraph {
  readonly name: string
  readonly sdl: string
}

/** What a domain's schema file defines. */
export interface ParsedDomain {
  readonly name: string
  readonly definitions: readonly DefinitionNode[]
}
