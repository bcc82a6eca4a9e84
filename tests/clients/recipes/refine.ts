import type { BaseRecord, DataProvider } from '@refinedev/core'
import dataProvider, { GraphQLClient, type HasuraDataProviderOptions } from '@refinedev/hasura'

/** The types of the package declare its default export as the module itself. */
const createDataProvider = dataProvider as unknown as (
  client: GraphQLClient,
  options: HasuraDataProviderOptions,
) => Required<DataProvider>

/** @param url of Hasura's API, `https://…/v1/graphql` */
export function openShop(url: string, token: string) {
  const client = new GraphQLClient(url, { headers: { Authorization: `Bearer ${token}` } })
  const rows = createDataProvider(client, { idType: 'uuid' })
  const first = ({ data: [row] }: { data: BaseRecord[] }) => ({ data: row ?? null })
  type Of<Method extends 'getOne' | 'update' | 'deleteOne'> = Parameters<(typeof rows)[Method]>[0]
  return {
    ...rows,
    getOne: async ({ id, ...rest }: Of<'getOne'>) => first(await rows.getMany({ ...rest, ids: [id] })),
    update: async ({ id, ...rest }: Of<'update'>) => first(await rows.updateMany({ ...rest, ids: [id] })),
    deleteOne: async ({ id, ...rest }: Of<'deleteOne'>) =>
      first(await rows.deleteMany({ ...rest, ids: [id] })),
  }
}
