/** What the services report while they work. Each of these functions returns at once and never throws. */
export interface Observer {
  /** A request to the contract has been answered. */
  readonly request: (request: ServedRequest) => void
  /** Changes became events; for each topic, how many. */
  readonly events: (byTopic: Readonly<Record<string, number>>) => void
  /** A payment processor was called, or left alone because it doesn't answer. */
  readonly processorCall: (processor: string, outcome: ProcessorOutcome) => void
  /** A payment processor doesn't answer, and is left alone for so long. */
  readonly processorRests: (processor: string, milliseconds: number) => void
  /** A message or webhook was sent, or tried to. */
  readonly delivery: (channel: DeliveryChannel, outcome: string) => void
}

export type ProcessorOutcome = 'answered' | 'unanswered' | 'left_alone'
export type DeliveryChannel = 'email' | 'push' | 'webhook'

/** `refused`: the client's fault; `failed`: the platform's; `gone`: the client left before its answer. */
export type RequestOutcome = 'ok' | 'refused' | 'failed' | 'gone'

export interface ServedRequest {
  readonly requestId: string
  /** `unread` if the request was refused before its document was read. */
  readonly kind: 'query' | 'mutation' | 'subscription' | 'unread'
  /** The client's name for the operation, of any content. */
  readonly operationName: string | null
  /** The root fields, in the document's order; their names are the contract's. */
  readonly fields: readonly { readonly name: string; readonly outcome: RequestOutcome }[]
  readonly outcome: RequestOutcome
  /** The catalogue ids of its errors. */
  readonly errors: readonly string[]
  /** The codes of the user errors in the payloads of its mutations. */
  readonly userErrors: readonly { readonly field: string; readonly code: string }[]
  readonly milliseconds: number
}
