import type { FunctionParameter, Node, TypeName } from '@pgsql/types'
import { functionName, type Statement } from '../statement.ts'
import { type Annotations, annotationsOf } from './annotations.ts'

export interface Parameter {
  readonly name: string
  readonly type: string
  readonly hasDefault: boolean
}

/** A function of the source. */
export interface SqlFunction extends Annotations {
  /** With its schema. */
  readonly name: string
  readonly file: string
  readonly parameters: readonly Parameter[]
  /** OUT parameters and the columns of RETURNS TABLE. */
  readonly columns: readonly Parameter[]
  readonly returns: string
  readonly isSet: boolean
  readonly language: string
  readonly body: string
  /** Its statement. */
  readonly text: string
}

export const readFunctions = (statements: readonly Statement[]): readonly SqlFunction[] =>
  statements.flatMap((statement) => {
    const { node, text, comment, file } = statement
    if (!('CreateFunctionStmt' in node)) return []
    const { parameters = [], returnType, options = [] } = node.CreateFunctionStmt
    const all = parameters.flatMap((entry) => ('FunctionParameter' in entry ? [entry.FunctionParameter] : []))
    const isColumn = ({ mode }: FunctionParameter) => mode === 'FUNC_PARAM_OUT' || mode === 'FUNC_PARAM_TABLE'
    return [
      {
        ...annotationsOf(comment),
        name: functionName(node),
        file,
        parameters: all.filter((parameter) => !isColumn(parameter)).map(parameterOf),
        columns: all.filter(isColumn).map(parameterOf),
        returns: returnType ? typeOf(returnType) : 'record',
        isSet: returnType?.setof ?? false,
        language: stringsOf(options, 'language')[0] ?? '',
        body: stringsOf(options, 'as')[0] ?? '',
        text,
      },
    ]
  })

const parameterOf = ({ name = '', argType, defexpr }: FunctionParameter): Parameter => ({
  name,
  type: argType ? typeOf(argType) : '',
  hasDefault: defexpr !== undefined,
})

const aliases: Readonly<Record<string, string>> = {
  int4: 'integer',
  int8: 'bigint',
  int2: 'smallint',
  bool: 'boolean',
}

/** As the source writes it: `text[]`, `integer`, `ordering.pricing`. */
export function typeOf({ names = [], arrayBounds = [] }: TypeName): string {
  const parts = names.flatMap((part) => ('String' in part ? [part.String.sval ?? ''] : []))
  const name = parts.filter((part) => part !== 'pg_catalog').join('.')
  return `${aliases[name] ?? name}${arrayBounds.length > 0 ? '[]' : ''}`
}

const stringsOf = (options: readonly Node[], name: string): readonly string[] =>
  options.flatMap((option) => {
    if (!('DefElem' in option) || option.DefElem.defname !== name) return []
    const { arg } = option.DefElem
    if (arg === undefined) return []
    const items = 'List' in arg ? (arg.List.items ?? []) : [arg]
    return items.flatMap((item) => ('String' in item ? [item.String.sval ?? ''] : []))
  })
