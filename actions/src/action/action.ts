import type { Attempt } from '@commerce-graph/audit'
import { onePerField } from '@commerce-graph/contract'
import postgres from '@commerce-graph/postgres-driver'
import { missingFeature } from '@commerce-graph/contract/errors'
import { invalidValue, metadataError } from '@commerce-graph/contract/input'
import { type Answer, forbidden, invalid, type Refusal, type UserError } from './answer.ts'
import { type Absent, accessOf, type ActionName, type InputOf, readInput } from './read-input.ts'
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
  /** Null for a call of the platform's own, of which the audit log tells nothing. */
  readonly origin: CallOrigin | null
}

/** Where a call comes from, for the audit log. */
export type CallOrigin = Pick<Attempt, 'clientAddress' | 'requestId' | 'operationName' | 'source'>

export interface IdempotencyKey {
  readonly value: string
  /** Which of several mutations of a document the call is; '' where it is the only one. */
  readonly part: string
  /** Set once it turns out that the call was answered before, and has that answer again. */
  replayed: boolean
}

/**
 * The scope in which an action runs once per Idempotency-Key. `in one transaction`: one transaction writes all of it,
 * with the key's record. `in one statement`: one statement does, and writes the audit log's entry as well, for callers who
 * come many at once (`IdempotencyKeys.listed`). `in steps`: the action calls another service between its transactions, and its
 * handler chooses the transaction that records the key (`IdempotencyKeys.once`).
 */
type Keeping = 'in one transaction' | 'in one statement' | 'in steps'

/** An action as the HTTP layer sees it: it takes a call and always has an answer. */
export interface Action {
  readonly roles: readonly Role[]
  /** Null: every caller of these roles. */
  readonly permission: string | null
  readonly keeping: Keeping
  /** Whether its answer holds a secret that is shown only once, like a new key: then it is kept sealed, and for minutes. */
  readonly answersSecret: boolean
  /** The argument with a secret that is a guest's proof: its Idempotency-Keys belong to who has the secret, on any network. */
  readonly provenBy?: string | undefined
  run(call: ActionCall<AnySession>): Promise<Answer>
}

export interface ActionDefinition<Name extends ActionName, Kept extends Absent> {
  /** The value of absent fields; null if this is absent, too. */
  readonly absent?: Kept
  /** In one transaction when absent. */
  readonly keeping?: Keeping
  /** False when absent. */
  readonly answersSecret?: boolean
  /** A guest is told from others by its network and cart when absent. */
  readonly provenBy?: string
  /** Checks that the contract's rules can't express: relations between fields. */
  check?(input: InputOf<Name, Kept>): readonly UserError[]
  /**
   * The checks that need the database. They run only if the input has an error, so that the client gets all errors at
   * once.
   */
  lookUp?(call: ActionCall): Promise<readonly UserError[]>
  handle(call: ActionCall, input: InputOf<Name, Kept>): Promise<Answer>
}

/** The error of metadata, or of an external id, that a record can't keep. */
function keptError({
  code,
  constraint_name: constraint = '',
  detail,
}: postgres.PostgresError): UserError | null {
  if (code === '23505' && constraint.endsWith('_external_id_key'))
    return invalidValue('externalId', 'Another record has this external id')
  return metadataError({ constraint, detail: detail ?? null })
}

/** Turns the database's refusals that any write may meet into answers: of a feature that the plan lacks, and of metadata. */
async function withRefusals(handle: () => Promise<Answer>): Promise<Answer> {
  try {
    return await handle()
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    const missing = missingFeature({ constraint: error.constraint_name, detail: error.detail })
    const kept = keptError(error)
    if (kept !== null) return invalid(kept)
    if (missing === null) throw error
    return { ...forbidden(missing.details.reason), details: missing.details }
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

/**
 * An action whose caller has been let in and whose input has been read before `handle` sees either. Who may call it and what it
 * takes, the contract says.
 */
export function defineAction<Name extends ActionName, Kept extends Absent = 'null'>(
  name: Name,
  definition: ActionDefinition<Name, Kept>,
): Action {
  const { keeping = 'in one transaction', answersSecret = false, provenBy } = definition
  const access = accessOf(name)
  // Without `absent`, its type is 'null'.
  const absent = definition.absent ?? ('null' as Kept)
  return {
    ...access,
    keeping,
    answersSecret,
    provenBy,
    async run(call) {
      const refusal = accessRefusal(access, call)
      if (refusal !== null) return refusal
      const { session } = call
      if (session.role === 'operator')
        throw new Error(`${call.action} is declared for operators and for merchants`)
      const theirs: ActionCall = { ...call, session }
      const read = readInput(name, call.input, absent)
      const faults = [
        ...(read.kind === 'invalid' ? read.errors : []),
        ...((read.input && definition.check?.(read.input)) ?? []),
      ]
      if (read.kind === 'input' && faults.length === 0)
        return withIds(await withRefusals(() => definition.handle(theirs, read.input)), call.input)
      const known = (await definition.lookUp?.(theirs)) ?? []
      return withIds(invalid(...onePerField([...faults, ...known])), call.input)
    },
  }
}

/** The names of the mutations that are done to a merchant by name. */
type NamingMerchant = {
  [Name in ActionName]: InputOf<Name, 'null'> extends { readonly merchantId: string } ? Name : never
}[ActionName]

/**
 * The same for operators alone. The merchant that it is done to is the input's `merchantId`, and the audit log's; the log has a new
 * merchant among the entry's ids, and no merchant for what is done to dead letters.
 */
export const defineOperatorAction = <
  Name extends NamingMerchant | 'createMerchant' | 'retryDeadLetters' | 'dropDeadLetters',
>(
  name: Name,
  handle: (call: ActionCall<OperatorSession>, input: InputOf<Name, 'null'>) => Promise<Answer>,
  { answersSecret = false }: { readonly answersSecret?: boolean } = {},
): Action => ({
  ...accessOf(name),
  keeping: 'in one transaction',
  answersSecret,
  async run(call) {
    const { session } = call
    if (session.role !== 'operator') return forbidden(`Role ${session.role} may not call ${call.action}`)
    const read = readInput(name, call.input, 'null')
    if (read.kind === 'invalid') return invalid(...read.errors)
    return withIds(await handle({ ...call, session }, read.input), call.input)
  },
})
