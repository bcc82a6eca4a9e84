/** The event is not allowed in the state. */
export const refused = 'refused'

/** Every state beside every event: each combination is decided. */
export type StateMachine<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Record<Event, State | typeof refused>>>
>

/** An event as SQL takes it: the states that it may start from, and the one that it leads to. */
export interface Transition<State extends string> {
  readonly from: readonly State[]
  readonly to: State
}

/**
 * An event of a machine as a transition. The database compares the row's state with `from` under the row's lock, so
 * that of two events that race only the allowed ones happen.
 *
 * @throws when the event leads nowhere, or to several states: the machine is wrong then, not its user
 */
export function transition<State extends string, Event extends string>(
  machine: StateMachine<State, Event>,
  event: Event,
): Transition<State> {
  const from: State[] = []
  const targets = new Set<State>()
  for (const state of Object.keys(machine) as State[]) {
    const next = machine[state][event]
    if (next === refused) continue
    from.push(state)
    targets.add(next as State)
  }
  const [to, ...others] = targets
  if (to === undefined || others.length > 0) {
    throw new Error(`Event ${event} leads to ${targets.size} states; a transition leads to one.`)
  }
  return { from, to }
}
