import { type AnswerType, parseAnswerType } from './answer-type.ts'

/** The annotations for this program in the comment before a function, and the text for readers. */
export interface Annotations {
  /** Null: no TypeScript calls it. */
  readonly answers: AnswerType | null
  /** The arguments that may be NULL. */
  readonly nullable: ReadonlySet<string>
  /** Types that other comments name, by schema and name. */
  readonly types: ReadonlyMap<string, AnswerType>
  readonly doc: readonly string[]
}

/** Reads the comment before a statement: `-- answers: …`, `-- nullable: …`, `-- type ordering.stays = …`. */
export function annotationsOf(comment: string): Annotations {
  const doc: string[] = []
  const entries: string[] = []
  let goesOn = false
  for (const line of linesOf(comment)) {
    if (/^ (answers:|nullable:|type \S+ =)/.test(line)) {
      entries.push(line.trim())
      goesOn = true
    } else if (goesOn && /^ {3}/.test(line)) entries.push(`${entries.pop() ?? ''} ${line.trim()}`)
    else {
      goesOn = false
      doc.push(line.trim())
    }
  }
  const after = (prefix: string) =>
    entries.filter((entry) => entry.startsWith(prefix)).map((entry) => entry.slice(prefix.length))
  const [answers] = after('answers:')
  return {
    answers: answers === undefined ? null : parseAnswerType(answers),
    nullable: new Set(after('nullable:').flatMap((names) => names.split(',').map((name) => name.trim()))),
    types: new Map(
      after('type ').map((entry) => {
        const [name = '', ...type] = entry.split(' = ')
        return [name, parseAnswerType(type.join(' = '))]
      }),
    ),
    doc,
  }
}

const linesOf = (comment: string): readonly string[] =>
  comment.split('\n').flatMap((line) => (line.startsWith('--') ? [line.slice(2)] : []))
