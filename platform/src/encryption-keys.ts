import { wrongEncryptionKeys } from '@commerce-graph/access-tokens'
import { createSecretBox, type EncryptionKey } from '@commerce-graph/secret-box'
import type { Sql } from '@commerce-graph/postgres-driver'
import { PlatformError } from './platform-error.ts'

/**
 * Throws a PlatformError if the database has a sealed value that no key opens: the start is a better moment than a
 * sign-in.
 */
export async function checkEncryptionKeys(sql: Sql, keys: readonly EncryptionKey[]): Promise<void> {
  const known = keys.map(({ id }) => id)
  const missing = await sql<{ id: string }[]>`
    SELECT DISTINCT split_part(sealed, '.', 1) AS id
    FROM (SELECT private_jwk FROM identity.signing_key UNION ALL SELECT secret FROM identity.totp
      UNION ALL SELECT credentials FROM payment.account_secret
      UNION ALL SELECT secret FROM events.endpoint_secret) AS s (sealed)
    WHERE split_part(sealed, '.', 1) <> ALL (${known})`
  const ids = missing.map(({ id }) => id).join(', ')
  if (missing.length > 0)
    throw new PlatformError(
      `The database keeps secrets that were sealed with the key ${ids}, which is not here. Name it in ENCRYPTION_KEYS (docs/operating.md).`,
    )
  const wrong = await wrongEncryptionKeys(sql, createSecretBox(keys))
  if (wrong.length > 0)
    throw new PlatformError(
      `The key ${wrong.join(', ')} of ENCRYPTION_KEYS is not the one that sealed the secrets in the database, though it has its id. Set the keys that the other processes have (docs/operating.md).`,
    )
}
