import { type Actions, openSenders, type Senders, startActions, startWorkers } from '@commerce-graph/actions'
import { createSecretBox, type SecretBox } from '@commerce-graph/secret-box'
import { acrossMerchants } from '@commerce-graph/postgres-driver/merchant-scope'
import postgres, { sessionOptions } from '@commerce-graph/postgres-driver'
import { archiveCheck, archiveMetrics } from './archive-health.ts'
import type { PlatformConfig } from './configuration.ts'
import { backlogMetrics, connectionMetrics, deadLetterMetrics } from './database-metrics.ts'
import type { PartAddress } from './database-parts.ts'
import type { Files } from './open-files.ts'
import { openMessageTransports } from './message-transports.ts'
import { openPayments, type Payments } from './open-payments.ts'
import { eventsCheck, filesCheck, jobsCheck, writesCheck } from './readiness-checks.ts'
import type { RunningServices, Services } from './services.ts'
import { stopWithin } from './started-parts.ts'

/** What the actions and the workers share. */
export interface Commerce {
  readonly payments: Payments
  readonly senders: Senders
  readonly secretBox: SecretBox
  readonly files: Files
  readonly graphqlUrl: string
  readonly webhookRules: { readonly live: boolean; readonly refusedNetworks: readonly string[] }
}

/** @throws PlatformError if a setting is refused */
export async function openCommerce(
  services: Services,
  config: PlatformConfig,
  files: Files,
): Promise<Commerce> {
  const { dnsServers, dkim = null, spfInclude = null } = config
  return {
    payments: await openPayments(services, config),
    senders: openSenders({ dnsServers, dkim, spfInclude }),
    secretBox: createSecretBox(services.secrets.encryptionKeys),
    files,
    graphqlUrl: `${services.addresses.gateway}/graphql`,
    webhookRules: { live: config.mode === 'live', refusedNetworks: config.webhookRefusedNetworks ?? [] },
  }
}

export async function serveActions(
  { ports, localActions, started, stopping, secrets, parts, listener, logger, metrics }: Services,
  config: PlatformConfig,
  { payments, senders, secretBox, files, graphqlUrl, webhookRules }: Commerce,
): Promise<Actions> {
  const actions = await startActions({
    port: ports.actions,
    ...(config.actionsHost === undefined ? {} : { host: config.actionsHost }),
    ...parts.actions,
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
  localActions.find = actions.findLocal
  stopping.beginDrains.push(() => actions.beginDrain())
  started.add('the actions', () => actions.stop({ drain: stopping.drain }), stopWithin.server)
  return actions
}

/** Starts the workers, and adds their checks to `/readyz`. */
export async function runWorkers(
  { addresses, started, parts, listener, logger, metrics, readiness }: Services,
  config: PlatformConfig,
  { payments, senders, secretBox, files, graphqlUrl, webhookRules }: Commerce,
): Promise<Pick<RunningServices, 'email' | 'pushes'>> {
  const { email, pushes, ...transports } = openMessageTransports(config, logger.child({ service: 'workers' }))
  const workers = await startWorkers({
    ...parts.worker,
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
    retention: config.retention,
    unsubscribeUrl: config.unsubscribeUrl ?? `${addresses.actions}/unsubscribe`,
    observer: metrics?.observer,
    logger: logger.child({ service: 'workers' }),
  })
  started.add('the workers', () => workers.stop(), stopWithin.jobs)
  const sql = readinessConnections(parts.worker)
  started.add('connections of /readyz', () => sql.end({ timeout: 1 }))
  readiness.add(jobsCheck(workers))
  readiness.add(eventsCheck(sql, workers))
  for (const source of [connectionMetrics(sql), backlogMetrics(sql), deadLetterMetrics(sql)])
    metrics?.addSource(source)
  return { email, pushes }
}

/** Adds the checks of what each process with a gateway or workers stands on. */
export function checkStorage(
  { started, parts, metrics, readiness }: Pick<Services, 'started' | 'parts' | 'metrics' | 'readiness'>,
  files: Files,
  { archives = false }: { readonly archives?: boolean } = {},
): void {
  const sql = readinessConnections(parts.auth)
  started.add('connections of /readyz', () => sql.end({ timeout: 1 }))
  readiness.add(writesCheck(sql))
  readiness.add(filesCheck(sql, files.storage))
  if (!archives) return
  readiness.add(archiveCheck(sql))
  metrics?.addSource(archiveMetrics(sql))
}

const readinessConnections = ({ databaseUrl, pooler }: PartAddress) =>
  acrossMerchants(
    postgres(databaseUrl, {
      max: 1,
      idle_timeout: 30,
      connect_timeout: 2,
      ...sessionOptions({ application_name: 'readiness', statement_timeout: 2_000 }, pooler),
      onnotice: () => undefined,
    }),
    'health and metrics are the whole platform’s',
  )
