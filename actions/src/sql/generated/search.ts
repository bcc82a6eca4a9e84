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

export interface RewriteAttributesArguments {
  readonly limit: number
}

export type RewriteAttributesAnswer = number

/** `search.rewrite_attributes`: Writes the keys of a merchant's documents anew whose attributes have changed.  */
export const rewriteAttributes = (caller: Caller, args: RewriteAttributesArguments): Promise<RewriteAttributesAnswer> =>
  answerOf<RewriteAttributesAnswer>(caller, 'search.rewrite_attributes', (sql) => sql`search.rewrite_attributes(
      p_limit => ${args.limit}::integer
    )`)
