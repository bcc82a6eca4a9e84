import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Engine } from '../engine.ts'
import { type DeliveryWorld, openDeliveryWorld } from '../events/testing/delivery-world.ts'
import { createSession } from '../session/types.ts'

let world: DeliveryWorld
let engine: Engine

beforeAll(async () => {
  world = await openDeliveryWorld()
  engine = await world.start()
})

afterAll(() => world.close())

beforeEach(async () => {
  await world.command('clear_metadata', {})
  world.receiver.calls.length = 0
  world.receiver.answer = () => ({ status: 200 })
})

const done = { message: 'success' }

async function createAction(definition: Readonly<Record<string, unknown>>): Promise<void> {
  const types = { objects: [{ name: 'Weather', fields: [{ name: 'city', type: 'String!' }] }] }
  expect(await world.command('set_custom_types', types)).toEqual(done)
  const action = {
    name: 'weather',
    definition: {
      type: 'query',
      handler: '{{HOOKS}}',
      arguments: [{ name: 'city', type: 'String!' }],
      output_type: 'Weather',
      headers: [{ name: 'x-token', value_from_env: 'HOOK_SECRET' }],
      ...definition,
    },
  }
  expect(await world.command('create_action', action)).toEqual(done)
}

async function ask(): Promise<unknown> {
  const session = createSession('admin', { 'X-Hasura-User-Id': '7' })
  const result = await engine.execute({ query: '{ weather(city: "Ulm & Au") { city } }' }, session)
  return result.kind === 'data' ? JSON.parse(result.json) : result.errors
}

const asRest = (params: Readonly<Record<string, string | null>>) => ({
  request_transform: {
    version: 2,
    method: 'get',
    url: '{{$base_url}}/v1/{{escapeUri $body.input.city}}',
    query_params: { user: '{{getSessionVariable "X-HASURA-User-Id"}}', ...params },
    request_headers: {
      add_headers: { 'x-action': '{{$body.action.name}}' },
      remove_headers: ['X-Token', 'content-type'],
    },
    body: { action: 'remove' },
  },
  response_transform: {
    version: 2,
    body: { action: 'transform', template: '{"city": "{{$body.name}} {{$response.status}}"}' },
  },
})

test('an action’s request and answer can be transformed to and from any form', async () => {
  await createAction(asRest({ none: 'null' }))
  world.receiver.answer = () => ({ status: 200, body: '{"name":"Ulm"}' })
  expect(await ask()).toEqual({ weather: { city: 'Ulm 200' } })
  const [call] = world.receiver.calls
  expect(call).toMatchObject({ method: 'GET', path: '/v1/Ulm%20%26%20Au?user=7', text: '' })
  expect(call?.headers).toMatchObject({ 'x-action': 'weather' })
  expect(call?.headers).not.toHaveProperty('x-token')
})

test('a password in the handler’s URL is sent, and is not in the error that admin sees', async () => {
  const handler = world.receiver.url.replace('//', '//user:{{HOOK_SECRET}}@')
  await createAction({ request_transform: asRest({}).request_transform, handler })
  world.receiver.answer = () => ({ status: 500 })
  const errors = JSON.stringify(await ask())
  const basic = Buffer.from('user:s3cret').toString('base64')
  expect(world.receiver.calls[0]?.headers.authorization).toBe(`Basic ${basic}`)
  expect(errors).toContain('/v1/Ulm%20%26%20Au?user=7')
  expect(errors).not.toContain('s3cret')
})

test('a request whose template fails is not sent', async () => {
  await createAction(asRest({ none: '{{$session_variables?.x}}' }))
  expect(await ask()).toMatchObject([{ message: 'Request Transformation Failed' }])
  expect(world.receiver.calls).toHaveLength(0)
})

test('a body can be JSON of another form, or URL-encoded', async () => {
  await createAction({ request_transform: { version: 1, body: '{"q": {{$body.input.city}}}' } })
  world.receiver.answer = () => ({ status: 200, body: '{"city":"x"}' })
  expect(await ask()).toEqual({ weather: { city: 'x' } })
  expect(world.receiver.calls[0]).toMatchObject({ method: 'POST', text: '{"q":"Ulm & Au"}' })
  await world.command('drop_action', { name: 'weather' })
  await createAction({
    request_transform: {
      version: 2,
      query_params: 'a=1&b={{$body.action.name}}',
      request_headers: { add_headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      body: { action: 'x_www_form_urlencoded', form_template: { q: '{{$body.input.city}}', n: '1' } },
    },
  })
  expect(await ask()).toEqual({ weather: { city: 'x' } })
  expect(world.receiver.calls[1]).toMatchObject({ path: '/?a=1&b=weather', text: 'q=Ulm%20%26%20Au&n=1' })
  expect(world.receiver.calls[1]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
})

test('a response transform applies to refusals, too, and its failure is reported without details', async () => {
  await createAction({
    response_transform: {
      version: 1,
      body: '{{ if $response.status == 404 }} {"message": {{$body.detail}}} {{ else }} {{ $body.absent }} {{ end }}',
    },
  })
  world.receiver.answer = () => ({ status: 404, body: '{"detail":"no such city"}' })
  expect(await ask()).toMatchObject([{ message: 'no such city' }])
  world.receiver.answer = () => ({ status: 200, body: '{"secret":"x"}' })
  const answer = (await fetch(`${engine.url ?? ''}/v1/graphql`, {
    method: 'POST',
    headers: { 'x-hasura-admin-secret': 'secret' },
    body: JSON.stringify({ query: '{ weather(city: "Ulm") { city } }' }),
  }).then((response) => response.json())) as unknown
  const extensions = { path: '$', code: 'unexpected' }
  expect(answer).toEqual({ errors: [{ message: 'Response Transformation Failed', extensions }] })
})

test('an event is delivered in its transformed form; a template that fails is not tried again', async () => {
  await world.command('run_sql', { sql: 'create table product (id int primary key, name text)' })
  await world.command('pg_track_table', { table: 'product' })
  const trigger = (template: string, replace: boolean) => ({
    name: 'product_new',
    table: 'product',
    webhook: '{{HOOKS}}',
    insert: { columns: '*' },
    replace,
    retry_conf: { num_retries: 5, interval_sec: 0 },
    request_transform: {
      version: 2,
      url: "{{$base_url}}/{{$session_variables['x-hasura-user-id']}}",
      body: { action: 'transform', template },
    },
    response_transform: { version: 1, body: '{"kept": {{$body.id}}}' },
  })
  const insert = async (id: number): Promise<void> => {
    const query = `mutation { insert_product_one(object: {id: ${id}, name: "Tea"}) { id } }`
    const result = await engine.execute({ query }, createSession('admin', { 'X-Hasura-User-Id': '7' }))
    expect(result.kind).toBe('data')
  }
  const log = async () => {
    const events = (await world.command('pg_get_event_logs', { name: 'product_new' })) as {
      readonly delivered: boolean
      readonly error: boolean
      readonly tries: number
    }[]
    return events.map(({ delivered, error, tries }) => ({ delivered, error, tries }))
  }
  expect(
    await world.command(
      'pg_create_event_trigger',
      trigger('{"text": "new: {{$body.event.data.new.name}}"}', false),
    ),
  ).toEqual(done)
  world.receiver.answer = () => ({ status: 200, body: '{"id":"m1","token":"secret"}' })
  await insert(1)
  await world.receiver.received(1)
  expect(world.receiver.calls[0]).toMatchObject({ path: '/7', text: '{"text":"new: Tea"}' })
  await expect.poll(log).toEqual([{ delivered: true, error: false, tries: 1 }])
  const invocations = await world.command('pg_get_event_invocation_logs', { name: 'product_new' })
  expect(invocations).toMatchObject([
    {
      http_status: 200,
      request: { payload: { text: 'new: Tea' } },
      response: { data: { body: '{"kept":"m1"}' } },
    },
  ])
  await world.command('pg_create_event_trigger', trigger('{{$body.event.data.old.name}}', true))
  await insert(2)
  await expect.poll(log).toContainEqual({ delivered: false, error: true, tries: 1 })
  expect(world.receiver.calls).toHaveLength(1)
  await world.command('run_sql', { sql: 'drop table product', cascade: true })
})

test('test_webhook_transform shows a request without sending it', async () => {
  const args = {
    webhook_url: '{{HOST}}/hook',
    env: { HOST: 'http://shop.example' },
    body: { user: 'Ada', nr: 1 },
    session_variables: { 'X-Hasura-User-Id': '7' },
    request_headers: [['X-Secret', '{{HOST}}']],
    request_transform: {
      version: 2,
      template_engine: 'Kriti',
      method: 'PUT',
      url: '{{$base_url}}/{{$body.user}}',
      query_params: { session: "{{$session_variables['x-hasura-user-id']}}" },
      body: { action: 'transform', template: '{"nr": {{$body.nr}}}' },
    },
  }
  expect(await world.command('test_webhook_transform', args)).toEqual({
    webhook_url: 'http://shop.example/hook/Ada?session=7',
    method: 'PUT',
    headers: [['x-secret', 'http://shop.example']],
    body: { nr: 1 },
  })
  const failing = { ...args, request_transform: { body: '{"nr": {{$body.absent}}}' } }
  expect(await world.command('test_webhook_transform', failing)).toMatchObject({
    code: 'validation-failed',
    error: 'request transform validation failed',
    internal: [
      { error_code: 'Invalid Path Code', message: '"absent"', source_position: { start: { line: 0 } } },
    ],
  })
  // The process's own environment is not accessible.
  expect(await world.command('test_webhook_transform', { ...args, webhook_url: '{{HOOKS}}' })).toEqual({
    path: '$.args',
    code: 'not-found',
    error: expect.stringMatching(/^Missing Env Var: HOOKS\. .* a mock value for HOOKS in /) as string,
  })
  const fromEnvironment = { ...args, webhook_url: { from_env: 'HOOKS' } }
  expect(await world.command('test_webhook_transform', fromEnvironment)).toEqual({
    path: '$.args',
    code: 'not-found',
    error: 'Missing Env Var',
  })
  expect(world.receiver.calls).toHaveLength(0)
})

test('a command refuses an invalid template', async () => {
  const action = {
    name: 'broken',
    definition: {
      handler: 'http://x',
      output_type: 'String',
      request_transform: { version: 1, body: '{{ $body.' },
    },
  }
  expect(await world.command('create_action', action)).toMatchObject({
    code: 'validation-failed',
    error: 'request transform validation failed',
    internal: ['unexpected end of the template'],
  })
})
