import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import type { WordsFragment } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Card } from '../ui/states.tsx'

const looks = ['wide', 'phone', 'text'] as const
type Look = (typeof looks)[number]
const lookNames = { wide: 'mailWide', phone: 'mailPhone', text: 'mailText' } as const

/** A message as the server has rendered it: in a mailbox on a wide screen, on a phone, and in one that shows no formatting. */
export function MailPreview({ mail }: { readonly mail: WordsFragment }): ReactNode {
  const t = useText()
  const [look, setLook] = useState<Look>('wide')
  return (
    <Card title={t('preview')}>
      <p className="small muted">{t('previewLead')}</p>
      <ToggleButtonGroup
        className="tabs"
        aria-label={t('mailLook')}
        disallowEmptySelection
        selectedKeys={[look]}
        onSelectionChange={([chosen]) => setLook(looks.find((each) => each === chosen) ?? 'wide')}
      >
        {looks.map((each) => (
          <ToggleButton key={each} id={each} className="tab">
            {t(lookNames[each])}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <h3 className="wrap">{mail.subject}</h3>
      {look === 'text' ? (
        <p className="note">{mail.text}</p>
      ) : (
        <MailFrame html={mail.html} title={mail.subject} phone={look === 'phone'} />
      )}
    </Card>
  )
}

interface FrameProps {
  readonly html: string
  readonly title: string
  readonly phone: boolean
}

/**
 * The HTML of a message, with its own styles and without scripts. The frame is a blank page of a policy that lets styles in; the policy of
 * this page, which a frame without an address would have, doesn't. It may not run scripts, so nothing in it can use that it is of this
 * address.
 */
function MailFrame({ html, title, phone }: FrameProps): ReactNode {
  const frame = useRef<HTMLIFrameElement>(null)
  useLayoutEffect(() => fill(frame.current, html), [html])
  return (
    <iframe
      ref={frame}
      className={phone ? 'mail-frame phone' : 'mail-frame'}
      src="/admin/mail-frame.html"
      sandbox="allow-same-origin"
      title={title}
      onLoad={() => fill(frame.current, html)}
    />
  )
}

function fill(frame: HTMLIFrameElement | null, html: string): void {
  const document = frame?.contentDocument
  // Before the blank page has come, its place has this page's policy.
  if (document?.location.pathname !== '/admin/mail-frame.html') return
  document.documentElement.innerHTML = html
  // The frame may open no window, so a link leads nowhere: without this, it would replace the message.
  for (const link of document.links) link.target = '_blank'
}
