import type { IncomingHttpHeaders } from 'http'

/**
 * The role and session variables of a request. Names of variables are lower case (`x-hasura-merchant-id`).
 * `x-hasura-role` is one of them, because permissions may compare with it.
 */
export interface Session {
  readonly role: string
  readonly variables: Readonly<Record<string, string>>
  readonly isAdmin: boolean
  /** `x-hasura-use-backend-only-permissions`, which is only accepted with the admin secret. */
  readonly backendOnlyPermissions: boolean
  /** Milliseconds since the epoch, if the webhook or token limits the session. */
  readonly expiresAt?: number
}

/** Whether the session of these headers is over: its credential was revoked, or has other rights by now. */
export type SessionCheck = (
  session: Session,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
) => boolean | Promise<boolean>

export const adminRole = 'admin'

/** Creates a session from a role and variables, whose names may be in any case. */
export function createSession(
  role: string,
  variables: Readonly<Record<string, string>>,
  { backendOnlyPermissions = false }: { readonly backendOnlyPermissions?: boolean } = {},
): Session {
  const lowered: Record<string, string> = {}
  for (const name in variables) lowered[name.toLowerCase()] = variables[name] ?? ''
  lowered['x-hasura-role'] = role
  return { role, variables: lowered, isAdmin: role === adminRole, backendOnlyPermissions }
}

export const adminSession: Session = createSession(adminRole, {}, { backendOnlyPermissions: false })

/** The request's headers, and its GraphQL request for a webhook in POST mode. */
export interface AuthenticationRequest {
  readonly headers: IncomingHttpHeaders
  readonly graphql?: {
    readonly query?: unknown
    readonly operationName?: unknown
    readonly variables?: unknown
  }
}
