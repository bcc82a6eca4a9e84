import { type PageHandler, servePage } from './page.ts'

/** The page that a browser finds at /graphql: GraphiQL with a first query to run. */
export interface GraphiQLSettings {
  readonly title: string
  readonly defaultQuery: string
}

export const graphiql = ({ title, defaultQuery }: GraphiQLSettings): PageHandler =>
  servePage(async () => {
    // Nine megabytes of page are loaded only once somebody opens it.
    const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
    return renderGraphiQL({
      title,
      defaultQuery: `# All types and fields are described at /docs.\n\n${defaultQuery}`,
      headers: JSON.stringify({ Authorization: 'Bearer <API_KEY>' }, null, 2),
      // A key that somebody tried out doesn't stay in the browser.
      shouldPersistHeaders: false,
    })
  })
