/** Who asks. Names of variables are lower case (`x-hasura-merchant-id`); `x-hasura-role` is not among them. */
export interface Session {
  readonly role: string
  readonly variables: Readonly<Record<string, string>>
  readonly isAdmin: boolean
  /** `x-hasura-use-backend-only-permissions`, which only someone with the admin secret may ask for. */
  readonly backendOnlyPermissions: boolean
}
