import type { Readable } from 'node:stream'

/** Stores files under keys (file-key.ts). A file is stored whole or not at all. */
export interface FileStorage {
  /**
   * Stores the whole content, in place of a file with the same key. If the content fails, it rejects with the
   * content's error, and nothing is stored.
   */
  put(key: string, content: AsyncIterable<Uint8Array>, options: PutOptions): Promise<FileHead>
  /** Opens a file; null if there is none. The caller reads the content to its end, or destroys it. */
  get(key: string, options?: GetOptions): Promise<OpenFile | null>
  /** Null if there is none. */
  head(key: string): Promise<FileHead | null>
  /** Stores the content of a file under another key too. Returns null if there is no such file. */
  copy(from: string, to: string): Promise<FileHead | null>
  /** Deletes a file, if there is one. */
  delete(key: string): Promise<void>
  /** Deletes all files whose keys begin with `<folder>/`. Returns their number. */
  deleteFolder(folder: string): Promise<number>
  /** A URL with which a client stores a file by one HTTP request, without a credential. */
  signedUploadUrl(key: string, options: UploadUrlOptions): Promise<SignedUpload>
  /** A URL with which a client reads a file without a credential; browsers save it. Nobody checks if the file exists. */
  signedDownloadUrl(key: string, options: DownloadUrlOptions): Promise<string>
  /** Removes what interrupted writes have left. Returns how many there were. */
  sweep(): Promise<number>
}

export interface PutOptions {
  /** A media type, such as `image/webp`. */
  readonly contentType: string
  readonly signal?: AbortSignal
}

export interface GetOptions {
  /** Bytes of the file, both ends included. The file must have them. */
  readonly range?: ByteRange
  /** Ends the reading. */
  readonly signal?: AbortSignal
}

export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface FileHead {
  /** Bytes. */
  readonly size: number
  readonly contentType: string
}

export interface OpenFile extends FileHead {
  /** Of a range: its bytes alone. `size` is the whole file's. */
  readonly content: Readable
}

export interface UploadUrlOptions {
  readonly contentType: string
  /** Bytes. The URL takes a file of exactly this size, because a presigned PUT of S3 can't have another bound. */
  readonly size: number
  readonly expiresInSeconds: number
}

export interface SignedUpload {
  readonly url: string
  readonly method: 'PUT'
  /** The headers that the request must have. HTTP clients add Content-Length themselves. */
  readonly headers: Readonly<Record<string, string>>
  readonly expiresAt: Date
}

export interface DownloadUrlOptions {
  /** The name under which browsers save it. */
  readonly fileName: string
  readonly expiresInSeconds: number
}
