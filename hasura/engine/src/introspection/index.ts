/** What introspection costs, and how it is answered: for the engine itself, and for a server of GraphQL before it. */
export { type Introspection, introspectionSize } from './introspection-size.ts'
export { runIntrospection } from './run-introspection.ts'
export { StandardIntrospection } from './standard-introspection.ts'
