import type { Principal, TenantPrincipal } from '@commerce-graph/auth-webhook'
import { runIntrospection } from '@commerce-graph/data-layer'
import {
  getNamedType,
  type GraphQLObjectType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { PermissionRule } from '@commerce-graph/contract'
import { type CatalogueError, fieldRequired, invalidFormat } from '@commerce-graph/contract/errors'
import { all } from '../projection/condition.ts'
import type { LocalValue, Lookup, RootProjection } from '../projection/types.ts'
import { type FieldShape, listShape, rowShape } from '../shape/shape.ts'
import type { Binder, Request } from './binding.ts'
import { collectFields, selectionSetsOf } from './collect-fields.ts'
import { fatalRefusals, type SelectedField } from './field-access.ts'
import { type HasuraField, printOperation } from './hasura-document.ts'
import { planConnection } from './plan-connection.ts'
import { planFilter, planFilters } from './plan-filters.ts'
import { type EntitiesPlan, planEntities } from './plan-entities.ts'
import { planNodes } from './plan-nodes.ts'
import { planFunction, planFunctions } from './plan-functions.ts'
import { type FieldSelection, listBound, planRow, projectionNamed } from './plan-row.ts'
import { plan, type RowPlan } from './row-plan.ts'
import { PlanScope, type PlanScopeOptions } from './plan-scope.ts'

/** A query document of the contract, as one operation for Hasura and what to do with its answer. */
export interface QueryPlan {
  /** The permissions without which a caller needs another plan. */
  readonly rules: readonly PermissionRule[]
  /** Why the whole request is refused; empty where what is refused leaves the rest to be answered. */
  readonly refusals: readonly CatalogueError[]
  /** The one Hasura document; undefined where everything is known without asking. */
  readonly document: string | undefined
  /** The variables that the document uses. */
  readonly variables: ReadonlySet<string>
  readonly binders: readonly Binder[]
  /** The root fields in the order of the answer. */
  readonly root: readonly RootField[]
}

export type RootField =
  | { readonly kind: 'hasura'; readonly key: string; readonly shape: FieldShape | undefined }
  /** Put together of several lists of Hasura's answer. */
  | { readonly kind: 'entities'; readonly key: string; readonly read: EntitiesPlan['read'] }
  /** Not the caller's to have. */
  | { readonly kind: 'refused'; readonly key: string; readonly error: CatalogueError }
  /** Known without asking Hasura. */
  | { readonly kind: 'local'; readonly key: string; readonly read: (request: Request) => unknown }

/** Plans a validated query. Wrong values become errors when a request is bound; what is thrown is a bug. */
export function planQuery(operation: OperationDefinitionNode, options: PlanScopeOptions): QueryPlan {
  const scope = new PlanScope(options)
  const type = scope.schema.getQueryType()
  if (!type) throw new Error('the contract has no Query')
  const root: RootField[] = []
  const fields: HasuraField[] = []
  for (const [key, group] of collectFields(scope, type, [operation.selectionSet])) {
    const name = group[0].name.value
    const definition = type.getFields()[name]
    if (!definition) {
      root.push({ kind: 'local', key, read: metaField(scope, operation, type, { key, name, group }) })
      continue
    }
    const projection = scope.projections.queries.get(name)
    if (!projection) throw new Error(`Query.${name} has no projection`)
    const field = { key, type: type.name, definition, group }
    const planned = scope.below(key, () => {
      const error = scope.refusalOfRoot(field)
      return error
        ? { fields: [], root: { kind: 'refused', key, error } as const }
        : planRootField(scope, projection, field)
    })
    fields.push(...planned.fields)
    root.push(planned.root)
  }
  return {
    rules: scope.rules,
    refusals: fatalRefusals(scope),
    ...(fields.length > 0
      ? printOperation('query', fields, scope.hasuraVariables)
      : { document: undefined, variables: new Set() }),
    binders: scope.binders,
    root,
  }
}

interface RootPlan {
  readonly fields: readonly HasuraField[]
  readonly root: RootField
}

function planRootField(scope: PlanScope, projection: RootProjection, field: SelectedField): RootPlan {
  const { key } = field
  switch (projection.kind) {
    case 'principal': {
      const select = localSelector(scope, field)
      const { value } = projection
      return {
        fields: [],
        root: { kind: 'local', key, read: ({ principal }) => select(value(tenant(principal))) },
      }
    }
    case 'contract': {
      const select = localSelector(scope, field)
      const { value } = projection
      return { fields: [], root: { kind: 'local', key, read: () => select(value(scope.contract)) } }
    }
    case 'entities':
    case 'nodes': {
      const { fields, read } =
        projection.kind === 'entities' ? planEntities(scope, field) : planNodes(scope, field)
      return { fields, root: { kind: 'entities', key, read } }
    }
    default: {
      const { fields, shapes } = planStored(scope, projection, field)
      return { fields, root: { kind: 'hasura', key, shape: shapes[0] } }
    }
  }
}

/** Throws for an operator, which no plan gets as far as: it was refused before (PlanScope.requireRoot). */
function tenant(principal: Principal): TenantPrincipal {
  if (principal.kind === 'operator') throw new Error('a field of a merchant was asked of an operator')
  return principal
}

function planStored(
  scope: PlanScope,
  projection: Exclude<RootProjection, { kind: 'principal' | 'contract' | 'entities' | 'nodes' }>,
  field: SelectedField,
): RowPlan {
  switch (projection.kind) {
    case 'connection':
      return planConnection(scope, field, {
        connection: projection.connection,
        planNode: (selectionSets) => planRow(scope, projection.connection.projection, selectionSets),
        list: projectionNamed(scope, projection.connection.projection).table,
      })
    case 'lookup':
      return planLookup(scope, projection, field)
    case 'only':
      return planOne(scope, field, projection.projection, {
        alias: field.key,
        name: projectionNamed(scope, projection.projection).table,
        args: { limit: 1 },
      })
    case 'list': {
      const { orderBy, limit, filters, only } = projection
      const { table } = projectionNamed(scope, projection.projection)
      const args = scope.arguments(field.definition, field.group)
      const where = all([...planFilters(scope, filters, args), only])
      const row = planRow(scope, projection.projection, selectionSetsOf(field.group))
      const complete = listShape(rowShape(row.shapes))
      const bound = listBound(undefined, limit)
      const page = { where, orderBy, limit: bound.limit }
      const asked = { alias: field.key, name: table, args: page, selection: row.fields }
      return plan(field, [asked], { extract: (raw, _row, context) => bound.rows(raw, context), complete })
    }
    case 'function':
      return planFunction(scope, projection, field)
    case 'functions':
      return planFunctions(scope, projection, field)
    default:
      return projection satisfies never
  }
}

/** The first row of what is asked for, or null. */
function planOne(scope: PlanScope, field: SelectedField, projection: string, asked: HasuraField): RowPlan {
  const row = planRow(scope, projection, selectionSetsOf(field.group))
  const complete = rowShape(row.shapes)
  return plan(field, [{ ...asked, selection: row.fields }], {
    extract: (raw) => (raw as unknown[])[0] ?? null,
    complete,
  })
}

export function planLookup(
  scope: PlanScope,
  { projection, by, visible }: Lookup,
  field: SelectedField,
): RowPlan {
  const args = scope.arguments(field.definition, field.group)
  const given = Object.keys(by).filter((name) => args.now[name] != null)
  scope.binders.push((_request, { errors }) => {
    const [first, second] = given
    if (first === undefined) errors.push(fieldRequired(Object.keys(by)[0] ?? ''))
    if (second !== undefined) errors.push(invalidFormat(second, `nothing beside \`${String(first)}\``))
  })
  const conditions = Object.entries(by).flatMap(([name, filter]) =>
    planFilter(scope, filter, args, (values) => values[name], name),
  )
  const where = all([...conditions, scope.ofRole(visible)])
  const { table } = projectionNamed(scope, projection)
  return planOne(scope, field, projection, { alias: field.key, name: table, args: { where, limit: 1 } })
}

type Select = (value: LocalValue) => unknown

const localSelector = (scope: PlanScope, { definition, group }: SelectedField): Select =>
  selector(scope, getNamedType(definition.type), selectionSetsOf(group))

/** Picks what is selected out of a value, or out of each value of a list, that is there as a whole. */
function selector(scope: PlanScope, type: unknown, selectionSets: readonly SelectionSetNode[]): Select {
  if (!isObjectType(type)) return (value) => value
  const fields = [...collectFields(scope, type, selectionSets)].map(([key, group]) => {
    const name = group[0].name.value
    const field = type.getFields()[name]
    const inner = selector(scope, field && getNamedType(field.type), selectionSetsOf(group))
    return { key, name, select: inner }
  })
  const select: Select = (value) => {
    if (value === null) return null
    if (isList(value)) return value.map(select)
    const members = value as Readonly<Record<string, LocalValue>>
    return Object.fromEntries(
      fields.map(({ key, name, select: inner }) => [
        key,
        name === '__typename' ? type.name : inner(members[name] ?? null),
      ]),
    )
  }
  return select
}

const isList = (value: LocalValue): value is readonly LocalValue[] => Array.isArray(value)

/** `__typename`, `__schema` and `__type`: graphql-js knows the answers. */
function metaField(
  scope: PlanScope,
  operation: OperationDefinitionNode,
  type: GraphQLObjectType,
  { key, name, group }: FieldSelection,
): (request: Request) => unknown {
  if (name === '__typename') return () => type.name
  const { schema, fragments } = scope
  return ({ variables }) => runIntrospection({ schema, fragments, variables }, operation, key, group)
}
