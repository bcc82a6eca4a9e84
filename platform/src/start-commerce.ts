import {
  createOutboxTransport,
  createSmtpTransport,
  createStripeProcessor,
  createWebhookTransport,
  startActions,
  startSandbox,
  startWorkers,
} from '@commerce-graph/actions'
import { createSecretBox } from '@commerce-graph/auth-webhook'
import { join } from 'node:path'
import type { PlatformConfig } from './configuration.ts'
import { OUTBOX_FOLDER } from './data-folder.ts'
import type { Services } from './services.ts'

/** The actions, the workers, and the payment processors that both use. */
export async function startCommerce(
  { ports, started, secrets, databaseUrl, logger }: Services,
  { redisUrl, stripeSecretKey, ...config }: PlatformConfig,
): Promise<{ actions: string; paymentSandbox: string }> {
  const secretBox = createSecretBox(secrets.encryptionKeys)
  const sandbox = await startSandbox({ port: ports.paymentSandbox, databaseUrl })
  started.defer(() => sandbox.stop())
  const sandboxProcessor = createStripeProcessor({
    name: 'sandbox',
    secretKey: 'sk_test_sandbox',
    apiUrl: sandbox.url,
  })
  const stripe =
    stripeSecretKey === undefined
      ? []
      : [createStripeProcessor({ name: 'stripe', secretKey: stripeSecretKey })]
  const processors = [...stripe, sandboxProcessor]
  const actions = await startActions({
    port: ports.actions,
    databaseUrl,
    ...(redisUrl === undefined ? {} : { redisUrl }),
    secret: secrets.actionsSecret,
    secretBox,
    cardProcessor: processors[0] ?? sandboxProcessor,
    formerProcessors: processors.slice(1),
    logger: logger.child({ service: 'actions' }),
  })
  started.defer(() => actions.stop())
  const workers = await startWorkers({
    databaseUrl,
    ...(redisUrl === undefined ? {} : { redisUrl }),
    processors,
    secretBox,
    ...messageTransports(config),
    unsubscribeUrl: config.unsubscribeUrl ?? `${actions.url}/unsubscribe`,
    logger: logger.child({ service: 'workers' }),
  })
  started.defer(() => workers.stop())
  return { actions: actions.url, paymentSandbox: sandbox.url }
}

/** What messages leave by, as far as the operator has said. */
function messageTransports({ dataDir, smtpUrl, mailFrom, pushWebhookUrl }: Omit<PlatformConfig, 'redisUrl'>) {
  return {
    mailer:
      smtpUrl === undefined
        ? createOutboxTransport(join(dataDir, OUTBOX_FOLDER))
        : createSmtpTransport(smtpUrl),
    ...(mailFrom === undefined ? {} : { senderAddress: mailFrom }),
    ...(pushWebhookUrl === undefined ? {} : { pusher: createWebhookTransport(pushWebhookUrl) }),
  }
}
