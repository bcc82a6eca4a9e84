import type { WebhookSecret } from '@commerce-graph/actions/webhook-secrets'
import type { EncryptionKey } from '@commerce-graph/secret-box'
import { isPlaceholder } from './placeholder.ts'
import { secretVariables } from './secret-files.ts'

/** The settings that depend on a deployment's mode. */
export interface ModeSettings {
  readonly COMMERCE_MODE: 'live' | 'test'
  readonly DATABASE_URL?: string | undefined
  readonly DATABASE_URL_ENGINE?: string | undefined
  readonly DATABASE_URL_ACTIONS?: string | undefined
  readonly DATABASE_URL_AUTH?: string | undefined
  readonly DATABASE_URL_WORKER?: string | undefined
  readonly DATABASE_URL_FEED?: string | undefined
  readonly DATABASE_DIRECT_URL?: string | undefined
  readonly DATABASE_REPLICA_URLS?: readonly string[] | undefined
  readonly PGPASSWORD?: string | undefined
  readonly REDIS_URL?: string | undefined
  readonly REDIS_PASSWORD?: string | undefined
  readonly SMTP_URL?: string | undefined
  readonly MAIL_FROM?: string | undefined
  readonly PUSH_WEBHOOK_URL?: string | undefined
  readonly PUSH_WEBHOOK_SECRET?: readonly WebhookSecret[] | undefined
  readonly HASURA_GRAPHQL_ADMIN_SECRET?: string | undefined
  readonly ACTIONS_SECRET?: string | undefined
  readonly ENCRYPTION_KEYS?: readonly EncryptionKey[] | undefined
  readonly STRIPE_SECRET_KEY?: string | undefined
  readonly STRIPE_API_URL?: string | undefined
  readonly PAYPAL_API_URL?: string | undefined
  readonly SIGN_UP_URL?: string | undefined
  readonly FILES_URL?: string | undefined
  readonly FILES_S3_ENDPOINT?: string | undefined
  readonly FILES_S3_SECRET_ACCESS_KEY?: string | undefined
}

/** Why a deployment may not run in its mode, each with the variable's name; empty if it may. */
export const modeProblems = (settings: ModeSettings): readonly string[] =>
  settings.COMMERCE_MODE === 'live' ? liveProblems(settings) : testProblems(settings)

const testProblems = ({ STRIPE_SECRET_KEY: key }: ModeSettings): readonly string[] =>
  key !== undefined && /^.k_live_/.test(key)
    ? [
        'STRIPE_SECRET_KEY is a live key, with which a test deployment would move real money: ask for COMMERCE_MODE=live, or give it a key like sk_test_…',
      ]
    : []

function liveProblems(settings: ModeSettings): readonly string[] {
  const known = secretsOf(settings).filter(([, secret]) => secret !== undefined && isPlaceholder(secret))
  const problems = [...new Set(known.map(([name]) => name))].map(
    (name) => `${name} holds an example's secret or a well-known one: a live deployment needs its own`,
  )
  if (settings.ENCRYPTION_KEYS?.some(({ key }) => isNotRandom(key)) === true)
    problems.push('ENCRYPTION_KEYS has a key that is not random: make one with openssl rand -base64 32')
  if (settings.STRIPE_SECRET_KEY !== undefined && /^.k_test_/.test(settings.STRIPE_SECRET_KEY))
    problems.push(
      'STRIPE_SECRET_KEY is a test key, which moves no money: a live deployment needs one like sk_live_…',
    )
  if (settings.STRIPE_API_URL !== undefined)
    problems.push('STRIPE_API_URL is for tests: a live deployment asks Stripe itself')
  if (settings.PAYPAL_API_URL !== undefined)
    problems.push('PAYPAL_API_URL is for tests: a live deployment asks PayPal itself')
  if (settings.SMTP_URL !== undefined && settings.MAIL_FROM === undefined)
    problems.push(
      'MAIL_FROM is needed with SMTP_URL: the address that the mail server lets this deployment send from',
    )
  return [...problems, ...signUpProblems(settings), ...fileProblems(settings), ...pushProblems(settings)]
}

function signUpProblems({ SIGN_UP_URL: url, SMTP_URL: smtp }: ModeSettings): string[] {
  if (url === undefined) return []
  return [
    ...(url.startsWith('https:') ? [] : ['SIGN_UP_URL begins with https:// in a live deployment']),
    ...(smtp === undefined ? ['SMTP_URL is needed with SIGN_UP_URL, whose mails confirm an address'] : []),
  ]
}

/** Clients send and get files at these addresses. */
const fileProblems = ({ FILES_URL, FILES_S3_ENDPOINT }: ModeSettings): string[] =>
  Object.entries({ FILES_URL, FILES_S3_ENDPOINT }).flatMap(([name, url]) =>
    url === undefined || url.startsWith('https:')
      ? []
      : [`${name} begins with https:// in a live deployment`],
  )

function pushProblems({ PUSH_WEBHOOK_URL: url, PUSH_WEBHOOK_SECRET: secrets }: ModeSettings): string[] {
  if (url !== undefined && secrets === undefined)
    return [
      'PUSH_WEBHOOK_SECRET is needed with PUSH_WEBHOOK_URL, whose server knows by the signature who calls: make one with echo "whsec_$(openssl rand -base64 32)"',
    ]
  return secrets?.some((secret) => isNotRandom(secret)) === true
    ? [
        'PUSH_WEBHOOK_SECRET has a secret that is not random: make one with echo "whsec_$(openssl rand -base64 32)"',
      ]
    : []
}

/** Whether no random generator can have made these bytes. */
const isNotRandom = (bytes: Uint8Array): boolean => new Set(bytes).size < 4

type SecretVariable = (typeof secretVariables)[number]
type UrlVariable = Extract<SecretVariable, `${string}_URL` | `${string}_URL_${string}` | `${string}_URLS`>

/** A URL may hold a password, one of several as well. */
const isUrl = (variable: SecretVariable): variable is UrlVariable => /_URLS?(_|$)/.test(variable)

type NamedSecret = readonly [variable: string, secret: string | undefined]

/** The secrets of an operator that can be an example's, each with its variable. */
const secretsOf = (settings: ModeSettings): readonly NamedSecret[] => [
  ['HASURA_GRAPHQL_ADMIN_SECRET', settings.HASURA_GRAPHQL_ADMIN_SECRET],
  ['ACTIONS_SECRET', settings.ACTIONS_SECRET],
  ['PGPASSWORD', settings.PGPASSWORD],
  ['REDIS_PASSWORD', settings.REDIS_PASSWORD],
  ['FILES_S3_SECRET_ACCESS_KEY', settings.FILES_S3_SECRET_ACCESS_KEY],
  ['STRIPE_SECRET_KEY', settings.STRIPE_SECRET_KEY?.replace(/^.k_(test|live)_/, '')],
  ...secretVariables
    .filter(isUrl)
    .flatMap((variable) =>
      [settings[variable]].flat().map((url): NamedSecret => [variable, passwordIn(url)]),
    ),
]

/** The password in a URL; undefined if it has none. */
function passwordIn(url: string | undefined): string | undefined {
  const password = url === undefined ? '' : new URL(url).password
  return password === '' ? undefined : decodeURIComponent(password)
}
