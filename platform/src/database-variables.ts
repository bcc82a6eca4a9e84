import type { Pooler } from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import type { PartUrls } from './database-parts.ts'
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

const milliseconds = (least: number, most: number, fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a number of milliseconds')
    .transform(Number)
    .refine((value) => value >= least && value <= most, { error: `must be from ${least} to ${most}` })
    .default(fallback)

const partUrl = url(/^postgres(ql)?$/, 'postgres://user:password@host:5432/database').optional()

/** The variables that say how the database is reached; docs/operating.md describes them. */
export const databaseVariables = {
  DATABASE_URL: url(/^postgres(ql)?$/, 'postgres://user:password@host:5432/database').optional(),
  PGPASSWORD: z.string().optional(),
  DATABASE_DIRECT_URL: url(/^postgres(ql)?$/, 'postgres://user:password@host:5432/database').optional(),
  DATABASE_REPLICA_URLS: z
    .string()
    .transform((urls) => urls.split(',').map((each) => each.trim()))
    .pipe(z.array(url(/^postgres(ql)?$/, 'postgres://user:password@host:5432/database')).max(16))
    .optional(),
  DATABASE_REPLICA_MAX_LAG: milliseconds(100, 60_000, 1_000),
  DATABASE_URL_ENGINE: partUrl,
  DATABASE_URL_ACTIONS: partUrl,
  DATABASE_URL_AUTH: partUrl,
  DATABASE_URL_WORKER: partUrl,
  DATABASE_URL_FEED: partUrl,
  CHANGE_FEED: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
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

/** Standbys of the database; undefined where there are none. */
export interface DatabaseReplicas {
  readonly urls: readonly string[]
  /** Milliseconds that what they show may be old. */
  readonly maxLagMs: number
}

export const replicasOf = (values: Values): DatabaseReplicas | undefined =>
  values.DATABASE_REPLICA_URLS === undefined
    ? undefined
    : {
        urls: values.DATABASE_REPLICA_URLS.flatMap((each) => withPassword(each, values.PGPASSWORD) ?? []),
        maxLagMs: values.DATABASE_REPLICA_MAX_LAG,
      }

/** The addresses that the parts have of their own. */
export const partUrlsOf = (values: Values): PartUrls => ({
  engine: values.DATABASE_URL_ENGINE,
  actions: values.DATABASE_URL_ACTIONS,
  auth: values.DATABASE_URL_AUTH,
  worker: values.DATABASE_URL_WORKER,
})

/** How the log of the database is followed. */
export interface ChangeFeedAddress {
  /** Of a login that may read the log; otherwise, the owner's direct address may do. */
  readonly url: string | undefined
}

export const changeFeedOf = (values: Values): ChangeFeedAddress | undefined =>
  values.CHANGE_FEED === 'on' ? { url: withPassword(values.DATABASE_URL_FEED, values.PGPASSWORD) } : undefined

const partVariables = [
  'DATABASE_URL_ENGINE',
  'DATABASE_URL_ACTIONS',
  'DATABASE_URL_AUTH',
  'DATABASE_URL_WORKER',
] as const

export const databaseProblems = (values: Values): readonly string[] => [
  ...partVariables.flatMap((name) =>
    values[name] !== undefined && values.DATABASE_URL === undefined
      ? [`${name} needs DATABASE_URL, which leads to the same database as its owner`]
      : [],
  ),
  ...(values.DATABASE_REPLICA_URLS !== undefined && values.DATABASE_URL === undefined
    ? ['DATABASE_REPLICA_URLS needs DATABASE_URL, which leads to the database that the replicas follow']
    : []),
  ...(values.DATABASE_URL_FEED !== undefined && values.DATABASE_URL === undefined
    ? ['DATABASE_URL_FEED needs DATABASE_URL, which leads to the database whose log it reads']
    : []),
  ...(values.DATABASE_DIRECT_URL !== undefined && values.DATABASE_URL === undefined
    ? ['DATABASE_DIRECT_URL needs DATABASE_URL, which then leads to the pooler']
    : []),
  ...(values.DATABASE_NAMED_STATEMENTS !== undefined && values.DATABASE_DIRECT_URL === undefined
    ? ['DATABASE_NAMED_STATEMENTS is about a pooler, which DATABASE_DIRECT_URL leads past; it is not set']
    : []),
]
