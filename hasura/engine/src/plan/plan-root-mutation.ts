import type { GraphQLObjectType } from 'graphql'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import type { CollectedField } from './collect-fields.ts'
import type { ObjectValue } from './input-value.ts'
import { planFilter } from './plan-filter.ts'
import { planInsert } from './plan-insert.ts'
import { planDelete, planKey, planResponse, planRowOutput, planUpdate, planUpdates } from './plan-mutation.ts'
import type { SelectScope } from './select-scope.ts'
import { member, objectOf } from './plan-value.ts'
import type { MutationPlan } from './tree.ts'

type RootMutationMeaning = Extract<
  FieldMeaning,
  { kind: 'insert' | 'update' | 'update-by-key' | 'update-many' | 'delete' | 'delete-by-key' }
>

/** Plans what a root field writes, and its answer. Throws RequestError. */
export function planRootMutation(
  meaning: RootMutationMeaning,
  given: ObjectValue,
  type: GraphQLObjectType,
  collected: CollectedField,
  scope: SelectScope,
): MutationPlan {
  const { selections, path } = collected
  switch (meaning.kind) {
    case 'insert': {
      const { table } = meaning
      const output = meaning.one
        ? planRowOutput(type, collected, table, scope)
        : planResponse(type, selections, table, scope, path)
      return planInsert(given, table, output, scope)
    }
    case 'update': {
      const { table } = meaning
      const chosen = planFilter(member(given, 'where'), table, scope)
      return planUpdate(given, chosen, table, planResponse(type, selections, table, scope, path), scope)
    }
    case 'update-by-key': {
      const { table } = meaning
      const key = objectOf(given.fields.get('pk_columns') ?? given)
      return planUpdate(
        given,
        planKey(key, table, scope),
        table,
        planRowOutput(type, collected, table, scope),
        scope,
      )
    }
    case 'update-many': {
      const { table } = meaning
      const output = planResponse(type, selections, table, scope, path)
      return { kind: 'update-many', updates: planUpdates(given, table, output, scope) }
    }
    case 'delete': {
      const { table } = meaning
      const chosen = planFilter(member(given, 'where'), table, scope)
      return planDelete(chosen, table, planResponse(type, selections, table, scope, path), scope)
    }
    case 'delete-by-key': {
      const { table } = meaning
      return planDelete(
        planKey(given, table, scope),
        table,
        planRowOutput(type, collected, table, scope),
        scope,
      )
    }
    default:
      return meaning satisfies never
  }
}
