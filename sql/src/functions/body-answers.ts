import type { Node } from '@pgsql/types'
import { parse, parsePlPgSQL } from 'libpg-query'
import { answersOf, functionsIn, namesOf, type Scope, targetsOf } from './expression-answers.ts'
import { either, narrowed, nothing, onlyNull, type Possible, unknown } from './possible.ts'
import type { SqlFunction } from './read-functions.ts'

/** A tree of PL/pgSQL as libpg-query writes it, which has no types of its own. */
type Tree = Readonly<Record<string, unknown>>

/** The possible values of each variable at a place of the body; null: the place is unreachable. */
type State = ReadonlyMap<string, Possible> | null

interface Body {
  readonly scope: Scope
  readonly datums: readonly Tree[]
  readonly answers: Possible[]
  /** The state at the end of the body. */
  readonly ends: NonNullable<State>[]
}

/**
 * The possible answers of a body in PL/pgSQL.
 *
 * @param column the OUT parameter that is analysed; null for the value of RETURN
 */
export async function answersOfBody(
  source: SqlFunction,
  scope: Scope,
  column: string | null,
): Promise<Possible> {
  const { plpgsql_funcs: parsed } = asTree(await parsePlPgSQL(source.text))
  const root = field(asTree(Array.isArray(parsed) ? parsed[0] : null), 'PLpgSQL_function')
  const datums = list(root, 'datums')
  const body: Body = { scope, datums, answers: [], ends: [] }
  let state: State = new Map()
  for (const datum of datums) {
    const [, variable] = only(datum)
    if (variable.default_val !== undefined)
      state = new Map(state).set(
        text(variable, 'refname'),
        await evaluate(queryOf(variable.default_val), body, state),
      )
  }
  await run(field(root, 'action'), body, await withRecords(source.body, body, state))
  if (column === null) return either(...body.answers)
  return either(...body.ends.map((end) => end.get(column) ?? onlyNull))
}

/** Records that are declared with what a function with OUT parameters gives: the tree leaves out what a record is declared with. */
async function withRecords(source: string, { scope }: Body, state: State): Promise<State> {
  const next = new Map(state)
  for (const [, name = '', called = ''] of source.matchAll(/(\w+) record := ([\w.]+)\(/g)) {
    for (const column of scope.columnsOf(called))
      next.set(`${name}.${column}`, await scope.answersOf(called, column))
  }
  return next
}

async function runAll(statements: readonly Tree[], body: Body, from: State): Promise<State> {
  let state = from
  for (const statement of statements) state = await run(statement, body, state)
  return state
}

async function run(statement: Tree, body: Body, state: State): Promise<State> {
  if (state === null) return null
  const [kind, inside] = only(statement)
  switch (kind) {
    case 'PLpgSQL_stmt_block':
      return runBlock(inside, body, state)
    case 'PLpgSQL_stmt_return': {
      body.answers.push(await returned(inside, body, state))
      body.ends.push(state)
      return null
    }
    case 'PLpgSQL_stmt_assign': {
      const query = queryOf(inside.expr)
      const at = query.indexOf(':=')
      const target = query.slice(0, at).trim()
      return new Map(state).set(target, await evaluate(query.slice(at + 2), body, state))
    }
    case 'PLpgSQL_stmt_execsql':
      return inside.into === true ? selectInto(inside, body, state) : state
    case 'PLpgSQL_stmt_if':
      return runIf(inside, body, state)
    case 'PLpgSQL_stmt_case': {
      const whens = list(inside, 'case_when_list').map((when) => list(only(when)[1], 'stmts'))
      const ends = await Promise.all(
        [...whens, list(inside, 'else_stmts')].map((statements) => runAll(statements, body, state)),
      )
      return ends.reduce(joined, null)
    }
    case 'PLpgSQL_stmt_raise':
      return inside.elog_level === 21 ? null : state
    default: {
      // The state after a loop is the state before it, joined with the states after one and two turns.
      const statements = list(inside, 'body')
      if (statements.length === 0) return state
      const once = joined(state, await runAll(statements, body, state))
      return joined(once, await runAll(statements, body, once))
    }
  }
}

async function returned(inside: Tree, body: Body, state: State): Promise<Possible> {
  if (inside.expr !== undefined) return evaluate(queryOf(inside.expr), body, state)
  if (typeof inside.retvarno !== 'number') return nothing
  const name = nameOf(body.datums[inside.retvarno])
  return state?.get(name) ?? unknown(name)
}

async function runBlock(inside: Tree, body: Body, state: State): Promise<State> {
  const end = await runAll(list(inside, 'body'), body, state)
  const handlers = inside.exceptions === undefined ? [] : list(only(inside.exceptions as Tree)[1], 'exc_list')
  const ends = await Promise.all(
    handlers.map((handler) => runAll(list(only(handler)[1], 'action'), body, joined(state, end))),
  )
  return [end, ...ends].reduce(joined, null)
}

async function runIf(inside: Tree, body: Body, state: State): Promise<State> {
  let rest = state
  const ends: State[] = []
  const branches = [inside, ...list(inside, 'elsif_list').map((branch) => only(branch)[1])]
  for (const branch of branches) {
    const condition = queryOf(branch.cond)
    const statements = list(branch, branch === inside ? 'then_body' : 'stmts')
    ends.push(await runAll(statements, body, where(rest, condition, true)))
    rest = where(rest, condition, false)
  }
  ends.push(await runAll(list(inside, 'else_body'), body, rest))
  return ends.reduce(joined, null)
}

/** Conditions that say something about an outcome; any other one leaves what is known as it is. */
function where(state: State, condition: string, isTrue: boolean): State {
  if (state === null) return null
  const isNull = /^([\w.]+) IS (NOT )?NULL$/.exec(condition)
  const isOutcome = /^([\w.]+) ->> 'outcome' (=|<>) '(\w+)'$/.exec(condition)
  const variable = (isNull ?? isOutcome)?.[1] ?? ''
  const known = state.get(variable)
  if (known === undefined) return state
  if (isOutcome !== null)
    return new Map(state).set(variable, {
      ...narrowed(known, isOutcome[3] ?? '', isTrue === (isOutcome[2] === '=')),
      // With NULL, the condition isn't true.
      canBeNull: known.canBeNull && !isTrue,
    })
  const mustBeNull = isTrue === (isNull?.[2] === undefined)
  if (mustBeNull)
    return known.canBeNull || known.unknown.length > 0 ? new Map(state).set(variable, onlyNull) : null
  return new Map(state).set(variable, { ...known, canBeNull: false })
}

function joined(one: State, other: State): State {
  if (one === null || other === null) return one ?? other
  const names = new Set([...one.keys(), ...other.keys()])
  return new Map(
    [...names].map((name) => [name, either(one.get(name) ?? onlyNull, other.get(name) ?? onlyNull)]),
  )
}

async function selectInto(inside: Tree, body: Body, state: NonNullable<State>): Promise<State> {
  const { stmts = [] } = await parse(queryOf(inside.sqlstmt))
  const node = stmts[0]?.stmt
  const [kind, target] = only(inside.target as Tree)
  const names =
    kind === 'PLpgSQL_row'
      ? list(target, 'fields').map((entry) => text(entry, 'name'))
      : [text(target, 'refname')]
  if (node === undefined || !('SelectStmt' in node)) return state
  const select = node.SelectStmt
  const targets = targetsOf(select.targetList)
  const scope = { ...scopeIn(body, state), from: functionsIn(select) }
  const next = new Map(state)
  for (const [at, name] of names.entries()) {
    const star = isStar(targets[0]) ? [...scope.from.values()][0] : undefined
    next.set(
      name,
      star === undefined ? await answersOf(targets[at], scope) : await scope.answersOf(star, null),
    )
  }
  return next
}

const isStar = (node: Node | undefined): boolean =>
  node !== undefined && 'ColumnRef' in node && namesOf(node.ColumnRef.fields).at(-1) === '*'

async function evaluate(expression: string, body: Body, state: State): Promise<Possible> {
  const { stmts = [] } = await parse(`SELECT ${expression}`)
  return answersOf(stmts[0]?.stmt, scopeIn(body, state))
}

const scopeIn = ({ scope }: Body, state: State): Scope => ({
  ...scope,
  variable: (name, of) => state?.get(of === null ? name : `${name}.${of}`),
})

const nameOf = (datum: Tree | undefined): string =>
  datum === undefined ? '' : text(only(datum)[1], 'refname')
const queryOf = (expression: unknown): string =>
  text(field(asTree(expression), 'PLpgSQL_expr'), 'query').trim()

function asTree(value: unknown): Tree {
  if (typeof value !== 'object' || value === null) throw new TypeError('The tree of PL/pgSQL lacks a part')
  return value as Tree
}
const field = (tree: Tree, name: string): Tree => asTree(tree[name])
const text = (tree: Tree, name: string): string => (typeof tree[name] === 'string' ? tree[name] : '')
const list = (tree: Tree, name: string): readonly Tree[] =>
  Array.isArray(tree[name]) ? (tree[name] as unknown[]).map(asTree) : []
function only(tree: Tree): readonly [string, Tree] {
  const [entry] = Object.entries(tree)
  if (entry === undefined) throw new TypeError('The tree of PL/pgSQL has an empty part')
  return [entry[0], asTree(entry[1])]
}
