import { bearer, type Client, createClient } from './graphql-client.ts'
import { succeeded } from './shop.ts'
import type { TestPlatform } from './test-platform.ts'

/** A client of the demo shop's owner, for what a key may not call whatever its permissions. */
export async function signInOwner(platform: TestPlatform): Promise<Client> {
  const key = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  const { signInUser } = succeeded(
    await key<{ signInUser: { accessToken: string } }>(
      'mutation ($input: SignInUserInput!) { signInUser(input: $input) { accessToken } }',
      { input: { email: platform.userEmail, password: platform.userPassword } },
    ),
  )
  return createClient(platform.graphqlUrl, bearer(signInUser.accessToken))
}
