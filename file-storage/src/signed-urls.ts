import type { SecretBox } from '@commerce-graph/secret-box'
import { timingSafeEqual } from 'node:crypto'

/** Signs with the encryption keys' digests; a URL stays valid when another key becomes the first one. */
export type UrlSigner = Pick<SecretBox, 'digests'>

export interface SignedRequest {
  readonly method: 'GET' | 'PUT'
  readonly key: string
  /** What the URL permits: when it expires, and what is uploaded or under which name it is saved. */
  readonly parameters: Readonly<Record<string, string>>
}

/** The URL's query with the signature. */
export function signedQuery(signer: UrlSigner, request: SignedRequest): string {
  const [signature = ''] = signer.digests(signedText(request))
  return new URLSearchParams({ ...request.parameters, signature }).toString()
}

export type SignatureFinding = 'valid' | 'forged' | 'expired'

/** Checks a query that a client sends. @param now milliseconds since 1970 */
export function checkSignature(
  signer: UrlSigner,
  { method, key }: Pick<SignedRequest, 'method' | 'key'>,
  query: URLSearchParams,
  now: number,
): SignatureFinding {
  const { signature = '', ...parameters } = Object.fromEntries(query)
  const given = Buffer.from(signature)
  const matches = signer.digests(signedText({ method, key, parameters })).some((digest) => {
    const expected = Buffer.from(digest)
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
  if (!matches) return 'forged'
  return Number(parameters['expires']) * 1_000 > now ? 'valid' : 'expired'
}

const signedText = ({ method, key, parameters }: SignedRequest): string =>
  JSON.stringify(['file url', method, key, Object.entries(parameters).sort(byName)])

const byName = ([one]: readonly [string, string], [other]: readonly [string, string]): number =>
  one < other ? -1 : 1
