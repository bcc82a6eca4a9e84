import { buildSourceModel, type TableModel } from '../schema/source-model.ts'
import type { Snapshot } from '../snapshot.ts'

/** In the order in which Hasura's message lists them. */
const mutationFields = ({ rootFields }: TableModel): readonly string[] => [
  rootFields.insert,
  rootFields.insertOne,
  rootFields.update,
  rootFields.delete,
  rootFields.updateByPk,
  rootFields.deleteByPk,
]

const queryFields = ({ rootFields }: TableModel): readonly string[] => [
  rootFields.select,
  rootFields.selectAggregate,
  rootFields.selectByPk,
]

/** Two tables can't have one root field. Says which, or undefined when each has its own. */
export const rootFieldConflict = ({ metadata, catalog }: Snapshot): string | undefined => {
  const tables = [...buildSourceModel(metadata, catalog).tables.values()]
  return (
    duplicates('mutation', tables.flatMap(mutationFields)) ?? duplicates('query', tables.flatMap(queryFields))
  )
}

const duplicates = (root: 'query' | 'mutation', fields: readonly string[]): string | undefined => {
  const repeated = [...Map.groupBy(fields, (name) => name)].flatMap(([name, uses]) =>
    uses.length > 1 ? [name] : [],
  )
  return repeated.length > 0
    ? `found duplicate fields in selection set for ${root} root: ${repeated.join(', ')}`
    : undefined
}
