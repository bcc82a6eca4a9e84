import type { Node } from '@pgsql/types'
import type { Statement } from '../statement.ts'
import { annotationsOf } from './annotations.ts'
import type { AnswerType } from './answer-type.ts'
import { namesOf } from './expression-answers.ts'
import { type Parameter, type SqlFunction, typeOf } from './read-functions.ts'

/** The names that a declaration may use. */
export interface Declarations {
  /** `ordering.stays`, by name. */
  readonly types: ReadonlyMap<string, AnswerType>
  /** The attributes of composite types. */
  readonly composites: ReadonlyMap<string, readonly Parameter[]>
  /** `payment.payment.status`: its type, or the texts that its CHECK lists. */
  readonly columns: ReadonlyMap<string, AnswerType>
  /** The types and columns that some declaration names. */
  readonly named: ReadonlySet<string>
  /** The members of a union, and of those that it names. */
  membersOf(type: AnswerType): readonly AnswerType[]
}

export function declarationsOf(
  statements: readonly Statement[],
  functions: readonly SqlFunction[],
): Declarations {
  const types = new Map(statements.flatMap(({ comment }) => [...annotationsOf(comment).types]))
  const columns = new Map(statements.flatMap(({ node }) => columnsOf(node)))
  const answers = new Map(functions.map(({ name, answers: declared }) => [name, declared]))
  function membersOf(type: AnswerType): readonly AnswerType[] {
    switch (type.kind) {
      case 'union':
        return type.members.flatMap(membersOf)
      case 'answers': {
        const declared = answers.get(type.of)
        if (declared == null) throw new SyntaxError(`${type.of}() declares no answers`)
        return membersOf(declared)
      }
      case 'name': {
        const declared = types.get(type.name) ?? columns.get(type.name)
        return declared === undefined ? [type] : membersOf(declared)
      }
      case 'literal':
      case 'object':
      case 'list':
      case 'rows':
        return [type]
      default:
        return type satisfies never
    }
  }
  return {
    types,
    composites: new Map(statements.flatMap(({ node }) => compositesOf(node))),
    columns,
    named: new Set([...types.values(), ...functions.flatMap(({ answers: of }) => of ?? [])].flatMap(namesIn)),
    membersOf,
  }
}

function compositesOf(node: Node): readonly (readonly [string, readonly Parameter[]])[] {
  if (!('CompositeTypeStmt' in node)) return []
  const { typevar, coldeflist = [] } = node.CompositeTypeStmt
  const columns = coldeflist.flatMap((column) =>
    'ColumnDef' in column && column.ColumnDef.typeName
      ? [{ name: column.ColumnDef.colname ?? '', type: typeOf(column.ColumnDef.typeName), hasDefault: false }]
      : [],
  )
  return [[`${typevar?.schemaname ?? ''}.${typevar?.relname ?? ''}`, columns]]
}

function columnsOf(node: Node): readonly (readonly [string, AnswerType])[] {
  if (!('CreateStmt' in node)) return []
  const { relation, tableElts = [] } = node.CreateStmt
  const table = `${relation?.schemaname ?? ''}.${relation?.relname ?? ''}`
  const columns = tableElts.flatMap((element) => ('ColumnDef' in element ? [element.ColumnDef] : []))
  const checks = [...tableElts, ...columns.flatMap(({ constraints = [] }) => constraints)].flatMap(
    listedTexts,
  )
  return columns.map(({ colname = '', typeName }) => {
    const texts = checks.find(([name]) => name === colname)?.[1]
    const type: AnswerType = texts
      ? { kind: 'union', members: texts.map((value) => ({ kind: 'literal', value })) }
      : { kind: 'name', name: typeName ? typeOf(typeName) : '' }
    return [`${table}.${colname}`, type]
  })
}

/** The column and the texts of `CHECK (status IN ('A', 'B'))`. */
function listedTexts(node: Node): readonly (readonly [string, readonly string[]])[] {
  const check = 'Constraint' in node ? node.Constraint.raw_expr : undefined
  if (check === undefined || !('A_Expr' in check) || check.A_Expr.kind !== 'AEXPR_IN') return []
  const { lexpr, rexpr } = check.A_Expr
  if (lexpr === undefined || !('ColumnRef' in lexpr) || rexpr === undefined || !('List' in rexpr)) return []
  const texts = (rexpr.List.items ?? []).flatMap((item) =>
    'A_Const' in item && item.A_Const.sval?.sval !== undefined ? [item.A_Const.sval.sval] : [],
  )
  return [[namesOf(lexpr.ColumnRef.fields).join('.'), texts]]
}

function namesIn(type: AnswerType): readonly string[] {
  switch (type.kind) {
    case 'name':
      return [type.name]
    case 'list':
      return namesIn(type.of)
    case 'union':
      return type.members.flatMap(namesIn)
    case 'object':
    case 'rows':
      return type.fields.flatMap((field) => namesIn(field.type))
    case 'literal':
    case 'answers':
      return []
    default:
      return type satisfies never
  }
}
