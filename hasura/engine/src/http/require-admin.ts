import { HasuraError } from '../hasura-error.ts'
import type { Session } from '../session/types.ts'
import type { Api, HttpRequest } from './api.ts'
import { parseBody } from './read-body.ts'

/**
 * The body and session of a request that only admin may send. Checks in Hasura's order: authentication, JSON, then the
 * role. Throws HasuraError.
 */
export async function adminRequest(
  { authenticator }: Pick<Api, 'authenticator'>,
  { headers, text }: HttpRequest,
  refuse: (session: Session) => void = requireAdmin,
  parse?: (text: string) => unknown,
): Promise<{ readonly body: unknown; readonly session: Session }> {
  const session = await authenticator.authenticate({ headers })
  const body = parseBody(await text(), parse)
  refuse(session)
  return { body, session }
}

/** For the endpoints beside the metadata API. Throws HasuraError when the session is not admin. */
export function requireAdmin({ isAdmin }: Session): void {
  if (!isAdmin) throw new HasuraError('access-denied', 'You have to be an admin to access this endpoint')
}
