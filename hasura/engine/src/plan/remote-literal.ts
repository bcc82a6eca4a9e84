import {
  type GraphQLInputType,
  Kind,
  type ValueNode,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql'
import { isRawNumber } from '../exact-json.ts'
import type { RemoteNames } from '../remote/remote-names.ts'
import type { JsonValue } from './input-value.ts'
import type { RemoteVariables } from './remote-joins.ts'
import { variableAt, type Variables } from './variables.ts'

/** The source and the format of an argument's values. */
export interface RemoteArgumentScope {
  /** The remote schema's own names. */
  readonly names: RemoteNames
  /** The client's variables. */
  readonly given: Variables
  /** The variables of the remote operation, which grow. */
  readonly own: RemoteVariables
}

/**
 * A client's argument as a literal of the remote schema, with variables replaced. Undefined when the variable is
 * absent.
 */
export function remoteArgument(
  node: ValueNode,
  type: GraphQLInputType,
  scope: RemoteArgumentScope,
  path: string,
): ValueNode | undefined {
  switch (node.kind) {
    case Kind.VARIABLE: {
      const value = variableAt(scope.given, node.name.value, type, path)
      return value === undefined ? undefined : remoteLiteral(value, type, scope.names, scope.own)
    }
    case Kind.LIST: {
      const item = itemType(type)
      return {
        ...node,
        values: node.values.map((value) => remoteArgument(value, item, scope, path) ?? { kind: Kind.NULL }),
      }
    }
    case Kind.OBJECT: {
      const nullable = getNullableType(type)
      const known = isInputObjectType(nullable) ? nullable.getFields() : {}
      return {
        ...node,
        fields: node.fields.flatMap((field) => {
          const at = `${path}.${field.name.value}`
          const value = remoteArgument(field.value, known[field.name.value]?.type ?? type, scope, at)
          return value === undefined ? [] : [{ ...field, value }]
        }),
      }
    }
    default:
      return node
  }
}

function itemType(type: GraphQLInputType): GraphQLInputType {
  const nullable = getNullableType(type)
  return isListType(nullable) ? nullable.ofType : nullable
}

/** JSON as a value of a type. A custom scalar that no literal can represent becomes a variable. */
export function remoteLiteral(
  value: JsonValue,
  type: GraphQLInputType,
  names: RemoteNames,
  own: RemoteVariables,
): ValueNode {
  if (value === null) return { kind: Kind.NULL }
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const item = nullable.ofType
    return Array.isArray(value)
      ? {
          kind: Kind.LIST,
          values: (value as readonly JsonValue[]).map((each) => remoteLiteral(each, item, names, own)),
        }
      : remoteLiteral(value, item, names, own)
  }
  if (isRawNumber(value)) return leafLiteral(value.rawJSON, true, nullable.name)
  if (typeof value === 'object') {
    if (!isInputObjectType(nullable) || Array.isArray(value))
      return variable(value, nullable.name, names, own)
    const fields = nullable.getFields()
    return {
      kind: Kind.OBJECT,
      fields: Object.entries(value).map(([name, member]) => ({
        kind: Kind.OBJECT_FIELD,
        name: { kind: Kind.NAME, value: name },
        value: remoteLiteral(member, fields[name]?.type ?? nullable, names, own),
      })),
    }
  }
  if (typeof value === 'boolean') return { kind: Kind.BOOLEAN, value }
  if (isEnumType(nullable) && typeof value === 'string' && /^[_A-Za-z]\w*$/.test(value))
    return { kind: Kind.ENUM, value }
  return leafLiteral(String(value), typeof value === 'number', nullable.name)
}

/** Postgres's numbers may come as texts, and ids as numbers. */
function leafLiteral(text: string, isNumber: boolean, type: string): ValueNode {
  const isText = type === 'ID' || type === 'String' || (!isNumber && type !== 'Int' && type !== 'Float')
  if (isText || !/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return { kind: Kind.STRING, value: text }
  return { kind: /^-?\d+$/.test(text) ? Kind.INT : Kind.FLOAT, value: text }
}

function variable(
  value: JsonValue,
  type: string,
  names: RemoteNames,
  { definitions, values }: RemoteVariables,
): ValueNode {
  const node = {
    kind: Kind.VARIABLE,
    name: { kind: Kind.NAME, value: `hasura_json_var_${definitions.length + 1}` },
  } as const
  definitions.push({
    kind: Kind.VARIABLE_DEFINITION,
    variable: node,
    // It has a value, so it may stand where null is not allowed.
    type: {
      kind: Kind.NON_NULL_TYPE,
      type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: names.upstreamType(type) } },
    },
  })
  values[node.name.value] = value
  return node
}
