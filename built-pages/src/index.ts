export { compressPages } from './compress-files.ts'
export { type BuildState, PackageBuild, type PackageBuildOptions } from './package-build.ts'
export { installPackages, nodeStep, type BuildStep, type PagesPackage } from './pages-package.ts'
export { serveBuiltPages, type ServedPages } from './serve-built-pages.ts'
