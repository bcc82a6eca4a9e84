import { escapeHtml } from '../../escape-html.ts'
/** The page on which a tester plays the customer's bank. Plain HTML: a form and two buttons. */
export const authenticationPage = (action: string): string =>
  page(
    '3-D Secure test page',
    `<p>This payment needs authentication. Decide how it goes.</p>
    <form method="post" action="${escapeHtml(action)}">
      <button name="outcome" value="complete">Complete authentication</button>
      <button name="outcome" value="fail">Fail authentication</button>
    </form>`,
  )

/** Where the customer lands when the payment was made without a return URL. */
export const donePage = (message: string): string =>
  page('3-D Secure test page', `<p>${escapeHtml(message)}</p>`)

export const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`
