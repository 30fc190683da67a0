import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { draftOfCampaign, emptyDraft } from '../../core/campaign-draft.ts'
import type { DraftStart } from '../../core/draft-saver.ts'
import type { StoredCampaign } from '../../core/draft-store.ts'
import type { KeptDraft } from '../../core/kept-drafts.ts'
import { fieldsOfTemplate } from '../../core/template-draft.ts'
import { Banner } from '../../ui/Banner.tsx'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import type { ComposeSearch } from '../search.ts'
import { Composer } from './Composer.tsx'
import { findUnfinished, readCampaign, keeper } from './useDraft.ts'

type Start = DraftStart & { kept: KeptDraft[] }

/** Reads the draft in the address, or begins a new one with the template, segment or user in the address. */
export function ComposeStart({
  appId,
  campaignId,
  draftKey,
  onMade,
}: {
  appId: string
  campaignId: string | undefined
  draftKey: string
  onMade: (id: string) => void
}) {
  const search = useSearch({ from: '/apps/$appId/compose' })
  const [asked] = useState(campaignId)
  const query = useQuery({
    queryKey: ['compose', draftKey],
    queryFn: ({ signal }) => (asked === undefined ? startNew(appId, search, signal) : startWith(appId, asked, signal)),
    staleTime: Infinity,
    gcTime: 0,
  })
  if (query.data !== undefined && query.data.stored !== undefined && query.data.stored.status !== 'draft') {
    return <NoDraft appId={appId} campaign={query.data.stored} />
  }
  if (query.data !== undefined) return <Composer key={draftKey} appId={appId} draftKey={draftKey} start={query.data} onMade={onMade} />
  return (
    <Page title="Compose">
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

async function startWith(appId: string, id: string, signal: AbortSignal): Promise<Start> {
  const found = await findUnfinished(appId, id, signal)
  const unfinished = found && { id, ...found }
  // What is not complete has an id of its own while there is no campaign.
  const stored = unfinished && unfinished.campaignId === null ? undefined : await readCampaign(appId, id, signal)
  // The browser keeps changes that Herald does not have, because the connection was lost or the tab was closed too soon.
  const kept = keeper.list(appId).filter((one) => one.id === id)
  return { draft: unfinished?.draft ?? (stored ? draftOfCampaign(stored) : emptyDraft), stored, unfinished, kept }
}

async function startNew(appId: string, search: ComposeSearch, signal: AbortSignal): Promise<Start> {
  let draft = emptyDraft
  if (search.templateId !== undefined) {
    const { data } = await client.GET('/v1/admin/apps/{appId}/templates/{id}', {
      params: { path: { appId, id: search.templateId } },
      signal,
    })
    if (data) draft = { ...draft, ...fieldsOfTemplate(data), templateId: data.id }
  }
  if (search.segmentId !== undefined) draft = { ...draft, audience: { kind: 'saved', segmentId: search.segmentId } }
  else if (search.externalId !== undefined) {
    draft = { ...draft, audience: { kind: 'own', segment: { field: 'externalId', op: 'eq', value: search.externalId } } }
  }
  return { draft, stored: undefined, kept: keeper.list(appId).filter((one) => one.id === null) }
}

/** Says that the campaign in the address is no draft any more, and links to it. */
function NoDraft({ appId, campaign }: { appId: string; campaign: StoredCampaign }) {
  return (
    <Page title={campaign.name}>
      <Banner
        kind="info"
        action={
          <ButtonLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: campaign.id }} variant="primary">
            Open the campaign
          </ButtonLink>
        }
      >
        This campaign is no longer a draft: it is {campaign.status} and cannot be edited.
      </Banner>
    </Page>
  )
}
