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

export interface TallyLargeMerchantsArguments {
  readonly documents: number
}

export type TallyLargeMerchantsAnswer = number

/** `search.tally_large_merchants`: Marks merchants of more documents than this, whose documents a job will count (search.tallied_scope). Returns how many.  */
export const tallyLargeMerchants = (caller: Caller, args: TallyLargeMerchantsArguments): Promise<TallyLargeMerchantsAnswer> =>
  answerOf<TallyLargeMerchantsAnswer>(caller, 'search.tally_large_merchants', (sql) => sql`search.tally_large_merchants(
      p_documents => ${args.documents}::integer
    )`)

export interface FollowTalliesArguments {
  readonly limit: number
}

export type FollowTalliesAnswer = number

/** `search.follow_tallies`: Takes up some of the changes of one merchant's tallies, or counts some of its documents for the first time. Returns how many, and 0 when there is nothing left.  */
export const followTallies = (caller: Caller, args: FollowTalliesArguments): Promise<FollowTalliesAnswer> =>
  answerOf<FollowTalliesAnswer>(caller, 'search.follow_tallies', (sql) => sql`search.follow_tallies(
      p_limit => ${args.limit}::integer
    )`)

export interface TallyCommonWordsArguments {
  readonly documents: number
  readonly words: number
}

export type TallyCommonWordsAnswer = number

/** `search.tally_common_words`: Looks in one large merchant's documents for the words that most of them have, once a day, and has a job count the documents of each (search.tallied_scope): of at most p_words words, which p_documents or more have. Every so many documents one is read, 2,000 in all. Returns how many merchants it looked at: 0 when none is due.  */
export const tallyCommonWords = (caller: Caller, args: TallyCommonWordsArguments): Promise<TallyCommonWordsAnswer> =>
  answerOf<TallyCommonWordsAnswer>(caller, 'search.tally_common_words', (sql) => sql`search.tally_common_words(
      p_documents => ${args.documents}::integer,
      p_words => ${args.words}::integer
    )`)
