// Enforces how names are written: functions and variables without underscores, types as PascalCase, which may begin with
// one underscore. A destructured name is another module's or Postgres's, and stays as it is.

const pascalCase = /^_?[A-Z][A-Za-z0-9$]*$/

export const names = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      value: '{{name}} has an underscore: functions and variables are camelCase or PascalCase',
      type: '{{name}} is a type: its name is PascalCase',
    },
  },
  create(context) {
    const report = (id, messageId) => context.report({ node: id, messageId, data: { name: id.name } })
    const checkValue = ({ id }) => {
      if (id?.type === 'Identifier' && id.name.includes('_')) report(id, 'value')
    }
    const checkType = ({ id }) => {
      if (id && !pascalCase.test(id.name)) report(id, 'type')
    }
    return {
      VariableDeclarator: checkValue,
      FunctionDeclaration: checkValue,
      FunctionExpression: checkValue,
      TSDeclareFunction: checkValue,
      ClassDeclaration: checkType,
      TSInterfaceDeclaration: checkType,
      TSTypeAliasDeclaration: checkType,
      TSEnumDeclaration: checkType,
      TSTypeParameter: ({ name: id }) => checkType({ id }),
    }
  },
}
