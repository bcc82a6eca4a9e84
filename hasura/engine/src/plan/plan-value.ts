import type { CatalogType } from '../catalog/types.ts'
import { arrayTypeOf, typeNameOf } from '../schema/permission-expression.ts'
import type { Value } from '../schema/predicate.ts'
import { spatialName } from '../schema/spatial-type.ts'
import type { TypeName } from '../sql/ast.ts'
import { encodeLiteral } from '../sql/encode.ts'
import type { InputValue, LeafValue, ObjectValue } from './input-value.ts'
import { RequestError } from './request-error.ts'

/** An argument as a value of the Postgres type. */
export function valueOf(input: InputValue, type: CatalogType): Value {
  const name = typeNameOf(type)
  switch (input.kind) {
    case 'null':
      return { kind: 'constant', text: null, type: name }
    case 'leaf':
      return leafValue(input, name)
    case 'enum':
      return { kind: 'constant', text: input.value, type: name }
    case 'list':
      return listValue(input, name)
    case 'object':
      throw new RequestError('expected a scalar value, but found an object', input.path)
    default:
      return input satisfies never
  }
}

/** A list as one array, to be compared item by item. */
export const arrayValue = (input: InputValue, element: CatalogType): Value =>
  listValue(input, arrayTypeOf(element))

function leafValue({ source, value }: LeafValue, type: TypeName): Value {
  // The signature contains booleans, so a plan may contain them, where Postgres can use them.
  return typeof value === 'boolean' && type.name === 'bool'
    ? { kind: 'constant', text: String(value), type }
    : { kind: 'parameter', source, type }
}

function listValue(input: InputValue, type: TypeName): Value {
  if (input.kind !== 'list') throw new RequestError('expected a list', input.path)
  const element: TypeName = { schema: type.schema, name: type.name.replace(/^_/, '') }
  if (input.source !== undefined) return { kind: 'parameter', source: input.source, type }
  // Spatial values are converted one by one.
  const constant = spatialName(element.name) === undefined ? constantArray(input.items) : undefined
  if (constant !== undefined) return { kind: 'parameter', source: { kind: 'literal', text: constant }, type }
  const items = input.items.map((item): Value => {
    if (item.kind === 'leaf') return leafValue(item, element)
    return { kind: 'constant', text: item.kind === 'enum' ? item.value : null, type: element }
  })
  return { kind: 'array', items, type }
}

/** A list of literals in the document is one literal of any length. */
function constantArray(items: readonly InputValue[]): string | undefined {
  const texts: (string | null)[] = []
  for (const item of items) {
    if (item.kind === 'enum') texts.push(item.value)
    else if (item.kind === 'null') texts.push(null)
    else if (item.kind === 'leaf' && item.source.kind === 'literal') texts.push(item.source.text)
    else return undefined
  }
  const encoded = encodeLiteral(texts, { scalar: 'string', list: true })
  return encoded.ok && encoded.text !== null ? encoded.text : undefined
}

/** A field of an input object. Null counts as absent. */
export function member(object: ObjectValue, name: string): InputValue | undefined {
  const value = object.fields.get(name)
  return value?.kind === 'null' ? undefined : value
}

export function objectOf(input: InputValue): ObjectValue {
  if (input.kind !== 'object') throw new RequestError('expected an object', input.path)
  return input
}

export const itemsOf = (input: InputValue | undefined): readonly InputValue[] =>
  input?.kind === 'list' ? input.items : []

/** The names in a list of enum values. */
export const enumValues = (input: InputValue | undefined): readonly string[] =>
  itemsOf(input).flatMap((item) => (item.kind === 'enum' ? [item.value] : []))

/** A boolean's value. The signature contains it, so a plan may depend on it. */
export const flag = (input: InputValue | undefined): boolean => input?.kind === 'leaf' && input.value === true
