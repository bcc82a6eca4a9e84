/** How many days records are kept after they have ended. */
export interface Retention {
  /** Events, with the deliveries that they gave rise to. */
  readonly events: number
  /** Deliveries of webhooks that were taken or given up, with their attempts. */
  readonly deliveries: number
  /** Records of deletions. */
  readonly deletions: number
  /** What messages of the log say. */
  readonly messages: number
  /** Sessions that have ended. */
  readonly sessions: number
  /** Hasura's events that were delivered or given up. */
  readonly eventLog: number
  /** Hasura's log of attempts to deliver them. */
  readonly invocations: number
  /** Whole months of the audit log; null: it is kept. */
  readonly audit: number | null
}

export const defaultRetention: Retention = {
  events: 30,
  deliveries: 30,
  deletions: 90,
  messages: 90,
  sessions: 1,
  eventLog: 30,
  invocations: 30,
  audit: null,
}

export const secondsOf = (days: number): number => days * 24 * 60 * 60
