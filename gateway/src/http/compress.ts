import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'

interface Compressed {
  readonly body: string | Buffer
  readonly headers?: OutgoingHttpHeaders
}

/** A shorter answer takes as many packets, or nearly, and no time. */
const minBytes = 4_096

const compressed = promisify(gzip)

/**
 * An answer's body, compressed where that pays and the client takes gzip. Answers of mutations must not be given here: they
 * can hold a new key or token beside text of the caller's, and a length would tell of the secret (BREACH). Answers of queries
 * hold no secrets, and no page can send a request with a visitor's credential, as none is in a cookie.
 */
export async function compress(body: string | Buffer, headers: IncomingHttpHeaders): Promise<Compressed> {
  if (Buffer.byteLength(body) < minBytes || !takesGzip(headers['accept-encoding'])) return { body }
  return {
    body: await compressed(body, { level: constants.Z_BEST_SPEED }),
    headers: { 'content-encoding': 'gzip' },
  }
}

const takesGzip = (accepted: string | readonly string[] | undefined): boolean =>
  String(accepted ?? '')
    .split(',')
    .some((coding) => /^\s*(gzip|x-gzip)\s*(;\s*q=(0\.0*[1-9]\d*|1(\.0*)?))?\s*$/i.test(coding))
