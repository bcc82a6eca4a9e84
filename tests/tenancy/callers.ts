import { randomUUID } from 'node:crypto'
import { createOperatorKey, generateApiKey, revokeOperatorKey } from '@commerce-graph/auth-webhook'
import { createTokenIssuer, type TokenIssuer } from '@commerce-graph/access-tokens'
import type { CustomerId, MerchantId, UserId } from '@commerce-graph/contract/ids'
import type { SecretBox } from '@commerce-graph/secret-box'
import { SignJWT } from 'jose'
import type postgres from '@commerce-graph/postgres-driver'

interface KeyOptions {
  readonly merchantId?: string
  readonly mode?: 'live' | 'test'
  readonly revoked?: boolean
  readonly expired?: boolean
}

/** Creates credentials of every kind and caches them. */
export class Callers {
  readonly #sql: postgres.Sql
  readonly #merchantId: string
  readonly #issuer: TokenIssuer
  readonly #secretBox: SecretBox
  readonly #keys = new Map<string, Promise<string>>()
  readonly #users = new Map<string, Promise<string>>()
  readonly #shoppers = new Map<string, Promise<string>>()

  /** @param secretBox opens the sealed values in the platform's database */
  constructor(sql: postgres.Sql, merchantId: string, databaseUrl: string, secretBox: SecretBox) {
    this.#sql = sql
    this.#merchantId = merchantId
    this.#issuer = createTokenIssuer({ databaseUrl, secretBox })
    this.#secretBox = secretBox
  }

  /** A key with these permissions and no others. */
  key(permissions: Iterable<string>): Promise<string> {
    return once(this.#keys, permissions, (list) => this.newKey(list))
  }

  /** The token of a user whose only role has these permissions. */
  user(permissions: Iterable<string>): Promise<string> {
    return once(this.#users, permissions, async (list) => {
      const userId = randomUUID()
      const sessionId = await this.#signIn(userId, list)
      return this.#token({ kind: 'user', userId: userId as UserId, sessionId })
    })
  }

  /** The token of a signed-in customer, created once per customer. */
  shopper(customerId: string): Promise<string> {
    return once(this.#shoppers, [customerId], () => this.#newShopper(customerId))
  }

  async #newShopper(customerId: string): Promise<string> {
    const [session] = await this.#sql<{ id: string }[]>`
      INSERT INTO identity.session (merchant_id, customer_id, expires_at)
      VALUES (${this.#merchantId}, ${customerId}, now() + interval '1 hour') RETURNING id`
    return this.#token({
      kind: 'customer',
      customerId: customerId as CustomerId,
      sessionId: session?.id ?? '',
    })
  }

  async newKey(permissions: readonly string[], options: KeyOptions = {}): Promise<string> {
    const { merchantId = this.#merchantId, mode = 'live', revoked = false, expired = false } = options
    const { key, hash, prefix } = generateApiKey(mode)
    await this.#sql`
      WITH key AS (
        INSERT INTO merchant.api_key (merchant_id, name, mode, prefix, permissions, revoked_at, expires_at)
        VALUES (${merchantId}, 'Of the matrix', ${mode}, ${prefix}, ${permissions},
          ${revoked ? new Date() : null}, ${expired ? new Date(Date.now() - 60_000) : null})
        RETURNING merchant_id, id
      )
      INSERT INTO merchant.api_key_hash (merchant_id, key_id, hash) SELECT merchant_id, id, ${hash} FROM key`
    return key
  }

  /** Invalid credentials by their names in credentials.csv; null: no header at all. */
  async refused(permissions: readonly string[], customerId: string): Promise<Map<string, string | null>> {
    const userId = randomUUID()
    const sessionId = await this.#signIn(userId, permissions)
    const ended = await this.#token({ kind: 'user', userId: userId as UserId, sessionId })
    await this.#sql`
      UPDATE identity.session SET revoked_at = now(), revoked_reason = 'REVOKED' WHERE id = ${sessionId}`
    const fenced = await this.#fencedMerchant()
    return new Map([
      ['no credential', null],
      ['malformed', 'Bearer no key at all'],
      ['unknown key', `Bearer ${generateApiKey('live').key}`],
      ['revoked key', `Bearer ${await this.newKey(permissions, { revoked: true })}`],
      ['expired key', `Bearer ${await this.newKey(permissions, { expired: true })}`],
      ['test key on a live deployment', `Bearer ${await this.newKey(permissions, { mode: 'test' })}`],
      ['key from a disallowed address', `Bearer ${await this.newKey(permissions, { merchantId: fenced })}`],
      ['expired token', `Bearer ${await this.#expiredToken(customerId)}`],
      ['token of an ended session', `Bearer ${ended}`],
      ['unknown operator key', `Bearer cg_op_${'A'.repeat(43)}`],
      ['revoked operator key', `Bearer ${await this.#revokedOperatorKey()}`],
      ['token with a foreign signature', `Bearer ${await this.#forged(customerId)}`],
    ])
  }

  /** An operator's key. */
  async operator(): Promise<string> {
    return (await createOperatorKey(this.#sql, 'Of the matrix')).key
  }

  async #revokedOperatorKey(): Promise<string> {
    const { id, key } = await createOperatorKey(this.#sql, 'Revoked')
    await revokeOperatorKey(this.#sql, id)
    return key
  }

  close(): Promise<void> {
    return this.#issuer.close()
  }

  async #signIn(userId: string, permissions: readonly string[]): Promise<string> {
    const merchantId = this.#merchantId
    const [role] = await this.#sql<{ id: string }[]>`
      INSERT INTO identity.role (merchant_id, name, permissions)
      VALUES (${merchantId}, ${randomUUID()}, ${permissions}) RETURNING id`
    await this.#sql`
      INSERT INTO identity.user (merchant_id, id, email, name, status)
      VALUES (${merchantId}, ${userId}, ${`${userId}@example.com`}, 'Of the matrix', 'ACTIVE')`
    await this.#sql`
      INSERT INTO identity.user_role (merchant_id, user_id, role_id) VALUES (${merchantId}, ${userId}, ${role?.id ?? ''})`
    const [session] = await this.#sql<{ id: string }[]>`
      INSERT INTO identity.session (merchant_id, user_id, expires_at)
      VALUES (${merchantId}, ${userId}, now() + interval '1 hour') RETURNING id`
    return session?.id ?? ''
  }

  async #token(
    subject:
      | { readonly kind: 'user'; readonly userId: UserId; readonly sessionId: string }
      | { readonly kind: 'customer'; readonly customerId: CustomerId; readonly sessionId: string },
  ): Promise<string> {
    const merchantId = this.#merchantId as MerchantId
    return (await this.#issuer.issue({ ...subject, merchantId, ttlSeconds: 3_600 })).accessToken
  }

  /** A token that the current key signed ten minutes ago. */
  async #expiredToken(customerId: string): Promise<string> {
    await this.shopper(customerId)
    const [key] = await this.#sql<{ id: string; private_jwk: string }[]>`
      SELECT id, private_jwk FROM identity.signing_key WHERE retired_at IS NULL ORDER BY created_at DESC LIMIT 1`
    if (key === undefined) throw new Error('there is no signing key')
    const ago = Math.floor(Date.now() / 1_000) - 600
    const opened = this.#secretBox.open(key.private_jwk, `signing key ${key.id}`)
    return this.#signed(customerId, key.id, JSON.parse(opened) as JsonWebKey, ago)
  }

  async #forged(customerId: string): Promise<string> {
    const [key] = await this.#sql<{ id: string }[]>`SELECT id FROM identity.signing_key LIMIT 1`
    const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
    const jwk = await crypto.subtle.exportKey('jwk', pair.privateKey)
    return this.#signed(customerId, key?.id ?? '', jwk, Math.floor(Date.now() / 1_000))
  }

  #signed(customerId: string, kid: string, key: JsonWebKey, issuedAt: number): Promise<string> {
    return new SignJWT({ kind: 'customer', merchant_id: this.#merchantId, sid: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .setIssuer('commerce-graph')
      .setAudience('commerce-graph')
      .setSubject(customerId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + 300)
      .sign(key)
  }

  /** A merchant whose allow-list has only a documentation network (RFC 5737), where no test runs. */
  async #fencedMerchant(): Promise<string> {
    const id = randomUUID()
    await this.#sql`
      INSERT INTO merchant.merchant SELECT (jsonb_populate_record(m, ${this.#sql.json({ id, name: 'Fenced' })})).*
      FROM merchant.merchant m WHERE m.id = ${this.#merchantId}`
    // Allow-lists are a feature of the larger plans.
    await this.#sql`
      UPDATE merchant.subscription SET plan = 'ENTERPRISE' WHERE merchant_id = ${id}`
    await this.#sql`
      INSERT INTO merchant.ip_allow_list_entry (merchant_id, network) VALUES (${id}, '192.0.2.0/24')`
    await this.#sql`UPDATE merchant.merchant SET ip_allow_list_enabled = true WHERE id = ${id}`
    return id
  }
}

function once(
  known: Map<string, Promise<string>>,
  permissions: Iterable<string>,
  make: (permissions: readonly string[]) => Promise<string>,
): Promise<string> {
  const list = [...permissions].sort()
  const name = list.join(' ')
  const found = known.get(name) ?? make(list)
  known.set(name, found)
  return found
}
