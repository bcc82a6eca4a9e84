import { Kind, type TypeNode, parseType } from 'graphql'
import type { CustomTypes } from '../metadata/types.ts'
import type { JsonValue } from '../plan/input-value.ts'
import { RequestFailure } from '../execute/request-failure.ts'
import { fitsScalar } from './fits-scalar.ts'

/**
 * Checks the whole of a handler's answer against the action's output type, as must be done where nobody has selected
 * anything yet. Throws RequestFailure.
 */
export const checkAnswer = (value: JsonValue, outputType: string, types: CustomTypes): void =>
  check(value, parseType(outputType), 'the answer', types)

const check = (value: JsonValue, type: TypeNode, name: string, types: CustomTypes): void => {
  if (type.kind === Kind.NON_NULL_TYPE) {
    if (value === null) throw unexpected(`expecting not null value for field "${name}"`)
    check(value, type.type, name, types)
    return
  }
  if (value === null) return
  if (type.kind === Kind.LIST_TYPE) {
    if (!Array.isArray(value)) throw unexpected(`expecting an array for field "${name}"`)
    for (const item of value as readonly JsonValue[]) check(item, type.type, name, types)
    return
  }
  checkNamed(value, type.name.value, name, types)
}

const checkNamed = (value: JsonValue, type: string, name: string, types: CustomTypes): void => {
  const object = types.objects?.find((each) => each.name === type)
  const enumeration = types.enums?.find((each) => each.name === type)
  if (object !== undefined) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw unexpected(`expecting an object for field "${name}"`)
    const members = value as Readonly<Record<string, JsonValue>>
    for (const field of object.fields)
      check(members[field.name] ?? null, parseType(field.type), field.name, types)
  } else if (enumeration === undefined ? !fitsScalar(value, type) : !isValue(value, enumeration)) {
    throw unexpected(`unexpected value for field "${name}" of type "${type}"`)
  }
}

const isValue = (value: JsonValue, { values }: NonNullable<CustomTypes['enums']>[number]): boolean =>
  values.some((each) => each.value === value)

const unexpected = (message: string): RequestFailure =>
  new RequestFailure({ message, extensions: { path: '$', code: 'unexpected' } })
