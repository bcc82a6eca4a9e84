import { AsyncLocalStorage } from 'node:async_hooks'
import type { Sql } from 'postgres'
import { type Setting, withSetting } from './setting-of-statement.ts'

/** Whose rows statements may see and write; the database's row security (`platform.secure_rows`) keeps them to it. */
type MerchantScope =
  | { readonly kind: 'merchant'; readonly merchantId: string }
  /** The reason is for readers, and for who looks at the setting in the database. */
  | { readonly kind: 'across'; readonly reason: string }

function settingOf(scope: MerchantScope): Setting {
  switch (scope.kind) {
    case 'merchant':
      return { name: 'commerce.merchant_id', value: scope.merchantId }
    case 'across':
      return { name: 'commerce.across_merchants', value: scope.reason }
    default:
      return scope satisfies never
  }
}

/** The pools beneath those that have a scope. */
const unscoped = new WeakMap<Sql, Sql>()

/** In the scope alone, also when the pool has another one: scopes don't add up. */
function inScope<Pool extends Sql>(pool: Pool, current: () => Setting | undefined): Pool {
  const bare = (unscoped.get(pool) as Pool | undefined) ?? pool
  const scoped = withSetting(bare, current)
  unscoped.set(scoped, bare)
  return scoped
}

/** The pool for work of one merchant: the rows of others don't exist for it. Narrows the scope of a pool that has another one. */
export function forMerchant<Pool extends Sql>(pool: Pool, merchantId: string): Pool {
  const setting = settingOf({ kind: 'merchant', merchantId })
  return inScope(pool, () => setting)
}

/** The pool for work that is done to several merchants, or before it is known to which. Says why. */
export function acrossMerchants<Pool extends Sql>(pool: Pool, reason: string): Pool {
  const setting = settingOf({ kind: 'across', reason })
  return inScope(pool, () => setting)
}

/** The role in which the engine sees the rows of all merchants (`platform.make_roles`). */
export const engineAcrossRole = 'commerce_engine_across'

/**
 * The same for a pool of the engine's login: its rows of all merchants are those of another role, which it takes for each statement. The
 * owner may take it, too.
 */
export const acrossMerchantsAsEngine = <Pool extends Sql>(pool: Pool): Pool =>
  inScope(pool, () => ({ name: 'role', value: engineAcrossRole }))

/** A pool for work that learns late whose it is: a server's, whose handlers have the pool before a request comes. */
export interface ScopedPool<Pool extends Sql> {
  /** Outside of `forMerchant` and `acrossMerchants`, no merchant's rows exist for its statements. */
  readonly database: Pool
  forMerchant<T>(merchantId: string, work: () => T): T
  acrossMerchants<T>(reason: string, work: () => T): T
}

export function scopedPool<Pool extends Sql>(pool: Pool): ScopedPool<Pool> {
  const scopes = new AsyncLocalStorage<Setting>()
  return {
    database: inScope(pool, () => scopes.getStore()),
    forMerchant: (merchantId, work) => scopes.run(settingOf({ kind: 'merchant', merchantId }), work),
    acrossMerchants: (reason, work) => scopes.run(settingOf({ kind: 'across', reason }), work),
  }
}
