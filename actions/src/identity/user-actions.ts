import { z } from 'zod'
import { type Action, defineAction } from '../action/action.ts'
import { type Answer, done, invalid, notFound, type UserError } from '../action/answer.ts'
import { addFault, email, id, list, optional, phone, storableText, text, userError } from '../action/input.ts'
import type { MerchantId } from '../action/session.ts'
import type { Database } from '../database.ts'
import {
  changeUserStatus,
  createRole,
  createUser,
  deleteRole,
  type IdentityOutcome,
  type IdentityRefusal,
  setRole,
  updateRole,
  updateUser,
} from './users.ts'

const roles = ['merchant'] as const
const users = { roles, permission: 'users:write' } as const
const roleChanges = { roles, permission: 'roles:write' } as const

const MAX_ROLES = 50
const MAX_PERMISSIONS = 200

const roleIds = z
  .array(id)
  .superRefine((ids, context) => {
    if (ids.length > MAX_ROLES) {
      addFault(context, { kind: 'range', value: `of ${ids.length} entries`, min: 0, max: MAX_ROLES })
    }
  })
  .nullish()
  .transform((ids) => ids ?? [])

const newUser = z.object({ email, name: optional(text(200)), phone: optional(phone), roleIds })
const changedUser = z.object({
  email: email.optional(),
  name: text(200).nullable().optional(),
  phone: phone.nullable().optional(),
})
const permissions = list(text(100), MAX_PERMISSIONS)
const newRole = z.object({ name: text(100), description: optional(storableText(1000)), permissions })
const changedRole = z.object({
  name: text(100).optional(),
  description: storableText(1000).nullable().optional(),
  permissions: permissions.optional(),
})

/** Users and what they may do, by name as in metadata/actions.yaml. */
export function userActions(database: Database): Readonly<Record<string, Action>> {
  const statusChange = (event: Parameters<typeof changeUserStatus>[3]) =>
    defineAction({
      ...users,
      input: z.object({ id }),
      handle: async ({ session }, { id }) =>
        answerUser(session.merchantId, await changeUserStatus(database, session, id, event)),
    })
  const roleChange = (held: boolean) =>
    defineAction({
      ...users,
      input: z.object({ userId: id, roleId: id }),
      handle: async ({ session }, input) =>
        answerUser(session.merchantId, await setRole(database, session, input, held), 'userId'),
    })
  return {
    createUser: defineAction({
      ...users,
      input: z.object({ input: newUser }),
      handle: async ({ session }, { input }) =>
        answerUser(session.merchantId, await createUser(database, session, input)),
    }),
    updateUser: defineAction({
      ...users,
      input: z.object({ id, input: changedUser }),
      handle: async ({ session }, { id, input }) =>
        answerUser(session.merchantId, await updateUser(database, session, id, given(input))),
    }),
    suspendUser: statusChange('suspend'),
    reactivateUser: statusChange('reactivate'),
    deleteUser: statusChange('delete'),
    assignRole: roleChange(true),
    removeRole: roleChange(false),
    createRole: defineAction({
      ...roleChanges,
      input: z.object({ input: newRole }),
      handle: async ({ session }, { input }) =>
        answerRole(session.merchantId, await createRole(database, session, input)),
    }),
    updateRole: defineAction({
      ...roleChanges,
      input: z.object({ id, input: changedRole }),
      handle: async ({ session }, { id, input }) =>
        answerRole(session.merchantId, await updateRole(database, session, id, given(input))),
    }),
    deleteRole: defineAction({
      ...roleChanges,
      input: z.object({ id }),
      handle: async ({ session }, { id }) =>
        answerRole(session.merchantId, await deleteRole(database, session, id)),
    }),
  }
}

/** What is absent stays as it is, and undefined says nothing else. */
type Given<Input> = { readonly [Name in keyof Input]?: Exclude<Input[Name], undefined> }

const given = <Input extends object>(input: Input): Given<Input> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Given<Input>

const answerUser = (merchantId: MerchantId, outcome: IdentityOutcome, field = 'id'): Answer =>
  answer(outcome, notFound(field, 'user'), field, (userId) => ({ merchantId, userId }))

const answerRole = (merchantId: MerchantId, outcome: IdentityOutcome): Answer =>
  answer(outcome, notFound('id', 'role'), 'id', (roleId) => ({ merchantId, roleId }))

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
      return invalid(wrong(field, `This can not be done to a user in status ${outcome.status}`))
    case 'invalid':
      return invalid(...outcome.refusals.map(identityError))
    default:
      return outcome satisfies never
  }
}

const wrong = (field: string, message: string): UserError => userError(field, { kind: 'value', message })

function identityError({ field, reason, permission }: IdentityRefusal): UserError {
  switch (reason) {
    case 'unknown_role':
      return notFound(field, 'role')
    case 'unknown_permission':
      return notFound(field, 'permission')
    case 'beyond_own':
      return wrong(field, `Nobody grants what they don’t have: ${permission ?? ''}`)
    case 'taken':
      return { field, message: `The ${field} is taken already`, code: 'ALREADY_EXISTS' }
    case 'last_owner':
      return wrong(field, 'The merchant would have no active owner left')
    case 'built_in':
      return wrong(field, 'A built-in role stays as it is')
    case 'in_use':
      return wrong(field, 'Users have the role')
    default:
      return reason satisfies never
  }
}
