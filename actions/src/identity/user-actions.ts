import type { SecretBox } from '@commerce-graph/auth-webhook'
import { z } from 'zod'
import { type Action, defineAction } from '../action/action.ts'
import { addFault, email, id, list, optional, phone, storableText, text } from '../action/input.ts'
import type { Database } from '../database.ts'
import {
  changeUserStatus,
  createRole,
  createUser,
  deleteRole,
  setRole,
  updateRole,
  updateUser,
} from './users.ts'
import { answerRole, answerUser } from './user-answer.ts'
import { issueMailedToken } from './mailed-tokens.ts'

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
  name: text(200).optional(),
  phone: phone.nullable().optional(),
})
const permissions = list(text(100), MAX_PERMISSIONS)
const newRole = z.object({ name: text(100), description: optional(storableText(1000)), permissions })
const changedRole = z.object({
  name: text(100).optional(),
  description: storableText(1000).nullable().optional(),
  permissions: permissions.optional(),
})

export interface UserOptions {
  readonly database: Database
  readonly secretBox: SecretBox
}

/** Users and what they may do, by name as in metadata/actions.yaml. */
export function userActions({ database, secretBox }: UserOptions): Readonly<Record<string, Action>> {
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
      async handle({ session }, { input }) {
        const outcome = await database.begin(async (sql) => {
          const created = await createUser(sql, session, input)
          if (created.outcome === 'changed') {
            const person = { subject: 'USER', id: created.id } as const
            await issueMailedToken({ sql, secretBox }, session.merchantId, person, 'INVITATION')
          }
          return created
        })
        return answerUser(session.merchantId, outcome)
      },
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
