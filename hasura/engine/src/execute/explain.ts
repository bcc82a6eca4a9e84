import type { ExplainedStatement } from '../graphql-request.ts'
import { type Bindings, bindParameters } from './bind-parameters.ts'
import type { CompiledOperation } from './compile-operation.ts'

/** The statements of a compiled query, with the values that this request gives their parameters. */
export const explainOperation = (
  { kind, fields }: CompiledOperation,
  bindings: Bindings,
): readonly ExplainedStatement[] => {
  if (kind !== 'query') throw new Error('only queries can be explained')
  return fields.flatMap((field) => {
    if (field.kind !== 'database' || field.field.kind !== 'statement') return []
    const { text, parameters } = field.field.statement
    const bound = bindParameters(parameters, bindings)
    if (bound.kind !== 'bound')
      throw new Error(`the statement of ${field.key} can not be bound: ${bound.kind}`)
    return [{ text, values: bound.values }]
  })
}
