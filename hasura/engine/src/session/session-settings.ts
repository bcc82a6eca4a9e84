import pg from 'pg'
import { z } from 'zod'
import type { Session } from './types.ts'

/** A setting of Postgres with its value. */
export type Setting = readonly [name: string, value: string]

/**
 * Settings of Postgres that each statement of a session has, as row security and functions of the database read them. Unlike
 * `hasura.user`, queries have them, too.
 */
export interface SessionSettings {
  /** By setting, the session variable that has its value. A session without the variable doesn't have the setting. */
  readonly variables: Readonly<Record<string, string>>
  /**
   * By role, settings with a fixed value, such as those of roles without such a variable. Among them, `role` is the role in Postgres
   * that runs the statement, unless the connection's user has that role's rights anyway.
   */
  readonly roles: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Postgres' own settings have no dot in their names: but for the role, none can be changed. */
const settingName = z
  .string()
  .regex(/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)+$/i, 'must be a name with a dot, like app.tenant')

/** As JSON: `{"variables": {"app.tenant": "x-hasura-tenant-id"}, "roles": {"admin": {"role": "sees_all_tenants"}}}`. */
export const sessionSettings = z.strictObject({
  variables: z.record(settingName, z.string().regex(/^x-hasura-/i, 'must be a session variable')).default({}),
  roles: z.record(z.string(), z.record(settingName.or(z.literal('role')), z.string())).default({}),
})

/** The settings of a session. */
export function settingsOfSession(
  { role, variables }: Session,
  { variables: fromVariables, roles }: SessionSettings,
): readonly Setting[] {
  const own = Object.entries(fromVariables).flatMap(([setting, name]): readonly Setting[] => {
    const value = variables[name.toLowerCase()]
    return value === undefined ? [] : [[setting, value]]
  })
  return [...own, ...Object.entries(roles[role] ?? {})]
}

/**
 * SQL that makes a setting for the transaction. The role is taken unless it isn't there, or the user has its rights anyway: a migration
 * would lose its own.
 *
 * @param nameSql an expression for the name, as valueSql is for the value
 */
export function settingCall(name: string, nameSql: string, valueSql: string): string {
  const call = `set_config(${nameSql}, ${valueSql}, true)`
  return name === 'role'
    ? `case when pg_has_role(to_regrole(${valueSql}), 'usage') is false then ${call} end`
    : call
}

/** A statement that makes the settings, with their values in its text. */
export const selectSettings = (settings: readonly Setting[]): string =>
  `select ${settings.map(([name, value]) => settingCall(name, pg.escapeLiteral(name), pg.escapeLiteral(value))).join(', ')}`
