// Ids of the contract's records, each a type of its own, so that one is never taken for another.

declare const brand: unique symbol
type Branded<T, Name extends string> = T & { readonly [brand]: Name }

export type MerchantId = Branded<string, 'MerchantId'>
export type ApiKeyId = Branded<string, 'ApiKeyId'>
export type UserId = Branded<string, 'UserId'>
export type CustomerId = Branded<string, 'CustomerId'>
export type OperatorKeyId = Branded<string, 'OperatorKeyId'>

/** The merchant of what is about none, such as a doing of an operator. No merchant has this id. */
export const noMerchant = '00000000-0000-0000-0000-000000000000' as MerchantId
