import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program of the repository in a process of its own, with everything that it prints. */
export class Program {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #output = ''
  #hasEnded = false

  constructor(file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [file, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()))
    // 'exit' may come before the last of its output.
    this.#ended = once(this.#child, 'close').then(() => (this.#hasEnded = true))
  }

  get output(): string {
    return this.#output
  }

  /** Whether it has ended, and `output` is all that it has printed. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** How it ended; null while it runs. */
  get ending(): number | NodeJS.Signals | null {
    return this.#child.exitCode ?? this.#child.signalCode
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves with its exit code when it has ended; null after a signal. */
  async ended(): Promise<number | null> {
    await this.#ended
    return this.#child.exitCode
  }
}
