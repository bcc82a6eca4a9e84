import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../../database.ts'
import type { MethodVault, RequiredAction, SetupAnswer } from '../../processors/index.ts'
import type { FindProcessor } from '../cashier.ts'
import { ensureCustomer } from './processor-customers.ts'
import { findSavedMethod, forgetRemoved, type SavedMethod, settleSetup } from './saved-methods.ts'

/** A saved method after the processor was asked. */
export interface KeptMethod {
  /** Null: it is gone. */
  readonly method: SavedMethod | null
  readonly action: RequiredAction | null
}

/** Brings saved methods and their processors to agree. Every step can be repeated at any time. */
export interface MethodKeeper {
  /**
   * Asks for what is left to do of a method: to save it, or to remove it.
   * @param asked whether the processor may have been asked before; if not, one that doesn't take our key fails the method
   */
  complete(method: SavedMethod, asked: 'never' | 'maybe'): Promise<KeptMethod>
}

export const createMethodKeeper = (database: Database, processorOf: FindProcessor): MethodKeeper => ({
  async complete(method, asked) {
    switch (method.status) {
      case 'PENDING': {
        if (method.isOfPayment) return { method, action: null }
        const { vault } = await processorOf(method)
        const answer = vault === null ? outOfOrder : await answerOf(database, vault, method)
        const known = asked === 'never' && answer.status === 'unauthorized' ? outOfOrder : answer
        await settleSetup(database, method, known)
        return again(database, method, known)
      }
      case 'REMOVING': {
        const { vault } = await processorOf(method)
        const answer =
          vault === null || method.methodId === null
            ? ({ status: 'gone' } as const)
            : await vault.detach(method.methodId)
        if (answer.status === 'gone') await forgetRemoved(database, method)
        return again(database, method, null)
      }
      case 'ACTIVE':
      case 'FAILED':
        return { method, action: null }
      default:
        return method.status satisfies never
    }
  },
})

const outOfOrder = {
  status: 'declined',
  setupId: null,
  decline: {
    code: 'processor_unavailable',
    message: 'The payment processor is out of order. Nothing was saved.',
    declineCode: null,
  },
} as const satisfies SetupAnswer

async function again(
  database: Database,
  { merchantId, id }: { readonly merchantId: MerchantId; readonly id: string },
  answer: SetupAnswer | null,
): Promise<KeptMethod> {
  const method = await findSavedMethod(database, merchantId, id, null)
  const waits = method?.status === 'PENDING' && answer?.status === 'requires_action'
  return { method, action: waits ? answer.action : null }
}

async function answerOf(database: Database, vault: MethodVault, method: SavedMethod): Promise<SetupAnswer> {
  if (method.setupId !== null) return answerAfterWaiting(vault, method.setupId, method.isLost)
  const customer = await ensureCustomer(database, vault, method)
  switch (customer.status) {
    case 'made':
      return setUpOnce(vault, method, customer.customerId)
    case 'refused':
      return { status: 'declined', setupId: null, decline: customer.decline }
    case 'unknown':
    case 'unauthorized':
      return customer
    default:
      return customer satisfies never
  }
}

/** As of charges: a request that is too old, or that a processor may repeat its own error for, is looked for. */
async function setUpOnce(vault: MethodVault, method: SavedMethod, customerId: string): Promise<SetupAnswer> {
  const find = () => vault.findSetup(customerId, method.id)
  if (method.isLost) return (await find()) ?? { status: 'cancelled', setupId: null }
  const answer = await vault.setUp({
    idempotencyKey: method.id,
    customerId,
    paymentMethodId: method.requestedMethodId,
    returnUrl: method.returnUrl,
    metadata: { merchant_id: method.merchantId, saved_method_id: method.id },
  })
  if (answer.status !== 'unknown') return answer
  const found = await find()
  return found === null || found.status === 'declined' ? answer : found
}

/** A setup that failed, or that its customer left a day ago, is ended, so that nothing can be saved with its secret any more. */
async function answerAfterWaiting(
  vault: MethodVault,
  setupId: string,
  isOver: boolean,
): Promise<SetupAnswer> {
  const answer = await vault.retrieveSetup(setupId)
  const isOpen = answer.status === 'declined' || (isOver && answer.status === 'requires_action')
  if (!isOpen) return answer
  const ended = await vault.cancelSetup(setupId)
  return ended.status === 'cancelled' && answer.status === 'declined' ? answer : ended
}
