import {
  type Condition,
  type ConditionValue,
  isVariableReference,
  type OrderBy,
  type VariableReference,
} from '../projection/condition.ts'

/** A field of a Hasura document: the structures we actively use, and nothing else of GraphQL. */
export interface HasuraField {
  /** The response key. */
  readonly alias: string
  readonly name: string
  readonly args?: HasuraArguments
  readonly selection?: readonly HasuraField[]
}

interface HasuraArguments {
  /** The arguments of a call of a database function. */
  readonly args?: Condition | undefined
  readonly where?: ConditionValue | undefined
  readonly orderBy?: readonly OrderBy[] | undefined
  readonly limit?: VariableReference | number | undefined
  /** For a stream: how many rows at once, from which value of which column on. */
  readonly stream?: { readonly batchSize: number; readonly column: string; readonly after: VariableReference }
  readonly offset?: VariableReference | undefined
}

export interface HasuraVariable {
  readonly name: string
  /** As Hasura names it, e.g. `uuid!`. */
  readonly type: string
}

/** A document, and the variables that it uses: the others may be neither declared nor given. */
export interface HasuraDocument {
  readonly document: string
  readonly variables: ReadonlySet<string>
}

export function printOperation(
  kind: 'query' | 'subscription',
  fields: readonly HasuraField[],
  variables: readonly HasuraVariable[],
): HasuraDocument {
  const selection = printSelection(fields)
  const used = usedVariables(selection, variables)
  return {
    document: `${kind}${printVariableDefinitions(used)} ${selection}`,
    variables: new Set(used.map(({ name }) => name)),
  }
}

/**
 * Those that stand in a selection. A list of which nothing is selected leaves its filter out, and Hasura refuses a request
 * with variables that its document does not use.
 */
export function usedVariables(
  selection: string,
  variables: readonly HasuraVariable[],
): readonly HasuraVariable[] {
  const used = new Set(selection.match(/\$\w+/g))
  return variables.filter(({ name }) => used.has(`$${name}`))
}

/** `($v0: uuid!, $v1: Int!)`, or nothing. */
export const printVariableDefinitions = (variables: readonly HasuraVariable[]): string =>
  variables.length > 0 ? `(${variables.map(({ name, type }) => `$${name}: ${type}`).join(', ')})` : ''

/** `{ id name }` */
export const printSelection = (fields: readonly HasuraField[]): string =>
  `{ ${fields.map(printField).join(' ')} }`

function printField({ alias, name, args, selection }: HasuraField): string {
  const label = alias === name ? name : `${alias}: ${name}`
  return `${label}${args ? printArguments(args) : ''}${selection ? ` ${printSelection(selection)}` : ''}`
}

function printArguments({ args, where, orderBy, limit, offset, stream }: HasuraArguments): string {
  const parts = [
    args && `args: ${printValue(args)}`,
    where !== undefined && `where: ${printValue(where)}`,
    orderBy && orderBy.length > 0 && `order_by: [${orderBy.map(printOrderBy).join(', ')}]`,
    limit !== undefined && `limit: ${printValue(limit)}`,
    stream &&
      `batch_size: ${stream.batchSize}, cursor: [{ initial_value: { ${stream.column}: ${printValue(stream.after)} }, ordering: ASC }]`,
    offset !== undefined && `offset: ${printValue(offset)}`,
  ].filter((part) => part !== false && part !== undefined)
  return parts.length > 0 ? `(${parts.join(', ')})` : ''
}

const printOrderBy = ({ path, direction }: OrderBy): string =>
  path.reduceRight<string>((inner, name) => `{ ${name}: ${inner} }`, direction)

function printValue(value: ConditionValue): string {
  if (isVariableReference(value)) return `$${value.name}`
  if (isList(value)) return `[${value.map(printValue).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${key}: ${printValue(member)}`)
    .join(', ')} }`
}

const isList = (value: ConditionValue): value is readonly Condition[] => Array.isArray(value)
