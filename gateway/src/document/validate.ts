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
import {
  type CatalogueError,
  fieldRequired,
  invalidFormat,
  syntaxError,
} from '@commerce-graph/contract/errors'
import { expectedFormat } from '@commerce-graph/contract'

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

const reporting =
  (rule: ValidationRule, reports: WeakMap<GraphQLError, Report>): ValidationRule =>
  (context) => {
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
  if (!node) return syntaxError(error.message)
  const field = inputPath(document, node)
  const missing = /^Field "[^".]*\.([^"]*)" of required type/.exec(error.message)?.[1]
  if (node.kind === Kind.NULL) return fieldRequired(field)
  if (node.kind === Kind.OBJECT && missing !== undefined) return fieldRequired(`${field}.${missing}`)
  if (node.kind === Kind.OBJECT_FIELD) return syntaxError(error.message, field)
  return inputType ? invalidFormat(field, expectedFormat(inputType)) : syntaxError(error.message, field)
}

/** Where in a field's arguments a value stands: `input.items.0.quantity`. */
function inputPath(document: DocumentNode, value: ASTNode): string {
  const steps: string[] = []
  visit(document, {
    enter(node, _key, _parent, path) {
      if (node !== value) return undefined
      let current: unknown = document
      path.forEach((key, index) => {
        current = (current as Readonly<Record<string | number, unknown>>)[key]
        if (path[index - 1] === 'values') steps.push(String(key))
        else if (typeof key === 'number' || key === 'value') steps.push(...nameOf(current as ASTNode))
      })
      return BREAK
    },
  })
  return steps.join('.')
}

function nameOf(node: ASTNode): readonly string[] {
  switch (node.kind) {
    case Kind.ARGUMENT:
    case Kind.OBJECT_FIELD:
      return [node.name.value]
    case Kind.VARIABLE_DEFINITION:
      return [node.variable.name.value]
    default:
      return []
  }
}
