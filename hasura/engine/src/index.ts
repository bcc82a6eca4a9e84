export type { StopOptions } from '@commerce-graph/http-server'
export { type Engine, startEngine } from './engine.ts'
export type { EngineOptions } from './engine-options.ts'
export type {
  ExecuteOptions,
  ExplainedStatement,
  GraphQLError,
  GraphQLExecutor,
  GraphQLRequest,
  GraphQLResult,
} from './graphql-request.ts'
export { type CorsPolicy, parseCorsDomain } from './http/cors.ts'
export type { Metadata } from './metadata/types.ts'
export type { AuthHook } from './session/auth-webhook.ts'
export { type JwtSecret, parseJwtSecrets } from './session/jwt-config.ts'
export { type Session, type SessionCheck, adminSession, createSession } from './session/types.ts'
export { type Settings, type SettingsResult, readSettings } from './settings.ts'
export type { Inconsistency, Snapshot } from './snapshot.ts'
