import tseslint from 'typescript-eslint'
import reactHooks from 'eslint-plugin-react-hooks'
import root from '../../eslint.config.mjs'

/** The rules of the repository, and React's. Run where this folder's packages are installed: `npm run check --prefix examples/storefront`. */
const shared = root.filter((entry) => entry.ignores === undefined || entry.files !== undefined)

export default tseslint.config(
  { ignores: ['**/node_modules/**', 'build/**', '.react-router/**', '**/generated/**', '*.mjs'] },
  ...shared.map((entry) =>
    entry.files?.includes('**/*.ts') === true ? { ...entry, files: ['**/*.ts', '**/*.tsx'] } : entry,
  ),
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      // Promises of handlers are handled where they are made.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      // A loader throws the Response that the page for errors is made of.
      '@typescript-eslint/only-throw-error': ['error', { allow: ['Response'] }],
      // Types of libraries' components have `any` in them, which goes through.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
)
