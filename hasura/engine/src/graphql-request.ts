import type { Validity } from '@commerce-graph/answer-cache'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Json } from './metadata/parse.ts'
import type { GraphQLApi } from './schema/role-schema.ts'
import type { Session } from './session/types.ts'

/** One GraphQL request of a client. */
export interface GraphQLRequest {
  readonly query: string
  readonly operationName?: string | undefined
  readonly variables?: Readonly<Record<string, unknown>> | undefined
  /** Which of Hasura's two schemas it uses. Default: that of `/v1/graphql`. */
  readonly api?: GraphQLApi | undefined
}

export interface GraphQLError {
  readonly message: string
  /** A path and a code, unless an action's handler has set others. */
  readonly extensions: {
    readonly code?: string
    readonly path?: string
    readonly [key: string]: Json | undefined
  }
  /** The status and code of a handler's refusal, for REST clients and logs, where its own extensions are not shown. */
  readonly refusal?: { readonly status: number; readonly code: string }
  /** Hasura's `internal`, for callers with internal errors only. */
  readonly internal?: Json | undefined
  /** Postgres's error, for callers in the same process. It is not sent to clients. */
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

/** `json` is the text of the whole `data` value. An answer has data or errors; Hasura has no partial results. */
export type GraphQLResult =
  | {
      readonly kind: 'data'
      readonly json: string
      /** Whether it answers a query: only such an answer may be compressed, because a mutation's can hold a new secret. */
      readonly ofQuery?: boolean
      /** Headers of an action's handler, like `set-cookie`. */
      readonly headers?: OutgoingHttpHeaders | undefined
      /** Whether the answer may be kept, and for how long; where `wantsValidity` asks for it and it can be known. */
      readonly validity?: Validity | undefined
    }
  | { readonly kind: 'errors'; readonly stage: FailedStage; readonly errors: readonly GraphQLError[] }

/**
 * Where an operation failed: before any part of it ran, while it ran, or in a remote schema, whose errors are the
 * answer. Hasura's answers differ in whether they have `data: null`.
 */
type FailedStage = 'request' | 'execution' | 'remote'

export interface ExecuteOptions {
  /** Aborting cancels the statement in Postgres. */
  readonly signal?: AbortSignal | undefined
  /** The client's headers, for actions that forward them. */
  readonly clientHeaders?: IncomingHttpHeaders | undefined
  /** The caller keeps answers, as long as they are valid. */
  readonly wantsValidity?: boolean | undefined
}

/** A statement as it is sent to Postgres. */
export interface ExplainedStatement {
  readonly text: string
  readonly values: readonly (string | null)[]
}

export interface GraphQLExecutor {
  execute(request: GraphQLRequest, session: Session, options?: ExecuteOptions): Promise<GraphQLResult>
  /**
   * The statements that an operation would send to Postgres, one for each root field that reads tables. Throws for a
   * request that `execute` would refuse, and for a mutation that takes several statements.
   */
  explain(request: GraphQLRequest, session: Session): readonly ExplainedStatement[]
}
