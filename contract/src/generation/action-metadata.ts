import { readResults, type ResultRecord, type ResultType } from '../schema/action-results.ts'
import type { Action } from '../schema/actions.ts'
import type { Contract } from '../schema/compose.ts'
import { resultsSdl } from '../schema/load.ts'
import { hasuraType } from '../schema/hasura-type.ts'
import { rolesOf } from '../schema/permissions.ts'
import { inputTypesOf } from './input-types.ts'

/** A type of an action's answer, as Hasura has it. */
interface ObjectType {
  readonly name: string
  readonly record: ResultRecord | null
  readonly fields: readonly string[]
}

export interface ActionMetadata {
  /** metadata/actions.graphql */
  readonly graphql: string
  /** metadata/actions.yaml */
  readonly yaml: string
}

/** Hasura's metadata of the actions, written from the mutations with `@action` and from results.graphql. */
export function actionMetadata(contract: Contract): ActionMetadata {
  const actions = [...contract.actions].sort(([one], [other]) => (one < other ? -1 : 1))
  const answered = new Set(actions.map(([, { result }]) => result))
  const results = objectTypes(answered)
  const mutation = contract.schema.getMutationType()?.getFields() ?? {}
  const fields = actions.map(([name, { result }]) => {
    const args =
      mutation[name]?.args.map((argument) => `${argument.name}: ${hasuraType(argument.type)}`) ?? []
    return `  ${name}${args.length > 0 ? `(${args.join(', ')})` : ''}: ${result}!\n`
  })
  const inputs = inputTypesOf(
    contract.schema,
    actions.flatMap(([name]) => mutation[name]?.args ?? []),
  )
  const types = [
    ...inputs.map((type) => ({
      keyword: 'input',
      name: type.name,
      fields: Object.values(type.getFields()).map((field) => `${field.name}: ${hasuraType(field.type)}`),
    })),
    ...results.map(({ name, fields }) => ({ keyword: 'type', name, fields })),
  ]
  return {
    graphql: [
      `type Mutation {\n${fields.join('')}}\n`,
      ...types.map(
        ({ keyword, name, fields: members }) =>
          `${keyword} ${name} {\n${members.map((member) => `  ${member}\n`).join('')}}\n`,
      ),
    ].join('\n'),
    yaml: [
      'actions:\n',
      ...actions.map(([name, route]) => actionYaml(name, route, rolesOf(contract.permissions, name))),
      'custom_types:\n  enums: []\n  input_objects:\n',
      ...inputs.map(({ name }) => `    - name: ${name}\n`),
      '  objects:\n',
      ...results.map(objectYaml),
      '  scalars: []\n',
    ].join(''),
  }
}

const actionYaml = (name: string, { path }: Action, roles: readonly string[]): string => `  - name: ${name}
    definition:
      kind: synchronous
      handler: "{{ACTIONS_BASE_URL}}/${path}/${name}"
      forward_client_headers: true
      headers:
        - name: x-actions-secret
          value_from_env: ACTIONS_SECRET
      timeout: 30
    permissions:
${roles.map((role) => `      - role: ${role}\n`).join('')}`

function objectYaml({ name, record }: ObjectType): string {
  if (record === null) return `    - name: ${name}\n`
  const [schema, table] = record.table.split('.')
  return `    - name: ${name}
      relationships:
        - field_mapping:
            merchantId: merchant_id
${record.key === null ? '' : `            ${record.key}: ${record.column}\n`}          name: ${record.name}
          remote_table:
            name: ${table ?? ''}
            schema: ${schema ?? ''}
          source: default
          type: object
`
}

const objectTypes = (answered: ReadonlySet<string>): readonly ObjectType[] =>
  [
    ...[...readResults(resultsSdl()).values()].map((type) => objectType(type, answered.has(type.name))),
    { name: 'UserError', record: null, fields: ['field: String', 'message: String!', 'code: String'] },
  ].sort((one, other) => (one.name < other.name ? -1 : 1))

const objectType = ({ name, record, fields }: ResultType, answered: boolean): ObjectType => ({
  name,
  record,
  fields: [
    ...(record
      ? [
          'merchantId: uuid',
          ...(record.key === null || fields.has(record.key) ? [] : [`${record.key}: uuid`]),
        ]
      : []),
    ...fields.values(),
    ...(answered ? ['errors: [UserError!]!', 'replayed: Boolean'] : []),
  ],
})
