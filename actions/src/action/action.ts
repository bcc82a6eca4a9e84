import type { z } from 'zod'
import { type Answer, forbidden, invalid, type Refusal, type UserError } from './answer.ts'
import { cardNumbersIn, onePerField, userErrorsOf } from './input.ts'
import { missingFeature } from './missing-feature.ts'
import { withIds } from './with-ids.ts'
import type { AnySession, OperatorSession, Role, Session } from './session.ts'

/** One call of an action, as it came in. */
export interface ActionCall<Who extends AnySession = Session> {
  readonly action: string
  readonly session: Who
  /** The arguments as sent, before they are looked at. */
  readonly input: unknown
  /** The client's Idempotency-Key, if it sent one. */
  readonly idempotencyKey: IdempotencyKey | null
}

export interface IdempotencyKey {
  readonly value: string
  /** Which of several mutations of a document the call is; '' where it is the only one. */
  readonly part: string
  /** Set once it turns out that the call was answered before, and has that answer again. */
  replayed: boolean
}

/**
 * How an action happens once per Idempotency-Key. `in one transaction`: all that it does is one, with the key's record.
 * `in steps`: it waits for another service between transactions, and says itself which of them begins it (`IdempotencyKeys.once`).
 */
export type Keeping = 'in one transaction' | 'in steps'

/** An action as the HTTP layer sees it: it takes a call and always has an answer. */
export interface Action {
  readonly roles: readonly Role[]
  /** Null: whoever the roles let in. */
  readonly permission: string | null
  readonly keeping: Keeping
  /** Whether its answer holds what is told only once, like a new key: then it is kept sealed, and for minutes. */
  readonly answersSecret: boolean
  run(call: ActionCall<AnySession>): Promise<Answer>
}

export interface ActionDefinition<Input> {
  /** Who may call it at all; the same as in metadata/actions.yaml. */
  readonly roles: readonly Session['role'][]
  /** What the caller's key or token must permit. Hasura can't ask for it, so it is asked here. Null: nothing in particular. */
  readonly permission: string | null
  readonly input: z.ZodType<Input>
  /** In one transaction when absent. */
  readonly keeping?: Keeping
  /** False when absent. */
  readonly answersSecret?: boolean
  /** What only the database knows about an input that is wrong already, so that all of it is told at once. */
  lookUp?(call: ActionCall): Promise<readonly UserError[]>
  handle(call: ActionCall, input: Input): Promise<Answer>
}

/** What needs a feature that the merchant's plan lacks is refused by the database, wherever it comes to it. */
async function withinPlan(handle: () => Promise<Answer>): Promise<Answer> {
  try {
    return await handle()
  } catch (error) {
    const refusal = missingFeature(error)
    if (refusal === null) throw error
    return refusal
  }
}

/** Why the caller may not call the action at all; null: it may. */
export function accessRefusal(
  { roles, permission }: Pick<Action, 'roles' | 'permission'>,
  { action, session }: ActionCall<AnySession>,
): Refusal | null {
  if (!roles.includes(session.role)) return forbidden(`Role ${session.role} may not call ${action}`)
  if (session.role === 'operator') return null
  if (permission !== null && !session.permissions.has(permission))
    return forbidden(`Permission ${permission} is missing`)
  return null
}

/** An action whose caller has been let in and whose input has been read before `handle` sees either. */
export function defineAction<Input>(definition: ActionDefinition<Input>): Action {
  const { roles, permission, input: schema } = definition
  const { keeping = 'in one transaction', answersSecret = false } = definition
  return {
    roles,
    permission,
    keeping,
    answersSecret,
    async run(call) {
      const refusal = accessRefusal(definition, call)
      if (refusal !== null) return refusal
      const { session } = call
      if (session.role === 'operator')
        throw new Error(`${call.action} is declared for operators and for merchants`)
      const theirs: ActionCall = { ...call, session }
      const input = schema.safeParse(call.input, { reportInput: true })
      const cardNumbers = cardNumbersIn(call.input)
      if (input.success && cardNumbers.length === 0)
        return withIds(await withinPlan(() => definition.handle(theirs, input.data)), call.input)
      const errors = onePerField([...(input.error ? userErrorsOf(input.error) : []), ...cardNumbers])
      const named = new Set(errors.map(({ field }) => field))
      const others = (await definition.lookUp?.(theirs)) ?? []
      return withIds(invalid(...errors, ...others.filter(({ field }) => !named.has(field))), call.input)
    },
  }
}

export interface OperatorActionDefinition<Input> {
  readonly input: z.ZodType<Input>
  handle(call: ActionCall<OperatorSession>, input: Input): Promise<Answer>
}

/** The same for operators alone. The merchant that it is done to is the input's `merchantId`, and the audit log's. */
export function defineOperatorAction<Input extends { readonly merchantId: string }>(
  definition: OperatorActionDefinition<Input>,
): Action {
  return {
    roles: ['operator'],
    permission: null,
    keeping: 'in one transaction',
    answersSecret: false,
    async run(call) {
      const { session } = call
      if (session.role !== 'operator') return forbidden(`Role ${session.role} may not call ${call.action}`)
      const input = definition.input.safeParse(call.input, { reportInput: true })
      const cardNumbers = cardNumbersIn(call.input)
      if (!input.success) return invalid(...onePerField([...userErrorsOf(input.error), ...cardNumbers]))
      if (cardNumbers.length > 0) return invalid(...cardNumbers)
      return withIds(await definition.handle({ ...call, session }, input.data), call.input)
    },
  }
}
