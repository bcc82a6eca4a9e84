import type { BuildState } from './package-build.ts'
import type { PagesPackage } from './pages-package.ts'

interface Progress {
  readonly pages: PagesPackage
  /** The address that the pages are below. */
  readonly path: string
  readonly now: number
}

/** The page that is shown while there are no pages yet. It needs no script, and asks again by itself. */
export function progressPage(
  state: Exclude<BuildState, { kind: 'ready' }>,
  { pages, path, now }: Progress,
): string {
  const { title } = pages
  switch (state.kind) {
    case 'absent': {
      const body = `<h1>Preparing ${title}</h1><p role="status">It begins in a moment.</p>`
      return page({ title, path, head: refresh, body })
    }
    case 'building':
      return page({ title, path, head: refresh, body: buildingText(state, pages, now) })
    case 'failed':
      return page({ title, path, head: '', body: failedText(state, title) })
    default:
      return state satisfies never
  }
}

const refresh = '<meta http-equiv="refresh" content="2">'

function buildingText(
  { step, since }: Extract<BuildState, { kind: 'building' }>,
  { title, takes, steps }: PagesPackage,
  now: number,
): string {
  const at = steps.indexOf(step)
  const items = steps.map(({ text }, index) => {
    const state = index < at ? 'done' : index === at ? 'now' : 'later'
    const current = index === at ? ' aria-current="step"' : ''
    return `<li class="${state}"${current}>${text}</li>`
  })
  return `<h1>Preparing ${title}</h1>
<p>This is the first visit of this version, so its pages are installed and built now. It takes about ${takes}, and nothing else waits for it.</p>
<progress max="${steps.length}" value="${at + 0.5}" aria-label="Progress"></progress>
<ol>${items.join('')}</ol>
<p role="status">${Math.round((now - since) / 1_000)} s. This page goes on by itself.</p>`
}

const failedText = (
  { step, reason }: Extract<BuildState, { kind: 'failed' }>,
  title: string,
): string => `<h1>${capitalized(title)} could not be prepared</h1>
<p>The step “${step.text}” has failed. ${step.remedy}</p>
<p><a href="">Try again</a> (after half a minute)</p>
<h2>What it said</h2>
<pre tabindex="0">${escaped(reason)}</pre>`

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

interface PageParts {
  readonly title: string
  readonly path: string
  readonly head: string
  readonly body: string
}

const page = ({ title, path, head, body }: PageParts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Commerce Graph: ${title}</title>
<link rel="stylesheet" href="${path}/progress.css">
${head}
</head>
<body><main>${body}</main></body>
</html>
`

/** A file of its own, so that the policy needs no exception for styles. */
export const progressStyle = `:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; background: light-dark(#f6f7f9, #101318); color: light-dark(#1b2230, #e7eaf0); }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
main { box-sizing: border-box; width: min(36rem, 100vw - 2rem); padding: 2rem; border-radius: 12px; background: light-dark(#fff, #181c24); border: 1px solid light-dark(#dfe3ea, #2b313d); }
h1 { margin: 0 0 .5rem; font-size: 1.4rem; } h2 { font-size: 1rem; }
progress { width: 100%; height: .6rem; accent-color: #2b59d9; }
ol { padding-left: 1.4rem; } .done { opacity: .75; } .done::after { content: " ✓"; } .now { font-weight: 600; } .later { opacity: .75; }
pre { overflow: auto; max-height: 18rem; padding: 1rem; border-radius: 8px; background: light-dark(#f0f2f5, #101318); white-space: pre-wrap; }
a { color: light-dark(#2148bb, #9db8ff); }
`
