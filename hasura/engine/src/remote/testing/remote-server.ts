import { type IncomingHttpHeaders, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GraphQLError, buildSchema, graphql } from 'graphql'
import { parseExactly } from '../../exact-json.ts'

interface ReceivedQuery {
  readonly query: string
  readonly variables: unknown
  readonly headers: IncomingHttpHeaders
}

export interface RemoteServer {
  readonly url: string
  readonly queries: ReceivedQuery[]
  /** While false, it answers 503 to every request. */
  isUp: boolean
  close(): Promise<void>
}

const citySdl = `
  scalar JSON
  enum Unit { CELSIUS KELVIN }
  interface Node { id: ID! note(by: String): String }
  type City implements Node {
    id: ID!
    name: String!
    weather(unit: Unit = CELSIUS): Weather
    note(by: String, since: Int): String
  }
  type Person implements Node { id: ID! nick: String note(by: String): String }
  type Weather { degrees: Float! population: Int cityName: String! exact: JSON }
  union Hit = City | Person
  input Place { name: String! country: String }
  type Query {
    city(id: ID!): City
    cities(names: [String!]): [City!]!
    weather(place: Place!, unit: Unit): Weather
    node(id: ID!): Node
    search(text: String!): [Hit!]!
    echo(value: JSON, owner: String, filter: JSON): JSON
    need(filter: JSON!): JSON
    fails: String
  }
  type Mutation { rename(id: ID!, name: String!): City }
`

const cities = [
  { __typename: 'City', id: '1', name: 'Ulm' },
  { __typename: 'City', id: '2', name: 'Au' },
]
const weatherOf = (name: string, unit: string) => ({
  degrees: unit === 'KELVIN' ? 280.5 : 7.5,
  population: 9,
  cityName: name,
  exact: null,
})
const noteBy = ({ by }: { readonly by?: string }) => by
const withWeather = (city: (typeof cities)[number]) => ({
  ...city,
  weather: ({ unit }: { readonly unit: string }) => weatherOf(city.name, unit),
  note: noteBy,
})

const cityRoot = {
  city: ({ id }: { readonly id: string }) => {
    const found = cities.find((city) => city.id === id)
    return found && withWeather(found)
  },
  cities: ({ names }: { readonly names?: readonly string[] }) =>
    cities.filter(({ name }) => names?.includes(name) ?? true).map(withWeather),
  weather: ({ place, unit }: { readonly place: { readonly name: string }; readonly unit?: string }) =>
    weatherOf(place.name, unit ?? 'CELSIUS'),
  node: ({ id }: { readonly id: string }) =>
    cities.map(withWeather).find((city) => city.id === id) ?? {
      __typename: 'Person',
      id,
      nick: `p${id}`,
      note: noteBy,
    },
  search: () => [cities[0], { __typename: 'Person', id: '9', nick: 'nine' }],
  echo: (given: { readonly value?: unknown; readonly owner?: string; readonly filter?: unknown }) => ({
    ...given,
  }),
  need: ({ filter }: { readonly filter: unknown }) => filter,
  fails: () => {
    throw new GraphQLError('it can not be done', { extensions: { left: parseExactly('1.50') } })
  },
  rename: ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name }),
}

/** The schema and resolvers of a remote server. */
export interface RemoteApi {
  readonly sdl: string
  readonly rootValue: object
}

const cityApi: RemoteApi = { sdl: citySdl, rootValue: cityRoot }

/** Starts a GraphQL server that stands for a foreign one. Default: cities with their weather. */
export async function startRemoteServer({ sdl, rootValue }: RemoteApi = cityApi): Promise<RemoteServer> {
  const schema = buildSchema(sdl)
  const queries: ReceivedQuery[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { query, variables } = JSON.parse(Buffer.concat(chunks).toString()) as {
        readonly query: string
        readonly variables?: Record<string, unknown>
      }
      if (!remote.isUp) {
        response.writeHead(503).end('down')
        return
      }
      if (!query.includes('IntrospectionQuery')) queries.push({ query, variables, headers: request.headers })
      const result = await graphql({ schema, source: query, rootValue, variableValues: variables ?? {} })
      response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'seen=1' })
      response.end(JSON.stringify(result))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const remote: RemoteServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    queries,
    isUp: true,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return remote
}
