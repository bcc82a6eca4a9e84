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

export interface RefreshProductsArguments {
  readonly limit: number
}

export type RefreshProductsAnswer = number

/** `search.refresh_products` */
export const refreshProducts = (caller: Caller, args: RefreshProductsArguments): Promise<RefreshProductsAnswer> =>
  answerOf<RefreshProductsAnswer>(caller, 'search.refresh_products', (sql) => sql`search.refresh_products(
      p_limit => ${args.limit}::integer
    )`)
