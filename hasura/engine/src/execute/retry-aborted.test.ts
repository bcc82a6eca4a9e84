import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphQLExecutor } from '../graphql-request.ts'
import { createSession } from '../session/types.ts'
import { type TestProject, openProject } from './testing/open-project.ts'

let project: TestProject
let executor: GraphQLExecutor

beforeAll(async () => {
  // Each update takes some time, so that two mutations that begin together lock their first rows before their second.
  project = await openProject(`
    create table counter (id int primary key, value int not null);
    insert into counter values (1, 0), (2, 0);
    create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.4); return new; end $$;
    create trigger slow before update on counter for each row execute function slow()`)
  executor = (
    await project.serve({
      sources: [{ name: 'default', kind: 'postgres', tables: [{ table: 'counter' }] }],
    })
  ).newExecutor()
})
afterAll(() => project.close())

const count = (first: number, second: number) =>
  executor.execute(
    {
      query: `mutation {
        first: update_counter_by_pk(pk_columns: {id: ${first}}, _inc: {value: 1}) { id }
        second: update_counter_by_pk(pk_columns: {id: ${second}}, _inc: {value: 1}) { id }
      }`,
    },
    createSession('admin', {}),
  )

async function deadlocks(): Promise<number> {
  const { rows } = await project.pool.query(
    'select deadlocks::int as n from pg_stat_database where datname = current_database()',
  )
  return (rows as { n: number }[])[0]?.n ?? 0
}

test('two mutations that deadlock are both done, each once', { timeout: 60_000 }, async () => {
  const answers = await Promise.all([count(1, 2), count(2, 1)])
  expect(answers.map(({ kind }) => kind)).toEqual(['data', 'data'])
  const { rows } = await project.pool.query('select value from counter order by id')
  expect(rows).toEqual([{ value: 2 }, { value: 2 }])
  // A connection that stays idle hands in what it has counted within ten seconds.
  await expect.poll(deadlocks, { timeout: 30_000 }).toBeGreaterThan(0)
})

test('a mutation that may not wait long for a lock is done once the lock is free', async () => {
  await project.pool.query(`
    create function hurry() returns trigger language plpgsql set lock_timeout = '50ms' as $$
    begin perform from counter where id = 2 for update; return new; end $$;
    create trigger hurry before update on counter for each row when (new.id = 1) execute function hurry()`)
  const holder = await project.pool.connect()
  try {
    await holder.query('begin; select from counter where id = 2 for update')
    const answer = executor.execute(
      { query: 'mutation { update_counter_by_pk(pk_columns: {id: 1}, _set: {value: 9}) { value } }' },
      createSession('admin', {}),
    )
    await setTimeout(150)
    await holder.query('commit')
    expect(await answer).toMatchObject({ kind: 'data', json: '{"update_counter_by_pk":{"value":9}}' })
  } finally {
    holder.release()
  }
})
