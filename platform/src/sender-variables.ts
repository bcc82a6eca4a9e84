import type { DkimKey } from '@commerce-graph/actions'
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { Resolver } from 'node:dns'
import { z } from 'zod'
import { parsedBy } from './parsed-by.ts'

/** A key as openssl writes it; in one line, `\n` stands for a line's end. */
function rsaPrivateKey(text: string): KeyObject {
  const problem = 'must be an RSA private key of 2048 bits or more in PEM, like `openssl genrsa 2048` writes'
  try {
    const key = createPrivateKey(text.replaceAll('\\n', '\n'))
    if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return key
  } catch {
    // The library's own message says less.
  }
  throw new Error(problem)
}

const dnsServer = z.string().refine((server) => isServer(server), {
  error: 'must be addresses like 192.0.2.53,[2001:db8::53]:5353',
})

function isServer(server: string): boolean {
  try {
    new Resolver().setServers([server])
    return true
  } catch {
    return false
  }
}

/** The environment variables about the domains that mail comes from. */
export const senderVariables = {
  MAIL_DKIM_SELECTOR: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a name in DNS, like mail2026')
    .optional(),
  MAIL_DKIM_PRIVATE_KEY: parsedBy(rsaPrivateKey).optional(),
  MAIL_SPF_INCLUDE: z
    .string()
    .regex(/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/, 'must be a host, like _spf.mail.example.com')
    .optional(),
  DNS_SERVERS: z
    .string()
    .transform((value) => value.split(',').map((server) => server.trim()))
    .pipe(z.array(dnsServer))
    .optional(),
}

interface SenderValues {
  readonly MAIL_DKIM_SELECTOR?: string | undefined
  readonly MAIL_DKIM_PRIVATE_KEY?: KeyObject | undefined
}

/** The selector and the key are of use together. */
export function dkimProblems(values: SenderValues): readonly string[] {
  const { MAIL_DKIM_SELECTOR: selector, MAIL_DKIM_PRIVATE_KEY: key } = values
  if ((selector === undefined) === (key === undefined)) return []
  return [
    selector === undefined
      ? 'MAIL_DKIM_PRIVATE_KEY needs MAIL_DKIM_SELECTOR'
      : 'MAIL_DKIM_SELECTOR needs MAIL_DKIM_PRIVATE_KEY',
  ]
}

export function dkimOf(values: SenderValues): DkimKey | undefined {
  const { MAIL_DKIM_SELECTOR: selector, MAIL_DKIM_PRIVATE_KEY: privateKey } = values
  return selector === undefined || privateKey === undefined ? undefined : { selector, privateKey }
}
