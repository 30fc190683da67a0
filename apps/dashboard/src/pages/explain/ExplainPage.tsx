import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import { nameOfSend } from '../../core/send-name.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Button } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import type { ExplainSearch } from '../search.ts'
import { ExplainedDevices } from './ExplainedDevices.tsx'
import { ExplainForm } from './ExplainForm.tsx'

const from = '/apps/$appId/explain'
const lead = 'Why a person or device got a campaign or did not: the checks for each device, in order.'

/** Explains why a device, or each device of a user, got a campaign or did not. */
export function ExplainPage() {
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const { campaignId } = search
  const whom = whomOf(search)
  const isAsked = campaignId !== undefined && whom !== undefined
  return (
    <Page
      title="Delivery check"
      lead={lead}
      guide="campaigns"
      actions={isAsked && <Button onClick={() => void navigate({ search: {} })}>Check another</Button>}
    >
      {isAsked ? <Answer campaignId={campaignId} whom={whom} /> : <ExplainForm key={JSON.stringify(search)} search={search} />}
    </Page>
  )
}

type Whom = { subscriptionId: string } | { userId: string } | { externalId: string }

function whomOf({ subscriptionId, userId, externalId }: ExplainSearch): Whom | undefined {
  if (subscriptionId !== undefined) return { subscriptionId }
  if (userId !== undefined) return { userId }
  return externalId === undefined ? undefined : { externalId }
}

type Explained = components['schemas']['ExplainSendAnswer']

/** While a push has no outcome its explanation is read again at this interval. */
const lookAgainMs = 3_000
const isPending = (explained: Explained | undefined): boolean =>
  explained?.devices.some(
    ({ verdict }) => verdict === 'waiting' || verdict === 'held' || verdict === 'retrying' || verdict === 'in_flight',
  ) ?? false

function Answer({ campaignId, whom }: { campaignId: string; whom: Whom }) {
  const appId = useAppId()
  const explained = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/explain',
    { params: { path: { appId }, query: { campaignId, ...whom } } },
    { refetchInterval: ({ state }) => (isPending(state.data) ? lookAgainMs : false) },
  )
  const campaign = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns/{id}',
    { params: { path: { appId, id: campaignId } } },
    { staleTime: 60_000, retry: false },
  )
  if (explained.isError && explained.data === undefined && faultOf(explained.error).status === 404)
    return (
      <Empty title="Nothing to explain">
        Campaign, user or device not found. It may have been deleted, or the log of the campaign has expired.
      </Empty>
    )
  if (explained.isError && explained.data === undefined && faultOf(explained.error).status === 422)
    return <ErrorNote error={explained.error} />
  return (
    <Loaded query={explained}>
      {(answer) => (
        <ExplainedDevices
          explained={answer}
          campaignName={campaign.data ? nameOfSend(campaign.data) : null}
          lookedAt={explained.dataUpdatedAt}
        />
      )}
    </Loaded>
  )
}
