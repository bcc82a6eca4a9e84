import type { SecretBox } from '@commerce-graph/secret-box'
import { type Action, defineAction } from '../action/action.ts'
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

export interface UserOptions {
  readonly database: Database
  readonly secretBox: SecretBox
}

/** Users and what they may do, by the name of the mutation. */
export function userActions({ database, secretBox }: UserOptions): Readonly<Record<string, Action>> {
  const statusChange = (
    name: 'suspendUser' | 'reactivateUser' | 'deleteUser',
    event: Parameters<typeof changeUserStatus>[3],
  ) =>
    defineAction(name, {
      handle: async ({ session }, { id }) =>
        answerUser(session.merchantId, await changeUserStatus(database, session, id, event)),
    })
  const roleChange = (name: 'assignRole' | 'removeRole', held: boolean) =>
    defineAction(name, {
      handle: async ({ session }, input) =>
        answerUser(session.merchantId, await setRole(database, session, input, held), 'userId'),
    })
  return {
    createUser: defineAction('createUser', {
      async handle({ session }, { input }) {
        const outcome = await database.begin(async (sql) => {
          const created = await createUser(sql, session, { ...input, roleIds: input.roleIds ?? [] })
          if (created.outcome === 'changed') {
            const person = { subject: 'USER', id: created.id } as const
            await issueMailedToken({ sql, secretBox }, session.merchantId, person, 'INVITATION')
          }
          return created
        })
        return answerUser(session.merchantId, outcome)
      },
    }),
    updateUser: defineAction('updateUser', {
      absent: 'kept',
      handle: async ({ session }, { id, input }) =>
        answerUser(session.merchantId, await updateUser(database, session, id, input)),
    }),
    suspendUser: statusChange('suspendUser', 'suspend'),
    reactivateUser: statusChange('reactivateUser', 'reactivate'),
    deleteUser: statusChange('deleteUser', 'delete'),
    assignRole: roleChange('assignRole', true),
    removeRole: roleChange('removeRole', false),
    createRole: defineAction('createRole', {
      handle: async ({ session }, { input }) =>
        answerRole(session.merchantId, await createRole(database, session, input)),
    }),
    updateRole: defineAction('updateRole', {
      absent: 'kept',
      handle: async ({ session }, { id, input }) =>
        answerRole(session.merchantId, await updateRole(database, session, id, input)),
    }),
    deleteRole: defineAction('deleteRole', {
      handle: async ({ session }, { id }) =>
        answerRole(session.merchantId, await deleteRole(database, session, id)),
    }),
  }
}
