/**
 * The faults of postgres 3.4.9, by file: each text occurs once there, and is replaced. They concern connections that
 * the server has closed, and which connection of a pool gets a statement, or asks for types.
 *
 * @type {Readonly<Record<string, readonly { readonly wrong: string, readonly right: string }[]>>}
 */
export const corrections = {
  'connection.js': [
    {
      // A statement of a transaction whose connection is closed: it was buffered for a socket that isn't there, and the write
      // threw from a timer, which ends the process (porsager/postgres#1066, #1154, #1208).
      wrong: '  function execute(q) {\n',
      right:
        "  function execute(q) {\n    if (!socket) {\n      queryError(q, Errors.connection('CONNECTION_CLOSED', options))\n      return true\n    }\n",
    },
    {
      // The same for what is written in answer to the server (the guard of porsager/postgres#1168).
      wrong: '    const x = socket.write(chunk, fn)\n',
      right:
        '    if (!socket)\n      return chunk = nextWriteTimer = null\n    const x = socket.write(chunk, fn)\n',
    },
    {
      // A write that was pending at the close kept the next connection from ever sending its first message.
      wrong: '    incomings = null\n    clearImmediate(nextWriteTimer)\n',
      right: '    incomings = null\n    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n',
    },
    {
      // A connection that ends while it asks for the types of arrays, or for the server's state: nothing awaited that statement, so its
      // rejection ended the process. The statement that the connection is for is rejected beside it.
      wrong: '        return fetchArrayTypes()\n',
      right: '        return fetchArrayTypes().catch(noop)\n',
    },
    {
      wrong: '    query.execute()\n',
      right: '    query.execute().catch(noop)\n',
    },
    {
      // The connection of a transaction was not reserved for it where the pipeline was full: `max_pipeline: 0` made each so.
      wrong: `        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))
`,
      right: `        && (q.options.onexecute ? q.options.onexecute(connection) : sent.length < max_pipeline)
`,
    },
    {
      // A statement with a setting (`setting-of-statement.ts`): the setting is made in front of it, in the same transaction and the
      // same write, and the answer to that is left out of the statement's own.
      wrong: '      return write(toBuffer(q))\n',
      right: '      return write(withSetting(q, toBuffer(q)))\n',
    },
    {
      wrong: '  function toBuffer(q) {\n',
      right: `  function withSetting(q, statement) {
    if (!q.setting)
      return statement
    q.settingMade = false
    const isKept = options.prepare
    const isNew = !isKept || !settingPrepared
    settingPrepared = isKept
    return Buffer.concat([
      // Closing an absent statement is no error, and it may exist after a run that failed.
      ...(isNew && isKept ? [b().C().str('S' + settingName + b.N).end()] : []),
      ...(isNew ? [Parse(settingText, [], [], isKept ? settingName : '')] : []),
      Bind([q.setting.name, q.setting.value], [25, 25], isKept ? settingName : ''),
      ExecuteUnnamed.subarray(0, ExecuteUnnamed.length - Sync.length),
      statement
    ])
  }

  function toBuffer(q) {
`,
    },
    {
      wrong: '  function CommandComplete(x) {\n',
      right:
        '  function CommandComplete(x) {\n    if (query.setting && !query.settingMade) {\n      query.settingMade = true\n      return\n    }\n',
    },
    {
      wrong: '  function CloseComplete() {\n',
      right: '  function CloseComplete() {\n    if (query.setting && !query.settingMade)\n      return\n',
    },
    {
      wrong: '  function ErrorResponse(x) {\n',
      right:
        '  function ErrorResponse(x) {\n    if (query && query.setting && !query.settingMade)\n      settingPrepared = false\n',
    },
    {
      wrong: '      statements = {}\n      needsTypes = options.fetch_types\n',
      right:
        '      statements = {}\n      settingPrepared = false\n      needsTypes = options.fetch_types && !options.shared.typesKnown\n',
    },
    {
      // Each connection asked for the types of arrays before its first statement. The answers are the pool's, so it asks once. After a
      // connection has ended, the next one asks again: the server may be another one by then, with other types.
      wrong: '    types.forEach(({ oid, typarray }) => addArrayType(oid, typarray))\n',
      right:
        '    types.forEach(({ oid, typarray }) => addArrayType(oid, typarray))\n    options.shared.typesKnown = true\n',
    },
    {
      wrong: '    socket.removeAllListeners()\n    socket = null\n\n    if (initial)\n',
      right:
        '    socket.removeAllListeners()\n    socket = null\n    options.shared.typesKnown = false\n\n    if (initial)\n',
    },
    {
      wrong: '    , final = null\n\n  const connection',
      right: `    , final = null
    , settingPrepared = false

  // Returns no row, so that the result has only the statement's rows.
  const settingName = 'setting_of_statement'
  const settingText = 'select from (select set_config($1, $2, true) as value offset 0) s where value is null'

  const connection`,
    },
    {
      // The statements and errors of the lost session counted as those of the next one: its first statement failed,
      // and `end` waited for ever.
      wrong: '    closedTime = performance.now()\n',
      right:
        '    query = errorResponse = null\n    ended && (ended(), ending = ended = null)\n    closedTime = performance.now()\n',
    },
  ],
  'index.js': [
    {
      // A transaction whose connection was closed went on, on the next session of that connection: outside of any transaction,
      // or inside of another one, which it could roll back.
      wrong: '        new Promise((_, reject) => connection.onclose = reject)\n',
      right: '        new Promise((_, reject) => connection.onclose = x => reject(lost = x))\n',
    },
    {
      wrong: '    let savepoints = 0\n',
      right: '    let savepoints = 0\n      , lost = null\n',
    },
    {
      wrong: '        q.catch(e => uncaughtError || (uncaughtError = e))\n',
      right:
        '        q.catch(e => uncaughtError || (uncaughtError = e))\n        if (lost)\n          return q.reject(lost)\n',
    },
    {
      // Statements went to the connections in turn, so that each connection planned each statement and compiled each function. The
      // connection that was used last has done so.
      wrong: '      return go(open.shift(), query)\n',
      right: '      return go(open.pop(), query)\n',
    },
    {
      wrong: '      ? open.shift()\n',
      right: '      ? open.pop()\n',
    },
  ],
  'queue.js': [
    {
      wrong: '    shift: () => {\n',
      right: '    pop: () => (index === xs.length ? undefined : xs.pop()),\n    shift: () => {\n',
    },
  ],
}
