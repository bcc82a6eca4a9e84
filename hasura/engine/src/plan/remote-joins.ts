import { randomUUID } from 'node:crypto'
import type { SelectionNode, ValueNode, VariableDefinitionNode } from 'graphql'
import type { RemoteStep } from '../metadata/relationship-target.ts'
import type { RoleRemote } from '../remote/role-remote.ts'
import type { JsonValue } from './input-value.ts'
import type { ColumnModel } from '../schema/source-model.ts'
import type { SelectPlan } from './tree.ts'

/**
 * A relationship from rows to a remote schema, or from a remote schema to rows. At first, the answer has a marker in
 * its place, with the values that it depends on.
 */
export type Join =
  | {
      readonly kind: 'remote'
      readonly remote: RoleRemote
      readonly steps: readonly RemoteStep[]
      /** The client's selection of the last step's field. */
      readonly selection: RemoteSelection
      /** The client's arguments of the last step. */
      readonly args: readonly RemoteArgument[]
    }
  | (ValueJoin & { readonly kind: 'source' })

export interface RemoteArgument {
  readonly name: string
  readonly value: ValueNode
}

/** A selection with the remote schema's names. Without nodes it is that of a leaf. */
export interface RemoteSelection {
  readonly nodes: readonly SelectionNode[]
  readonly shape: RemoteShape
  readonly variables: RemoteVariables
}

/** How a remote object is changed on its way to the client, by response keys. */
export interface RemoteShape {
  readonly fields: Map<string, RemoteShape>
  /** Keys of `__typename`, whose value has another name for clients. */
  readonly typeNames: Set<string>
  /** Joins by the key of their first value. */
  readonly joins: Map<string, ShapeJoin>
  /** Keys of values that only joins need. They are removed. */
  readonly hidden: Set<string>
}

interface ShapeJoin {
  readonly key: string
  readonly marker: string
  readonly values: readonly { readonly name: string; readonly key: string }[]
}

/** Values that GraphQL literals can't represent: objects of custom scalars. */
export interface RemoteVariables {
  readonly definitions: VariableDefinitionNode[]
  readonly values: Record<string, JsonValue>
}

/**
 * Markers are keys of JSON objects in answers. Only this process knows this random text, so no json column can contain
 * one.
 */
const nonce = `join:${randomUUID()}:`

/** The joins of one operation, in the order in which they were planned. */
export class JoinRegistry {
  readonly joins: Join[] = []

  /** Returns the join's marker. */
  add(join: Join): string {
    return `${nonce}${this.joins.push(join) - 1}`
  }

  /** The join of a marker; undefined for any other key. */
  of(key: string): Join | undefined {
    return key.startsWith(nonce) ? this.joins[Number(key.slice(nonce.length))] : undefined
  }
}

/** Rows of a table that are related to external values: an action's answer, or a remote schema's. */
export interface ValueJoin {
  readonly select: SelectPlan
  /** The values, by their names in the statement, and the columns that must equal them. */
  readonly columns: readonly { readonly name: string; readonly field: string; readonly column: ColumnModel }[]
}
