import type { IncomingHttpHeaders } from 'http'

/**
 * Who asks. Names of variables are lower case (`x-hasura-merchant-id`). `x-hasura-role` is among them, with
 * the role's name, because permissions may compare with it.
 */
export interface Session {
  readonly role: string
  readonly variables: Readonly<Record<string, string>>
  readonly isAdmin: boolean
  /** `x-hasura-use-backend-only-permissions`, which only someone with the admin secret may ask for. */
  readonly backendOnlyPermissions: boolean
  /** Milliseconds since the epoch, if whoever vouched for the session set an end to it. */
  readonly expiresAt?: number
}

/** Whether a session that was begun with these headers is over: its credential was revoked, or stands for other rights now. */
export type SessionCheck = (
  session: Session,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
) => boolean | Promise<boolean>

export const adminRole = 'admin'

/** Makes a session of a role and its variables, whose names may be in any case. */
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

/** What the webhook in POST mode is told beside the headers. */
export interface AuthenticationRequest {
  readonly headers: IncomingHttpHeaders
  readonly graphql?: {
    readonly query?: unknown
    readonly operationName?: unknown
    readonly variables?: unknown
  }
}
