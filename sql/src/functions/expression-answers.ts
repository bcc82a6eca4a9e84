import type { Node, SelectStmt } from '@pgsql/types'
import { either, merged, nothing, onlyNull, type Possible, type Texts, unknown } from './possible.ts'

/** The meanings of the names in an expression. */
export interface Scope {
  /** @param column of a function with OUT parameters */
  readonly answersOf: (name: string, column: string | null) => Promise<Possible>
  /** The OUT parameters of a function. */
  readonly columnsOf: (name: string) => readonly string[]
  readonly variable: (name: string, field: string | null) => Possible | undefined
  /** The functions in FROM, by alias. */
  readonly from: ReadonlyMap<string, string>
}

const objects = new Set(['jsonb_build_object', 'json_build_object'])
const strips = new Set(['jsonb_strip_nulls', 'json_strip_nulls'])

/** The possible values of an expression, or of a SELECT's first column. */
export async function answersOf(node: Node | undefined, scope: Scope): Promise<Possible> {
  if (node === undefined) return nothing
  if ('SelectStmt' in node) return answersOfSelect(node.SelectStmt, scope)
  if ('InsertStmt' in node) return answersOf(firstTarget(node.InsertStmt.returningClause?.exprs), scope)
  if ('UpdateStmt' in node) return answersOf(firstTarget(node.UpdateStmt.returningClause?.exprs), scope)
  if ('SubLink' in node) return answersOf(node.SubLink.subselect, scope)
  if ('TypeCast' in node) return answersOf(node.TypeCast.arg, scope)
  if ('CaseExpr' in node) {
    const { args = [], defresult } = node.CaseExpr
    const results = args.map((when) => ('CaseWhen' in when ? when.CaseWhen.result : undefined))
    const answers = await Promise.all([...results, defresult].map((result) => answersOf(result, scope)))
    return either(...answers, ...(defresult === undefined ? [onlyNull] : []))
  }
  if ('CoalesceExpr' in node) {
    const answers = await Promise.all((node.CoalesceExpr.args ?? []).map((each) => answersOf(each, scope)))
    return { ...either(...answers), canBeNull: answers.at(-1)?.canBeNull ?? true }
  }
  if ('A_Const' in node) return answersOfConstant(node.A_Const)
  if ('ColumnRef' in node) return answersOfName(namesOf(node.ColumnRef.fields), scope)
  if ('A_Indirection' in node) return unknown(JSON.stringify(node))
  if ('A_Expr' in node && namesOf(node.A_Expr.name).join('') === '||')
    return merged(await answersOf(node.A_Expr.lexpr, scope), await answersOf(node.A_Expr.rexpr, scope))
  if ('FuncCall' in node) return answersOfCall(node.FuncCall, scope)
  return unknown(Object.keys(node).join())
}

async function answersOfSelect(select: SelectStmt, scope: Scope): Promise<Possible> {
  if (select.larg !== undefined && select.rarg !== undefined)
    return either(await answersOfSelect(select.larg, scope), await answersOfSelect(select.rarg, scope))
  return answersOf(firstTarget(select.targetList), { ...scope, from: functionsIn(select) })
}

const firstTarget = (targets: readonly Node[] = []): Node | undefined => targetsOf(targets)[0]

export const targetsOf = (targets: readonly Node[] = []): readonly (Node | undefined)[] =>
  targets.map((target) => ('ResTarget' in target ? target.ResTarget.val : undefined))

/** The functions in FROM, by alias. */
export const functionsIn = ({ fromClause = [] }: SelectStmt): ReadonlyMap<string, string> =>
  new Map(
    fromClause.flatMap((entry): readonly (readonly [string, string])[] => {
      if (!('RangeFunction' in entry)) return []
      const { alias, functions = [] } = entry.RangeFunction
      const [list] = functions
      const call = list !== undefined && 'List' in list ? list.List.items?.[0] : undefined
      if (call === undefined || !('FuncCall' in call) || alias?.aliasname === undefined) return []
      return [[alias.aliasname, namesOf(call.FuncCall.funcname).join('.')]]
    }),
  )

function answersOfConstant(constant: Extract<Node, { A_Const: unknown }>['A_Const']): Possible {
  if (constant.isnull) return onlyNull
  const text = constant.sval?.sval
  if (text === '[]') return nothing
  return text === '{}'
    ? { ...nothing, variants: [{ keys: new Map(), optional: new Set() }] }
    : unknown(String(text))
}

async function answersOfName([name = '', field]: readonly string[], scope: Scope): Promise<Possible> {
  const called = scope.from.get(name)
  if (called !== undefined && field !== undefined) return scope.answersOf(called, field)
  return scope.variable(name, field ?? null) ?? unknown(field === undefined ? name : `${name}.${field}`)
}

async function answersOfCall(
  call: Extract<Node, { FuncCall: unknown }>['FuncCall'],
  scope: Scope,
): Promise<Possible> {
  const name = namesOf(call.funcname).join('.')
  const args = call.args ?? []
  if (objects.has(name)) {
    const keys = new Map<string, Texts>()
    for (let at = 0; at < args.length; at += 2) {
      const [key] = textsOf(args[at]) ?? []
      if (key === undefined) return unknown(`${name} with a computed key`)
      keys.set(key, textsOf(args[at + 1]))
    }
    return { ...nothing, variants: [{ keys, optional: new Set() }] }
  }
  if (strips.has(name)) {
    const stripped = await answersOf(args[0], scope)
    const variants = stripped.variants.map(({ keys }) => ({
      keys,
      optional: new Set([...keys].filter(([, texts]) => texts === null).map(([key]) => key)),
    }))
    return { ...stripped, variants }
  }
  // A list answers what its elements do.
  if (name === 'jsonb_agg') return { ...(await answersOf(args[0], scope)), canBeNull: true }
  // A value inside of an object doesn't change the object's keys.
  if (name === 'jsonb_insert' || name === 'jsonb_set') {
    const [path = ''] = textsOf(args[1]) ?? []
    if (path.includes(',')) return answersOf(args[0], scope)
  }
  return name.includes('.') ? scope.answersOf(name, null) : unknown(`${name}()`)
}

/** The texts that an expression can be, where all of them stand in it. */
function textsOf(node: Node | undefined): Texts {
  if (node === undefined) return null
  if ('A_Const' in node)
    return node.A_Const.sval?.sval === undefined ? null : new Set([node.A_Const.sval.sval])
  if (!('CaseExpr' in node) || node.CaseExpr.defresult === undefined) return null
  const { args = [], defresult } = node.CaseExpr
  const results = args.map((when) => textsOf('CaseWhen' in when ? when.CaseWhen.result : undefined))
  const all = [...results, textsOf(defresult)]
  return all.includes(null) ? null : new Set(all.flatMap((texts) => [...(texts ?? [])]))
}

export const namesOf = (parts: readonly Node[] = []): readonly string[] =>
  parts.map((part) => ('String' in part ? (part.String.sval ?? '') : '*'))
