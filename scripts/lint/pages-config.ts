import { defineConfig, type OxlintConfig } from 'oxlint'
import root from '../../oxlint.config.ts'

/** The rules of the repository, and React's, for a package with pages, which is linted where its own packages are installed. */
export const pagesConfig = (
  ignorePatterns: string[],
  rules: NonNullable<OxlintConfig['rules']> = {},
): OxlintConfig =>
  defineConfig({
    ...root,
    plugins: ['typescript', 'react'],
    ignorePatterns,
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
          ...rules,
        },
      },
    ],
  })
