import { MetadataDirectoryError } from 'hasura-embedded/metadata-directory'
import { HasuraApiError, InterruptedMigrationError, MigrationFilesError } from 'hasura-embedded/migrations'
import { join } from 'node:path'
import { CommandFailed, createProgram } from '../src/commands.ts'
import { MetadataFilesError } from '../src/metadata-files.ts'
import { ProjectError } from '../src/project.ts'

const expectedFaults = [
  CommandFailed,
  HasuraApiError,
  InterruptedMigrationError,
  MetadataDirectoryError,
  MetadataFilesError,
  MigrationFilesError,
  ProjectError,
]

try {
  await createProgram(join(import.meta.dirname, '../..'), (line) => console.log(line)).parseAsync()
} catch (error) {
  const expected = expectedFaults.find((type) => error instanceof type)
  if (expected === undefined) throw error
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
