import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useApi } from '../api/api.ts'
import { useFormat } from '../format/format.ts'
import { EmailTemplatesDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { Page } from '../ui/page.tsx'
import { Badge, Card, Failed, Loading } from '../ui/states.tsx'
import { kindOf, templateKinds } from './email-names.ts'
import { EmailTabs } from './email-tabs.tsx'

/** Every kind of message, and whose words it has. */
export default function EmailsPage(): ReactNode {
  const t = useText()
  const { dateTime } = useFormat()
  const { data, error, refetch } = useApi('emails', EmailTemplatesDocument, {})
  const kinds = Object.keys(templateKinds).flatMap((name) => kindOf(name) ?? [])
  return (
    <Page title={t('emails')} lead={t('emailsLead')} narrow>
      <EmailTabs at="mailKinds" />
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading lines={8} />
      ) : (
        <Card>
          <ul>
            {kinds.map((kind) => {
              const own = data.emailTemplates.nodes.find((each) => each.kind === kind)
              return (
                <li key={kind} className="parcel">
                  <div className="between">
                    <Link href={`/emails/${kind}`}>{t(templateKinds[kind])}</Link>
                    <Badge tone={own ? 'info' : 'calm'}>{t(own ? 'ownWords' : 'builtInWords')}</Badge>
                  </div>
                  {own && <span className="small muted">{dateTime(own.updatedAt)}</span>}
                </li>
              )
            })}
          </ul>
        </Card>
      )}
    </Page>
  )
}
