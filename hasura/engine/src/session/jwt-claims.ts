import { HasuraError } from '../hasura-error.ts'
import {
  type ClaimPath,
  type ClaimsSource,
  type MappedClaim,
  allowedRolesVariable,
  defaultRoleVariable,
} from './jwt-config.ts'

/** The claims of a verified token. */
export interface HasuraClaims {
  readonly allowedRoles: readonly string[]
  readonly defaultRole: string
  /** By lower-case name, without the roles above. */
  readonly variables: Readonly<Record<string, string>>
}

type JsonRecord = Readonly<Record<string, unknown>>

/** Registered claims (RFC 7519) are read from the token itself, never from the namespace. */
const registered: ReadonlySet<string> = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'])

/** Reads roles and session variables from a token's payload. Throws HasuraError in Hasura's words. */
export function readClaims(payload: JsonRecord, source: ClaimsSource): HasuraClaims {
  const claims = source.kind === 'map' ? mappedClaims(payload, source) : namespacedClaims(payload, source)
  const allowedRoles = roles(claims)
  const defaultRole = claimOf(claims, defaultRoleVariable)
  if (typeof defaultRole !== 'string')
    throw wrongType(`invalid ${defaultRoleVariable}; should be a single role name`, 'Text', defaultRole)
  const variables: Record<string, string> = {}
  for (const [name, value] of claims) {
    if (name === allowedRolesVariable || name === defaultRoleVariable) continue
    if (typeof value !== 'string') throw wrongType('x-hasura-* claims', 'Text', value)
    variables[name] = value
  }
  return { allowedRoles, defaultRole, variables }
}

function roles(claims: ReadonlyMap<string, unknown>): readonly string[] {
  const value = claimOf(claims, allowedRolesVariable)
  const problem = `invalid ${allowedRolesVariable}; should be a list of roles`
  if (!Array.isArray(value)) throw wrongType(problem, '[]', value)
  return value.map((role: unknown) => {
    if (typeof role !== 'string') throw wrongType(problem, 'Text', role)
    return role
  })
}

function claimOf(claims: ReadonlyMap<string, unknown>, name: string): unknown {
  if (!claims.has(name))
    throw new HasuraError('jwt-missing-role-claims', `JWT claim does not contain ${name}`)
  return claims.get(name)
}

function namespacedClaims(
  payload: JsonRecord,
  { at, format }: Extract<ClaimsSource, { kind: 'namespace' }>,
): ReadonlyMap<string, unknown> {
  const own = Object.fromEntries(Object.entries(payload).filter(([name]) => !registered.has(name)))
  const found = at.kind === 'key' ? ownValue(own, at.key) : valueAt(own, at.path)
  if (found === undefined)
    throw invalidClaims(
      at.kind === 'key'
        ? `claims key: '${at.key}' not found`
        : `claims not found at claims_namespace_path: '${at.path.text}'`,
    )
  const place = at.kind === 'key' ? `claims_namespace ${at.key}` : `claims_namespace_path ${at.path.text}`
  return new Map(
    Object.entries(format === 'json' ? objectOf(found) : parsedObject(found, place))
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => name.startsWith('x-hasura-')),
  )
}

function objectOf(value: unknown): JsonRecord {
  if (isRecord(value)) return value
  throw invalidClaims('expecting a json object when claims_format is json')
}

function parsedObject(value: unknown, place: string): JsonRecord {
  if (typeof value !== 'string')
    throw invalidClaims('expecting a string when claims_format is stringified_json')
  const parsed = parseJson(value)
  if (isRecord(parsed)) return parsed
  throw invalidClaims(`expecting stringified json at: '${place}', but found: ${value}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function mappedClaims(
  payload: JsonRecord,
  { allowedRoles, defaultRole, others }: Extract<ClaimsSource, { kind: 'map' }>,
): ReadonlyMap<string, unknown> {
  const claims = new Map<string, unknown>()
  const add = (name: string, claim: MappedClaim<unknown>): boolean => {
    const value = claim.kind === 'literal' ? claim.value : (valueAt(payload, claim.path) ?? claim.default)
    if (value === undefined) return false
    claims.set(name, value)
    return true
  }
  add(allowedRolesVariable, allowedRoles)
  add(defaultRoleVariable, defaultRole)
  for (const [name, claim] of others)
    if (!add(name, claim)) throw invalidClaims(`JWT claim from claims_map, ${name} not found`)
  return claims
}

const valueAt = (value: unknown, { steps }: ClaimPath): unknown =>
  steps.reduce<unknown>((found, step) => ownValue(found, step), value)

const ownValue = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as JsonRecord)[key]
    : undefined

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const invalidClaims = (message: string): HasuraError => new HasuraError('jwt-invalid-claims', message)

const wrongType = (problem: string, expected: '[]' | 'Text', value: unknown): HasuraError =>
  invalidClaims(
    `${problem}: parsing ${expected} failed, expected ${expected === '[]' ? 'Array' : 'String'}, but encountered ${jsonType(value)}`,
  )

function jsonType(value: unknown): string {
  if (value === null) return 'Null'
  if (Array.isArray(value)) return 'Array'
  const type = typeof value
  return `${type.charAt(0).toUpperCase()}${type.slice(1)}`
}
