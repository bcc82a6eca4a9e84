import type { SendOutcome } from './send-outcome.ts'

export interface Push {
  /** Of the delivery; the same when it is sent again. */
  readonly id: string
  readonly merchantId: string
  readonly platform: 'IOS' | 'ANDROID' | 'WEB'
  /** What the push service knows the device by. */
  readonly token: string
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly data: Readonly<Record<string, string>>
}

/** What takes pushes away. Whatever goes wrong is an outcome; it never throws. */
export interface PushTransport {
  /** Stored with every delivery; null: nothing takes pushes. */
  readonly name: string | null
  send(push: Push): Promise<SendOutcome>
}
