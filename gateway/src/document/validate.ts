import {
  type ASTNode,
  BREAK,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  Kind,
  specifiedRules,
  validate,
  type ValidationContext,
  type ValidationRule,
  visit,
} from 'graphql'
import { type CatalogueError, fieldRequired, invalidFormat, syntaxError } from '../errors/catalogue-error.ts'
import { expectedFormat } from '../errors/expected-format.ts'

/** What a rule knew at the moment at which it reported an error, and the error itself doesn't say. */
interface Report {
  readonly rule: string
  readonly inputType: GraphQLInputType | null | undefined
}

const maxErrors = 20

/** Checks a document against the schema. Returns everything that is wrong, as catalogued errors. */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode): readonly CatalogueError[] {
  const reports = new WeakMap<GraphQLError, Report>()
  const rules = specifiedRules.map((rule) => reporting(rule, reports))
  return validate(schema, document, rules, { maxErrors }).map((error) => ({
    ...catalogued(document, error, reports.get(error)),
    ...(error.locations && { locations: error.locations.map(({ line, column }) => ({ line, column })) }),
  }))
}

function reporting(rule: ValidationRule, reports: WeakMap<GraphQLError, Report>): ValidationRule {
  return (context) => {
    const watched = Object.create(context, {
      reportError: {
        value: (error: GraphQLError) => {
          reports.set(error, { rule: rule.name, inputType: context.getInputType() })
          context.reportError(error)
        },
      },
    }) as ValidationContext
    return rule(watched)
  }
}

function catalogued(document: DocumentNode, error: GraphQLError, report: Report | undefined): CatalogueError {
  switch (report?.rule) {
    case 'ProvidedRequiredArgumentsRule': {
      const argument = /argument "([^"]*)"/.exec(error.message)?.[1]
      return argument === undefined ? syntaxError(error.message) : fieldRequired(argument)
    }
    case 'ValuesOfCorrectTypeRule':
      return valueError(document, error, report)
    default:
      return syntaxError(error.message)
  }
}

/** A literal of the wrong type: which condition it is follows from the node that was reported. */
function valueError(document: DocumentNode, error: GraphQLError, { inputType }: Report): CatalogueError {
  const node = error.nodes?.[0]
  if (!node || !inputType) return syntaxError(error.message)
  const field = inputPath(document, node)
  const missing = /^Field "[^".]*\.([^"]*)" of required type/.exec(error.message)?.[1]
  if (node.kind === Kind.NULL) return fieldRequired(field)
  if (node.kind === Kind.OBJECT && missing !== undefined) return fieldRequired(`${field}.${missing}`)
  if (node.kind === Kind.OBJECT_FIELD) return syntaxError(error.message, field)
  return invalidFormat(field, expectedFormat(inputType))
}

/** Where in a field's arguments a value stands: `input.items.0.quantity`. */
function inputPath(document: DocumentNode, value: ASTNode): string {
  let steps: string[] = []
  visit(document, {
    enter(node, key, _parent, _path, ancestors) {
      if (node !== value) return undefined
      steps = [...ancestors, node].flatMap((ancestor, index, all) => {
        if (Array.isArray(ancestor)) return []
        const step = namedStep(ancestor as ASTNode)
        if (step !== undefined) return [step]
        const container = all[index - 2]
        const isListItem =
          container !== undefined && !Array.isArray(container) && (container as ASTNode).kind === Kind.LIST
        const position = isListItem ? (all[index - 1] as readonly ASTNode[]).indexOf(ancestor as ASTNode) : -1
        return position >= 0 ? [String(position)] : []
      })
      if (steps.length === 0) steps = [String(key)]
      return BREAK
    },
  })
  return steps.join('.')
}

function namedStep(node: ASTNode): string | undefined {
  switch (node.kind) {
    case Kind.ARGUMENT:
    case Kind.OBJECT_FIELD:
      return node.name.value
    case Kind.VARIABLE_DEFINITION:
      return node.variable.name.value
    default:
      return undefined
  }
}
