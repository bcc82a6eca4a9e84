import { spawn } from 'node:child_process'

export interface BoundedCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly timeoutMilliseconds: number
  readonly signal: AbortSignal
}

/** Of a command's output, what is kept: its end, where the error is. */
const keptCharacters = 4_000

/** The variables that npm and a build need. All others stay here: among them are the platform's secrets. */
const passedOn =
  /^(PATH|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|TEMP|TMP|TMPDIR|LANG|(https?|no)_proxy|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|npm_config_(registry|cache|cafile|userconfig|globalconfig|https?_proxy|proxy|noproxy|offline|prefer_offline))$/i

/** Runs a command to its end, or ends it. Null: it succeeded; otherwise what it said last. */
export const runBounded = ({
  command,
  args,
  cwd,
  timeoutMilliseconds,
  signal,
}: BoundedCommand): Promise<string | null> =>
  new Promise((resolve) => {
    const bounds = AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)])
    const env = {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name))),
      NO_COLOR: '1',
    }
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: bounds,
      killSignal: 'SIGKILL',
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-keptCharacters)))
    child.once('error', (error) =>
      resolve(
        bounds.aborted ? `It took longer than ${timeoutMilliseconds / 1_000} s.\n${said}` : error.message,
      ),
    )
    child.once('close', (code) => resolve(code === 0 ? null : said || `It ended with ${code ?? 'a signal'}`))
  })
