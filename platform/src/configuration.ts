import {
  type AllowedOrigins,
  allowedOriginsFrom,
  type Limits,
  limitsFrom,
  limitVariables,
} from '@commerce-graph/gateway/settings'
import { type RateSettings, ratesFrom, rateVariables } from '@commerce-graph/rate-limits/rates'
import { type EncryptionKey, parseEncryptionKeys } from '@commerce-graph/secret-box'
import { isPlace } from '@commerce-graph/auth-webhook/place-tag'
import { type TrustedIssuer, trustedIssuer } from '@commerce-graph/auth-webhook/trusted-issuers'
import { parseWebhookSecrets, type WebhookSecret } from '@commerce-graph/actions/webhook-secrets'
import type { DkimKey, Retention, WebhookOptions } from '@commerce-graph/actions'
import type { S3Options } from '@commerce-graph/file-storage'
import type { TracingOptions } from '@commerce-graph/telemetry/tracing'
import type { WalArchive } from '@commerce-graph/local-postgres'
import type { Pooler } from '@commerce-graph/postgres-driver'
import { resolve } from 'node:path'
import { z } from 'zod'
import {
  budgetOf,
  type DatabaseReplicas,
  type ConnectionBudget,
  databaseProblems,
  databaseVariables,
  type ChangeFeedAddress,
  changeFeedOf,
  partUrlsOf,
  poolerOf,
  replicasOf,
} from './database-variables.ts'
import type { PartUrls } from './database-parts.ts'
import { bucketOf, fileProblems, fileVariables } from './file-variables.ts'
import { addressesOf, type RoleAddresses, roleVariables } from './role-variables.ts'
import { retentionOf, retentionProblems, retentionVariables } from './retention-variables.ts'
import { modeProblems } from './mode-problems.ts'
import { parsedBy } from './parsed-by.ts'
import { dkimOf, dkimProblems, senderVariables } from './sender-variables.ts'
import { PlatformError } from './platform-error.ts'
import { withSecretFiles } from './secret-files.ts'
import {
  type MetricsAddress,
  metricsOf,
  type SlowThresholds,
  slowOf,
  telemetryVariables,
  tracingOf,
} from './telemetry-variables.ts'
import { url, withPassword } from './url-variable.ts'

/** The ports of the services: the contract's and the five after it, or any free ones (for tests). */
export type PortChoice = { readonly kind: 'from'; readonly first: number } | { readonly kind: 'free' }

export interface PlatformConfig extends RoleAddresses {
  readonly ports: PortChoice
  /** The address on which the contract listens. */
  readonly host: string
  /**
   * The addresses of the auth webhook and the actions; by default this machine's loopback interface, unless another
   * Hasura calls them.
   */
  readonly webhookHost?: string | undefined
  readonly actionsHost?: string | undefined
  /** The folder of the embedded Postgres' data, secrets, the demo keys and ready.json. */
  readonly dataDir: string
  /** A Postgres to use (15 or later). Without it, the platform runs its own in the data folder. */
  readonly databaseUrl?: string | undefined
  /** The addresses of parts with fewer rights than that one; DATABASE_URL's if absent. */
  readonly partUrls?: PartUrls | undefined
  /** Undefined: nothing follows the log of the database, and live queries poll. */
  readonly changeFeed?: ChangeFeedAddress | undefined
  /** Whether gateways keep answers, as long as the log of the database says that they are right. */
  readonly keepsAnswers?: boolean | undefined
  /** Standbys that answer what may be a moment old; none if absent. */
  readonly replicas?: DatabaseReplicas | undefined
  /** The pooler that the URL leads to; none if absent. */
  readonly pooler?: Pooler | undefined
  /** Connections at most; each part's default if absent. */
  readonly connections?: ConnectionBudget | undefined
  /** Where the platform's own Postgres archives its log, and `npm run backup` puts backups; none are possible when absent. */
  readonly backup?: WalArchive | undefined
  /** A Hasura on that database, which replaces the engine in this process. */
  readonly hasuraUrl?: string | undefined
  /**
   * How the gateway calls the engine in this process: directly, or over its HTTP API like another Hasura, for tests
   * of that.
   */
  readonly dataLayer?: 'embedded' | 'http' | undefined
  /** The secret that Hasura sends to the actions; by default created in the data folder. */
  readonly actionsSecret?: string | undefined
  /** How long a Hasura WebSocket lives before it is authenticated again; the default depends on the kind of Hasura. */
  readonly webhookMaxAgeSeconds?: number | undefined
  /** Counts rates for all processes together; without it, each process counts separately. */
  readonly redisUrl?: string | undefined
  /** Networks (CIDR) of reverse proxies whose X-Forwarded-For has the client's address; none by default. */
  readonly trustedProxies?: readonly string[] | undefined
  /** External issuers that sign customers in. */
  readonly trustedIssuers?: readonly TrustedIssuer[] | undefined
  /**
   * Takes card payments through Stripe. Without it, a test deployment uses its payment sandbox, which moves no
   * money, and a live deployment takes no cards.
   */
  readonly stripeSecretKey?: string | undefined
  /** A server with Stripe's protocol, in tests. */
  readonly stripeApiUrl?: string | undefined
  /** A server with PayPal's API, in tests; PayPal's sandbox if absent. */
  readonly paypalApiUrl?: string | undefined
  /**
   * Sends e-mail. Without it, a test deployment writes e-mail to a folder of the data folder, and a live one
   * suppresses it.
   */
  readonly smtpUrl?: string | undefined
  /** The sender of e-mail: an address that the mail server may send for. */
  readonly mailFrom?: string | undefined
  /** The key that signs e-mail (RFC 6376); none by default. */
  readonly dkim?: DkimKey | undefined
  /** The host whose SPF record names the mail server, which merchants' own domains include; none by default. */
  readonly spfInclude?: string | undefined
  /** The DNS servers that merchants' domains are looked up at; the machine's by default. */
  readonly dnsServers?: readonly string[] | undefined
  /** Where clients reach `/files` of the contract; by default this machine's address. */
  readonly filesUrl?: string | undefined
  /** The folder of uploaded files, an absolute path; `files` of the data folder by default. */
  readonly filesFolder?: string | undefined
  /** A bucket for uploaded files, in place of a folder. */
  readonly filesBucket?: S3Options | undefined
  /** The URL for pushes. Without it, they are suppressed. */
  readonly pushWebhookUrl?: string | undefined
  /** The secrets that sign them; several while one replaces another. */
  readonly pushWebhookSecrets?: readonly WebhookSecret[] | undefined
  /** Networks (CIDR) of the operator's own with public addresses, to which no merchant's webhooks are sent; none by default. */
  readonly webhookRefusedNetworks?: readonly string[] | undefined
  /** When webhooks are sent again, and how long an answer may take, for tests; no environment variable sets it. */
  readonly webhookTimes?: Pick<WebhookOptions, 'retries' | 'timeout'> | undefined
  /** The base URL of unsubscribe links; by default the actions on this machine. */
  readonly unsubscribeUrl?: string | undefined
  /** The operator's page that confirms requests for a shop, with `{token}` in it. Without it, only operators open shops. */
  readonly signUpUrl?: string | undefined
  /** Without it, a random one is created in the data folder. */
  readonly adminSecret?: string | undefined
  /** How many requests merchants may send; by default the plans' rates. */
  readonly rates?: RateSettings | undefined
  /** The limits of a single request. */
  readonly limits?: Limits | undefined
  /**
   * The keys that seal secrets in the database: the first one seals. Without any, one is created in the data folder.
   */
  readonly encryptionKeys?: readonly EncryptionKey[] | undefined
  /** Origins whose pages may call the contract; any by default. */
  readonly allowedOrigins?: AllowedOrigins | undefined
  /**
   * A live deployment refuses test keys. It has no payment sandbox, and no demo shop in the operator's own database.
   */
  readonly mode: 'live' | 'test'
  /** The deployment's name in keys, links and payments' references; by default the one that the database has, or `main`. */
  readonly place?: string | undefined
  /** Serves the pages for merchants' people at `/admin`; none are served when absent. */
  readonly admin?: AdminSettings | undefined
  /** Whether the documentation is served at `/docs`; without it, the page of the schema is. */
  readonly docs?: boolean | undefined
  /** Opens the demo shop in any case, for tests of a live deployment; no environment variable sets it. */
  readonly demoShop?: boolean | undefined
  /** Where Prometheus may ask for metrics; without it, none are kept. */
  readonly metrics?: MetricsAddress | undefined
  /** Where traces are sent to; without it, none are recorded. */
  readonly tracing?: TracingOptions | undefined
  /** What is logged as slow; nothing is when absent. */
  readonly slow?: SlowThresholds | undefined
  /** How long records are kept after they have ended; the defaults if absent. */
  readonly retention?: Retention | undefined
  /** How many days a mail stays in the outbox folder; 30 if absent. */
  readonly outboxDays?: number | undefined
  readonly logLevel: LogLevel
}

export interface AdminSettings {
  /** The shop that the sign-in page assumes; by default the demo shop, if there is one. */
  readonly shop?: string | undefined
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const highestFirstPort = 65_530

const port = z
  .string()
  .regex(/^\d+$/, 'must be a port number')
  .transform(Number)
  .refine((value) => value >= 1 && value <= highestFirstPort, {
    error: `must be from 1 to ${highestFirstPort}: five more ports follow it`,
  })

const networks = z
  .string()
  .transform((value) => value.split(',').map((network) => network.trim()))
  .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], { error: 'must be networks like 10.0.0.0/8,fd00::/8' })))

/** The environment variables of `npm start`; docs/operating.md describes them. An empty one counts as unset. */
const environment = z.object({
  PORT: port.default(4000),
  HOST: z.string().default('127.0.0.1'),
  WEBHOOK_HOST: z.string().optional(),
  ACTIONS_HOST: z.string().optional(),
  DATA_DIR: z.string().default('.data'),
  ...databaseVariables,
  BACKUP_FOLDER: z.string().optional(),
  BACKUP_ARCHIVE_SECONDS: z
    .string()
    .regex(/^\d+$/, 'must be a number of seconds')
    .transform(Number)
    .refine((value) => value >= 1 && value <= 3_600, { error: 'must be from 1 to 3600 seconds' })
    .default(60),
  HASURA_URL: url(/^https?$/, 'http://127.0.0.1:8080').optional(),
  DATA_LAYER: z.enum(['embedded', 'http'], { error: 'must be embedded or http' }).optional(),
  ACTIONS_SECRET: z.string().min(16, 'must have 16 characters or more').optional(),
  WEBHOOK_MAX_AGE_SECONDS: z
    .string()
    .regex(/^\d+$/, 'must be a number of seconds')
    .transform(Number)
    .refine((value) => value >= 1 && value <= 86_400, { error: 'must be from 1 to 86400 seconds' })
    .optional(),
  REDIS_URL: url(/^rediss?$/, 'redis://host:6379').optional(),
  REDIS_PASSWORD: z.string().optional(),
  HASURA_GRAPHQL_ADMIN_SECRET: z.string().min(16, 'must have 16 characters or more').optional(),
  TRUSTED_PROXIES: networks.optional(),
  TRUSTED_ISSUERS: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' })
        return z.NEVER
      }
    })
    .pipe(z.array(trustedIssuer))
    .optional(),
  ENCRYPTION_KEYS: parsedBy(parseEncryptionKeys).optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_/, 'must be a secret key of Stripe, like sk_test_…')
    .optional(),
  STRIPE_API_URL: url(/^https?$/, 'http://127.0.0.1:12111').optional(),
  PAYPAL_API_URL: url(/^https?$/, 'http://127.0.0.1:12112').optional(),
  SMTP_URL: url(/^smtps?$/, 'smtp://user:password@host:587').optional(),
  MAIL_FROM: z.email({ error: 'must be an e-mail address' }).optional(),
  ...roleVariables,
  ...senderVariables,
  ...retentionVariables,
  ...fileVariables,
  ...telemetryVariables,
  PUSH_WEBHOOK_URL: url(/^https?$/, 'https://push.example.com/send').optional(),
  PUSH_WEBHOOK_SECRET: parsedBy(parseWebhookSecrets).optional(),
  WEBHOOK_REFUSED_NETWORKS: networks.optional(),
  UNSUBSCRIBE_URL: url(/^https?$/, 'https://shop.example.com/unsubscribe')
    .transform((value) => value.replace(/\/$/, ''))
    .optional(),
  SIGN_UP_URL: url(/^https?$/, 'https://platform.example.com/welcome#{token}')
    .refine((value) => value.split('{token}').length === 2, { error: 'must have {token} in it, once' })
    .optional(),
  COMMERCE_MODE: z.enum(['live', 'test'], { error: 'must be live or test' }).default('test'),
  COMMERCE_PLACE: z
    .string()
    .refine(isPlace, { error: 'must be 1 to 6 letters and digits in lower case, like eu1' })
    .optional(),
  CORS_ORIGINS: z.string().optional(),
  ADMIN: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  ANSWER_CACHE: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  DOCS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  ADMIN_SHOP: z.guid({ error: "must be a merchant's id" }).toLowerCase().optional(),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('warn'),
})

/** Every environment variable that the platform reads; those of secretVariables also as files, `<name>_FILE`. */
export const environmentVariables: readonly string[] = [
  ...Object.keys(environment.shape),
  ...limitVariables.keys(),
  ...Object.keys(rateVariables),
]

/** Reads the configuration. Throws a PlatformError that names every invalid variable. */
export function readConfiguration(env: Readonly<Record<string, string | undefined>>): PlatformConfig {
  const { values: set, problems: fileFaults } = withSecretFiles(env)
  const parsed = environment.safeParse(set)
  const rates = attempt(() => ratesFrom(set))
  const limits = attempt(() => limitsFrom(set))
  if (!parsed.success || 'problem' in rates || 'problem' in limits || fileFaults.length > 0) {
    const problems = [
      ...fileFaults,
      ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`),
      ...[rates, limits].flatMap((read) => ('problem' in read ? read.problem : [])),
    ]
    throw new PlatformError(problems.join('\n'))
  }
  const values = parsed.data
  const refusals = [
    ...hasuraProblems(values),
    ...databaseProblems(values),
    ...backupProblems(values),
    ...retentionProblems(values),
    ...dkimProblems(values),
    ...fileProblems(values),
    ...modeProblems(values),
  ]
  if (refusals.length > 0) throw new PlatformError(refusals.join('\n'))
  return {
    ports: { kind: 'from', first: values.PORT },
    host: values.HOST,
    webhookHost: values.WEBHOOK_HOST,
    actionsHost: values.ACTIONS_HOST,
    ...addressesOf(values),
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: withPassword(values.DATABASE_URL, values.PGPASSWORD),
    partUrls: partUrlsOf(values),
    changeFeed: changeFeedOf(values),
    pooler: poolerOf(values),
    replicas: replicasOf(values),
    connections: budgetOf(values),
    ...(values.BACKUP_FOLDER !== undefined && {
      backup: { folder: resolve(values.BACKUP_FOLDER), everySeconds: values.BACKUP_ARCHIVE_SECONDS },
    }),
    hasuraUrl: values.HASURA_URL,
    dataLayer: values.DATA_LAYER,
    actionsSecret: values.ACTIONS_SECRET,
    webhookMaxAgeSeconds: values.WEBHOOK_MAX_AGE_SECONDS,
    redisUrl: withPassword(values.REDIS_URL, values.REDIS_PASSWORD),
    trustedProxies: values.TRUSTED_PROXIES,
    trustedIssuers: values.TRUSTED_ISSUERS,
    stripeSecretKey: values.STRIPE_SECRET_KEY,
    stripeApiUrl: values.STRIPE_API_URL,
    paypalApiUrl: values.PAYPAL_API_URL,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
    dkim: dkimOf(values),
    spfInclude: values.MAIL_SPF_INCLUDE,
    dnsServers: values.DNS_SERVERS,
    filesUrl: values.FILES_URL,
    filesFolder: values.FILES_FOLDER,
    filesBucket: bucketOf(values),
    pushWebhookUrl: values.PUSH_WEBHOOK_URL,
    pushWebhookSecrets: values.PUSH_WEBHOOK_SECRET,
    webhookRefusedNetworks: values.WEBHOOK_REFUSED_NETWORKS,
    unsubscribeUrl: values.UNSUBSCRIBE_URL,
    signUpUrl: values.SIGN_UP_URL,
    encryptionKeys: values.ENCRYPTION_KEYS,
    adminSecret: values.HASURA_GRAPHQL_ADMIN_SECRET,
    rates: rates.value,
    limits: limits.value,
    ...(values.CORS_ORIGINS !== undefined && { allowedOrigins: allowedOriginsFrom(values.CORS_ORIGINS) }),
    keepsAnswers: values.ANSWER_CACHE === 'on',
    docs: values.DOCS === 'on',
    ...(values.ADMIN === 'on' && { admin: { shop: values.ADMIN_SHOP } }),
    mode: values.COMMERCE_MODE,
    place: values.COMMERCE_PLACE,
    metrics: metricsOf(values),
    tracing: tracingOf(values),
    slow: slowOf(values),
    retention: retentionOf(values),
    outboxDays: values.RETENTION_OUTBOX_DAYS,
    logLevel: values.LOG_LEVEL,
  }
}

/** Another Hasura must use the same database and secrets, so none of them may be created here. */
function hasuraProblems(values: z.output<typeof environment>): readonly string[] {
  if (values.HASURA_URL === undefined) return []
  const needed = ['DATABASE_URL', 'HASURA_GRAPHQL_ADMIN_SECRET', 'ACTIONS_SECRET'] as const
  const missing = needed.filter((name) => values[name] === undefined)
  return missing.length === 0 ? [] : [`HASURA_URL needs ${missing.join(', ')}, as Hasura has them`]
}

/** The operator's own Postgres has its own way of being backed up. */
const backupProblems = ({ BACKUP_FOLDER, DATABASE_URL }: z.output<typeof environment>): readonly string[] =>
  BACKUP_FOLDER === undefined || DATABASE_URL === undefined
    ? []
    : [
        'BACKUP_FOLDER is for the Postgres that npm start brings along. docs/backup.md tells how to back up that of DATABASE_URL',
      ]

function attempt<T>(read: () => T): { readonly value: T } | { readonly problem: string } {
  try {
    return { value: read() }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
