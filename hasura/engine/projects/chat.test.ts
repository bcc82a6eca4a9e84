import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type WebhookReceiver, startReceiver } from '../src/events/testing/webhook-receiver.ts'
import { type RunningProject, asAdmin, runProject } from './run-project.ts'

const people = {
  ada: '00000000-0000-4000-8000-0000000000a1',
  bo: '00000000-0000-4000-8000-0000000000b2',
  cy: '00000000-0000-4000-8000-0000000000c3',
}

const key = 'the key that the sign-in service signs with'

/** A token as the sign-in service issues it: HS256, with the claims in Hasura's namespace. */
function token(id: string, signedWith = key): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = {
    'x-hasura-default-role': 'user',
    'x-hasura-allowed-roles': ['user'],
    'x-hasura-user-id': id,
  }
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({
    sub: id,
    exp: Math.floor(Date.now() / 1000) + 600,
    'https://hasura.io/jwt/claims': claims,
  })}`
  return `${body}.${createHmac('sha256', signedWith).update(body).digest('base64url')}`
}

const as = (person: keyof typeof people) => ({ authorization: `Bearer ${token(people[person])}` })

let dataDir: string
let hooks: WebhookReceiver
let chat: RunningProject

const start = (): Promise<RunningProject> =>
  runProject('chat', ['--data-dir', dataDir], {
    HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: 'HS256', key }),
    HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'anonymous',
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: '50',
    CHAT_HOOKS: hooks.url,
    CHAT_HOOK_KEY: 'k',
  })

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chat-'))
  hooks = await startReceiver()
  chat = await start()
  await chat.seed()
})

afterAll(async () => {
  await chat.stop()
  await hooks.close()
  await rm(dataDir, { recursive: true })
})

const sendMessage = (room: number, body: string) => ({
  query:
    'mutation ($room: Int!, $body: String!) { send_message(object: {room_id: $room, body: $body}) { id author { name } } }',
  variables: { room, body },
})

async function say(person: keyof typeof people, room: number, body: string): Promise<unknown> {
  const { query, variables } = sendMessage(room, body)
  return chat.ask(query, as(person), variables)
}

describe('permissions', () => {
  test('a request without a token reads the public rooms', async () => {
    expect(await chat.ask('{ rooms { slug topic } }', {})).toEqual({
      data: { rooms: [{ slug: 'lobby', topic: 'Everybody' }] },
    })
    expect(await chat.ask('{ messages { body } }', {})).toEqual({
      errors: [
        {
          message: `field "messages" not found in type: 'query_root'`,
          extensions: { code: 'validation-failed', path: '$.selectionSet.messages' },
        },
      ],
    })
  })

  test('a token identifies the user; one with another signature is refused', async () => {
    const query = '{ rooms(order_by: {id: asc}) { slug members_aggregate { aggregate { count } } } }'
    expect(await chat.ask(query, as('cy'))).toEqual({
      data: { rooms: [{ slug: 'lobby', members_aggregate: { aggregate: { count: 3 } } }] },
    })
    expect(await chat.ask(query, as('bo'))).toMatchObject({ data: { rooms: [{}, { slug: 'crew' }] } })
    const forged = {
      authorization: `Bearer ${token(people.ada, 'another key, which is as long as it has to be')}`,
    }
    expect(await chat.ask(query, forged)).toEqual({
      errors: [
        {
          message: 'Could not verify JWT: JWSError JWSInvalidSignature',
          extensions: { code: 'invalid-jwt', path: '$' },
        },
      ],
    })
    expect(await chat.ask(query, { ...as('cy'), 'x-hasura-role': 'moderator' })).toMatchObject({
      errors: [{ extensions: { code: 'access-denied' } }],
    })
  })

  test('a user who is no member can neither write to a room nor learn that it exists', async () => {
    expect(await say('cy', 2, 'Let me in')).toEqual({
      errors: [
        {
          message: 'check constraint of an insert/update permission has failed',
          extensions: { code: 'permission-error', path: '$.selectionSet.send_message.args.object' },
        },
      ],
    })
    const { data } = (await chat.ask('{ messages { id } people { name } }', as('cy'))) as {
      data: { messages: object[]; people: object[] }
    }
    expect(data.messages).toHaveLength(3)
    expect(data.people).toHaveLength(3)
  })

  test('a moderator changes the topic; an update of other users changes no row', async () => {
    const query = `mutation { update_room(where: {slug: {_eq: "lobby"}}, _set: {topic: "Hello"}) { affected_rows } }`
    expect(await chat.ask(query, as('bo'))).toEqual({ data: { update_room: { affected_rows: 0 } } })
    expect(await chat.ask(query, as('ada'))).toEqual({ data: { update_room: { affected_rows: 1 } } })
    expect(await chat.ask('mutation { delete_room(where: {}) { affected_rows } }', as('ada'))).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    })
  })
})

test('a stream sends earlier messages, then new ones, in order and in batches', async () => {
  const client = createClient({
    url: chat.webSocketUrl,
    webSocketImpl: WebSocket,
    connectionParams: { headers: as('bo') },
  })
  interface Batch {
    readonly messages_stream: readonly { readonly body: string; readonly author: { readonly name: string } }[]
  }
  const batches: (readonly string[])[] = []
  const leave = client.subscribe<Batch>(
    {
      query: `subscription ($after: timestamptz!) {
        messages_stream(
          batch_size: 2
          cursor: [{initial_value: {sent_at: $after}, ordering: ASC}]
          where: {room: {slug: {_eq: "lobby"}}}
        ) { body author { name } }
      }`,
      variables: { after: '1970-01-01T00:00:00Z' },
    },
    {
      next: ({ data }) => batches.push(data?.messages_stream.map(({ body }) => body) ?? ['nothing']),
      error: (error) => batches.push([JSON.stringify(error)]),
      complete: () => undefined,
    },
  )
  await expect.poll(() => batches).toEqual([['Ada is here', 'Bo is here'], ['Cy is here']])
  await say('ada', 2, 'Not for the lobby')
  await say('ada', 1, 'Hi all')
  await say('cy', 1, 'Hi Ada')
  await expect.poll(() => batches.slice(2).flat()).toEqual(['Hi all', 'Hi Ada'])
  leave()
  await client.dispose()
})

test('over the older protocol, a room shows users who are online or typing, and takes mutations', async () => {
  const socket = new WebSocket(chat.webSocketUrl, 'graphql-ws')
  const messages: { readonly id?: string }[] = []
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString()) as { id?: string }))
  await once(socket, 'open')
  const send = (message: object) => socket.send(JSON.stringify(message))
  const of = (id: string) => messages.filter((message) => message.id === id)
  send({ type: 'connection_init', payload: { headers: as('bo') } })
  send({
    type: 'start',
    id: 'room',
    payload: {
      query: `subscription Room($slug: String!) {
        rooms(where: {slug: {_eq: $slug}}) {
          typing { person { name } }
          members(where: {person: {is_online: {_eq: true}}}) { person { name is_online } }
        }
      }`,
      variables: { slug: 'crew' },
    },
  })
  const shown = (typing: readonly string[], online: readonly string[]) => ({
    type: 'data',
    id: 'room',
    payload: {
      data: {
        rooms: [
          {
            typing: typing.map((name) => ({ person: { name } })),
            members: online.map((name) => ({ person: { name, is_online: true } })),
          },
        ],
      },
    },
  })
  await expect.poll(() => of('room')).toEqual([shown([], [])])
  expect(await chat.ask('mutation { say_hello { name is_online } }', as('ada'))).toEqual({
    data: { say_hello: { name: 'Ada', is_online: true } },
  })
  send({
    type: 'start',
    id: 't',
    payload: { query: 'mutation { start_typing(args: {room: 2}) { user_id } }' },
  })
  await expect
    .poll(() => of('t'))
    .toEqual([
      { type: 'data', id: 't', payload: { data: { start_typing: [{ user_id: people.bo }] } } },
      { type: 'complete', id: 't' },
    ])
  await expect.poll(() => of('room').at(-1)).toEqual(shown(['Bo'], ['Ada']))
  send({ type: 'stop', id: 'room' })
  send({ type: 'connection_terminate' })
  expect((await once(socket, 'close'))[0]).toBe(1000)
})

test('each message is sent to the webhook, with its author', async () => {
  hooks.calls.splice(0)
  await say('ada', 1, 'To be sent')
  await hooks.received(1)
  expect(hooks.calls[0]).toMatchObject({
    path: '/message-sent',
    headers: { 'x-hook-key': 'k' },
    body: {
      table: { schema: 'public', name: 'message' },
      trigger: { name: 'message_sent' },
      event: {
        op: 'INSERT',
        session_variables: { 'x-hasura-role': 'user', 'x-hasura-user-id': people.ada },
        data: { old: null, new: { room_id: 1, author_id: people.ada, body: 'To be sent' } },
      },
    },
  })
  await chat.ask(
    'mutation { update_message(where: {body: {_eq: "To be sent"}}, _set: {body: "Sent"}) { returning { edited_at } } }',
    as('ada'),
  )
  await hooks.received(2)
  expect(hooks.calls[1]?.body).toMatchObject({
    event: { op: 'UPDATE', data: { old: { body: 'To be sent' }, new: { body: 'Sent' } } },
  })
})

const long = process.env['TEST_LONG'] !== undefined

test.skipIf(!long)(
  `messages, metadata and undelivered events survive a restart${long ? '' : ' (skipped: npm run test:long runs it)'}`,
  async () => {
    const exported = async () =>
      (await chat.send('POST', '/v1/metadata', asAdmin, { type: 'export_metadata', args: {} })).body
    const before = await exported()
    hooks.calls.splice(0)
    hooks.answer = () => ({ status: 503, headers: { 'retry-after': '1' } })
    await say('bo', 1, 'Before the restart')
    await hooks.received(1)
    expect(await chat.stop()).toEqual({ code: 0, errors: '' })
    hooks.answer = () => ({ status: 200 })
    chat = await start()
    expect(await exported()).toEqual(before)
    expect(await chat.ask('{ messages(order_by: {id: desc}, limit: 1) { body } }', as('cy'))).toEqual({
      data: { messages: [{ body: 'Before the restart' }] },
    })
    await hooks.received(2)
    expect(hooks.calls[1]?.body).toMatchObject({ delivery_info: { current_retry: 1 } })
  },
)
