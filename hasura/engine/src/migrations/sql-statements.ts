/** One statement of a file, and the line (from 1) of its first word. */
export interface SqlStatement {
  readonly sql: string
  /** The SQL from its first word on, without the comments before it. */
  readonly command: string
  readonly line: number
}

/**
 * Tokens that may contain a semicolon inside of a statement, and the words that open and close the body of a function
 * in standard SQL (`begin atomic … end`).
 */
const tokenPattern =
  /--[^\n]*|\/\*|\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|;|[A-Za-z_][\w$]*/g

/** Splits a file of SQL into its statements, to find the one that failed. */
export function splitStatements(file: string): readonly SqlStatement[] {
  const statements: SqlStatement[] = []
  const token = new RegExp(tokenPattern)
  let start = 0
  let first: number | undefined
  let line = 1
  let counted = 0
  const push = (from: number, firstWord: number, end: number): void => {
    // Counted on from the last statement, because a file may have a megabyte.
    line += file.slice(counted, firstWord).split('\n').length - 1
    counted = firstWord
    statements.push({ sql: file.slice(from, end), command: file.slice(firstWord, end), line })
  }
  let body = { depth: 0, afterBegin: false }
  for (let match = token.exec(file); match !== null; match = token.exec(file)) {
    const text = match[0]
    const end = skipLong(file, text, match.index)
    if (end !== undefined) token.lastIndex = end
    if (text.startsWith('--') || text.startsWith('/*')) continue
    if (text === ';' && body.depth === 0) {
      if (first !== undefined) push(start, first, match.index + 1)
      start = match.index + 1
      first = undefined
      continue
    }
    first ??= match.index
    body = follow(body, text)
  }
  if (first !== undefined) push(start, first, file.length)
  return statements
}

/** The end of a dollar-quoted text or of a comment, after its opening token. Comments nest. */
function skipLong(file: string, text: string, index: number): number | undefined {
  if (text.startsWith('$')) {
    const close = file.indexOf(text, index + text.length)
    return close === -1 ? file.length : close + text.length
  }
  if (text !== '/*') return undefined
  const edge = /\/\*|\*\//g
  edge.lastIndex = index
  let depth = 0
  for (let match = edge.exec(file); match !== null; match = edge.exec(file)) {
    depth += match[0] === '/*' ? 1 : -1
    if (depth === 0) return edge.lastIndex
  }
  return file.length
}

interface Body {
  readonly depth: number
  readonly afterBegin: boolean
}

function follow({ depth, afterBegin }: Body, text: string): Body {
  const word = text.toLowerCase()
  if (depth === 0) return { depth: afterBegin && word === 'atomic' ? 1 : 0, afterBegin: word === 'begin' }
  if (word === 'case') return { depth: depth + 1, afterBegin: false }
  return { depth: word === 'end' ? depth - 1 : depth, afterBegin: false }
}
