import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../format/format.ts'
import {
  CampaignListDocument,
  type CampaignListQuery,
  type CampaignProgressFragment,
  type EmailCampaignStatus,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import type { Column } from '../ui/data-table.tsx'
import { SearchField, Select } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { useFilters, useTyped } from '../ui/use-filters.ts'
import { usePages } from '../ui/use-pages.ts'
import { campaignStatuses, pauseFor } from './campaign-names.ts'
import { EmailTabs } from './email-tabs.tsx'

const filterNames = ['q', 'status'] as const
const connection = ({ emailCampaigns }: CampaignListQuery) => emailCampaigns
const keyOf = ({ id }: CampaignProgressFragment) => id
/** Letters that the search takes. */
const fewest = 2

/** E-mails to many customers, and how far they are. */
export default function CampaignsPage(): ReactNode {
  const t = useText()
  const mayWrite = useMay('email:write')
  const [{ q, status }, change] = useFilters(filterNames)
  const settle = useMemo(() => (text: string) => change({ q: text }), [change])
  const [typed, type] = useTyped(q, settle)
  const pages = usePages({
    subject: 'emails',
    document: CampaignListDocument,
    variables: {
      filters: {
        ...(q.length >= fewest && { searchQuery: q }),
        ...(status in campaignStatuses && { status: status as EmailCampaignStatus }),
      },
    },
    connection,
    pauseFor,
  })
  const columns = useColumns()
  const statuses = Object.entries(campaignStatuses).map(([id, { name }]) => ({ id, text: t(name) }))
  return (
    <Page title={t('campaigns')} lead={t('campaignsLead')} actions={mayWrite && <NewLink />}>
      <EmailTabs at="campaigns" />
      <ListCard
        label={t('campaigns')}
        columns={columns}
        pages={pages}
        rowKey={keyOf}
        filters={
          <>
            <SearchField label={t('searchCampaigns')} value={typed} onChange={type} />
            <Select
              label={t('status')}
              labelHidden
              value={status === '' ? 'all' : status}
              onChange={(next) => change({ status: next === 'all' ? '' : next })}
              choices={[{ id: 'all', text: t('allStatuses') }, ...statuses]}
            />
          </>
        }
        empty={
          q === '' && status === '' ? (
            <Empty icon="inbox" title={t('noCampaigns')} text={t('noCampaignsText')}>
              {mayWrite && <NewLink />}
            </Empty>
          ) : (
            <Empty icon="funnel" title={t('nothingFound')} text={t('nothingFoundText')} />
          )
        }
      />
    </Page>
  )
}

function NewLink(): ReactNode {
  const t = useText()
  return (
    <Link href="/emails/campaigns/new" className="button primary">
      <Icon name="plus" size={16} /> {t('newCampaign')}
    </Link>
  )
}

function useColumns(): readonly Column<CampaignProgressFragment>[] {
  const t = useText()
  const { dateTime, number } = useFormat()
  const whenOf = ({ status, scheduledAt, startedAt, finishedAt }: CampaignProgressFragment) =>
    status === 'DRAFT' ? null : (finishedAt ?? startedAt ?? scheduledAt)
  const counted = (campaign: CampaignProgressFragment, count: number) =>
    campaign.startedAt === null ? '–' : number(count)
  return [
    {
      id: 'name',
      title: t('campaign'),
      width: 'minmax(12rem, 2fr)',
      phone: 'a',
      cell: ({ id, name }) => (
        <Link href={`/emails/campaigns/${id}`} className="cover">
          {name}
        </Link>
      ),
    },
    {
      id: 'status',
      title: t('status'),
      width: 'minmax(7rem, 0.7fr)',
      phone: 'b',
      cell: ({ status }) => <StatusBadge status={campaignStatuses[status]} />,
    },
    {
      id: 'when',
      title: t('campaignWhen'),
      width: 'minmax(10rem, 1fr)',
      phone: 'c',
      cell(campaign) {
        const when = whenOf(campaign)
        return when === null ? '–' : dateTime(when)
      },
    },
    {
      id: 'recipients',
      title: t('campaignRecipients'),
      width: 'minmax(6rem, 0.6fr)',
      end: true,
      phone: 'd',
      cell: (campaign) => counted(campaign, campaign.total),
    },
    {
      id: 'sent',
      title: t('campaignSent'),
      width: 'minmax(5rem, 0.6fr)',
      end: true,
      cell: (campaign) => counted(campaign, campaign.sent),
    },
    {
      id: 'failed',
      title: t('campaignFailed'),
      width: 'minmax(5rem, 0.6fr)',
      end: true,
      cell: (campaign) => counted(campaign, campaign.failed),
    },
  ]
}
