import { defineConfig } from 'oxlint'
import root from '../oxlint.config.ts'

/** The rules of the repository, and React's. Run where this folder's packages are installed: `npm run check --prefix admin`. */
export default defineConfig({
  ...root,
  plugins: ['typescript', 'react'],
  ignorePatterns: ['dist/**', '**/generated/**'],
  overrides: [
    ...root.overrides,
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        'react/rules-of-hooks': 'error',
        'react/exhaustive-deps': 'error',
        // Of the React Compiler, which doesn't compile these pages.
        'react/incompatible-library': 'off',
        'react/refs': 'off',
        'react/set-state-in-effect': 'off',
        // Promises of handlers are handled where they are made.
        'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      },
    },
  ],
})
