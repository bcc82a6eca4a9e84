import type { MailCatcher } from '@commerce-graph/actions/testing/mail-catcher'
import { expect } from 'vitest'
import type { Client } from './graphql-client.ts'
import { payload } from './shop.ts'

export interface Person {
  readonly email: string
  readonly password: string
}

interface Created {
  readonly errors: readonly { readonly field: string | null; readonly message: string }[]
  readonly role?: { readonly id: string }
}

/** A user of the shop with a role of these permissions alone, who has set a password by the link in the mail. */
export async function inviteUser(
  owner: Client,
  catcher: MailCatcher,
  permissions: readonly string[],
): Promise<Person> {
  const name = permissions.join(', ') || 'nothing'
  const person = { email: `${name.replaceAll(/\W+/g, '.')}@example.com`, password: 'a password for the test' }
  const { role } = payload(
    await owner<Record<string, Created>>(
      'mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id } errors { field message } } }',
      { input: { name, permissions } },
    ),
  )
  payload(
    await owner<Record<string, Created>>(
      'mutation ($input: CreateUserInput!) { createUser(input: $input) { errors { field message } } }',
      { input: { email: person.email, roleIds: [role?.id] } },
    ),
  )
  const invitation = () =>
    catcher.mails.find(({ to, subject }) => to.includes(person.email) && subject.includes('invited'))
  await expect.poll(invitation, { timeout: 10_000 }).toBeDefined()
  const [token] =
    /(?<![\w-])main_[\w-]{43}(?![\w-])/.exec((invitation()?.source ?? '').replaceAll('=\r\n', '')) ?? []
  payload(
    await owner<Record<string, Created>>(
      'mutation ($token: String!, $password: String!) { resetPassword(token: $token, password: $password) { errors { field message } } }',
      { token, password: person.password },
    ),
  )
  return person
}
