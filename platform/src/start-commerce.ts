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
import postgres from '@commerce-graph/postgres-driver'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { PlatformConfig } from './configuration.ts'
import { OUTBOX_FOLDER } from './data-folder.ts'
import { diskCheck, eventsCheck, jobsCheck, writesCheck } from './readiness-checks.ts'
import type { Services } from './services.ts'

/** The actions, the workers, and the payment processors that both use. */
export async function startCommerce(
  { ports, started, secrets, databaseUrl, logger, readiness }: Services,
  { stripeSecretKey, ...config }: PlatformConfig,
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
    secret: secrets.actionsSecret,
    secretBox,
    cardProcessor: processors[0] ?? sandboxProcessor,
    formerProcessors: processors.slice(1),
    logger: logger.child({ service: 'actions' }),
  })
  started.defer(() => actions.stop())
  const workers = await startWorkers({
    databaseUrl,
    processors,
    secretBox,
    ...messageTransports(config, logger.child({ service: 'workers' })),
    unsubscribeUrl: config.unsubscribeUrl ?? `${actions.url}/unsubscribe`,
    logger: logger.child({ service: 'workers' }),
  })
  started.defer(() => workers.stop())
  const sql = postgres(databaseUrl, {
    max: 2,
    idle_timeout: 30,
    connect_timeout: 2,
    connection: { application_name: 'readiness', statement_timeout: 2_000 },
    onnotice: () => undefined,
  })
  started.defer(() => sql.end({ timeout: 1 }))
  for (const check of [
    writesCheck(sql),
    diskCheck(config.dataDir),
    jobsCheck(workers),
    eventsCheck(sql, workers),
  ])
    readiness.add(check)
  return { actions: actions.url, paymentSandbox: sandbox.url }
}

/** What messages leave by, as far as the operator has said. */
function messageTransports({ dataDir, smtpUrl, mailFrom, pushWebhookUrl }: PlatformConfig, logger: Logger) {
  return {
    mailer:
      smtpUrl === undefined
        ? createOutboxTransport(join(dataDir, OUTBOX_FOLDER), logger)
        : createSmtpTransport(smtpUrl),
    ...(mailFrom === undefined ? {} : { senderAddress: mailFrom }),
    ...(pushWebhookUrl === undefined ? {} : { pusher: createWebhookTransport(pushWebhookUrl) }),
  }
}
