import { HasuraError } from '../hasura-error.ts'
import type { Session } from '../session/types.ts'
import type { Api, HttpRequest } from './api.ts'
import { parseBody } from './read-body.ts'

/**
 * A request that only admin may send: its body, and the session. In Hasura's order: who asks, whether the body is JSON,
 * whether it is admin. Throws HasuraError.
 */
export async function adminRequest(
  { authenticator }: Pick<Api, 'authenticator'>,
  { headers, text }: HttpRequest,
  refuse: (session: Session) => void = requireAdmin,
): Promise<{ readonly body: unknown; readonly session: Session }> {
  const session = await authenticator.authenticate({ headers })
  const body = parseBody(await text())
  refuse(session)
  return { body, session }
}

/** Of the endpoints beside the metadata API. Throws HasuraError. */
export function requireAdmin({ isAdmin }: Session): void {
  if (!isAdmin) throw new HasuraError('access-denied', 'You have to be an admin to access this endpoint')
}
