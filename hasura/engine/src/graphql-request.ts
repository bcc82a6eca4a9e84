import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Json } from './metadata/parse.ts'
import type { GraphQLApi } from './schema/role-schema.ts'
import type { Session } from './session/types.ts'

/** One GraphQL request, as a client sends it. */
export interface GraphQLRequest {
  readonly query: string
  readonly operationName?: string | undefined
  readonly variables?: Readonly<Record<string, unknown>> | undefined
  /** Which of Hasura's two schemas it is asked of: `/v1/graphql` unless said otherwise. */
  readonly api?: GraphQLApi | undefined
}

export interface GraphQLError {
  readonly message: string
  /** A code and a path, except where the handler of an action has something else to say. */
  readonly extensions: {
    readonly code?: string
    readonly path?: string
    readonly [key: string]: Json | undefined
  }
  /** What a handler's refusal is where its own extensions are not told: to REST clients, and in logs. */
  readonly refusal?: { readonly status: number; readonly code: string }
  /** What Hasura tells as `internal` to those who may know. It is not sent to others. */
  readonly internal?: Json | undefined
  /** What Postgres said, for callers in the same process. It is not sent to clients. */
  readonly database?: DatabaseProblem
}

interface DatabaseProblem {
  readonly sqlState: string
  readonly message: string
  readonly detail: string | undefined
  readonly hint: string | undefined
  readonly constraint: string | undefined
  readonly schema: string | undefined
  readonly table: string | undefined
  readonly column: string | undefined
}

/** `json` is the text of the whole `data` value. Hasura has no partial results: it is one or the other. */
export type GraphQLResult =
  | {
      readonly kind: 'data'
      readonly json: string
      /** `set-cookie` of an action's handler and the like. */
      readonly headers?: OutgoingHttpHeaders | undefined
    }
  | { readonly kind: 'errors'; readonly stage: FailedStage; readonly errors: readonly GraphQLError[] }

/**
 * Where an operation ended: before anything of it ran, while it ran, or in a remote schema, whose errors are the answer.
 * Hasura's answers differ in whether they have a `data` that is null.
 */
type FailedStage = 'request' | 'execution' | 'remote'

export interface ExecuteOptions {
  /** Aborting it cancels the statement in Postgres. */
  readonly signal?: AbortSignal | undefined
  /** The client's headers, for actions that forward them. */
  readonly clientHeaders?: IncomingHttpHeaders | undefined
}

/** A statement as it is sent to Postgres. */
export interface ExplainedStatement {
  readonly text: string
  readonly values: readonly (string | null)[]
}

export interface GraphQLExecutor {
  execute(request: GraphQLRequest, session: Session, options?: ExecuteOptions): Promise<GraphQLResult>
  /**
   * What an operation would send to Postgres, one statement for each root field that needs tables. Throws for a request
   * that `execute` would refuse, and for a mutation that takes several statements.
   */
  explain(request: GraphQLRequest, session: Session): readonly ExplainedStatement[]
}
