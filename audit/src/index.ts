export { AuditTrail, entryOf } from './audit-trail.ts'
export {
  type Actor,
  type Attempt,
  type AuditedOperation,
  type Origin,
  type Outcome,
  type RefusedAccess,
} from './entry.ts'
export { targetIdsOf } from './target-ids.ts'
