import { parse } from 'libpg-query'
import { expect, test } from 'vitest'
import { readSource } from '../read-source.ts'
import type { Statement } from '../statement.ts'
import { typescriptModules } from './typescript-modules.ts'

const statementsOf = async (...functions: readonly string[]): Promise<readonly Statement[]> =>
  Promise.all(
    functions.map(async (text) => {
      const comment = text.split('\n').filter((line) => line.startsWith('--'))
      const { stmts = [] } = await parse(text)
      const node = stmts[0]?.stmt
      if (node === undefined) throw new Error('no statement')
      const statement = text.replace(/^(--[^\n]*\n)*/, '')
      return { file: 'shop/functions.sql', node, text: statement, comment: comment.join('\n') }
    }),
  )

const closing = (answers: string, body: string): string => `-- answers: ${answers}
CREATE FUNCTION shop.close(p_merchant_id uuid, p_order_id uuid, p_from text[], p_note text DEFAULT 'x') RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_status text;
  v_lock jsonb := shop.lock(p_order_id);
BEGIN
  ${body}
END
$$;`

const lock = `CREATE FUNCTION shop.lock(p_order_id uuid) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE WHEN p_order_id IS NULL THEN jsonb_build_object('outcome', 'unknown')
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'busy', 'by', 'clerk') END;
END
$$;`

async function moduleOf(answers: string, body: string): Promise<string> {
  const modules = await typescriptModules(await statementsOf(closing(answers, body), lock))
  return modules.get('shop.ts') ?? ''
}

const functionBody = `IF v_lock ->> 'outcome' = 'busy' THEN
    RETURN jsonb_build_object('outcome', 'closed', 'orderId', p_order_id);
  END IF;
  IF v_lock IS NOT NULL THEN
    RETURN v_lock;
  END IF;
  IF v_status = ANY (p_from) THEN
    RETURN jsonb_build_object('outcome', 'refused', 'status', v_status, 'reason', 'late');
  END IF;
  RETURN jsonb_build_object('outcome', 'refused', 'status', v_status);`

test('a function is called with named arguments, and returns a union of its outcomes', async () => {
  const written = await moduleOf(
    "closed {orderId: uuid} | unknown {} | refused {status: text, reason?: 'late'}",
    functionBody,
  )
  expect(written).toContain(
    'export const close = (caller: Caller, args: CloseArguments): Promise<CloseAnswer>',
  )
  expect(written).toContain('p_merchant_id => ${args.merchantId}::uuid')
  expect(written).toContain('p_from => ${listOf(args.from)}::text[]')
  expect(written).toContain('readonly note?: string | undefined')
  expect(written).toContain("| { readonly outcome: 'unknown' }")
  expect(written).toContain(
    "| { readonly outcome: 'refused'; readonly status: string; readonly reason?: 'late' }",
  )
})

const refused: readonly (readonly [string, string])[] = [
  ['closed {orderId: uuid} | unknown {}', 'outcome refused is not declared'],
  [
    "closed {orderId: uuid} | unknown {} | busy {by: text} | refused {status: text, reason?: 'late'}",
    'no body answers the outcome busy',
  ],
  [
    "closed {id: uuid} | unknown {} | refused {status: text, reason?: 'late'}",
    'key closed.orderId is not declared',
  ],
  [
    "closed {orderId: uuid} | unknown {} | refused {status: text, reason: 'late'}",
    'key refused.reason? is not declared',
  ],
  [
    "closed {orderId: uuid} | unknown {} | refused {status: text, reason?: 'early'}",
    'text of refused.reason late is not declared',
  ],
]
for (const [declared, fault] of refused) {
  test(`a declaration that differs from the body is refused: ${fault}`, async () => {
    await expect(moduleOf(declared, functionBody)).rejects.toThrow(
      `shop.close in shop/functions.sql: ${fault}`,
    )
  })
}

test('a body may return NULL only if that is declared', async () => {
  await expect(moduleOf('unknown {} | busy {by: text}', 'RETURN v_lock;')).rejects.toThrow('answers NULL')
  await expect(moduleOf('unknown {} | busy {by: text} | null', 'RETURN v_lock;')).resolves.toContain('| null')
})

test('code that the check can’t follow is refused', async () => {
  await expect(moduleOf('unknown {}', 'RETURN to_jsonb(p_order_id);')).rejects.toThrow(
    "its body answers what can't be followed: to_jsonb()",
  )
})

test('every function with a declared answer returns it, for every caller', async () => {
  const modules = await typescriptModules(await readSource())
  expect(modules.get('ordering.ts')).toContain("readonly outcome: 'placed'")
})
