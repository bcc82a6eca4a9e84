import type { ExplainedStatement } from '../graphql-request.ts'
import { type Bindings, bindParameters } from './bind-parameters.ts'
import { statementsOf } from './compile.ts'
import type { CompiledOperation } from './compile-operation.ts'

/**
 * The statements of a compiled operation, with this request's parameter values. Nothing runs, so a field can't be shown
 * when its later statements depend on the results of earlier ones.
 */
export const explainOperation = (
  { groups }: CompiledOperation,
  bindings: Bindings,
): readonly ExplainedStatement[] =>
  groups
    .flatMap((group) => (group.kind === 'database' ? group.fields : []))
    .flatMap((field) => {
      if (field.kind !== 'database') return []
      const [statement, ...others] = statementsOf(field.field)
      if (statement === undefined || others.length > 0) throw new Error(`${field.key} is not one statement`)
      const { text, parameters } = statement
      const bound = bindParameters(parameters, bindings)
      if (bound.kind !== 'bound')
        throw new Error(`the statement of ${field.key} can not be bound: ${bound.kind}`)
      return [{ text, values: bound.values }]
    })
