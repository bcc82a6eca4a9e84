import type { AppliedVersions } from './catalog-state.ts'
import type { Direction, Migration } from './migration-files.ts'

export type StepRequest =
  /** All versions that aren't applied yet. */
  | { readonly kind: 'all' }
  /** The next `count` that aren't applied, oldest first. */
  | { readonly kind: 'up'; readonly count: number }
  /** The last `count` that are applied, newest first. */
  | { readonly kind: 'down'; readonly count: number }
  /** Exactly this one. */
  | { readonly kind: 'version'; readonly version: string; readonly direction: Direction }

export interface Step {
  readonly migration: Migration
  readonly direction: Direction
}

export type StepPlan =
  | { readonly kind: 'planned'; readonly steps: readonly Step[] }
  | { readonly kind: 'refused'; readonly reason: string }

/** The files to run, in order. A version that already has the wanted state takes no step. */
export function planSteps(
  migrations: readonly Migration[],
  applied: AppliedVersions,
  request: StepRequest,
): StepPlan {
  const pending = migrations.filter(({ version }) => !applied.has(version))
  const present = migrations.filter(({ version }) => applied.has(version)).reverse()
  switch (request.kind) {
    case 'all':
      return planned(pending, 'up')
    case 'up':
      return planned(pending.slice(0, request.count), 'up')
    case 'down':
      return planned(present.slice(0, request.count), 'down')
    case 'version': {
      const { version, direction } = request
      if (!migrations.some((migration) => migration.version === version)) {
        return { kind: 'refused', reason: `There is no migration with the version ${version}` }
      }
      const candidates = direction === 'up' ? pending : present
      return planned(
        candidates.filter((migration) => migration.version === version),
        direction,
      )
    }
    default:
      return request satisfies never
  }
}

const planned = (migrations: readonly Migration[], direction: Direction): StepPlan => ({
  kind: 'planned',
  steps: migrations.map((migration) => ({ migration, direction })),
})
