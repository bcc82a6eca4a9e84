// Refuses to get a meaning from the text of a message: messages are for people, and change.

const readers = new Set(['exec', 'test'])
const searches = new Set(['match', 'search', 'includes', 'startsWith', 'endsWith'])

const isMessage = (node) =>
  (node.type === 'Identifier' && node.name === 'message') ||
  (node.type === 'MemberExpression' && !node.computed && node.property.name === 'message')

export const messageTexts = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { read: 'No meaning is got from the text of a message.' },
  },
  create: (context) => ({
    CallExpression(node) {
      const { callee } = node
      if (callee.type !== 'MemberExpression' || callee.computed) return
      const read = readers.has(callee.property.name)
        ? node.arguments.find(isMessage)
        : searches.has(callee.property.name) && isMessage(callee.object)
          ? callee.object
          : undefined
      if (read) context.report({ node: read, messageId: 'read' })
    },
  }),
}
