import { freePorts } from '@commerce-graph/local-postgres'
import { AwsClient } from 'aws4fetch'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { S3Options } from '../s3-requests.ts'

/** The program of MinIO: `go install github.com/minio/minio@latest` makes it. */
const program = process.env['MINIO'] ?? 'minio'

export const hasMinio = spawnSync(program, ['--version']).status === 0

const credentials = { accessKeyId: 'commerce', secretAccessKey: 'commerce-graph-test' }
const startTimeoutMs = 20_000

/** A MinIO of its own in a temporary folder, with an empty bucket. */
export class MinioProcess implements AsyncDisposable {
  readonly bucket: S3Options
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(child: ChildProcess, folder: string, bucket: S3Options) {
    this.#child = child
    this.#folder = folder
    this.bucket = bucket
  }

  static async start(): Promise<MinioProcess> {
    const folder = await mkdtemp(path.join(tmpdir(), 'commerce-graph-minio-'))
    const port = await freePorts(1)
    const child = spawn(program, ['server', '--address', `127.0.0.1:${port}`, folder], {
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        MINIO_ROOT_USER: credentials.accessKeyId,
        MINIO_ROOT_PASSWORD: credentials.secretAccessKey,
        MINIO_BROWSER: 'off',
        MINIO_UPDATE: 'off',
      },
    })
    const bucket = {
      endpoint: `http://127.0.0.1:${port}`,
      bucket: 'commerce-files',
      region: 'us-east-1',
      ...credentials,
    }
    const started = new MinioProcess(child, folder, bucket)
    try {
      await createBucket(bucket)
    } catch (error) {
      await started[Symbol.asyncDispose]()
      throw error
    }
    return started
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.kill('SIGKILL')) await once(this.#child, 'exit')
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Repeats it until MinIO answers. */
async function createBucket({ endpoint, bucket, ...options }: S3Options): Promise<void> {
  const client = new AwsClient({ ...options, service: 's3', retries: 0 })
  const deadline = Date.now() + startTimeoutMs
  for (;;) {
    const answer = await client.fetch(`${endpoint}/${bucket}`, { method: 'PUT' }).catch(() => null)
    if (answer?.ok === true) return
    if (Date.now() > deadline) throw new Error(`MinIO doesn't answer: ${answer?.status ?? 'no connection'}`)
    await delay(50)
  }
}
