import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

/** A config.yaml that can't be read, or isn't of hasura-cli's version 3. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}

/** A hasura-cli project (config v3): its folders, and its engine's address. */
export interface Project {
  readonly endpoint: string
  readonly adminSecret: string | undefined
  readonly metadataDirectory: string
  /** The parent of one folder for each database. So is the next. */
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

/** Written by a platform of this checkout while it runs. */
const readyFile = '.data/ready.json'

const ready = z.object({ hasuraUrl: z.url(), adminSecret: z.string() })

export interface ProjectFlags {
  readonly endpoint?: string
  readonly adminSecret?: string
}

/**
 * Reads config.yaml. Flags take precedence over the environment, then come the values of a running platform
 * (`.data/ready.json` in the working folder, the project or its parent folder), then config.yaml. The platform's secret
 * is sent to the platform only. Throws ProjectError.
 */
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
  const running = await readRunning(folder)
  const named = flags.endpoint ?? env['HASURA_GRAPHQL_ENDPOINT']
  const endpoint = named ?? running?.endpoint ?? file.endpoint
  const isRunning = running !== undefined && sameOrigin(endpoint, running.endpoint)
  return {
    endpoint,
    adminSecret:
      flags.adminSecret ??
      env['HASURA_GRAPHQL_ADMIN_SECRET'] ??
      (isRunning ? running.adminSecret : undefined) ??
      file.admin_secret,
    metadataDirectory: resolve(folder, file.metadata_directory),
    migrationsDirectory: resolve(folder, file.migrations_directory),
    seedsDirectory: resolve(folder, file.seeds_directory),
  }
}

interface Running {
  readonly endpoint: string
  readonly adminSecret: string
}

/** Undefined when no platform is running. A file that can't be read is ignored. */
async function readRunning(folder: string): Promise<Running | undefined> {
  for (const place of [process.cwd(), folder, resolve(folder, '..')]) {
    const text = await readFile(join(place, readyFile), 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const parsed = ready.safeParse(parseJson(text))
    if (parsed.success) return { endpoint: parsed.data.hasuraUrl, adminSecret: parsed.data.adminSecret }
  }
  return undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const sameOrigin = (a: string, b: string): boolean => URL.parse(a)?.origin === URL.parse(b)?.origin
