/** Counting and answering introspection, for the engine and for a GraphQL server in front of it. */
export { type Introspection, introspectionSize } from './introspection-size.ts'
export { runIntrospection } from './run-introspection.ts'
export { StandardIntrospection } from './standard-introspection.ts'
