import {
  createOutboxTransport,
  createSmtpTransport,
  createWebhookTransport,
  type MailTransport,
  type PushTransport,
} from '@commerce-graph/actions'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { PlatformConfig } from './configuration.ts'
import { outboxFolder } from './data-folder.ts'
import type { RunningServices } from './services.ts'

/** The configured transports of messages; undefined: messages are suppressed. */
export interface MessageTransports extends Pick<RunningServices, 'email' | 'pushes'> {
  readonly mailer: MailTransport | undefined
  readonly senderAddress: string | undefined
  readonly pusher: PushTransport | undefined
}

export function openMessageTransports(config: PlatformConfig, logger: Logger): MessageTransports {
  const { mailFrom, pushWebhookUrl, pushWebhookSecrets = [] } = config
  const push =
    pushWebhookUrl === undefined
      ? ({ pushes: 'none', pusher: undefined } as const)
      : ({ pushes: 'webhook', pusher: createWebhookTransport(pushWebhookUrl, pushWebhookSecrets) } as const)
  const transports = { ...openMail(config, logger), senderAddress: mailFrom, ...push }
  if (config.mode === 'live') warnOfMissing(transports, logger)
  return transports
}

/**
 * The outbox is for test deployments only: in a live one it would store mails that customers wait for, and their
 * tokens.
 */
function openMail(
  { mode, dataDir, smtpUrl, dkim, outboxDays }: PlatformConfig,
  logger: Logger,
): Pick<MessageTransports, 'email' | 'mailer'> {
  if (smtpUrl !== undefined) return { email: 'smtp', mailer: createSmtpTransport(smtpUrl, dkim ?? null) }
  return mode === 'test'
    ? { email: 'outbox', mailer: createOutboxTransport(join(dataDir, outboxFolder), logger, outboxDays) }
    : { email: 'none', mailer: undefined }
}

function warnOfMissing({ email, pushes }: MessageTransports, logger: Logger): void {
  if (email === 'none') logger.warn('SMTP_URL is not set: no e-mail is sent, each is SUPPRESSED')
  if (pushes === 'none') logger.warn('PUSH_WEBHOOK_URL is not set: no push is sent, each is SUPPRESSED')
}
