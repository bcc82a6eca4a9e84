import type { Catalog, CatalogFunction } from '../catalog/types.ts'
import { displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import type { FunctionMetadata } from '../metadata/types.ts'
import { type Checked, becauseOf, checkEach, functionObject } from './metadata-object.ts'
import { type TrackedTables, trackedTable } from './tracked-tables.ts'

/** A tracked function must exist, once, and return rows of a tracked table. */
export function checkFunctions(
  source: string,
  functions: readonly FunctionMetadata[] | undefined,
  tables: TrackedTables,
  catalog: Catalog,
): Checked<FunctionMetadata> {
  const seen = new Set<string>()
  return checkEach(
    functions,
    (fn) => {
      const key = qualifiedKey(fn.function)
      if (seen.has(key)) return `duplicate function: "${displayName(fn.function)}"`
      seen.add(key)
      return functionProblem(fn, tables, catalog)
    },
    (fn) => functionObject(source, fn.function),
  )
}

function functionProblem(
  metadata: FunctionMetadata,
  tables: TrackedTables,
  catalog: Catalog,
): string | undefined {
  const name = displayName(metadata.function)
  const overloads = catalog.functions.get(qualifiedKey(metadata.function)) ?? []
  const [fn] = overloads
  if (!fn) return `no such function exists in source: "${name}"`
  if (overloads.length > 1) return `function "${name}" is overloaded. Overloaded functions are not supported`
  const problems = trackingProblems(metadata, fn)
  if (problems.length > 0) {
    return `in function "${name}": the function "${name}" cannot be tracked ${becauseOf(problems)}`
  }
  return fn.returnsTable && !trackedTable(tables, fn.returnsTable)
    ? `table "${displayName(fn.returnsTable)}" is not tracked`
    : undefined
}

function trackingProblems(metadata: FunctionMetadata, fn: CatalogFunction): readonly string[] {
  const { session_argument: session, exposed_as: exposedAs } = metadata.configuration ?? {}
  const problems: string[] = []
  if (fn.variadic) problems.push('function with "VARIADIC" parameters are not supported')
  if (fn.returns.category !== 'composite') problems.push('the function does not return a "COMPOSITE" type')
  else if (!fn.returnsTable) problems.push('the function does not return a table')
  if (fn.volatility !== 'volatile' && exposedAs === 'mutation') {
    problems.push(
      'the function was requested to be exposed as a mutation, but is not marked VOLATILE. Maybe the function was given the wrong volatility when it was defined?',
    )
  }
  if (session !== undefined) {
    const argument = fn.arguments.find((each) => each.name === session)
    if (!argument) problems.push(`given session argument "${session}" not the input argument of the function`)
    else if (argument.type.name !== 'json') {
      problems.push(`given session argument "${session}" is not of type json`)
    }
  }
  return problems
}
