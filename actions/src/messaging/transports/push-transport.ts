import type { SendOutcome } from './send-outcome.ts'

export interface Push {
  /** Of the delivery; the same when it is sent again. */
  readonly id: string
  readonly merchantId: string
  readonly platform: 'IOS' | 'ANDROID' | 'WEB'
  /** The push service's name of the device. */
  readonly token: string
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly data: Readonly<Record<string, string>>
}

/** A transport of pushes. It never throws: a failure is an outcome. */
export interface PushTransport {
  /** Stored with every delivery; null: nothing takes pushes. */
  readonly name: string | null
  send(push: Push): Promise<SendOutcome>
}
