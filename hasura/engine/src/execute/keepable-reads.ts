import { dependsOnTime } from '../live/statement-sources.ts'
import type { StatementReads } from '../sql/statement-reads.ts'
import { type Bindings, bindParameters } from './bind-parameters.ts'
import type { CompiledOperation } from './compile-operation.ts'
import type { CompiledField } from './compile.ts'

/**
 * What the statements of an operation name, if its answer depends on rows of the database alone. Undefined for mutations,
 * for what actions and remote schemas answer, and for values that have another meaning later, such as `today`.
 */
export function keepableReads(
  { kind, groups, joins }: CompiledOperation,
  bindings: Bindings,
): readonly StatementReads[] | undefined {
  if (kind !== 'query' || joins.joins.length > 0) return undefined
  const reads: StatementReads[] = []
  for (const group of groups) {
    if (group.kind === 'text') continue
    if (group.kind !== 'database') return undefined
    for (const field of group.fields) {
      if (field.kind === 'text') continue
      if (!isKeepable(field.field, bindings)) return undefined
      reads.push(field.field.reads)
    }
  }
  return reads.length === 0 ? undefined : reads
}

function isKeepable(
  field: CompiledField,
  bindings: Bindings,
): field is Extract<CompiledField, { kind: 'statement' }> {
  if (field.kind !== 'statement') return false
  const bound = bindParameters(field.statement.parameters, bindings)
  return bound.kind === 'bound' && !bound.values.some(dependsOnTime)
}
