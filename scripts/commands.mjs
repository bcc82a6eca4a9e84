// Every command of package.json with a line for who reads `npm run help`; tests/commands.test.ts holds the two together.

/** @type {ReadonlyArray<{ readonly title: string, readonly commands: Readonly<Record<string, string>> }>} */
export const commandGroups = [
  {
    title: 'Run the platform',
    commands: {
      start: 'start everything, with a demo shop; -- --role for one part',
      dev: 'the same, restarted on each change',
      storefront: 'an example storefront that sells the demo shop’s products',
      reset: 'remove the data, so that the next start begins anew',
      migrate: 'prepare the database for this version',
    },
  },
  {
    title: 'Merchants and operators',
    commands: {
      merchant: 'create, list, show, suspend, reinstate and close merchants',
      operator: 'operators’ keys, their log, and what the platform gave up',
      import: 'move a merchant in: JSON Lines, CSV, Shopify, WooCommerce, Medusa',
      demo: 'generate a year of a shop’s data, and check it',
    },
  },
  {
    title: 'Not losing data',
    commands: {
      backup: 'back up the embedded Postgres',
      restore: 'restore it, to a moment with -- --to',
      verify: 'check all rules that the data must follow',
    },
  },
  {
    title: 'Test',
    commands: {
      test: 'all tests, in minutes',
      'test:unit': 'the tests without a database, in seconds',
      'test:watch': 'the tests of changed files, on each change',
      'test:long': 'all tests with more cases',
      'test:hasura': 'the metadata on an official Hasura (needs Docker)',
      check: 'formats, lint, types and unused exports',
      'check:admin': 'types and lint of the admin’s pages, which have packages of their own',
      'check:storefront': 'the same of the storefront’s pages',
      fuzz: 'random and malformed requests, as many as asked for',
      soak: 'kill processes at random under load, and look at every effect',
      mutate: 'insert faults that the tests must detect',
      rates: 'send requests at a rate, and see what is counted',
      'id-timing': 'compare the times of answers for foreign and unknown ids',
    },
  },
  {
    title: 'Measure',
    commands: {
      bench: 'lists and pages beside hand-written SQL',
      'bench:engine': 'the engine beside hand-written SQL',
      'bench:engine-memory': 'the engine’s memory by tables and roles',
      'bench:engine-start': 'the engine’s start, and a change of metadata, by tables',
      'bench:subscribers': 'the engine’s live queries by subscribers',
      'bench:change-feed': 'what following the log costs, by processes',
      'bench:usual': 'what shops and admins ask most, by the size of the shop',
      'bench:page-depth': 'pages by their depth in a list',
      'bench:request-cost': 'what a request costs by stage',
      'bench:row-security': 'what row security costs, on and off in turn',
      'bench:orders': 'orders beside hand-written SQL',
      'bench:search': 'search and facets at 200,000 products',
      'bench:import': 'imports of orders and products, by tenths',
      profile: 'a benchmark with flame graphs, and its statements by time',
      'bench:audit': 'what the audit log costs a write',
    },
  },
  {
    title: 'Change the code',
    commands: {
      sbom: 'what the image contains (CycloneDX)',
      generate: 'write everything that is generated',
      migration: 'write the migration from sql/',
      hasura: 'hasura-cli, for metadata and migrations',
      format: 'lay out all files',
      'format:check': 'whether all files are laid out',
      lint: 'Oxlint',
      typecheck: 'TypeScript',
      unused: 'exports and dependencies that nothing uses',
      help: 'this list; -- --json for programs',
    },
  },
]
