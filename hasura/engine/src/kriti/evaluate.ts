import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../metadata/parse.ts'
import type { KritiFunction } from './functions.ts'
import { KritiError } from './kriti-error.ts'
import type { Operator, Step, Template } from './syntax.ts'

export interface Scope {
  readonly variables: ReadonlyMap<string, Json>
  readonly functions: ReadonlyMap<string, KritiFunction>
  /** The remaining steps, because nested ranges could run for very long. */
  readonly budget: { steps: number }
}

/** The value of a template. Throws KritiError. */
export function evaluate(template: Template, scope: Scope): Json {
  scope.budget.steps -= 1
  if (scope.budget.steps < 0) throw new KritiError('Range Error Code', 'the template takes too long', 0)
  switch (template.kind) {
    case 'literal':
      return template.value
    case 'text':
      return template.parts.map((part) => textOf(evaluate(part, scope), template.at)).join('')
    case 'array':
      return template.items.map((item) => evaluate(item, scope))
    case 'object':
      return Object.fromEntries(template.fields.map(([key, value]) => [key, evaluate(value, scope)]))
    case 'variable':
      return variable(template.name, template.at, scope)
    case 'lookup':
      return lookup(evaluate(template.target, scope), template.steps, scope)
    case 'call':
      return callOf(template, scope)
    case 'operation':
      return operation(template, scope)
    case 'if': {
      const branch = template.branches.find(({ condition }) => truth(evaluate(condition, scope), template.at))
      return evaluate(branch?.then ?? template.otherwise, scope)
    }
    case 'range':
      return rangeOf(template, scope)
    default:
      return template satisfies never
  }
}

function textOf(value: Json, at: number): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new KritiError('Type Error Code', `Cannot interpolate type: '${typeName(value)}'.`, at)
}

function variable(name: string, at: number, { variables }: Scope): Json {
  const value = variables.get(name)
  if (value === undefined) throw new KritiError('Invalid Path Code', `"${name}"`, at)
  return value
}

function lookup(target: Json, steps: readonly Step[], scope: Scope): Json {
  let value = target
  for (const { key, optional, at } of steps) {
    const next = memberOf(value, evaluate(key, scope), at, optional)
    if (next === undefined) return null
    value = next
  }
  return value
}

function memberOf(value: Json, key: Json, at: number, optional: boolean): Json | undefined {
  if (isObject(value) && typeof key === 'string') {
    if (Object.hasOwn(value, key)) return value[key]
    if (optional) return undefined
    throw new KritiError('Invalid Path Code', `"${key}"`, at)
  }
  if (Array.isArray(value) && typeof key === 'number') {
    const item = (value as readonly Json[])[key]
    if (item !== undefined || optional) return item
    throw new KritiError('Invalid Path Code', `"${key}"`, at)
  }
  if (optional && value === null) return undefined
  const expected = typeof key === 'number' ? 'an Array' : 'an Object'
  throw new KritiError('Type Error Code', `Unexpected type '${typeName(value)}', expected ${expected}.`, at)
}

function callOf({ name, argument, at }: Extract<Template, { kind: 'call' }>, scope: Scope): Json {
  const apply = scope.functions.get(name)
  if (apply === undefined) throw new KritiError('Function Error Code', `Function ${name} is not defined.`, at)
  const value = evaluate(argument, scope)
  try {
    return apply(value)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new KritiError('Function Error Code', error.message, at)
  }
}

function operation(
  { operator, left, right, at }: Extract<Template, { kind: 'operation' }>,
  scope: Scope,
): Json {
  const first = evaluate(left, scope)
  if (operator === '??') return first ?? evaluate(right, scope)
  return applied(operator, first, evaluate(right, scope), at)
}

/** Both sides are always evaluated, as in Kriti. */
function applied(operator: Exclude<Operator, '??'>, left: Json, right: Json, at: number): Json {
  switch (operator) {
    case '==':
      return isDeepStrictEqual(left, right)
    case '!=':
      return !isDeepStrictEqual(left, right)
    case '>':
      return order(left, right, at) > 0
    case '<':
      return order(left, right, at) < 0
    case '>=':
      return order(left, right, at) >= 0
    case '<=':
      return order(left, right, at) <= 0
    case '&&':
    case '||': {
      const [first, second] = [truth(left, at), truth(right, at)]
      return operator === '&&' ? first && second : first || second
    }
    case 'in':
      return isIn(left, right, at)
    default:
      return operator satisfies never
  }
}

function order(left: Json, right: Json, at: number): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : Number(left > right)
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right)
  throw new KritiError(
    'Type Error Code',
    `'${typeName(left)}' and '${typeName(right)}' have no order between them.`,
    at,
  )
}

function isIn(left: Json, right: Json, at: number): boolean {
  if (Array.isArray(right)) return right.some((item) => isDeepStrictEqual(item, left))
  if (!isObject(right))
    throw new KritiError('Type Error Code', `'${typeName(right)}' is not an Object or Array.`, at)
  if (typeof left !== 'string')
    throw new KritiError('Type Error Code', `'${typeName(left)}' is not a String.`, at)
  return Object.hasOwn(right, left)
}

function truth(value: Json, at: number): boolean {
  if (typeof value === 'boolean') return value
  throw new KritiError('Type Error Code', `'${JSON.stringify(value)}' is not a boolean.`, at)
}

function rangeOf({ index, item, list, body, at }: Extract<Template, { kind: 'range' }>, scope: Scope): Json {
  const items = evaluate(list, scope)
  if (!Array.isArray(items)) throw new KritiError('Range Error Code', 'Can only range over an array', at)
  return (items as readonly Json[]).map((value, position) => {
    const variables = new Map(scope.variables).set(item, value)
    if (index !== undefined) variables.set(index, position)
    return evaluate(body, { ...scope, variables })
  })
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function typeName(value: Json): string {
  if (value === null) return 'Null'
  if (Array.isArray(value)) return 'Array'
  const name = typeof value
  return name.charAt(0).toUpperCase() + name.slice(1)
}
