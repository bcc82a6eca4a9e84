#!/usr/bin/env node
// In words that older releases of Node can read, so that they are told which one is needed instead of failing anywhere.
import { neededNode } from './needed-node.mjs'

if (Number(process.versions.node.split('.')[0]) >= neededNode) import('./hasura-embedded.ts')
else {
  process.stderr.write(`hasura-embedded needs Node ${neededNode} or later; this is ${process.version}\n`)
  process.exitCode = 1
}
