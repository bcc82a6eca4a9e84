import type { Card, Decline, RequiredAction } from './answer-parts.ts'

interface NoAnswer {
  readonly status: 'unknown' | 'unauthorized'
  readonly cause: unknown
}

export type CustomerAnswer =
  | { readonly status: 'made'; readonly customerId: string }
  | { readonly status: 'refused'; readonly decline: Decline }
  | NoAnswer

export interface SetupRequest {
  /** The same key with the same request is the same setup. */
  readonly idempotencyKey: string
  readonly customerId: string
  /** The processor's token of the card. */
  readonly paymentMethodId: string
  /** Where the customer's browser goes after authentication. */
  readonly returnUrl: string | null
  /** Ours, to find the setup by. */
  readonly metadata: Readonly<Record<string, string>>
}

/** How the saving of a method stands. */
export type SetupAnswer =
  | {
      readonly status: 'succeeded'
      readonly setupId: string
      /** The processor's token for later payments. */
      readonly methodId: string
      readonly card: Card | null
    }
  | { readonly status: 'requires_action'; readonly setupId: string; readonly action: RequiredAction }
  | { readonly status: 'processing'; readonly setupId: string }
  | { readonly status: 'declined'; readonly setupId: string | null; readonly decline: Decline }
  | { readonly status: 'cancelled'; readonly setupId: string | null }
  | NoAnswer

/** `gone`: it is not there any more, or never was. */
export type RemovalAnswer = { readonly status: 'gone' } | NoAnswer

/** Where a processor keeps shoppers' methods. Like the processor's, its calls never throw for a failure of the network. */
export interface MethodVault {
  /** Makes the record that a shopper's methods belong to. */
  createCustomer(request: {
    readonly idempotencyKey: string
    readonly metadata: Readonly<Record<string, string>>
  }): Promise<CustomerAnswer>
  /** Deletes the record, with all its methods. */
  deleteCustomer(customerId: string): Promise<RemovalAnswer>
  setUp(request: SetupRequest): Promise<SetupAnswer>
  retrieveSetup(setupId: string): Promise<SetupAnswer>
  /** The setup that was made for a saved method of ours, when its answer was lost; null when there is none. */
  findSetup(customerId: string, savedMethodId: string): Promise<SetupAnswer | null>
  /** Ends a setup that has not succeeded. The answer tells what it is now. */
  cancelSetup(setupId: string): Promise<SetupAnswer>
  /** Takes a method from its record, so that it can't be charged any more. */
  detach(methodId: string): Promise<RemovalAnswer>
}
