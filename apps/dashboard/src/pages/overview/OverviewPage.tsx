import { api } from '../../api/client.ts'
import { useAppId } from '../../session/useAppId.ts'
import { ButtonLink } from '../../ui/ButtonLink.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Page } from '../../ui/Page.tsx'
import { Attention } from './Attention.tsx'
import { Devices } from './Devices.tsx'
import { Growth } from './Growth.tsx'
import { LastDays } from './LastDays.tsx'
import { LastSends, NextSends } from './Sends.tsx'
import type { Overview } from './overview.ts'

/** Shows an app at a glance: what needs attention, its devices, its last days, and its next sends. */
export function OverviewPage() {
  const appId = useAppId()
  const query = api.useQuery('get', '/v1/admin/apps/{appId}/overview', { params: { path: { appId } } }, { refetchInterval: 30_000 })
  return (
    <Page
      title="Overview"
      guide="quickstart"
      actions={
        <ButtonLink needed="send" variant="primary" to="/apps/$appId/compose" params={{ appId }}>
          Compose
        </ButtonLink>
      }
    >
      <Loaded query={query} atOnce isEmpty={isUntouched} empty={<FirstRun appId={appId} />}>
        {(overview: Overview) => (
          <div className="grid grid-cols-1 gap-8">
            <Attention appId={appId} overview={overview} />
            <Devices overview={overview} />
            <LastDays overview={overview} />
            <Growth appId={appId} />
            <div className="grid gap-8 lg:grid-cols-2">
              <NextSends appId={appId} overview={overview} />
              <LastSends appId={appId} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** Says whether an app has no device, no campaign and no push in the 30 days of the overview, so that there is nothing to show. */
const isUntouched = ({ devices, days, campaigns }: Overview): boolean =>
  Object.values(devices).every(({ total }) => total === 0) &&
  days.every(({ queued }) => queued === 0) &&
  Object.values(campaigns).every((count) => count === 0)

const FirstRun = ({ appId }: { appId: string }) => (
  <Empty
    title="This app has no devices yet"
    action={
      <ButtonLink needed="platform" variant="primary" to="/apps/$appId/start" params={{ appId }}>
        Send the first push
      </ButtonLink>
    }
  >
    Send your first notification in five steps: on this browser, on a virtual phone, or in your own app.
  </Empty>
)
