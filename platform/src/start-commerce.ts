import { openSenders, startActions, startWorkers } from '@commerce-graph/actions'
import { createSecretBox } from '@commerce-graph/secret-box'
import postgres, { sessionOptions } from '@commerce-graph/postgres-driver'
import type { PlatformConfig } from './configuration.ts'
import { backlogMetrics, connectionMetrics, deadLetterMetrics } from './database-metrics.ts'
import type { Files } from './open-files.ts'
import { openMessageTransports } from './message-transports.ts'
import { openPayments } from './open-payments.ts'
import { diskCheck, eventsCheck, filesCheck, jobsCheck, writesCheck } from './readiness-checks.ts'
import { addressOf, type PlatformUrls, type RunningServices, type Services } from './services.ts'

/** The actions, the workers, and the payment processors of both. @throws PlatformError if a setting is refused */
export async function startCommerce(
  services: Services,
  config: PlatformConfig,
  files: Files,
): Promise<
  Pick<PlatformUrls, 'actions' | 'paymentSandbox'> &
    Pick<RunningServices, 'cardPayments' | 'email' | 'pushes'>
> {
  const { ports, started, stopping, secrets, databaseUrl, pooler, listener, logger, metrics, readiness } =
    services
  const secretBox = createSecretBox(secrets.encryptionKeys)
  const payments = await openPayments(services, config)
  const webhookRules = { live: config.mode === 'live', refusedNetworks: config.webhookRefusedNetworks ?? [] }
  const graphqlUrl = `${addressOf(ports.gateway, config.host)}/graphql`
  const { dnsServers, dkim = null, spfInclude = null } = config
  const senders = openSenders({ dnsServers, dkim, spfInclude })
  const actions = await startActions({
    port: ports.actions,
    ...(config.actionsHost === undefined ? {} : { host: config.actionsHost }),
    databaseUrl,
    pooler,
    listener,
    connections: config.connections?.actions,
    secret: secrets.actionsSecret,
    secretBox,
    files: files.storage,
    cardProcessor: payments.cardProcessor,
    formerProcessors: payments.formerProcessors,
    endpoints: payments.endpoints,
    senders,
    webhookRules,
    graphqlUrl,
    signUp: config.signUpUrl !== undefined,
    mode: config.mode === 'live' ? 'LIVE' : 'TEST',
    slowMilliseconds: config.slow?.request,
    observer: metrics?.observer,
    logger: logger.child({ service: 'actions' }),
  })
  stopping.beginDrains.push(() => actions.beginDrain())
  started.defer(() => actions.stop({ drain: stopping.drain }))
  const { email, pushes, ...transports } = openMessageTransports(config, logger.child({ service: 'workers' }))
  const workers = await startWorkers({
    databaseUrl,
    pooler,
    listener,
    connections: config.connections?.worker,
    processors: [payments.cardProcessor ?? [], payments.formerProcessors].flat(),
    endpoints: payments.endpoints,
    senders,
    signUpUrl: config.signUpUrl,
    webhooks: { ...webhookRules, graphqlUrl, ...config.webhookTimes },
    secretBox,
    files: files.storage,
    filesUrl: files.url,
    graphqlUrl,
    ...transports,
    unsubscribeUrl: config.unsubscribeUrl ?? `${actions.url}/unsubscribe`,
    observer: metrics?.observer,
    logger: logger.child({ service: 'workers' }),
  })
  started.defer(() => workers.stop())
  const sql = postgres(databaseUrl, {
    max: 2,
    idle_timeout: 30,
    connect_timeout: 2,
    ...sessionOptions({ application_name: 'readiness', statement_timeout: 2_000 }, pooler),
    onnotice: () => undefined,
  })
  started.defer(() => sql.end({ timeout: 1 }))
  for (const check of [
    writesCheck(sql),
    diskCheck(config.dataDir),
    filesCheck(sql, files.storage),
    jobsCheck(workers),
    eventsCheck(sql, workers),
  ])
    readiness.add(check)
  for (const source of [connectionMetrics(sql), backlogMetrics(sql), deadLetterMetrics(sql)])
    metrics?.addSource(source)
  return {
    actions: actions.url,
    paymentSandbox: payments.sandboxUrl,
    cardPayments: payments.kind,
    email,
    pushes,
  }
}
