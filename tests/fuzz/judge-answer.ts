import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** The ids in docs/errors.md, which is generated from the gateway's catalogue. */
const catalogue: ReadonlySet<string> = new Set(
  readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8').match(/SVC_[A-Z]+_\d+/g),
)

/** Internals that no client may see. */
const inside =
  /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b .{0,40}\b(FROM|SET|VALUES|WHERE)\b|node_modules|\.ts:\d+|at \w+ \(|hdb_catalog|violates|relation "|PostgresError/

const Answer = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ id: z.string(), requestId: z.string() }) }))
    .optional(),
})

/** The fault of an answer, or null. A refusal must have an id of the catalogue; a server error is always a fault. */
export function faultOf(status: number, contentType: string, text: string): string | null {
  if (status >= 500) return `status ${status}: ${text.slice(0, 300)}`
  const isJson = contentType.startsWith('application/json')
  if (status < 400 && !isJson) return null
  if (!isJson) return `status ${status} without a catalogue id: ${text.slice(0, 200)}`
  const answer = Answer.safeParse(parsed(text))
  if (!answer.success) return `status ${status} with another body: ${text.slice(0, 200)}`
  const { errors = [] } = answer.data
  if (status >= 400 && errors.length === 0) return `status ${status} without an error`
  const unknown = errors.find(({ extensions }) => !catalogue.has(extensions.id))
  if (unknown !== undefined) return `an id that is not in the catalogue: ${unknown.extensions.id}`
  const ours = errors.find(({ extensions }) => extensions.id === 'SVC_SRV_001')
  if (ours !== undefined) return `SVC_SRV_001 (${ours.extensions.requestId})`
  const leak = errors.find(({ message }) => inside.test(message))
  return leak === undefined ? null : `shows internals: ${leak.message.slice(0, 200)}`
}

/** The same for the bytes from a bare socket: any number of answers, or none if the bytes contained no request. */
export function faultOfBytes(bytes: Buffer): string | null {
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const head = /^HTTP\/1\.1 (\d{3})/.exec(rest.subarray(0, 20).toString('latin1'))
    if (end < 0 || head === null) return `no HTTP: ${rest.subarray(0, 80).toString('latin1')}`
    const status = Number(head[1])
    // The remaining bytes are frames of a WebSocket.
    if (status === 101) return null
    const headers = rest.subarray(0, end).toString('latin1')
    const length = Number(/^content-length: *(\d+)/im.exec(headers)?.[1] ?? 0)
    const body = rest.subarray(end + 4, end + 4 + length).toString('utf8')
    const type = /^content-type: *(.*)$/im.exec(headers)?.[1] ?? ''
    // The answer to HEAD has the content-length of the body that GET would have.
    const fault = body === '' && length > 0 ? null : faultOf(status, status === 100 ? '' : type, body)
    if (fault !== null) return fault
    rest = rest.subarray(end + 4 + (body === '' ? 0 : length))
  }
  return null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
