import { type KeyObject, createPublicKey, createSecretKey } from 'node:crypto'
import { z } from 'zod'
import { parseJsonPath } from '../plan/json-path.ts'

/** Where a request carries the token. Names of headers are lower case. */
export type TokenLocation =
  | { readonly kind: 'authorization' }
  | { readonly kind: 'cookie'; readonly name: string }
  | { readonly kind: 'header'; readonly name: string }

/** A path into a token's claims, as written and parsed. */
export interface ClaimPath {
  readonly text: string
  readonly steps: readonly string[]
}

/** A session variable's value: a literal of the setting, or a path into the token. */
export type MappedClaim<Value> =
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'path'; readonly path: ClaimPath; readonly default: Value | undefined }

export type ClaimsSource =
  | {
      readonly kind: 'namespace'
      readonly at:
        | { readonly kind: 'key'; readonly key: string }
        | { readonly kind: 'path'; readonly path: ClaimPath }
      readonly format: 'json' | 'stringified_json'
    }
  | {
      readonly kind: 'map'
      readonly allowedRoles: MappedClaim<readonly string[]>
      readonly defaultRole: MappedClaim<string>
      /** By the session variable's name in lower case. */
      readonly others: ReadonlyMap<string, MappedClaim<string>>
    }

/** One key, and only the algorithms of its kind. */
type JwtKeys =
  | { readonly kind: 'key'; readonly key: KeyObject; readonly algorithms: readonly string[] }
  | { readonly kind: 'url'; readonly url: string }

/** One of the objects of HASURA_GRAPHQL_JWT_SECRET(S). */
export interface JwtSecret {
  readonly keys: JwtKeys
  readonly location: TokenLocation
  readonly claims: ClaimsSource
  /** Empty: any audience. */
  readonly audience: readonly string[]
  readonly issuer: string | undefined
  readonly allowedSkewSeconds: number
}

export type JwtSecretsResult =
  | { readonly kind: 'secrets'; readonly secrets: readonly JwtSecret[] }
  | { readonly kind: 'invalid'; readonly problem: string }

const algorithms = {
  hmac: ['HS256', 'HS384', 'HS512'],
  rsa: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ed25519: ['EdDSA', 'Ed25519'],
} as const

const keyTypes = {
  HS256: { kind: 'secret', bits: 256 },
  HS384: { kind: 'secret', bits: 384 },
  HS512: { kind: 'secret', bits: 512 },
  RS256: { kind: 'public', type: 'rsa', curve: undefined, algorithms: algorithms.rsa },
  RS384: { kind: 'public', type: 'rsa', curve: undefined, algorithms: algorithms.rsa },
  RS512: { kind: 'public', type: 'rsa', curve: undefined, algorithms: algorithms.rsa },
  ES256: { kind: 'public', type: 'ec', curve: 'prime256v1', algorithms: ['ES256'] },
  ES384: { kind: 'public', type: 'ec', curve: 'secp384r1', algorithms: ['ES384'] },
  ES512: { kind: 'public', type: 'ec', curve: 'secp521r1', algorithms: ['ES512'] },
  Ed25519: { kind: 'public', type: 'ed25519', curve: undefined, algorithms: algorithms.ed25519 },
} as const

/** With a smaller key, jose would refuse every token. */
const leastRsaBits = 2048

export const defaultNamespace = 'https://hasura.io/jwt/claims'
export const allowedRolesVariable = 'x-hasura-allowed-roles'
export const defaultRoleVariable = 'x-hasura-default-role'

const claimPath = z.string().transform((text, context): ClaimPath => {
  try {
    return { text, steps: parseJsonPath(text, '$') }
  } catch {
    context.addIssue({ code: 'custom', message: `invalid JSON path: ${text}` })
    return z.NEVER
  }
})

const mapped = <Value>(literal: z.ZodType<Value>): z.ZodType<MappedClaim<Value>> =>
  z.union([
    literal.transform((value) => ({ kind: 'literal' as const, value })),
    z
      .strictObject({ path: claimPath, default: literal.optional() })
      .transform(({ path, default: fallback }) => ({ kind: 'path' as const, path, default: fallback })),
  ])

const claimsMap = z
  .looseObject({
    [allowedRolesVariable]: mapped(z.array(z.string().min(1))),
    [defaultRoleVariable]: mapped(z.string().min(1)),
  })
  .transform((map, context): Extract<ClaimsSource, { kind: 'map' }> => {
    const others = new Map<string, MappedClaim<string>>()
    for (const [name, value] of Object.entries(map)) {
      const key = name.toLowerCase()
      if (key === allowedRolesVariable || key === defaultRoleVariable) continue
      const claim = mapped(z.string()).safeParse(value)
      if (claim.success) others.set(key, claim.data)
      else context.addIssue({ code: 'custom', path: [name], message: 'expected a text, or {path, default}' })
    }
    return {
      kind: 'map',
      allowedRoles: map[allowedRolesVariable],
      defaultRole: map[defaultRoleVariable],
      others,
    }
  })

const location = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('Authorization') }),
    z.strictObject({ type: z.literal('Cookie'), name: z.string().min(1) }),
    z.strictObject({ type: z.literal('CustomHeader'), name: z.string().min(1) }),
  ])
  .transform((header): TokenLocation => {
    switch (header.type) {
      case 'Authorization':
        return { kind: 'authorization' }
      case 'Cookie':
        return { kind: 'cookie', name: header.name }
      case 'CustomHeader':
        return { kind: 'header', name: header.name.toLowerCase() }
      default:
        return header satisfies never
    }
  })

const secret = z
  .object({
    type: z.string().nullish(),
    key: z.string().nullish(),
    jwk_url: z.url({ protocol: /^https?$/ }).nullish(),
    claims_namespace: z.string().nullish(),
    claims_namespace_path: claimPath.nullish(),
    claims_format: z.enum(['json', 'stringified_json']).default('json'),
    claims_map: claimsMap.nullish(),
    audience: z.union([z.string().transform((one) => [one]), z.array(z.string())]).nullish(),
    issuer: z.string().nullish(),
    allowed_skew: z.number().min(0).max(86_400).nullish(),
    header: location.nullish(),
  })
  .transform((value, context): JwtSecret => {
    const keys = keysOf(value)
    if (typeof keys === 'string') context.addIssue({ code: 'custom', message: keys })
    const { claims_namespace: namespace, claims_namespace_path: path } = value
    if (namespace != null && path != null)
      context.addIssue({
        code: 'custom',
        message: 'claims_namespace and claims_namespace_path both cannot be set',
      })
    if (typeof keys === 'string') return z.NEVER
    const at =
      path == null
        ? { kind: 'key' as const, key: namespace ?? defaultNamespace }
        : { kind: 'path' as const, path }
    return {
      keys,
      location: value.header ?? { kind: 'authorization' },
      claims: value.claims_map ?? { kind: 'namespace', at, format: value.claims_format },
      audience: value.audience ?? [],
      issuer: value.issuer ?? undefined,
      allowedSkewSeconds: value.allowed_skew ?? 0,
    }
  })

interface KeyFields {
  readonly type?: string | null | undefined
  readonly key?: string | null | undefined
  readonly jwk_url?: string | null | undefined
}

/** The key, or the problem of the setting. */
function keysOf({ type, key, jwk_url: url }: KeyFields): JwtKeys | string {
  if (key != null && url != null) return 'key, jwk_url both cannot be present'
  if (url != null) return { kind: 'url', url }
  if (key == null) return 'key and jwk_url both cannot be empty'
  if (type == null) return 'key "type" not found'
  if (!Object.hasOwn(keyTypes, type)) return `Invalid JWK: Key type: ${type} is not supported`
  return staticKey(type as keyof typeof keyTypes, key)
}

function staticKey(type: keyof typeof keyTypes, text: string): JwtKeys | string {
  const expected = keyTypes[type]
  if (expected.kind === 'secret') {
    const bytes = Buffer.from(text, 'utf8')
    return bytes.length * 8 < expected.bits
      ? `Invalid JWK: Key size too small; should be atleast ${expected.bits / 8} characters`
      : { kind: 'key', key: createSecretKey(bytes), algorithms: algorithms.hmac }
  }
  const key = publicKey(text)
  if (key === undefined) return `Invalid JWK: the key is no PEM of a public key or certificate`
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType !== expected.type || namedCurve !== expected.curve)
    return `Invalid JWK: the key is not one for ${type}`
  if (modulusLength !== undefined && modulusLength < leastRsaBits)
    return `Invalid JWK: Key size too small; an RSA key has ${leastRsaBits} bits at least`
  return { kind: 'key', key, algorithms: expected.algorithms }
}

/** PEM of a public key (SPKI or PKCS#1) or of an X.509 certificate, or a JWK. */
function publicKey(text: string): KeyObject | undefined {
  try {
    return text.trimStart().startsWith('{')
      ? createPublicKey({ key: JSON.parse(text) as Record<string, string>, format: 'jwk' })
      : createPublicKey(text)
  } catch {
    return undefined
  }
}

/** The most secrets, because each may be a key set to fetch. */
const maxSecrets = 100

/**
 * Reads HASURA_GRAPHQL_JWT_SECRET (an object) and HASURA_GRAPHQL_JWT_SECRETS (a list, which takes precedence).
 * https://hasura.io/docs/latest/auth/authentication/jwt/
 */
export function parseJwtSecrets(single: string | undefined, several: string | undefined): JwtSecretsResult {
  const [name, text, schema] =
    several === undefined
      ? (['HASURA_GRAPHQL_JWT_SECRET', single, secret.transform((one) => [one])] as const)
      : (['HASURA_GRAPHQL_JWT_SECRETS', several, z.array(secret).min(1).max(maxSecrets)] as const)
  if (text === undefined) return { kind: 'secrets', secrets: [] }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'invalid', problem: `${name}: is no JSON` }
  }
  const parsed = z.safeParse(schema, value)
  if (parsed.success) return { kind: 'secrets', secrets: parsed.data }
  const [issue] = parsed.error.issues
  const path = issue?.path.map(String).join('.') ?? ''
  return { kind: 'invalid', problem: `${name}: ${path === '' ? '' : `${path}: `}${issue?.message ?? ''}` }
}
