/**
 * The gateway's settings from the environment. Importing this module is cheap, so a start can read them before it
 * loads the gateway.
 */
export { type AllowedOrigins, allowedOriginsFrom } from './http/cors.ts'
export { type Limits, limitsFrom, limitVariables } from './limits/limits.ts'
