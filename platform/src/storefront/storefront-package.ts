import { installPackages, nodeStep, type PagesPackage } from '@commerce-graph/built-pages'

/** The example storefront. It is kept whole: its server runs there, with the packages that it needs. */
export const storefrontPackage: PagesPackage = {
  title: 'the storefront',
  takes: 'half a minute',
  folder: 'examples/storefront',
  // It calls the API with the client.
  sources: ['examples/storefront', 'client/src'],
  steps: [
    installPackages(),
    nodeStep({ name: 'build', text: 'Build the pages' }, 'node_modules/@react-router/dev/bin.cjs', 'build'),
  ],
  output: '.',
}
