import {
  type AllowedOrigins,
  allowedOriginsFrom,
  type Limits,
  limitsFrom,
  limitVariables,
} from '@commerce-graph/gateway/settings'
import { type RateSettings, ratesFrom, rateVariables } from '@commerce-graph/rate-limits/rates'
import { type EncryptionKey, parseEncryptionKeys } from '@commerce-graph/secret-box'
import { type TrustedIssuer, trustedIssuer } from '@commerce-graph/auth-webhook/trusted-issuers'
import { parseWebhookSecrets, type WebhookSecret } from '@commerce-graph/actions/webhook-secrets'
import { resolve } from 'node:path'
import { z } from 'zod'
import { modeProblems } from './mode-problems.ts'
import { PlatformError } from './platform-error.ts'

/** What the services listen on: the contract's port and the five after it, or any that are free (for tests). */
export type PortChoice = { readonly kind: 'from'; readonly first: number } | { readonly kind: 'free' }

export interface PlatformConfig {
  readonly ports: PortChoice
  /** Where the contract listens. */
  readonly host: string
  /** Where the auth webhook and the actions listen; on this machine's own interface unless a Hasura elsewhere asks them. */
  readonly webhookHost?: string | undefined
  readonly actionsHost?: string | undefined
  /** Keeps the embedded Postgres' data, secrets, the demo keys and ready.json. */
  readonly dataDir: string
  /** A Postgres to use (15 or later). Without it, one of our own runs in the data folder. */
  readonly databaseUrl?: string | undefined
  /** A Hasura on that database, which is then used in place of the engine in this process. */
  readonly hasuraUrl?: string | undefined
  /** How the engine in this process is called: by functions, or like any other Hasura, by its HTTP API, as tests of that do. */
  readonly dataLayer?: 'embedded' | 'http' | undefined
  /** What Hasura shows to the actions; made and kept in the data folder unless said. */
  readonly actionsSecret?: string | undefined
  /** For how long a Hasura WebSocket goes on before it is authenticated anew; by the kind of Hasura unless said. */
  readonly webhookMaxAgeSeconds?: number | undefined
  /** Counts rates for all processes together; without it, each process counts for itself. */
  readonly redisUrl?: string | undefined
  /** Networks (CIDR) of reverse proxies whose X-Forwarded-For tells the client's address; none unless said. */
  readonly trustedProxies?: readonly string[] | undefined
  /** Who else signs customers in, and whose tokens are taken. */
  readonly trustedIssuers?: readonly TrustedIssuer[] | undefined
  /**
   * Takes card payments through Stripe. Without it, a test deployment's payment sandbox does, which moves no money, and
   * a live deployment takes none.
   */
  readonly stripeSecretKey?: string | undefined
  /** Where Stripe's protocol is spoken instead of by Stripe, in tests. */
  readonly stripeApiUrl?: string | undefined
  /** Sends e-mail. Without it, a test deployment puts e-mail into a folder of the data folder, and a live one suppresses it. */
  readonly smtpUrl?: string | undefined
  /** Whose address e-mail comes from: one that the mail server may send for. */
  readonly mailFrom?: string | undefined
  /** Where pushes are posted to. Without it, they are suppressed. */
  readonly pushWebhookUrl?: string | undefined
  /** What they are signed with; several while one is replaced by another. */
  readonly pushWebhookSecrets?: readonly WebhookSecret[] | undefined
  /** Where unsubscribe links lead; to the actions on this machine unless said. */
  readonly unsubscribeUrl?: string | undefined
  /** Without one, a random one is made and kept in the data folder. */
  readonly adminSecret?: string | undefined
  /** How many requests merchants may send; by the plans' defaults unless said. */
  readonly rates?: RateSettings | undefined
  /** What one request may ask for; the defaults unless said. */
  readonly limits?: Limits | undefined
  /** What secrets in the database are sealed with: the first one seals. Without any, one is made and kept in the data folder. */
  readonly encryptionKeys?: readonly EncryptionKey[] | undefined
  /** Origins whose pages may call the contract; any unless said. */
  readonly allowedOrigins?: AllowedOrigins | undefined
  /** A live deployment refuses test keys, and has neither the payment sandbox nor, in a database of one's own, the demo shop. */
  readonly mode: 'live' | 'test'
  /** Opens the demo shop wherever it is, as tests of a live deployment need; no environment variable asks for it. */
  readonly demoShop?: boolean | undefined
  readonly logLevel: LogLevel
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

const url = (protocols: RegExp, example: string) =>
  z.url({ protocol: protocols, error: `must be a URL like ${example}` })

/** What a parser makes of a text; what it throws is what is wrong with the text. */
const parsedBy = <T>(parse: (text: string) => T) =>
  z.string().transform((text, context) => {
    try {
      return parse(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
      return z.NEVER
    }
  })

/** The environment variables of `npm start`; docs/operating.md says what they mean. An empty one counts as unset. */
const environment = z.object({
  PORT: port.default(4000),
  HOST: z.string().default('127.0.0.1'),
  WEBHOOK_HOST: z.string().optional(),
  ACTIONS_HOST: z.string().optional(),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: url(/^postgres(ql)?$/, 'postgres://user:password@host:5432/database').optional(),
  PGPASSWORD: z.string().optional(),
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
  TRUSTED_PROXIES: z
    .string()
    .transform((value) => value.split(',').map((network) => network.trim()))
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], { error: 'must be networks like 10.0.0.0/8,fd00::/8' })))
    .optional(),
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
  SMTP_URL: url(/^smtps?$/, 'smtp://user:password@host:587').optional(),
  MAIL_FROM: z.email({ error: 'must be an e-mail address' }).optional(),
  PUSH_WEBHOOK_URL: url(/^https?$/, 'https://push.example.com/send').optional(),
  PUSH_WEBHOOK_SECRET: parsedBy(parseWebhookSecrets).optional(),
  UNSUBSCRIBE_URL: url(/^https?$/, 'https://shop.example.com/unsubscribe')
    .transform((value) => value.replace(/\/$/, ''))
    .optional(),
  COMMERCE_MODE: z.enum(['live', 'test'], { error: 'must be live or test' }).default('test'),
  CORS_ORIGINS: z.string().optional(),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('warn'),
})

/** Every environment variable that the platform reads. */
export const environmentVariables: readonly string[] = [
  ...Object.keys(environment.shape),
  ...limitVariables.keys(),
  ...Object.keys(rateVariables),
]

/** Reads the configuration, or throws a PlatformError that names every variable that is wrong. */
export function readConfiguration(env: Readonly<Record<string, string | undefined>>): PlatformConfig {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(set)
  const rates = attempt(() => ratesFrom(set))
  const limits = attempt(() => limitsFrom(set))
  if (!parsed.success || 'problem' in rates || 'problem' in limits) {
    const problems = [
      ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`),
      ...[rates, limits].flatMap((read) => ('problem' in read ? read.problem : [])),
    ]
    throw new PlatformError(problems.join('\n'))
  }
  const values = parsed.data
  const refusals = [...hasuraProblems(values), ...modeProblems(values)]
  if (refusals.length > 0) throw new PlatformError(refusals.join('\n'))
  return {
    ports: { kind: 'from', first: values.PORT },
    host: values.HOST,
    webhookHost: values.WEBHOOK_HOST,
    actionsHost: values.ACTIONS_HOST,
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: withPassword(values.DATABASE_URL, values.PGPASSWORD),
    hasuraUrl: values.HASURA_URL,
    dataLayer: values.DATA_LAYER,
    actionsSecret: values.ACTIONS_SECRET,
    webhookMaxAgeSeconds: values.WEBHOOK_MAX_AGE_SECONDS,
    redisUrl: withPassword(values.REDIS_URL, values.REDIS_PASSWORD),
    trustedProxies: values.TRUSTED_PROXIES,
    trustedIssuers: values.TRUSTED_ISSUERS,
    stripeSecretKey: values.STRIPE_SECRET_KEY,
    stripeApiUrl: values.STRIPE_API_URL,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
    pushWebhookUrl: values.PUSH_WEBHOOK_URL,
    pushWebhookSecrets: values.PUSH_WEBHOOK_SECRET,
    unsubscribeUrl: values.UNSUBSCRIBE_URL,
    encryptionKeys: values.ENCRYPTION_KEYS,
    adminSecret: values.HASURA_GRAPHQL_ADMIN_SECRET,
    rates: rates.value,
    limits: limits.value,
    ...(values.CORS_ORIGINS !== undefined && { allowedOrigins: allowedOriginsFrom(values.CORS_ORIGINS) }),
    mode: values.COMMERCE_MODE,
    logLevel: values.LOG_LEVEL,
  }
}

/** Another Hasura has to know the same database and secrets, so none of them may be made up here. */
function hasuraProblems(values: z.output<typeof environment>): readonly string[] {
  if (values.HASURA_URL === undefined) return []
  const needed = ['DATABASE_URL', 'HASURA_GRAPHQL_ADMIN_SECRET', 'ACTIONS_SECRET'] as const
  const missing = needed.filter((name) => values[name] === undefined)
  return missing.length === 0 ? [] : [`HASURA_URL needs ${missing.join(', ')}, as Hasura has them`]
}

/** A URL with the password that was given beside it, whatever characters that has; a password in the URL itself wins. */
function withPassword(url: string | undefined, password: string | undefined): string | undefined {
  if (url === undefined || password === undefined) return url
  const complete = new URL(url)
  if (complete.password === '') complete.password = encodeURIComponent(password)
  return complete.href
}

function attempt<T>(read: () => T): { readonly value: T } | { readonly problem: string } {
  try {
    return { value: read() }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
