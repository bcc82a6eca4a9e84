import { type Answer, done, invalid, notFound, type UserError } from '../action/answer.ts'
import { invalidValue } from '../action/input.ts'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { IdentityOutcome, IdentityRefusal } from './users.ts'

export const answerUser = (merchantId: MerchantId, outcome: IdentityOutcome, field = 'id'): Answer =>
  answer(outcome, notFound(field, 'User'), field, (userId) => ({ merchantId, userId }))

export const answerRole = (merchantId: MerchantId, outcome: IdentityOutcome): Answer =>
  answer(outcome, notFound('id', 'Role'), 'id', (roleId) => ({ merchantId, roleId }))

function answer(
  outcome: IdentityOutcome,
  unknown: UserError,
  field: string,
  data: (id: string) => Readonly<Record<string, unknown>>,
): Answer {
  switch (outcome.outcome) {
    case 'changed':
      return done(data(outcome.id))
    case 'unknown':
      return invalid(unknown)
    case 'not_allowed':
      return invalid(invalidValue(field, `This can not be done to a user in status ${outcome.status}`))
    case 'invalid':
      return invalid(...outcome.refusals.map(identityError))
    default:
      return outcome satisfies never
  }
}

function identityError({ field, reason, permission }: IdentityRefusal): UserError {
  switch (reason) {
    case 'unknown_role':
      return notFound(field, 'Role')
    case 'unknown_permission':
      return notFound(field, 'Permission')
    case 'beyond_own':
      return invalidValue(field, `You can’t grant a permission that you lack: ${permission ?? ''}`)
    case 'taken':
      return { field, message: `The ${field} is taken already`, code: 'ALREADY_EXISTS' }
    case 'last_owner':
      return invalidValue(field, 'The merchant would have no active owner left')
    case 'built_in':
      return invalidValue(field, 'A built-in role stays as it is')
    case 'in_use':
      return invalidValue(field, 'Users have the role')
    default:
      return reason satisfies never
  }
}
