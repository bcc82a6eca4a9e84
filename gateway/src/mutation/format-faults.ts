import {
  type ASTNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type ValueNode,
  visit,
} from 'graphql'
import type { VariableFault } from '../document/variables.ts'
import { invalidFormat, type UserError } from '@commerce-graph/contract/input'
import type { PreparedOperation } from '../plan/prepared-operation.ts'

/** The faults in the form of mutations' arguments, by the fields' response keys. */
export type FormatFaults = ReadonlyMap<string, readonly UserError[]>

/**
 * The faults of variables as the payloads of a mutation tell them: one for each place in the arguments of its fields.
 *
 * @returns undefined where a payload can't tell all of them, because a variable is used elsewhere as well, or not at all
 */
export function formatFaults(
  { operation, fragments }: PreparedOperation,
  faults: readonly VariableFault[],
): FormatFaults | undefined {
  if (operation.operation !== OperationTypeNode.MUTATION) return undefined
  const found = new Map<string, UserError[]>()
  for (const field of rootFieldsOf(operation)) {
    const places = (field.arguments ?? []).flatMap(({ name, value }) => variablesIn(value, [name.value]))
    const errors = places.flatMap(({ variable, path }) =>
      faults
        .filter(([name]) => name === variable)
        .map(([, inside, format]) => invalidFormat(fieldNamed([...path, ...inside]), format)),
    )
    const key = field.alias?.value ?? field.name.value
    if (errors.length > 0) found.set(key, [...(found.get(key) ?? []), ...errors])
  }
  const faulty = new Set(faults.map(([name]) => name))
  const uses = [operation, ...fragments.values()].flatMap(({ selectionSet }) => usesIn(selectionSet))
  const inArguments = rootFieldsOf(operation).flatMap(({ arguments: given = [] }) => given.flatMap(usesIn))
  const count = (names: readonly string[], name: string) => names.filter((one) => one === name).length
  const whole = [...faulty].every(
    (name) => count(inArguments, name) > 0 && count(uses, name) === count(inArguments, name),
  )
  return whole ? found : undefined
}

const rootFieldsOf = ({ selectionSet }: OperationDefinitionNode): readonly FieldNode[] =>
  selectionSet.selections.filter((selection) => selection.kind === Kind.FIELD)

/** Where in a value variables stand. */
function variablesIn(
  value: ValueNode,
  path: readonly (string | number)[],
): readonly { readonly variable: string; readonly path: readonly (string | number)[] }[] {
  switch (value.kind) {
    case Kind.VARIABLE:
      return [{ variable: value.name.value, path }]
    case Kind.LIST:
      return value.values.flatMap((item, index) => variablesIn(item, [...path, index]))
    case Kind.OBJECT:
      return value.fields.flatMap((field) => variablesIn(field.value, [...path, field.name.value]))
    default:
      return []
  }
}

function usesIn(node: ASTNode): readonly string[] {
  const names: string[] = []
  visit(node, { Variable: ({ name }) => void names.push(name.value) })
  return names
}

/** As rules name them: within `input`, else from the argument on. */
const fieldNamed = (path: readonly (string | number)[]): string =>
  (path[0] === 'input' && path.length > 1 ? path.slice(1) : path).join('.')
