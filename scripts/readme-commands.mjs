// Prints the block of README.md after `<!-- ci:NAME -->`, so that CI runs exactly the README's commands.
//   node scripts/readme-commands.mjs first-query
import { readFileSync } from 'node:fs'

const name = process.argv[2]
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const block = new RegExp(`<!-- ci:${name} -->\\s*\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1]
if (block === undefined) {
  console.error(`README.md has no block marked ci:${name}`)
  process.exit(1)
}
process.stdout.write(block)
