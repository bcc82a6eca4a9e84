export { AuditTrail } from './audit-trail.ts'
export {
  actorOf,
  type Actor,
  type Attempt,
  type AuditedOperation,
  type Origin,
  type Outcome,
  type RefusedAccess,
} from './entry.ts'
export { targetIdsOf } from './target-ids.ts'
