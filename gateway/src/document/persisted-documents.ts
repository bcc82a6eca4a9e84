import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type CatalogueError, catalogueError, invalidFormat } from '@commerce-graph/contract/errors'
import type { NamedDocument } from '../http/graphql-request.ts'
import type { Limits } from '../limits/limits.ts'

export type RequestedDocument =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly error: CatalogueError }

/**
 * Documents that clients name by a hash instead of sending them each time: Apollo's automatic persisted queries. Each process
 * keeps its own: a client that finds a document missing sends it once more.
 */
export class PersistedDocuments {
  readonly #texts: LRUCache<string, string>

  constructor({ persistedDocumentBytes }: Pick<Limits, 'persistedDocumentBytes'>) {
    this.#texts = new LRUCache({
      maxSize: persistedDocumentBytes,
      sizeCalculation: (text) => Buffer.byteLength(text) + bytesOfAnEntry,
    })
  }

  /** The document of the request. Refuses a hash that stands for no document kept here, or for another one than was sent. */
  textOf({ query, hash }: NamedDocument): RequestedDocument {
    if (query === null) {
      const text = this.#texts.get(hash)
      return text === undefined
        ? refused(catalogueError('SVC_GQL_004', {}, { field: 'extensions.persistedQuery.sha256Hash' }))
        : { kind: 'text', text }
    }
    if (hash !== null && this.#texts.get(hash) !== query && sha256(query) !== hash)
      return refused(
        invalidFormat('extensions.persistedQuery.sha256Hash', 'the SHA-256 of "query", in hexadecimal'),
      )
    return { kind: 'text', text: query }
  }

  /** Keeps the document of a request that was found valid, if the client asks for it. */
  keep({ query, hash }: NamedDocument): void {
    if (query !== null && hash !== null) this.#texts.set(hash, query)
  }
}

/** The hash, and what the cache itself needs for an entry. */
const bytesOfAnEntry = 200

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const refused = (error: CatalogueError): RequestedDocument => ({ kind: 'refused', error })
