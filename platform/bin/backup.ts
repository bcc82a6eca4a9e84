import { program } from '../src/backup-command.ts'

try {
  await program().parseAsync()
} catch (error) {
  console.error(error instanceof Error && error.message !== '' ? error.message : String(error))
  process.exit(1)
}
