import type { FieldNode, GraphQLOutputType } from 'graphql'
import type { Action, CustomTypes } from '../metadata/types.ts'
import type { RoleRemote } from '../remote/role-remote.ts'
import type { CollectedField } from './collect-fields.ts'
import type { InputValidation } from './input-validation.ts'
import type { ObjectValue } from './input-value.ts'
import type { EntitiesPlan } from './plan-entities.ts'
import type { RemoteSelection } from './remote-joins.ts'
import type { MutationPlan, SelectPlan, StreamPlan } from './tree.ts'

/** A root field of an operation: its plan, and the key and path of its answer. */
export type RootField = RootFieldPlace & RootFieldPlan

export interface RootFieldPlace {
  readonly key: string
  readonly path: string
  readonly namespace?: NamespacePlace
}

/** The position of a field in the source's namespace. The fields of a namespace are adjacent. */
interface NamespacePlace {
  readonly key: string
  readonly isFirst: boolean
  readonly isLast: boolean
}

export type RootFieldPlan =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'introspection'; readonly node: FieldNode }
  | { readonly kind: 'select'; readonly select: SelectPlan }
  /** Apollo Federation's SDL of the schema, by the keys of the answer. */
  | { readonly kind: 'service'; readonly answer: Readonly<Record<string, string>> }
  | { readonly kind: 'entities'; readonly entities: EntitiesPlan }
  | { readonly kind: 'stream'; readonly stream: StreamPlan }
  | {
      readonly kind: 'mutation'
      readonly mutation: MutationPlan
      readonly validations: readonly InputValidation[]
    }
  | {
      readonly kind: 'action'
      readonly action: Action
      readonly customTypes: CustomTypes
      readonly arguments: ObjectValue
      readonly collected: CollectedField
      readonly type: GraphQLOutputType
    }
  | {
      readonly kind: 'remote'
      readonly operation: 'query' | 'mutation'
      readonly remote: RoleRemote
      /** Whether the field contains the whole root of the remote schema. */
      readonly isNamespace: boolean
      readonly selection: RemoteSelection
    }
  | {
      readonly kind: 'action-result'
      readonly action: Action
      /** A uuid. */
      readonly id: string
      readonly collected: CollectedField
      readonly type: GraphQLOutputType
    }
