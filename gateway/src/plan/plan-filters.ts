import { isUnicodeText, unicodeText } from '@commerce-graph/contract/input'
import { invalidFormat } from '@commerce-graph/contract/errors'
import type { Condition, VariableReference } from '../projection/condition.ts'
import type { Filter } from '../projection/filter.ts'
import type { Bound } from './binding.ts'
import type { ArgumentValues, FieldArguments, PlanScope } from './plan-scope.ts'

/**
 * The conditions that a list's arguments ask for: members of `filters`, and arguments of the same names on the list
 * itself. Both at once must both hold.
 */
export const planFilters = (
  scope: PlanScope,
  filters: Readonly<Record<string, Filter>>,
  args: FieldArguments,
): readonly Condition[] =>
  Object.entries(filters).flatMap(([name, filter]) => [
    ...planFilter(scope, filter, args, (values) => membersOf(values)[name], `filters.${name}`),
    ...planFilter(scope, filter, args, (values) => values[name], name),
  ])

/** The relationships by which a list is sorted with the filters that are given; none where its own columns are. */
export const sortThrough = (
  filters: Readonly<Record<string, Filter>>,
  { now }: FieldArguments,
): readonly string[] =>
  Object.entries(filters).find(
    ([name, filter]) => filter.sortThrough && (membersOf(now)[name] ?? now[name]) != null,
  )?.[1].sortThrough ?? []

/** @returns the condition, or none when the value isn't given */
export function planFilter(
  scope: PlanScope,
  filter: Filter,
  args: FieldArguments,
  read: (values: ArgumentValues) => unknown,
  path: string,
): readonly Condition[] {
  if (read(args.now) == null) return []
  const variables = new Map<string, VariableReference>()
  const condition = filter.condition((type) => {
    const variable = variables.get(type) ?? scope.variable(type)
    variables.set(type, variable)
    return variable
  })
  scope.binders.push((request, bound) => {
    const value = bindFilter(filter, read(args.in(request)), path, bound)
    for (const { name } of variables.values()) bound.variables[name] = value
  })
  return [condition]
}

function bindFilter(filter: Filter, value: unknown, path: string, { errors }: Bound): unknown {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (texts.some((text) => typeof text === 'string' && !isUnicodeText(text)))
    errors.push(invalidFormat(path, unicodeText))
  const error = filter.check?.(value, path)
  if (error) errors.push(error)
  return filter.toVariable ? filter.toVariable(value) : value
}

const membersOf = (values: ArgumentValues): ArgumentValues => (values['filters'] ?? {}) as ArgumentValues
