import type { Json } from '../metadata/parse.ts'
import type { PollerState } from '../live/poller.ts'
import type { Handler } from './api.ts'
import { refetchJson } from './config-endpoint.ts'
import { requireAdmin } from './require-admin.ts'
import { jsonResponse } from './response.ts'

/** `GET /dev/plan_cache`: null, as in Hasura, which has no such cache. */
export const handlePlanCache: Handler = async ({ authenticator }, { headers }) => {
  requireAdmin(await authenticator.authenticate({ headers }))
  return jsonResponse(200, null)
}

/**
 * `GET /dev/subscriptions`: the statements of live subscriptions and their numbers of subscribers, with `members` also
 * the values that subscribers differ by. Meant for people who debug, not for programs.
 */
export const handleSubscriptions =
  (detail: 'counts' | 'members'): Handler =>
  async ({ authenticator, hub, config }, { headers }) => {
    requireAdmin(await authenticator.authenticate({ headers }))
    const states = hub.states()
    const ofKind = (kind: PollerState['kind']): readonly Json[] =>
      states.filter((state) => state.kind === kind).map((state) => stateJson(state, detail))
    return jsonResponse(200, {
      options: refetchJson(config.liveQueries),
      live_queries_map: ofKind('live'),
      stream_queries_map: ofKind('stream'),
      stream_queries_options: refetchJson(config.streamingQueries),
    })
  }

const stateJson = ({ sql, members }: PollerState, detail: 'counts' | 'members'): Json => ({
  multiplexed_query: sql,
  cohort_count: members.length,
  subscriber_count: members.reduce((count, { subscribers }) => count + subscribers, 0),
  cohorts: detail === 'members' ? members.map(({ values, subscribers }) => ({ values, subscribers })) : null,
})
