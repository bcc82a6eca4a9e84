import type { RowSource } from '../plan/tree.ts'
import type { FromItem, NativeCodePiece } from './ast.ts'
import { callExpression, rowScope, valueExpression } from './predicate-expression.ts'

/** A source of rows in a `FROM` clause. `parent` is the alias of the row that a function takes, if any. */
export function sourceFrom(source: RowSource, alias: string, parent: string | undefined): FromItem {
  switch (source.kind) {
    case 'table':
      return { kind: 'table', name: source.name, alias }
    case 'function':
      return { kind: 'function', call: callExpression(source.call, rowScope(parent ?? alias)), alias }
    case 'native-query': {
      const code = source.code.map((part): NativeCodePiece =>
        part.kind === 'sql'
          ? part
          : { kind: 'expression', expression: valueExpression(part.value, rowScope(alias)) },
      )
      return { kind: 'native', code, alias }
    }
    default:
      return source satisfies never
  }
}
