// Enforces one way to write a function at the top level of a module: a function whose body is a single expression
// is an arrow, `const total = (lines: Line[]) => …`, and any other is a declaration, `function total(lines: Line[])
// { … }`. An arrow with a type annotation (`const handler: Handler = …`) stays an arrow. The rule fixes what it
// reports.

const isTopLevel = (node) =>
  node.parent.type === 'Program' ||
  (node.parent.type === 'ExportNamedDeclaration' && node.parent.parent.type === 'Program')

/** The single expression that the body returns; null if the body has more, or a comment. */
function onlyExpression(source, body) {
  const [statement, ...others] = body.body
  if (statement?.type !== 'ReturnStatement' || statement.argument === null || others.length > 0) return null
  const comments = source.getCommentsInside(body)
  const [from, to] = statement.argument.range
  return comments.every(({ range }) => range[0] >= from && range[1] <= to) ? statement.argument : null
}

/** `<T>(a: A): R`, as it occurs in an arrow or a declaration. */
function signature(source, fn) {
  const first = fn.id ? source.getTokenAfter(fn.id) : source.getFirstToken(fn, { skip: fn.async ? 1 : 0 })
  const last = fn.returnType ?? source.getTokenBefore(fn.body, (token) => token.value === ')')
  return source.text.slice(first.range[0], last.range[1])
}

/** An arrow exists from its own line on: code above it that runs while the module loads needs a declaration. */
function isUsedBefore(module, node) {
  const uses = module.set.get(node.id.name).references.map(({ identifier }) => identifier)
  return uses.some((use) => use.range[0] < node.range[0] && !isDeferred(topLevelStatement(use)))
}

function topLevelStatement(node) {
  while (node.parent.type !== 'Program') node = node.parent
  return node
}

/** Whether the statement only defines a function or class, whose body runs later. */
function isDeferred(statement) {
  const declaration = statement.declaration ?? statement
  if (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') return true
  return (
    declaration.type === 'VariableDeclaration' &&
    declaration.declarations.every(({ init }) => init?.type === 'ArrowFunctionExpression')
  )
}

const hasOverloads = (program, name) =>
  program.body.some(
    (statement) =>
      (statement.declaration ?? statement).type === 'TSDeclareFunction' &&
      (statement.declaration ?? statement).id.name === name,
  )

function asDeclaration(source, declaration, fn) {
  const asynchronous = fn.async ? 'async ' : ''
  const { name } = declaration.declarations[0].id
  return `${asynchronous}function ${name}${signature(source, fn)} ${source.getText(fn.body)}`
}

function asArrow(source, node, expression) {
  const asynchronous = node.async ? 'async ' : ''
  const returned =
    expression.type === 'ObjectExpression' ||
    expression.type === 'SequenceExpression' ||
    startsWithBrace(source, expression)
      ? `(${source.getText(expression)})`
      : source.getText(expression)
  return `const ${node.id.name} = ${asynchronous}${signature(source, node)} => ${returned}`
}

const startsWithBrace = (source, expression) => source.getFirstToken(expression).value === '{'

export const functionStyle = {
  meta: {
    type: 'suggestion',
    fixable: 'code',
    schema: [],
    messages: {
      declare: 'A function with more than one expression is a declaration: function {{name}}(…) { … }',
      arrow: 'A function of one expression is an arrow: const {{name}} = (…) => …',
    },
  },
  create(context) {
    const source = context.sourceCode
    return {
      VariableDeclaration(node) {
        const [declarator, ...others] = node.declarations
        if (!isTopLevel(node) || node.kind !== 'const' || others.length > 0) return
        const { id, init } = declarator
        if (id.type !== 'Identifier' || id.typeAnnotation || init?.type !== 'ArrowFunctionExpression') return
        if (init.body.type !== 'BlockStatement' || onlyExpression(source, init.body)) return
        context.report({
          node: id,
          messageId: 'declare',
          data: { name: id.name },
          fix: (fixer) => fixer.replaceText(node, asDeclaration(source, node, init)),
        })
      },
      FunctionDeclaration(node) {
        if (!isTopLevel(node) || node.generator || node.id === null) return
        if (node.returnType?.typeAnnotation.asserts) return
        const expression = onlyExpression(source, node.body)
        if (!expression || hasOverloads(source.ast, node.id.name)) return
        if (isUsedBefore(source.getScope(source.ast).childScopes[0], node)) return
        context.report({
          node: node.id,
          messageId: 'arrow',
          data: { name: node.id.name },
          fix: (fixer) => fixer.replaceText(node, asArrow(source, node, expression)),
        })
      },
    }
  },
}
