import type { Statement } from '../statement.ts'
import { answerSchemas } from './answer-schemas.ts'
import { faultsOf } from './check-answers.ts'
import { declarationsOf } from './declarations.ts'
import { PossibleAnswers } from './possible-answers.ts'
import { nothing } from './possible.ts'
import { readFunctions } from './read-functions.ts'
import { typescriptModule } from './typescript-module.ts'

/**
 * The modules through which TypeScript calls functions, one for each schema, and what they answer as JSON Schemas; by file. Throws a SyntaxError with every function whose body answers something
 * else than it declares.
 */
export async function typescriptModules(
  statements: readonly Statement[],
): Promise<ReadonlyMap<string, string>> {
  const functions = readFunctions(statements)
  const declarations = declarationsOf(statements, functions)
  const possible = new PossibleAnswers(functions)
  const faults: string[] = []
  for (const source of functions) {
    if (source.answers === null) continue
    const answers = source.returns === 'jsonb' ? await possible.of(source.name) : nothing
    faults.push(...faultsOf(source, source.answers, answers, declarations))
  }
  if (faults.length > 0) throw new SyntaxError(faults.join('\n'))
  const called = functions.filter(({ answers }) => answers !== null)
  const schemas = new Set(
    [...called.map(({ name }) => name), ...declarations.types.keys()].map((name) => name.split('.')[0] ?? ''),
  )
  const modules = [...schemas].sort().map((schema): readonly [string, string] => {
    const own = called.filter(({ name }) => name.startsWith(`${schema}.`))
    return [`${schema}.ts`, typescriptModule(schema, own, declarations)]
  })
  const schemasOfAnswers = JSON.stringify(answerSchemas(called, declarations), null, 1)
  return new Map([...modules, ['answers.json', `${schemasOfAnswers}\n`]])
}
