import { RequestFailed } from '@commerce-graph/client'
import { useMutation } from '@tanstack/react-query'
import { ask, askAgain, changeOrRefusal } from '../api/api.ts'
import { OwnSessionsDocument, type OwnSessionsQuery, RevokeSessionDocument } from '../generated/operations.ts'

/** As many as the API gives at once. */
const pageSize = 100

/** Ends all of the person's sessions but this one. The API ends one at a time. */
export const useEndOthers = () =>
  useMutation({ mutationFn: endOthers, onSettled: () => askAgain(['settings']) })

/** Throws RequestFailed. */
async function endOthers(): Promise<void> {
  let after: string | null = null
  do {
    const { viewer, sessions }: OwnSessionsQuery = await ask(OwnSessionsDocument, { first: pageSize, after })
    for (const { id } of sessions.nodes) {
      if (id === viewer.sessionId) continue
      const error = await changeOrRefusal(RevokeSessionDocument, { id })
      // The API refuses to end a session that has ended meanwhile.
      if (error !== null && error.kind !== 'refused') throw new RequestFailed(error)
    }
    after = sessions.pageInfo.hasNextPage ? sessions.pageInfo.endCursor : null
  } while (after !== null)
}
