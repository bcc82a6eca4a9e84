import { hasuraType } from '@commerce-graph/contract'
import { getNullableType, type GraphQLInputType, isInputObjectType, isListType, isScalarType } from 'graphql'
import type { Operation } from '@commerce-graph/data-layer'
import { printVariableDefinitions } from '../plan/hasura-document.ts'
import { clip } from '@commerce-graph/contract/errors'
import { type UserError, valueAt } from '@commerce-graph/contract/input'
import { noRecord, toUuid } from '../projection/filter.ts'
import type { ActionMutation, Values } from './definition.ts'
import type { PlannedCall } from './plan-mutation.ts'

/** The Hasura operation that calls an action and returns the record that the action's result leads to. */
export function actionOperation(definition: ActionMutation, call: PlannedCall): Operation {
  const { args, field, bound, recordSelection, resultSelection } = call
  const given = field.args.filter(({ name }) => args[name] !== undefined)
  const declared = given.map(({ name, type }) => ({ name: `a_${name}`, type: hasuraType(type) }))
  const passed = given.map(({ name }) => `${name}: $a_${name}`).join(', ')
  const selection = [
    ...resultSelection,
    ...(definition.record && recordSelection !== null
      ? [`${definition.record.relationship} ${recordSelection}`]
      : []),
  ]
  const variables = printVariableDefinitions([...declared, ...call.variables])
  return {
    query: `mutation${variables} { result: ${field.name}${passed && `(${passed})`} { ${selection.join(' ')} } }`,
    variables: {
      ...bound.variables,
      ...Object.fromEntries(given.map(({ name, type }) => [`a_${name}`, hasuraValue(args[name], type)])),
    },
  }
}

/** A value of the contract as the action's types want it: ids are UUIDs there; an id that is no UUID becomes one that no record has. */
function hasuraValue(value: unknown, type: GraphQLInputType): unknown {
  if (value == null) return null
  const nullable = getNullableType(type)
  if (isListType(nullable))
    return (value as readonly unknown[]).map((item) => hasuraValue(item, nullable.ofType))
  if (isInputObjectType(nullable)) {
    const fields = nullable.getFields()
    return Object.fromEntries(
      Object.entries(value as Readonly<Record<string, unknown>>).map(([name, member]) => [
        name,
        fields[name] ? hasuraValue(member, fields[name].type) : member,
      ]),
    )
  }
  return isScalarType(nullable) && nullable.name === 'ID' ? toUuid(value) : value
}

/** An action's error with the id that the client has sent, where `hasuraValue` put another one in its place. */
export function withGivenId(error: UserError, args: Values): UserError {
  const given = valueAt(args, error.field) ?? valueAt(args, `input.${error.field}`)
  if (typeof given !== 'string' || toUuid(given) !== noRecord) return error
  return { ...error, message: error.message.replaceAll(noRecord, () => clip(given)) }
}
