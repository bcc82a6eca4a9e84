/** The outcome of one attempt to send. */
export type SendOutcome =
  | { readonly outcome: 'accepted'; readonly messageId: string | null }
  /** There is nothing that would take it: the deployment has no transport for its channel. */
  | { readonly outcome: 'discarded'; readonly reason: string }
  /** There is no such receiver. */
  | { readonly outcome: 'bounced'; readonly reason: string }
  /** The message will never be taken. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** It may be taken later. */
  | { readonly outcome: 'unavailable'; readonly reason: string }
