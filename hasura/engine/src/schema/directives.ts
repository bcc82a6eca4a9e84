import { DirectiveLocation, GraphQLBoolean, GraphQLDirective, GraphQLInt, GraphQLNonNull } from 'graphql'

const inclusion = (name: 'include' | 'skip', done: string): GraphQLDirective =>
  new GraphQLDirective({
    name,
    description: `whether this query should be ${done}`,
    locations: [
      DirectiveLocation.FIELD,
      DirectiveLocation.FRAGMENT_SPREAD,
      DirectiveLocation.INLINE_FRAGMENT,
    ],
    args: { if: { type: new GraphQLNonNull(GraphQLBoolean) } },
  })

/** Hasura accepts `@cached` in every edition. Without a cache it has no effect. */
const cached = new GraphQLDirective({
  name: 'cached',
  description: 'whether this query should be cached (Hasura Cloud only)',
  locations: [DirectiveLocation.QUERY],
  args: {
    refresh: {
      type: new GraphQLNonNull(GraphQLBoolean),
      defaultValue: false,
      description: 'refresh the cache entry',
    },
    ttl: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 60, description: 'measured in seconds' },
  },
})

/** The directives of every role's schema. */
export const directives: readonly GraphQLDirective[] = [
  inclusion('include', 'included'),
  inclusion('skip', 'skipped'),
  cached,
]
