import { randomUUID } from 'node:crypto'
import type { SelectionNode, ValueNode, VariableDefinitionNode } from 'graphql'
import type { RemoteStep } from '../metadata/relationship-target.ts'
import type { RoleRemote } from '../remote/role-remote.ts'
import type { JsonValue } from './input-value.ts'
import type { ColumnModel } from '../schema/source-model.ts'
import type { SelectPlan } from './tree.ts'

/**
 * A relationship that leads out of where its left side comes from: from rows to a remote schema, or from a remote
 * schema to rows. Where it stands in an answer there is at first a marker with the values that it depends on.
 */
export type Join =
  | {
      readonly kind: 'remote'
      readonly remote: RoleRemote
      readonly steps: readonly RemoteStep[]
      /** What the client asks of the last step's field. */
      readonly selection: RemoteSelection
      /** Arguments of the last step that the client gives. */
      readonly args: readonly RemoteArgument[]
    }
  | (ValueJoin & { readonly kind: 'source' })

export interface RemoteArgument {
  readonly name: string
  readonly value: ValueNode
}

/** A selection in a remote schema's own words. Without nodes it is that of a leaf. */
export interface RemoteSelection {
  readonly nodes: readonly SelectionNode[]
  readonly shape: RemoteShape
  readonly variables: RemoteVariables
}

/** What is to be done with a remote object on its way to the client, by response keys. */
export interface RemoteShape {
  readonly fields: Map<string, RemoteShape>
  /** `__typename`, whose value clients know by another name. */
  readonly typeNames: Set<string>
  /** Joins by the key under which the first of their values comes. */
  readonly joins: Map<string, ShapeJoin>
  /** Keys of values that only joins need. */
  readonly hidden: Set<string>
}

interface ShapeJoin {
  readonly key: string
  readonly marker: string
  readonly values: readonly { readonly name: string; readonly key: string }[]
}

/** Values that GraphQL's literals can't hold: objects of custom scalars. */
export interface RemoteVariables {
  readonly definitions: VariableDefinitionNode[]
  readonly values: Record<string, JsonValue>
}

/**
 * Markers are keys of JSON objects in answers. Nobody outside of the process knows this text, so no json column can
 * hold one.
 */
const nonce = `join:${randomUUID()}:`

/** The joins of one operation, in the order in which they were planned. */
export class JoinRegistry {
  readonly joins: Join[] = []

  /** Returns the marker that stands for the join in answers. */
  add(join: Join): string {
    return `${nonce}${this.joins.push(join) - 1}`
  }

  /** The join that an object's only key stands for, if it is a marker. */
  of(key: string): Join | undefined {
    return key.startsWith(nonce) ? this.joins[Number(key.slice(nonce.length))] : undefined
  }
}

/** Rows of a table that belong to values from elsewhere: an action's answer, or a remote schema's. */
export interface ValueJoin {
  readonly select: SelectPlan
  /** The values, by the names under which the statement finds them, and the columns that they equal. */
  readonly columns: readonly { readonly name: string; readonly field: string; readonly column: ColumnModel }[]
}
