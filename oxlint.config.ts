import path from 'node:path'
import { defineConfig, type DummyRuleMap } from 'oxlint'

/** Rules of typescript-eslint's strict set and of ESLint's recommended one that Oxlint doesn't count as correctness. */
const stricter = [
  'no-array-constructor',
  'no-case-declarations',
  'no-empty',
  'no-fallthrough',
  'no-prototype-builtins',
  'no-redeclare',
  'no-regex-spaces',
  'no-unexpected-multiline',
  'no-useless-constructor',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
  'preserve-caught-error',
  'typescript/no-deprecated',
  'typescript/no-dynamic-delete',
  'typescript/no-empty-object-type',
  'typescript/no-explicit-any',
  'typescript/no-extraneous-class',
  'typescript/no-import-type-side-effects',
  'typescript/no-invalid-void-type',
  'typescript/no-misused-promises',
  'typescript/no-mixed-enums',
  'typescript/no-namespace',
  'typescript/no-non-null-asserted-nullish-coalescing',
  'typescript/no-non-null-assertion',
  'typescript/no-require-imports',
  'typescript/no-unnecessary-boolean-literal-compare',
  'typescript/no-unnecessary-condition',
  'typescript/no-unnecessary-template-expression',
  'typescript/no-unnecessary-type-arguments',
  'typescript/no-unnecessary-type-assertion',
  'typescript/no-unnecessary-type-constraint',
  'typescript/no-unnecessary-type-conversion',
  'typescript/no-unnecessary-type-parameters',
  'typescript/no-unsafe-argument',
  'typescript/no-unsafe-assignment',
  'typescript/no-unsafe-call',
  'typescript/no-unsafe-enum-comparison',
  'typescript/no-unsafe-function-type',
  'typescript/no-unsafe-member-access',
  'typescript/no-unsafe-return',
  'typescript/only-throw-error',
  'typescript/prefer-literal-enum-member',
  'typescript/prefer-promise-reject-errors',
  'typescript/prefer-reduce-type-parameter',
  'typescript/prefer-return-this-type',
  'typescript/related-getter-setter-pairs',
  'typescript/require-await',
  'typescript/unified-signatures',
  'typescript/use-unknown-in-catch-callback-variable',
]

/** One style for each axis: CONTRIBUTING.md says which. */
const style: DummyRuleMap = {
  'house/function-style': 'error',
  'house/names': 'error',
  'arrow-body-style': ['error', 'as-needed'],
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'object-shorthand': ['error', 'properties'],
  'typescript/consistent-type-definitions': ['error', 'interface'],
  'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  // One import for a module: `import type` where all of it are types, which then load nothing.
  'no-duplicate-imports': 'error',
  // Six need a name for what some of them are together.
  'max-params': ['error', { max: 5 }],
}

export default defineConfig({
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  plugins: ['typescript'],
  jsPlugins: [{ name: 'house', specifier: path.join(import.meta.dirname, 'scripts/lint/house.mjs') }],
  categories: { correctness: 'error' },
  ignorePatterns: [
    '.data/**',
    '**/generated/**',
    'hasura/engine/dist/**',
    'client/dist/**',
    // Packages with pages have configurations of their own: the types of React are only in their own node_modules.
    'admin/**',
    'examples/storefront/**',
    'docs-site/pages/**',
    'docs-site/.vitepress/**',
  ],
  overrides: [
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        ...Object.fromEntries(stricter.map((rule) => [rule, 'error'] as const)),
        ...style,
        'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
        'typescript/return-await': ['error', 'error-handling-correctness-only'],
        'typescript/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
        'typescript/restrict-plus-operands': [
          'error',
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false,
          },
        ],
        'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
        'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
        // The driver as it is published ends the process when Postgres restarts.
        'no-restricted-imports': [
          'error',
          { paths: [{ name: 'postgres', message: 'Import @commerce-graph/postgres-driver instead.' }] },
        ],
        // TypeScript reports these, and sees more: uses in types and in tagged templates.
        'no-unused-private-class-members': 'off',
        // Any order will do, as long as it is always the same.
        'typescript/require-array-sort-compare': 'off',
      },
    },
    { files: ['postgres-driver/**'], rules: { 'no-restricted-imports': 'off' } },
    {
      // Messages are for people. Only hasura/data-layer/src/violation.ts reads one, since the official Hasura says no more over HTTP.
      files: [
        '{gateway,actions,auth-webhook,audit,contract,importer,platform,hasura/data-layer}/src/**/*.ts',
      ],
      excludeFiles: ['**/*.test.ts', 'hasura/data-layer/src/violation.ts'],
      rules: { 'house/message-texts': 'error' },
    },
    { files: ['**/*.mjs'], env: { node: true }, rules: { 'no-undef': 'error' } },
  ],
})
