import { definedBy, namedIn, type Statement } from './statement.ts'

/**
 * The statements in an order in which each finds what it names: that of the source, but for what a statement needs before it. Throws
 * when two need each other, and names the way round.
 */
export function orderStatements(statements: readonly Statement[]): readonly Statement[] {
  const makers = makersOf(statements)
  const ordered = new Set<Statement>()
  const waiting: Statement[] = []
  const place = (statement: Statement): void => {
    if (ordered.has(statement)) return
    if (waiting.includes(statement)) throw new Error(`These need each other: ${way(waiting, statement)}`)
    waiting.push(statement)
    for (const name of namedIn(statement))
      for (const maker of makers.get(name) ?? []) if (maker !== statement) place(maker)
    waiting.pop()
    ordered.add(statement)
  }
  statements.forEach(place)
  return [...ordered]
}

/** Functions may share a name. */
function makersOf(statements: readonly Statement[]): ReadonlyMap<string, readonly Statement[]> {
  const named = statements.filter((statement) => definedBy(statement) !== null)
  return Map.groupBy(named, (statement) => definedBy(statement) ?? '')
}

const way = (waiting: readonly Statement[], back: Statement): string =>
  [...waiting.slice(waiting.indexOf(back)), back].map((each) => definedBy(each) ?? each.file).join(' -> ')
