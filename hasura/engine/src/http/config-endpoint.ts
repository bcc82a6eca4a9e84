import type { Refetch } from '../live/poller.ts'
import type { Json } from '../metadata/parse.ts'
import {
  type ClaimsSource,
  type JwtSecret,
  type MappedClaim,
  allowedRolesVariable,
  defaultNamespace,
  defaultRoleVariable,
} from '../session/jwt-config.ts'
import { hasuraVersion } from '../hasura-version.ts'
import type { Handler } from './api.ts'
import { requireAdmin } from './require-admin.ts'
import { jsonResponse } from './response.ts'

/** `GET /v1alpha1/config`: the settings that the console depends on. */
export const handleConfig: Handler = async ({ authenticator, config }, { headers }) => {
  requireAdmin(await authenticator.authenticate({ headers }))
  return jsonResponse(200, {
    version: hasuraVersion,
    is_function_permissions_inferred: config.inferFunctionPermissions,
    is_remote_schema_permissions_enabled: config.remoteSchemaPermissions,
    is_admin_secret_set: config.isAdminSecretSet,
    is_auth_hook_set: config.isAuthHookSet,
    is_jwt_set: config.jwtSecrets.length > 0,
    jwt: config.jwtSecrets.map(jwtInfo),
    is_allow_list_enabled: config.isAllowlistEnabled,
    live_queries: refetchJson(config.liveQueries),
    streaming_queries: refetchJson(config.streamingQueries),
    console_assets_dir: null,
    experimental_features: config.experimentalFeatures,
    is_prometheus_metrics_enabled: false,
    default_naming_convention: config.defaultNamingConvention,
    feature_flags: [],
    is_apollo_federation_enabled: config.apolloFederation,
  })
}

/** The delay in seconds. */
export const refetchJson = ({ batchSize, intervalMs }: Refetch): Json => ({
  batch_size: batchSize,
  refetch_delay: intervalMs / 1_000,
})

/** The settings of a JWT secret that the console shows, without the key. */
function jwtInfo({ claims }: JwtSecret): Json {
  switch (claims.kind) {
    case 'map':
      return { claims_namespace: defaultNamespace, claims_format: 'json', claims_map: claimsMapJson(claims) }
    case 'namespace':
      return {
        claims_namespace: claims.at.kind === 'key' ? claims.at.key : claims.at.path.text,
        claims_format: claims.format,
        claims_map: null,
      }
    default:
      return claims satisfies never
  }
}

const claimsMapJson = ({
  allowedRoles,
  defaultRole,
  others,
}: Extract<ClaimsSource, { kind: 'map' }>): Json => ({
  [defaultRoleVariable]: claimJson(defaultRole),
  [allowedRolesVariable]: claimJson(allowedRoles),
  ...Object.fromEntries([...others].map(([name, claim]) => [name, claimJson(claim)])),
})

function claimJson<Value extends Json>(claim: MappedClaim<Value>): Json {
  switch (claim.kind) {
    case 'literal':
      return claim.value
    case 'path':
      return { path: claim.path.text, default: claim.default ?? null }
  }
}
