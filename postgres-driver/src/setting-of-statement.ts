import type { ISql, ReservedSql, Sql, TransactionSql } from 'postgres'

/** A setting of Postgres for one transaction. */
export interface Setting {
  readonly name: string
  readonly value: string
}

/** A statement of the driver's, as the corrections of it (`corrections.mjs`) know it. */
interface SettableStatement {
  setting?: Setting
  readonly options: { simple?: boolean }
}

type Anything = (...args: unknown[]) => unknown
type Begin = (...args: readonly [string, Work] | readonly [Work]) => Promise<unknown>
type Work = (sql: TransactionSql) => unknown

/**
 * The same pool, each of whose statements and transactions has the setting. It is made in the same write and the same transaction as
 * the statement, so it costs no round trip, and the session keeps nothing of it: another one's statement may be its next.
 *
 * @param current the setting at the moment at which a statement or transaction begins; undefined for none
 */
export const withSetting = <Pool extends Sql>(pool: Pool, current: () => Setting | undefined): Pool =>
  new Proxy(pool, {
    apply(target, self: unknown, args: unknown[]) {
      return having(current(), Reflect.apply(target as unknown as Anything, self, args))
    },
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      switch (name) {
        case 'unsafe':
        case 'file':
          return (...args: unknown[]) => having(current(), (value as Anything).apply(target, args))
        case 'begin':
          return beginning(value as Begin, current)
        case 'reserve':
          return async () => withSetting((await (value as () => Promise<ReservedSql>)()) as Sql, current)
        default:
          return value
      }
    },
  })

/** A statement that is a part of another one is never run itself, so its own setting does nothing. */
function having(setting: Setting | undefined, result: unknown): unknown {
  if (setting === undefined || !isStatement(result)) return result
  result.setting = setting
  // The simple protocol knows no transaction but that of its own text.
  result.options.simple = false
  return result
}

const isStatement = (value: unknown): value is SettableStatement =>
  value instanceof Promise && 'handler' in value && 'options' in value

const beginning =
  (begin: Begin, current: () => Setting | undefined): Begin =>
  (...args) => {
    const setting = current()
    const work = args.at(-1) as Work
    const withIt: Work = (sql) => {
      // Not waited for: the transaction's first statement follows in the same write, and fails if this does.
      if (setting !== undefined) void set(sql, setting).catch(() => undefined)
      return work(sql)
    }
    return args.length === 1 ? begin(withIt) : begin(args[0], withIt)
  }

const set = (sql: ISql, { name, value }: Setting) => sql`SELECT set_config(${name}, ${value}, TRUE)`
