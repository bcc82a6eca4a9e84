// Written from sql/ by `npm run generate`. Don't edit.
import { answerOf, type Caller } from '../answer-of.ts'

export interface RewriteDocumentsArguments {
  readonly limit: number
}

export type RewriteDocumentsAnswer = number

/** `search.rewrite_documents` */
export const rewriteDocuments = (caller: Caller, args: RewriteDocumentsArguments): Promise<RewriteDocumentsAnswer> =>
  answerOf<RewriteDocumentsAnswer>(caller, 'search.rewrite_documents', (sql) => sql`search.rewrite_documents(
      p_limit => ${args.limit}::integer
    )`)
