import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

/** A config.yaml that isn't one of hasura-cli's version 3. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}

/** Where a project of hasura-cli (config v3) keeps its things, and which engine it is for. */
export type Project = {
  readonly endpoint: string
  readonly adminSecret: string | undefined
  readonly metadataDirectory: string
  /** The parent of a folder per database, as is the next. */
  readonly migrationsDirectory: string
  readonly seedsDirectory: string
}

const config = z.object({
  version: z.literal(3, { error: 'must be 3' }),
  endpoint: z.url().default('http://127.0.0.1:8080'),
  admin_secret: z.string().optional(),
  metadata_directory: z.string().default('metadata'),
  migrations_directory: z.string().default('migrations'),
  seeds_directory: z.string().default('seeds'),
})

export type ProjectFlags = { readonly endpoint?: string; readonly adminSecret?: string }

/** Reads config.yaml. Flags win over the environment, and that over the file. Throws ProjectError. */
export async function readProject(
  folder: string,
  flags: ProjectFlags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Project> {
  const path = join(folder, 'config.yaml')
  const text = await readFile(path, 'utf8').catch(() => {
    throw new ProjectError(`${path} can't be read; name the project's folder with --project`)
  })
  const parsed = config.safeParse(parse(text))
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${path}: ${issue.path.join('.')} ${issue.message}`)
    throw new ProjectError(problems.join('\n'))
  }
  const file = parsed.data
  return {
    endpoint: flags.endpoint ?? env['HASURA_GRAPHQL_ENDPOINT'] ?? file.endpoint,
    adminSecret: flags.adminSecret ?? env['HASURA_GRAPHQL_ADMIN_SECRET'] ?? file.admin_secret,
    metadataDirectory: resolve(folder, file.metadata_directory),
    migrationsDirectory: resolve(folder, file.migrations_directory),
    seedsDirectory: resolve(folder, file.seeds_directory),
  }
}
