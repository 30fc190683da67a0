import { useQuery } from '@tanstack/react-query'
import { api, client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { bodyOfDraft, type CampaignDraft } from '../../core/campaign-draft.ts'
import type { DraftSaver, SaveState } from '../../core/draft-saver.ts'
import { Card } from '../../ui/Card.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Approval } from '../campaign/Approval.tsx'
import { DryRunReport } from './DryRunReport.tsx'
import { SendCard } from './SendCard.tsx'
import { TestSend } from '../../ui/content/TestSend.tsx'
import type { Screen } from './useScreen.ts'

/** The review of a message: the dry run, a test on test devices, and the button that sends. */
export function Review({
  appId,
  campaignId,
  draft,
  saver,
  state,
  screen,
}: {
  appId: string
  campaignId: string
  draft: CampaignDraft
  saver: DraftSaver
  state: SaveState
  screen: Screen
}) {
  const query = useQuery({
    queryKey: ['dry-run', appId, campaignId, JSON.stringify(bodyOfDraft(draft))],
    queryFn: async ({ signal }) =>
      dataOf(await client.POST('/v1/admin/apps/{appId}/dry-run', { params: { path: { appId } }, body: { campaignId }, signal })),
    // A gateway runs at most one dry run or export of an app at a time and refuses a further one with 429. The page then asks again, up to five
    // times.
    retry: (count, error) => count < 5 && faultOf(error).status === 429,
    retryDelay: 2_000,
    staleTime: 30_000,
    enabled: state.is === 'saved',
  })
  const { data: campaign } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/campaigns/{id}',
    { params: { path: { appId, id: campaignId } } },
    { staleTime: 0, enabled: state.is === 'saved' },
  )
  const approval = campaign?.approval ?? null
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {approval !== null && <Approval appId={appId} campaignId={campaignId} approval={approval} isReview />}
      <Card title="Review">
        <Loaded query={query}>{(report) => <DryRunReport report={report} schedule={draft.schedule} />}</Loaded>
      </Card>
      <Card title="Send a test">
        <TestSend appId={appId} content={screen.content} options={draft} screen={screen} />
      </Card>
      <SendCard appId={appId} campaignId={campaignId} draft={draft} saver={saver} report={query.data} approval={approval} />
    </div>
  )
}
