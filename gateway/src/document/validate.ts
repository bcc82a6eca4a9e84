import {
  type ASTNode,
  BREAK,
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  getNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isRequiredArgument,
  isRequiredInputField,
  Kind,
  type NameNode,
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

/** The context of a rule when it reported an error. The error itself lacks it. */
interface Report {
  readonly rule: string
  readonly inputType: GraphQLInputType | null | undefined
  /** The argument or field of an input that must be given and isn't. */
  readonly missing: string | undefined
}

const maxErrors = 20

/** Checks a document against the schema. Returns everything that is wrong, as catalogued errors. */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode): readonly CatalogueError[] {
  const reports = new WeakMap<GraphQLError, Report>()
  const rules = specifiedRules.map((rule) => reporting(rule, reports))
  return findErrors(schema, document, rules).map((error) => ({
    ...catalogued(document, error, reports.get(error)),
    ...(error.locations && { locations: error.locations.map(({ line, column }) => ({ line, column })) }),
  }))
}

/**
 * A rule that throws refuses the document as well: that of a subscription's single root field evaluates `@skip` and `@include`
 * there, and throws where a variable decides, as it has none.
 */
function findErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
): readonly GraphQLError[] {
  try {
    return validate(schema, document, rules, { maxErrors })
  } catch (error) {
    if (error instanceof GraphQLError) return [error]
    throw error
  }
}

const reporting =
  (rule: ValidationRule, reports: WeakMap<GraphQLError, Report>): ValidationRule =>
  (context) => {
    const missingOf = new Map<ASTNode | undefined, string[]>()
    const watched = Object.create(context, {
      reportError: {
        value: (error: GraphQLError) => {
          const node = error.nodes?.[0]
          const missing = missingOf.get(node) ?? missingIn(node, context)
          missingOf.set(node, missing)
          // A rule reports what is missing one by one, in the order of the schema.
          reports.set(error, {
            rule: rule.name,
            inputType: context.getInputType(),
            missing: missing.shift(),
          })
          context.reportError(error)
        },
      },
    }) as ValidationContext
    return rule(watched)
  }

/** The required arguments or fields that are absent at a field, directive or object. */
function missingIn(node: ASTNode | undefined, context: ValidationContext): string[] {
  switch (node?.kind) {
    case Kind.FIELD:
      return neededBeside(
        context.getFieldDef()?.args.filter(isRequiredArgument),
        node.arguments?.map(givenName),
      )
    case Kind.DIRECTIVE:
      return neededBeside(
        context.getDirective()?.args.filter(isRequiredArgument),
        node.arguments?.map(givenName),
      )
    case Kind.OBJECT: {
      const inputType = context.getInputType()
      const type = inputType ? getNamedType(inputType) : undefined
      const fields = isInputObjectType(type) ? Object.values(type.getFields()) : []
      return neededBeside(fields.filter(isRequiredInputField), node.fields.map(givenName))
    }
    default:
      return []
  }
}

const givenName = (node: { readonly name: NameNode }): string => node.name.value

const neededBeside = (
  needed: readonly { readonly name: string }[] = [],
  given: readonly string[] = [],
): string[] => needed.map(({ name }) => name).filter((name) => !given.includes(name))

function catalogued(document: DocumentNode, error: GraphQLError, report: Report | undefined): CatalogueError {
  switch (report?.rule) {
    case 'ProvidedRequiredArgumentsRule':
      return report.missing === undefined ? syntaxError(error.message) : fieldRequired(report.missing)
    case 'ValuesOfCorrectTypeRule':
      return valueError(document, error, report)
    default:
      return syntaxError(error.message)
  }
}

/** A literal of the wrong type: which condition it is follows from the node that was reported. */
function valueError(
  document: DocumentNode,
  error: GraphQLError,
  { inputType, missing }: Report,
): CatalogueError {
  const node = error.nodes?.[0]
  if (!node) return syntaxError(error.message)
  const field = inputPath(document, node)
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
