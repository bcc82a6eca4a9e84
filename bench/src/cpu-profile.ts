import { z } from 'zod'

/** What `node --cpu-prof` writes, as far as it is read here. */
const profileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
      children: z.array(z.number()).optional(),
    }),
  ),
  samples: z.array(z.number()),
  /** Microseconds before each sample. */
  timeDeltas: z.array(z.number()),
})

/** A function as it was called from its caller, with its time and that of what it called. */
export interface Frame {
  readonly name: string
  /** The module, from the repository or the package on; empty for what isn't JavaScript. */
  readonly place: string
  /** Milliseconds in the function itself. */
  readonly selfMs: number
  /** Milliseconds in it and in what it called. */
  readonly totalMs: number
  readonly callees: readonly Frame[]
}

/** Reads a profile's text as a tree from the root. Throws for any other text. */
export function readCpuProfile(text: string): Frame {
  const { nodes, samples, timeDeltas } = profileSchema.parse(JSON.parse(text))
  const own = new Map<number, number>()
  for (const [index, id] of samples.entries())
    own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0) / 1_000)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const frameOf = (id: number): Frame => {
    const node = byId.get(id)
    if (node === undefined) throw new Error(`the profile has no node ${id}`)
    const callees = (node.children ?? []).map(frameOf)
    const selfMs = own.get(id) ?? 0
    return {
      name: node.callFrame.functionName || '(anonymous)',
      place: placeOf(node.callFrame),
      selfMs,
      totalMs: callees.reduce((sum, { totalMs }) => sum + totalMs, selfMs),
      callees,
    }
  }
  const [root] = nodes
  if (root === undefined) throw new Error('the profile has no nodes')
  return frameOf(root.id)
}

/** `gateway/src/answer.ts:12` of a file's URL; packages from their name on. */
function placeOf({ url, lineNumber }: { readonly url: string; readonly lineNumber: number }): string {
  if (url === '') return ''
  const path = url.replace(/^file:\/\//, '')
  const inPackage = path.split('/node_modules/').at(-1) ?? path
  const short = inPackage === path ? path.replace(`${repository}/`, '') : inPackage
  return `${short}:${lineNumber + 1}`
}

const repository = import.meta.dirname.replace(/\/bench\/src$/, '')

/** What the process spent no processor time on. */
const waiting: ReadonlySet<string> = new Set(['(idle)'])

/** Milliseconds that the process worked. */
export const busyMs = (root: Frame): number =>
  root.callees
    .filter(({ name }) => !waiting.has(name))
    .reduce((sum, { totalMs }) => sum + totalMs, root.selfMs)

export interface FunctionTime {
  readonly name: string
  readonly place: string
  readonly selfMs: number
}

/** The functions that take the most time themselves, wherever they are called from. */
export function slowestFunctions(root: Frame, count: number): readonly FunctionTime[] {
  const times = new Map<string, FunctionTime>()
  const add = (frame: Frame): void => {
    const key = `${frame.name} ${frame.place}`
    const { name, place } = frame
    times.set(key, { name, place, selfMs: (times.get(key)?.selfMs ?? 0) + frame.selfMs })
    for (const callee of frame.callees) add(callee)
  }
  add(root)
  return [...times.values()]
    .filter(({ name, selfMs }) => selfMs > 0 && !waiting.has(name))
    .toSorted((one, other) => other.selfMs - one.selfMs)
    .slice(0, count)
}

/** The tree without what was waited for, and with the calls of one function by one caller as one. */
export function merged(root: Frame): Frame {
  const callees = new Map<string, Frame[]>()
  for (const callee of root.callees.filter(({ name }) => !waiting.has(name))) {
    const key = `${callee.name} ${callee.place}`
    callees.set(key, [...(callees.get(key) ?? []), callee])
  }
  const one = [...callees.values()].map((frames) => merged(joined(frames)))
  const totalMs = one.reduce((sum, callee) => sum + callee.totalMs, root.selfMs)
  return { ...root, totalMs, callees: one.toSorted((a, b) => b.totalMs - a.totalMs) }
}

function joined(frames: readonly Frame[]): Frame {
  const [first] = frames
  if (first === undefined) throw new Error('nothing to join')
  return {
    ...first,
    selfMs: frames.reduce((sum, { selfMs }) => sum + selfMs, 0),
    callees: frames.flatMap(({ callees }) => callees),
  }
}
