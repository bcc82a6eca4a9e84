import type { Setting } from '../session/session-settings.ts'

/** A column that says whose row it is, and the setting by which row security shows a session its own rows alone. */
export interface Partition {
  readonly column: string
  readonly setting: string
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const whole = /^(0|-?[1-9]\d*)$/

/**
 * The value of the sessions that have this setting and no other; undefined for others, and for a value that Postgres may
 * write in another way than the session.
 */
export function partitionOf(
  settings: readonly Setting[],
  partition: Partition | undefined,
): string | undefined {
  const [first] = settings
  if (partition === undefined || first === undefined || settings.length > 1) return undefined
  const [name, value] = first
  return name === partition.setting && (uuid.test(value) || whole.test(value)) ? value : undefined
}

/**
 * Whether a policy of row security shows rows of the setting's value alone. A policy may also let sessions with other settings
 * see more; these are `exceptions`. Undefined for a policy of any other form.
 *
 * @param expression as pg_get_expr prints it
 */
export function exceptionsOf(
  expression: string,
  { column, setting }: Partition,
): readonly string[] | undefined {
  const value = `current_setting\\('${escaped(setting)}'::text(?:, true)?\\)`
  const given = `\\(?(?:${value}|NULLIF\\(${value}, ''::text\\))\\)?::(?:uuid|smallint|integer|bigint)`
  const own = new RegExp(
    `\\(${escaped(column)} = (?:\\( SELECT ${given}(?: AS "?\\w+"?)?\\)|${given})\\)`,
    'g',
  )
  const exceptions: string[] = []
  let count = 0
  const rest = expression
    .replace(own, () => {
      count += 1
      return 'own'
    })
    .replace(
      /\( SELECT \(current_setting\('([\w.]+)'::text, true\) <> ''::text\)(?: AS "[^"]+")?\)/g,
      (_, name: string) => {
        exceptions.push(name)
        return 'exception'
      },
    )
  return count === 1 && /^[\s()]*own(?:[\s()]|OR|exception)*$/.test(rest) ? exceptions : undefined
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
