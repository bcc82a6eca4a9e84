import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'

/** The server's answer for a name: its TXT records, each with the parts that are sent; nothing; or a failure. */
type Said = readonly (readonly string[])[] | 'nothing' | 'failure'

export interface DnsServer {
  /** As DNS_SERVERS names it. */
  readonly address: string
  /** By name. The server knows no other names. */
  readonly records: Map<string, Said>
  stop(): Promise<void>
}

const headerLength = 12
const notFound = 3
const failed = 2

/** A DNS server (RFC 1035) for TXT records, over UDP. */
export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const records = new Map<string, Said>()
  socket.on('message', (query, client) => {
    answer(query, client)
  })
  function answer(query: Buffer, { port, address }: RemoteInfo): void {
    const { name, end } = questionOf(query)
    const said = records.get(name) ?? []
    if (said === 'nothing') return
    const code = said === 'failure' ? failed : records.has(name) ? 0 : notFound
    const texts = said === 'failure' ? [] : said
    const header = Buffer.alloc(headerLength)
    query.copy(header, 0, 0, 2)
    // An answer, recursion asked for and available.
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(texts.length, 6)
    const question = query.subarray(headerLength, end)
    socket.send(Buffer.concat([header, question, ...texts.map(textRecord)]), port, address)
  }
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    stop: () => new Promise((resolve) => void socket.close(resolve)),
  }
}

function questionOf(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = []
  let at = headerLength
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  // The name's end, its type and class.
  return { name: labels.join('.').toLowerCase(), end: at + 5 }
}

function textRecord(parts: readonly string[]): Buffer {
  const data = Buffer.concat(parts.flatMap((part) => [Buffer.of(part.length), Buffer.from(part, 'latin1')]))
  // The question's name, TXT, IN, a TTL of 0, the length.
  const head = Buffer.from([
    0xc0,
    headerLength,
    0,
    16,
    0,
    1,
    0,
    0,
    0,
    0,
    data.length >> 8,
    data.length & 0xff,
  ])
  return Buffer.concat([head, data])
}
