import type { Pooler } from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import { url, withPassword } from './url-variable.ts'

/** The parts of the platform with connections of their own. */
export type ConnectionHolder = 'gateway' | 'webhook' | 'engine' | 'actions' | 'worker'

/** Connections to the database at most, by the part that holds them. */
export type ConnectionBudget = Readonly<Record<ConnectionHolder, number>>

const connections = (least: number, fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a number of connections')
    .transform(Number)
    .refine((value) => value >= least && value <= 1_000, { error: `must be from ${least} to 1000` })
    .default(fallback)

/** The variables that say how the database is reached; docs/operating.md describes them. */
export const databaseVariables = {
  DATABASE_URL: url(/^postgres(ql)?$/, 'postgres://user:password@host:5432/database').optional(),
  PGPASSWORD: z.string().optional(),
  DATABASE_DIRECT_URL: url(/^postgres(ql)?$/, 'postgres://user:password@host:5432/database').optional(),
  DATABASE_NAMED_STATEMENTS: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .transform((value) => value === 'true')
    .optional(),
  DATABASE_CONNECTIONS_GATEWAY: connections(1, 4),
  DATABASE_CONNECTIONS_WEBHOOK: connections(1, 4),
  DATABASE_CONNECTIONS_ENGINE: connections(2, 20),
  DATABASE_CONNECTIONS_ACTIONS: connections(5, 20),
  DATABASE_CONNECTIONS_WORKER: connections(6, 21),
}

type Values = z.output<z.ZodObject<typeof databaseVariables>>

export const budgetOf = (values: Values): ConnectionBudget => ({
  gateway: values.DATABASE_CONNECTIONS_GATEWAY,
  webhook: values.DATABASE_CONNECTIONS_WEBHOOK,
  engine: values.DATABASE_CONNECTIONS_ENGINE,
  actions: values.DATABASE_CONNECTIONS_ACTIONS,
  worker: values.DATABASE_CONNECTIONS_WORKER,
})

/** DATABASE_DIRECT_URL says that DATABASE_URL leads to a pooler in transaction mode. */
export function poolerOf(values: Values): Pooler | undefined {
  const directUrl = withPassword(values.DATABASE_DIRECT_URL, values.PGPASSWORD)
  return directUrl === undefined
    ? undefined
    : { directUrl, namedStatements: values.DATABASE_NAMED_STATEMENTS ?? false }
}

export const databaseProblems = (values: Values): readonly string[] => [
  ...(values.DATABASE_DIRECT_URL !== undefined && values.DATABASE_URL === undefined
    ? ['DATABASE_DIRECT_URL needs DATABASE_URL, which then leads to the pooler']
    : []),
  ...(values.DATABASE_NAMED_STATEMENTS !== undefined && values.DATABASE_DIRECT_URL === undefined
    ? ['DATABASE_NAMED_STATEMENTS is about a pooler, which DATABASE_DIRECT_URL leads past; it is not set']
    : []),
]
