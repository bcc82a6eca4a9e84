import { Kind, parse } from 'graphql'
import { loadContract, type PermissionRule } from '@commerce-graph/contract'
import { planQuery } from '../plan/plan-query.ts'
import { prepareOperation } from '../plan/prepared-operation.ts'
import { projections } from '../projection/projections.ts'
import { readVariables, variableDefinitions } from '../document/variables.ts'

const contract = loadContract()

/** Every rule that applies to a query, anywhere in it. Throws for variables that can't be read. */
export function neededRules(
  query: string,
  given: Readonly<Record<string, unknown>> = {},
): readonly PermissionRule[] {
  const document = parse(query)
  const [operation] = document.definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('the document begins with no operation')
  const { fragments, responseKeys } = prepareOperation(contract.schema, document, operation)
  const read = readVariables(variableDefinitions(contract.schema, operation), given)
  if ('errors' in read) throw new Error(JSON.stringify(read.errors))
  const { variables } = read
  return planQuery(operation, { contract, projections, role: 'merchant', fragments, responseKeys, variables })
    .rules
}
