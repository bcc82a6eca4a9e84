#!/usr/bin/env node
// Uses only syntax of older releases of Node, so that they print which release is needed instead of a syntax error.
import { neededNode } from './needed-node.mjs'

if (Number(process.versions.node.split('.')[0]) >= neededNode) void import('./hasura-embedded.ts')
else {
  process.stderr.write(`hasura-embedded needs Node ${neededNode} or later; this is ${process.version}\n`)
  process.exitCode = 1
}
