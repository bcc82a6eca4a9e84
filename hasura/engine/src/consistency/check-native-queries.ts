import type { LogicalModel, NativeQuery, Source } from '../metadata/types.ts'
import { isGraphqlName } from '../schema/graphql-name.ts'
import { parseNativeCode } from '../schema/native-code.ts'
import { logicalTable } from '../schema/native-query-model.ts'
import { parsePermissionExpression } from '../schema/permission-expression.ts'
import type { SourceModel } from '../schema/source-model.ts'
import { type Checked, checkEach, logicalModelObject, nativeQueryObject } from './metadata-object.ts'

/** A logical model's name must be unique, and its permissions must name fields that it has. */
export function checkLogicalModels(
  { name, logical_models: models }: Source,
  source: SourceModel,
): Checked<LogicalModel> {
  const seen = new Set<string>()
  return checkEach(
    models,
    (model) => {
      if (seen.has(model.name)) return `duplicate logical model: "${model.name}"`
      seen.add(model.name)
      return permissionProblem(model, source)
    },
    (model) => logicalModelObject(name, model),
  )
}

function permissionProblem(model: LogicalModel, source: SourceModel): string | undefined {
  const table = logicalTable(model, source.naming)
  for (const { role, permission } of model.select_permissions ?? []) {
    const at = `in logical model "${model.name}": in permission for role "${role}": `
    const columns = permission.columns === '*' ? [] : permission.columns
    const unknown = columns.find((column) => !model.fields.some(({ name }) => name === column))
    if (unknown !== undefined) return `${at}"${unknown}" does not exist`
    const parsed = parsePermissionExpression(permission.filter, table, source)
    if (!parsed.ok) return `${at}${parsed.reason}`
  }
  return undefined
}

/** A native query must return an existing logical model, and use only arguments that it declares. */
export function checkNativeQueries(
  { name, native_queries: queries }: Source,
  models: readonly LogicalModel[],
): Checked<NativeQuery> {
  const seen = new Set<string>()
  return checkEach(
    queries,
    (query) => {
      if (seen.has(query.root_field_name)) return `duplicate native query: "${query.root_field_name}"`
      seen.add(query.root_field_name)
      if (!models.some((model) => model.name === query.returns))
        return `the logical model "${query.returns}" could not be found`
      return argumentProblem(query) ?? nativeCodeProblem(query)?.message
    },
    (query) => nativeQueryObject(name, query),
  )
}

/** An argument needs a valid GraphQL name; otherwise clients could not pass it. */
function argumentProblem({ arguments: declared = {} }: NativeQuery): string | undefined {
  const wrong = Object.keys(declared).find((name) => !isGraphqlName(name))
  return wrong === undefined ? undefined : `the argument "${wrong}" is not a valid GraphQL name`
}

/** The problem of a native query's code and arguments, in Hasura's words; undefined when there is none. */
export function nativeCodeProblem({
  code,
  arguments: declared = {},
}: Pick<NativeQuery, 'code' | 'arguments'>):
  | { readonly code: 'parse-failed' | 'validation-failed'; readonly message: string }
  | undefined {
  const parts = parseNativeCode(code)
  if (parts === undefined)
    return { code: 'parse-failed', message: "Found '{{' without a matching closing '}}'" }
  const used = new Set(parts.flatMap((part) => (part.kind === 'argument' ? [part.name] : [])))
  const undeclared = [...used].filter((name) => !Object.hasOwn(declared, name))
  if (undeclared.length === 0) return undefined
  const list = undeclared.map((name) => JSON.stringify(name)).join(', ')
  return { code: 'validation-failed', message: `Undeclared arguments: ${list}` }
}
