import { type ArgumentNode, type GraphQLArgument, isNonNullType } from 'graphql'
import { canonicalName } from '../schema/naming.ts'
import { coerceNode } from './coerce.ts'
import type { InputValue, ObjectValue } from './input-value.ts'
import { RequestError } from './request-error.ts'
import type { Variables } from './variables.ts'

/** A field or directive with arguments. */
interface Called {
  readonly node: { readonly arguments?: readonly ArgumentNode[] | undefined }
  readonly name: string
  readonly path: string
}

/** The checked arguments of a field or directive, as one object by canonical names. Throws RequestError. */
export function readArguments(
  { node, name, path }: Called,
  known: readonly GraphQLArgument[],
  { variables }: { readonly variables: Variables },
): ObjectValue {
  const at = `${path}.args`
  const fields = new Map<string, InputValue>()
  for (const argument of node.arguments ?? []) {
    const declared = known.find((candidate) => candidate.name === argument.name.value)
    if (declared === undefined)
      throw new RequestError(`"${name}" has no argument named "${argument.name.value}"`, path)
    const key = canonicalName(declared)
    if (fields.has(key)) throw new RequestError(`multiple values for the argument "${declared.name}"`, path)
    const value = coerceNode(argument.value, declared, variables, `${at}.${declared.name}`)
    if (value !== undefined) fields.set(key, value)
  }
  for (const argument of known)
    if (
      isNonNullType(argument.type) &&
      argument.defaultValue === undefined &&
      !fields.has(canonicalName(argument))
    )
      throw new RequestError(`missing required field "${argument.name}"`, at)
  return { kind: 'object', fields, path: at }
}
