/** What of the gateway's settings comes from the environment: light, so that a start can read them before it loads the gateway. */
export { type AllowedOrigins, allowedOriginsFrom } from './http/cors.ts'
export { type Limits, limitsFrom, limitVariables } from './limits/limits.ts'
