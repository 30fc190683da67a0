import { useParams } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { SegmentForm } from './SegmentForm.tsx'

/** Shows a saved segment, or the form of a new one at `/segments/new`. */
export function SegmentPage() {
  const appId = useAppId()
  const { segmentId } = useParams({ from: '/apps/$appId/segments/$segmentId' })
  return segmentId === 'new' ? (
    <SegmentForm key="new" appId={appId} saved={undefined} />
  ) : (
    <SavedSegmentPage key={segmentId} appId={appId} segmentId={segmentId} />
  )
}

function SavedSegmentPage({ appId, segmentId }: { appId: string; segmentId: string }) {
  const query = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/segments/{id}',
    { params: { path: { appId, id: segmentId } } },
    // The page does not read the segment again when its window gets the focus, so that it does not change while the operator edits it.
    { refetchOnWindowFocus: false },
  )
  if (query.data === undefined) {
    return (
      <Page title="Segment" guide="segments">
        <Loaded query={query} skeleton={<Skeleton lines={8} />}>
          {() => null}
        </Loaded>
      </Page>
    )
  }
  return <SegmentForm appId={appId} saved={query.data} />
}
