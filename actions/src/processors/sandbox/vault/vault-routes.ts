import type { Request, RequestHandler, Router } from 'express'
import type { StripeAnswer } from '../stripe-error.ts'
import type { Ledger } from '../store.ts'
import {
  attachMethod,
  cancelSetup,
  createCustomer,
  createSetup,
  deleteCustomer,
  detachMethod,
  listMethods,
  listSetups,
  retrieveCustomer,
  retrieveMethod,
  retrieveSetup,
  type SetupUrl,
} from './vault-operations.ts'

type Work = (ledger: Ledger, request: Request) => Promise<StripeAnswer>
type Handle = (work: Work) => RequestHandler

/** Customers, setup intents and payment methods. */
export function addVaultRoutes(router: Router, write: Handle, read: Handle, urlOf: SetupUrl): void {
  router.post(
    '/customers',
    write((ledger, { body }) => createCustomer(ledger, body)),
  )
  router.get(
    '/customers/:id',
    read((ledger, request) => retrieveCustomer(ledger, idOf(request))),
  )
  router.delete(
    '/customers/:id',
    write((ledger, request) => deleteCustomer(ledger, idOf(request))),
  )
  router.post(
    '/setup_intents',
    write((ledger, { body }) => createSetup(ledger, body, urlOf)),
  )
  router.get(
    '/setup_intents',
    read((ledger, { query }) => listSetups(ledger, query)),
  )
  router.get(
    '/setup_intents/:id',
    read((ledger, request) => retrieveSetup(ledger, idOf(request))),
  )
  router.post(
    '/setup_intents/:id/cancel',
    write((ledger, request) => cancelSetup(ledger, idOf(request))),
  )
  router.get(
    '/payment_methods',
    read((ledger, { query }) => listMethods(ledger, query)),
  )
  router.get(
    '/payment_methods/:id',
    read((ledger, request) => retrieveMethod(ledger, idOf(request))),
  )
  router.post(
    '/payment_methods/:id/attach',
    write((ledger, request) => attachMethod(ledger, idOf(request), request.body)),
  )
  router.post(
    '/payment_methods/:id/detach',
    write((ledger, request) => detachMethod(ledger, idOf(request))),
  )
}

const idOf = (request: Request): string => String(request.params.id)
