import js from '@eslint/js'
import tseslint from 'typescript-eslint'
import { functionStyle } from './scripts/lint/function-style.mjs'

export default tseslint.config(
  {
    // Packages with pages have configurations of their own: the types of React are only in their own node_modules.
    ignores: [
      '**/node_modules/**',
      '.data/**',
      '**/generated/**',
      'hasura/engine/dist/**',
      'client/dist/**',
      'admin/**',
      'examples/storefront/**',
      'docs-site/pages/**',
      'docs-site/.vitepress/**',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    // One program for all files. The project service answers each file on its own, which takes a quarter longer.
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { house: { rules: { 'function-style': functionStyle } } },
    rules: {
      // One style for each axis: CONTRIBUTING.md says which.
      'house/function-style': 'error',
      'arrow-body-style': ['error', 'as-needed'],
      'object-shorthand': ['error', 'properties'],
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'variable', format: ['camelCase', 'PascalCase'] },
        { selector: 'variable', modifiers: ['destructured'], format: null },
        { selector: 'function', format: ['camelCase', 'PascalCase'] },
        { selector: 'typeLike', format: ['PascalCase'], leadingUnderscore: 'allow' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // One import for a module: `import type` where all of it are types, which then load nothing.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      'no-duplicate-imports': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // The driver as it is published ends the process when Postgres restarts.
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'postgres', message: 'Import @commerce-graph/postgres-driver instead.' }] },
      ],
      // Six need a name for what some of them are together.
      '@typescript-eslint/max-params': ['error', { max: 5 }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  { files: ['postgres-driver/**'], rules: { 'no-restricted-imports': 'off' } },
  {
    // Messages are for people. Only hasura/data-layer/src/violation.ts reads one, since the official Hasura says no more over HTTP.
    files: ['{gateway,actions,auth-webhook,audit,contract,importer,platform,hasura/data-layer}/src/**/*.ts'],
    ignores: ['**/*.test.ts', 'hasura/data-layer/src/violation.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          'CallExpression[callee.property.name=/^(exec|test)$/] > MemberExpression.arguments[property.name="message"]',
          'CallExpression[callee.property.name=/^(exec|test)$/] > Identifier.arguments[name="message"]',
          'CallExpression[callee.property.name=/^(match|search|includes|startsWith|endsWith)$/] > MemberExpression.callee > MemberExpression.object[property.name="message"]',
          'CallExpression[callee.property.name=/^(match|search|includes|startsWith|endsWith)$/] > MemberExpression.callee > Identifier.object[name="message"]',
        ].map((selector) => ({ selector, message: 'No meaning is got from the text of a message.' })),
      ],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
)
