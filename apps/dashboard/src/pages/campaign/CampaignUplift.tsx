import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { conversionRows } from '../../core/conversion-rows.ts'
import { Section } from '../../ui/Section.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Select } from '../../ui/Select.tsx'
import { UpliftView } from '../../ui/impact/UpliftView.tsx'
import type { Campaign, Reading } from './useSend.ts'

/** Shows what a campaign has caused in the week after it began: the users who were meant to get it against the control group. */
export function CampaignUplift({ appId, campaign, reading }: { appId: string; campaign: Campaign; reading: Reading }) {
  const navigate = useNavigate()
  const search = useSearch({ from: '/apps/$appId/campaigns/$campaignId' })
  const names = conversionRows(reading.stats.conversions).map(({ name }) => name)
  const conversion = search.conversion ?? names[0] ?? ''
  const { data, error, refetch } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns/{id}/uplift',
    { params: { path: { appId, id: campaign.id }, query: { conversion } } },
    { enabled: conversion !== '', refetchInterval: 60_000 },
  )
  return (
    <Section
      title="Uplift against the control group"
      actions={
        <Select
          aria-label="Conversion event"
          value={conversion}
          options={[...new Set([conversion, ...names])].map((name) => ({ value: name, label: name }))}
          onChange={({ target }) =>
            void navigate({
              to: '/apps/$appId/campaigns/$campaignId',
              params: { appId, campaignId: campaign.id },
              search: { ...search, conversion: target.value },
              resetScroll: false,
            })
          }
        />
      }
    >
      {error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && <UpliftView uplift={data} startedAt={campaign.startedAt} />}
    </Section>
  )
}
