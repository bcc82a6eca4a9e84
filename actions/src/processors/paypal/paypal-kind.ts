import type { AccountCredentials, ProcessorEndpoints, ProcessorKind } from '../processor-kind.ts'
import { connectPaypal, paypalAddress, type PaypalConnection } from './connect-paypal.ts'
import { createPaypalProcessor } from './paypal-processor.ts'
import { readPaypalWebhook } from './paypal-webhook.ts'

/** The prefix of the client ids of accounts at the sandbox. Each is an account of its own there. */
const sandboxClient = /^sandbox_/

/** PayPal's ids and secrets are of letters, digits, `-` and `_`. */
const credentialForm = /^[\w-]{8,}$/

/** PayPal, with a merchant's own account. */
export const paypalKind: ProcessorKind = {
  name: 'PAYPAL',
  // Its credentials look the same in both: each of PayPal's two addresses knows its own.
  modeOf: ({ clientId, secretKey }) =>
    clientId !== null && credentialForm.test(clientId) && credentialForm.test(secretKey) ? 'EITHER' : null,
  async check(credentials, endpoints) {
    const answer = await connectPaypal(connectionOf(credentials, endpoints)).authorize()
    switch (answer.kind) {
      case 'ok':
        return { kind: 'accepted' }
      case 'refused':
        return { kind: 'refused', message: answer.issue }
      case 'unauthorized':
        return { kind: 'refused', message: answer.cause.message }
      case 'unanswered':
        return { kind: 'unanswered', message: answer.cause.message }
      default:
        return answer satisfies never
    }
  },
  connect: (credentials, endpoints) => createPaypalProcessor(connectionOf(credentials, endpoints)),
  readWebhook: (request, credentials, endpoints) =>
    credentials.webhookSecret === null
      ? Promise.resolve({ kind: 'refused', reason: 'The account has no webhook ID' })
      : readPaypalWebhook(
          connectPaypal(connectionOf(credentials, endpoints)),
          request,
          credentials.webhookSecret,
        ),
}

function connectionOf(
  { clientId, secretKey: secret }: AccountCredentials,
  { paypal = paypalAddress.TEST, sandbox }: ProcessorEndpoints,
): PaypalConnection {
  if (clientId === null) throw new Error('An account at PayPal has a client id.')
  return {
    clientId,
    secret,
    apiUrl: sandbox != null && sandboxClient.test(clientId) ? `${sandbox}/paypal` : paypal,
  }
}
