import fc from 'fast-check'
import { oddText } from './odd-values.ts'

/** Bytes for a bare socket, in pieces, and the client's behaviour after them. */
export interface RawRequest {
  readonly kind: string
  readonly pieces: readonly Buffer[]
  /** Milliseconds between the pieces. */
  readonly pause: number
  /** `wait` for the answer, end the sending side (`half-close`), or cut the connection (`reset`). */
  readonly then: 'wait' | 'half-close' | 'reset'
}

/** Malformed HTTP, and malformed WebSocket frames. */
export function rawRequests(key: string): fc.Arbitrary<RawRequest> {
  const whole = (kind: string, bytes: string | Buffer, then: RawRequest['then'] = 'wait'): RawRequest => ({
    kind,
    pieces: [Buffer.from(bytes)],
    pause: 0,
    then,
  })
  const body = '{"query":"{ viewer { id } }"}'
  const head = (extra: string, line = 'POST /graphql HTTP/1.1'): string =>
    `${line}\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${extra}\r\n`
  const post = (text: string | Buffer, extra = ''): Buffer => {
    const bytes = Buffer.from(text)
    return Buffer.concat([
      Buffer.from(head(`content-length: ${bytes.length}\r\nconnection: close\r\n${extra}`)),
      bytes,
    ])
  }
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => whole('random body', post(Buffer.from(bytes)))),
    fc
      .constantFrom('utf16le', 'latin1')
      .map((encoding) => whole(`body in ${encoding}`, post(Buffer.from(`${body}é`, encoding)))),
    fc.constant(whole('byte order mark', post(`\ufeff${body}`))),
    fc
      .integer({ min: 10, max: 100_000 })
      .map((depth) => whole('deep JSON', post(`{"query":${'['.repeat(depth)}${']'.repeat(depth)}}`))),
    fc
      .integer({ min: 10, max: 20_000 })
      .map((depth) =>
        whole(
          'deep variables',
          post(`{"query":"{ viewer { id } }","variables":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`),
        ),
      ),
    fc
      .integer({ min: 5, max: 12_000 })
      .map((depth) =>
        whole('deep document', post(JSON.stringify({ query: '{a'.repeat(depth) + '}'.repeat(depth) }))),
      ),
    fc
      .integer({ min: 5, max: 20_000 })
      .map((depth) =>
        whole(
          'deep value',
          post(JSON.stringify({ query: `{ product(id: ${'['.repeat(depth)}${']'.repeat(depth)}) { id } }` })),
        ),
      ),
    fc.constant(
      whole(
        'duplicate keys',
        post('{"query":"{ a }","query":"{ viewer { id } }","variables":1,"variables":null}'),
      ),
    ),
    fc.constant(whole('__proto__', post('{"__proto__":{"query":"{ viewer { id } }"},"constructor":1}'))),
    oddText.map((text) => whole('text for JSON', post(text))),
    fc.constant(whole('a megabyte and more', post('x'.repeat(1_100_000)))),
    fc
      .constantFrom('gzip', 'br', 'identity', 'x')
      .map((name) => whole('encoding', post(body, `content-encoding: ${name}\r\n`))),
  )
  const heads = fc.oneof(
    fc
      .integer({ min: 1, max: 40_000 })
      .map((length) =>
        whole(
          'huge header',
          head(`x-long: ${'y'.repeat(length)}\r\ncontent-length: 0\r\nconnection: close\r\n`),
        ),
      ),
    fc
      .integer({ min: 1, max: 3_000 })
      .map((count) =>
        whole('many headers', head(`${'x: y\r\n'.repeat(count)}content-length: 0\r\nconnection: close\r\n`)),
      ),
    fc
      .integer({ min: 1, max: 30_000 })
      .map((length) =>
        whole('long path', head('connection: close\r\n', `GET /${'a'.repeat(length)} HTTP/1.1`)),
      ),
    fc
      .constantFrom(
        'GET',
        'HEAD',
        'PUT',
        'DELETE',
        'PATCH',
        'TRACE',
        'CONNECT',
        'OPTIONS',
        'PRI',
        'M-SEARCH',
        'get',
        'X',
      )
      .chain((method) =>
        fc
          .constantFrom(
            '/graphql',
            '/',
            '*',
            '/healthz',
            '/readyz',
            '/docs',
            '/.well-known/jwks.json',
            'http://elsewhere/graphql',
            '//',
            '/%00',
            '/../..',
          )
          .map((target) =>
            whole(`${method} ${target}`, head('connection: close\r\n', `${method} ${target} HTTP/1.1`)),
          ),
      ),
    fc
      .constantFrom('HTTP/0.9', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTP/1.1', '')
      .map((version) =>
        whole(`version ${version}`, head('connection: close\r\n', `POST /graphql ${version}`)),
      ),
    fc
      .constantFrom('100-continue', '200-ok', 'x')
      .map((expect) => whole('expect', post(body, `expect: ${expect}\r\n`))),
    fc.constant(whole('no host', 'POST /graphql HTTP/1.1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')),
    fc.constant(
      whole(
        'two hosts',
        `POST /graphql HTTP/1.1\r\nhost: a\r\nhost: b\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
      ),
    ),
    oddText.map((text) =>
      whole(
        'odd header',
        head(
          `x-request-id: ${text.slice(0, 200)}\r\nidempotency-key: ${text.slice(0, 300)}\r\ncontent-length: 0\r\nconnection: close\r\n`,
        ),
      ),
    ),
    oddText.map((text) =>
      whole(
        'odd credential',
        `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${text.slice(0, 3_000)}\r\ncontent-type: application/json\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
      ),
    ),
    fc
      .uint8Array({ minLength: 1, maxLength: 200 })
      .map((bytes) => whole('no HTTP at all', Buffer.from(bytes), 'half-close')),
    fc.constant(whole('TLS', Buffer.from('16030100c8010000c40303', 'hex'), 'half-close')),
  )
  const smuggling = fc
    .constantFrom(
      `content-length: ${body.length}\r\ntransfer-encoding: chunked\r\n`,
      `content-length: ${body.length}\r\ncontent-length: 5\r\n`,
      'transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n',
      'transfer-encoding: xchunked\r\n',
      'transfer-encoding : chunked\r\n',
      'transfer-encoding:\tchunked\r\n',
      'transfer-encoding: chunked, gzip\r\n',
      'content-length: -1\r\n',
      'content-length: 0x1d\r\n',
      'content-length: 99999999999999999999\r\n',
      ' content-length: 5\r\n',
      'x: y\n\ncontent-length: 0\r\n',
    )
    .map((extra) =>
      whole(
        `smuggling ${JSON.stringify(extra)}`,
        `${head(extra)}${body}GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
        'half-close',
      ),
    )
  const chunks = fc
    .array(
      fc.constantFrom(
        '5\r\n{"que\r\n',
        'g\r\n',
        '-1\r\n',
        'ffffffffffffffff\r\n',
        '0\r\n\r\n',
        '3;x=y\r\nabc\r\n',
        '\r\n',
      ),
      { maxLength: 5 },
    )
    .map((parts) => whole('chunks', head('transfer-encoding: chunked\r\n') + parts.join(''), 'half-close'))
  const broken = fc
    .tuple(fc.nat(400), fc.constantFrom('half-close', 'reset'))
    .map(([length, then]) => whole(`cut after ${length}`, post(body).subarray(0, length), then))
  const slow = fc.integer({ min: 1, max: 40 }).map((size): RawRequest => ({
    kind: 'slow body',
    pieces: piecesOf(post(body), size),
    pause: 5,
    then: 'wait',
  }))
  const never = fc.constant<RawRequest>({
    kind: 'body that never ends',
    pieces: [post(body).subarray(0, -5)],
    pause: 0,
    then: 'wait',
  })
  const pipelined = fc
    .integer({ min: 2, max: 40 })
    .map((count) =>
      whole(
        'pipelined',
        Buffer.concat([
          ...Array.from({ length: count }, () =>
            Buffer.from(head(`content-length: ${body.length}\r\n`) + body),
          ),
          post(body),
        ]),
      ),
    )
  return fc.oneof(
    { weight: 50, arbitrary: bodies },
    { weight: 50, arbitrary: heads },
    { weight: 20, arbitrary: smuggling },
    { weight: 15, arbitrary: chunks },
    { weight: 20, arbitrary: broken },
    { weight: 5, arbitrary: slow },
    { weight: 1, arbitrary: never },
    { weight: 5, arbitrary: pipelined },
    { weight: 25, arbitrary: webSockets(key) },
  )
}

/** Invalid upgrades, and frames after a valid one. */
function webSockets(key: string): fc.Arbitrary<RawRequest> {
  const upgrade = (extra: string, path = '/graphql'): Buffer =>
    Buffer.from(
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${extra}\r\n`,
    )
  const good = upgrade(
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\nsec-websocket-protocol: graphql-transport-ws\r\n',
  )
  const init = JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } })
  const after = (frames: readonly Buffer[]): RawRequest => ({
    kind: 'frames',
    pieces: [good, ...frames],
    pause: 2,
    then: 'half-close',
  })
  const message = fc.oneof(
    fc.constantFrom(
      init,
      '{"type":"ping"}',
      '{"type":"connection_ack"}',
      '{"id":"1","type":"complete"}',
      '{"id":"1","type":"subscribe","payload":{"query":"subscription { orderCreated { id } }"}}',
      '{"id":"1","type":"subscribe","payload":{"query":"{ viewer { id } }"}}',
      '{"id":1,"type":"subscribe"}',
      '{"id":"2","type":"subscribe","payload":{"query":1,"variables":[]}}',
      '[]',
      'null',
    ),
    oddText,
    fc.integer({ min: 10, max: 20_000 }).map((depth) => '['.repeat(depth)),
  )
  return fc.oneof(
    fc
      .array(
        message.map((text) => frame(1, Buffer.from(text))),
        { maxLength: 5 },
      )
      .map((frames) => after([frame(1, Buffer.from(init)), ...frames])),
    fc
      .array(
        message.map((text) => frame(1, Buffer.from(text))),
        { maxLength: 3 },
      )
      .map(after),
    fc.uint8Array({ minLength: 1, maxLength: 100 }).map((bytes) => after([Buffer.from(bytes)])),
    fc.integer({ min: 0, max: 15 }).map((opcode) => after([frame(opcode, Buffer.from('x'.repeat(130)))])),
    fc
      .constantFrom(
        '817f7fffffffffffffff',
        '81ff7fffffffffffffff00000000',
        '01800000000081800000000001',
        '0900',
        '88820000000003e7',
        'f18000000000',
      )
      .map((hex) => after([Buffer.from(hex, 'hex')])),
    fc
      .constantFrom(
        upgrade(''),
        upgrade('sec-websocket-key: x\r\nsec-websocket-version: 13\r\n'),
        upgrade('sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 7\r\n'),
        upgrade(
          'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\nsec-websocket-protocol: ,,\r\n',
        ),
        upgrade('sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n', '/elsewhere'),
        upgrade('sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n', '//'),
      )
      .map((bytes): RawRequest => ({ kind: 'upgrade', pieces: [bytes], pause: 0, then: 'half-close' })),
  )
}

/** A frame as clients send it: final and masked. */
function frame(opcode: number, payload: Buffer): Buffer {
  const mask = Buffer.from([1, 2, 3, 4])
  const length =
    payload.length < 126
      ? Buffer.from([0x80 | payload.length])
      : Buffer.from([0x80 | 126, (payload.length >> 8) & 0xff, payload.length & 0xff])
  const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  return Buffer.concat([Buffer.from([0x80 | opcode]), length, mask, masked])
}

const piecesOf = (bytes: Buffer, size: number): readonly Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
