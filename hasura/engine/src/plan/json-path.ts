import { RequestError } from './request-error.ts'

/** Parses Hasura's JSON select path: `$.a.b[0]`, `a["some key"]`, `[1]`. Throws RequestError. */
export function parseJsonPath(text: string, path: string): readonly string[] {
  const steps: string[] = []
  let rest = text.startsWith('$') ? text.slice(1) : text
  while (rest !== '') {
    const step =
      /^(?:\.?([\p{L}_][\p{L}\p{N}_-]*)|\.?\[(\d+)\]|\.?\["((?:[^"\\]|\\.)*)"\]|\.?\['((?:[^'\\]|\\.)*)'\])/u.exec(
        rest,
      )
    if (step === null) throw new RequestError(`parse json path error: ${text}`, path, 'parse-failed')
    steps.push(step[1] ?? step[2] ?? step[3] ?? step[4] ?? '')
    rest = rest.slice(step[0].length)
  }
  return steps
}
