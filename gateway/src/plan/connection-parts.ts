import { getNamedType, type GraphQLObjectType, isObjectType, type SelectionSetNode } from 'graphql'
import type { Condition } from '../projection/condition.ts'
import type { Aggregate, ConnectionProjection } from '../projection/types.ts'
import {
  type ConnectionPart,
  type EdgePart,
  type NodePart,
  type PageInfoField,
  pageInfoFields,
  type PageInfoPart,
} from '../shape/connection-shape.ts'
import { rowShape, take } from '../shape/shape.ts'
import { aggregateField, readAggregate } from './aggregate.ts'
import { collectFields, type FieldGroup, selectionSetsOf } from './collect-fields.ts'
import { embed } from './embed.ts'
import type { SelectedField } from './field-access.ts'
import type { HasuraField } from './hasura-document.ts'
import type { PlanScope } from './plan-scope.ts'
import type { RowPlan } from './row-plan.ts'

/** The place of a connection, as far as its parts depend on it. */
export interface PartsPlace {
  readonly connection: ConnectionProjection
  /** Plans what is selected of a node. */
  readonly planNode: (selectionSets: readonly SelectionSetNode[]) => RowPlan
  /** Hasura's field that lists the rows; the one that aggregates them is called `…_aggregate`. */
  readonly list: string
}

/** The selection of a connection, and its parts that need the rows, the keyset or an aggregate. */
export interface PartsPlan {
  readonly parts: readonly ConnectionPart[]
  readonly nodes: readonly HasuraField[]
  readonly aggregates: readonly HasuraField[]
  readonly pageInfo: ReadonlySet<PageInfoField>
  readonly needsRows: boolean
  readonly needsCursors: boolean
  readonly needsEdgeCursors: boolean
}

/** @param shown the rows that aggregates are of */
export function planParts(
  scope: PlanScope,
  field: SelectedField,
  place: PartsPlace,
  shown: Condition | undefined,
): PartsPlan {
  const type = getNamedType(field.definition.type)
  if (!isObjectType(type)) throw new Error(`${type.name} is no connection`)
  return new ConnectionParts(scope, place, shown).plan(type, field.group)
}

/** Collects, part by part, what is asked of Hasura for them together. */
class ConnectionParts {
  readonly #scope: PlanScope
  readonly #place: PartsPlace
  readonly #shown: Condition | undefined
  readonly #nodes: HasuraField[] = []
  readonly #aggregates: HasuraField[] = []
  readonly #pageInfo = new Set<PageInfoField>()
  #needsRows = false
  #needsCursors = false
  #needsEdgeCursors = false

  constructor(scope: PlanScope, place: PartsPlace, shown: Condition | undefined) {
    this.#scope = scope
    this.#place = place
    this.#shown = shown
  }

  plan(type: GraphQLObjectType, group: FieldGroup): PartsPlan {
    const parts = this.#fieldsOf(type, group).map(([key, field]) => this.#part(type, key, field))
    return {
      parts,
      nodes: this.#nodes,
      aggregates: this.#aggregates,
      pageInfo: this.#pageInfo,
      needsRows: this.#needsRows,
      needsCursors: this.#needsCursors,
      needsEdgeCursors: this.#needsEdgeCursors,
    }
  }

  #part(type: GraphQLObjectType, key: string, group: FieldGroup): ConnectionPart {
    const name = group[0].name.value
    switch (name) {
      case '__typename':
        return { kind: 'constant', key, value: type.name }
      case 'edges':
        this.#needsRows = true
        return {
          kind: 'edges',
          key,
          parts: this.#scope.below(key, () => this.#edges(objectOf(type, name), group)),
        }
      case 'nodes':
        this.#needsRows = true
        return { kind: 'nodes', key, node: this.#node(key, group) }
      case 'pageInfo':
        return { kind: 'pageInfo', key, parts: this.#pageInfoOf(objectOf(type, name), group) }
      default:
        return this.#aggregate(type, key, name)
    }
  }

  #aggregate(type: GraphQLObjectType, key: string, name: string): ConnectionPart {
    const { connection, list } = this.#place
    const aggregate: Aggregate | undefined =
      name === 'totalCount' ? { function: 'count' } : connection.aggregates?.[name]
    if (!aggregate) throw new Error(`${type.name}.${name} has no projection`)
    const alias = this.#scope.hiddenKey()
    this.#aggregates.push(aggregateField(alias, `${list}_aggregate`, aggregate, this.#shown))
    return { kind: 'aggregate', key, read: (row) => readAggregate(take(row, alias), aggregate) }
  }

  #edges(type: GraphQLObjectType, group: FieldGroup): EdgePart[] {
    return this.#fieldsOf(type, group).map(([key, field]): EdgePart => {
      const name = field[0].name.value
      if (name === '__typename') return { kind: 'constant', key, value: type.name }
      if (name === 'cursor') {
        this.#needsCursors = true
        this.#needsEdgeCursors = true
        return { kind: 'cursor', key }
      }
      return this.#node(key, field)
    })
  }

  #node(key: string, field: FieldGroup): NodePart {
    const row = this.#scope.below(key, () => this.#place.planNode(selectionSetsOf(field)))
    const complete = rowShape(row.shapes)
    if (this.#nodes.length === 0) {
      this.#nodes.push(...row.fields)
      return { kind: 'node', key, complete }
    }
    // The same rows under a second alias, with a selection of its own.
    const { fields, extract } = embed(this.#scope, row.fields)
    this.#nodes.push(...fields)
    return { kind: 'node', key, extract, complete }
  }

  #pageInfoOf(type: GraphQLObjectType, group: FieldGroup): PageInfoPart[] {
    return this.#fieldsOf(type, group).map(([key, [node]]): PageInfoPart => {
      const name = pageInfoFields.find((field) => field === node.name.value)
      if (!name) return { kind: 'constant', key, value: type.name }
      this.#pageInfo.add(name)
      this.#needsRows = true
      if (name === 'startCursor' || name === 'endCursor') this.#needsCursors = true
      return { kind: name, key }
    })
  }

  #fieldsOf(type: GraphQLObjectType, group: FieldGroup): readonly (readonly [string, FieldGroup])[] {
    return [...collectFields(this.#scope, type, selectionSetsOf(group))]
  }
}

/** The object type that a field of a connection answers, once or as a list. */
function objectOf(type: GraphQLObjectType, name: string): GraphQLObjectType {
  const field = type.getFields()[name]
  const named = field && getNamedType(field.type)
  if (!isObjectType(named)) throw new Error(`${type.name}.${name} answers no object`)
  return named
}
