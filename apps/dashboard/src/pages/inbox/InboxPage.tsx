import { platformNames, platforms, type Platform } from '@herald/contracts/platform'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { wallOf } from '../../core/inbox.ts'
import { useAppId } from '../../session/useAppId.ts'
import { useSystem } from '../../session/useSystem.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { LoadMore } from '../../ui/LoadMore.tsx'
import { Page } from '../../ui/Page.tsx'
import { controlClass } from '../../ui/TextInput.tsx'
import { Status } from '../../ui/Status.tsx'
import { Time } from '../../ui/Time.tsx'
import type { useStream } from '../../live/useStream.ts'
import { AddDevice } from './AddDevice.tsx'
import { DeviceCard } from './DeviceCard.tsx'
import { useInbox } from './useInbox.ts'
import { useReports } from './useReports.ts'

const cardsAtOnce = 24

/** Shows virtual phones and browsers with the pushes that they got. A tap, an action or a swipe makes the tracking calls that a real device makes. */
export function InboxPage() {
  const system = useSystem()
  if (system.data?.simulator === false) {
    return (
      <Page title="Virtual devices">
        <Empty title="There is no simulator here">
          This Herald sends to the real providers. Virtual devices exist only where it runs with a simulator, as with <code>npm start</code>
          .
        </Empty>
      </Page>
    )
  }
  return <Inbox />
}

function Inbox() {
  const appId = useAppId()
  const { platform } = useSearch({ from: '/apps/$appId/inbox' })
  const navigate = useNavigate()
  const [isAdding, setIsAdding] = useState(false)
  const [most, setMost] = useState(cardsAtOnce)
  const { devices, pushes, stream, dropped } = useInbox(appId)
  const { reports, report } = useReports()
  const wall = wallOf(devices.items, pushes).filter(({ device }) => platform === undefined || device.platform === platform)
  const addButton = (
    <Button variant="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setIsAdding(true)}>
      Add a device
    </Button>
  )
  return (
    <Page
      title="Virtual devices"
      lead="Virtual phones and browsers that belong to this app. What Herald sends to them arrives here; what you do with it is reported as a real device would report it."
      actions={addButton}
    >
      <div className="flex flex-wrap items-end justify-between gap-3">
        <label className="flex flex-col gap-1">
          <span className="text-xs text-muted">Show</span>
          <select
            className={controlClass}
            value={platform ?? ''}
            onChange={({ target }) =>
              void navigate({
                to: '/apps/$appId/inbox',
                params: { appId },
                search: target.value === '' ? {} : { platform: target.value as Platform },
                replace: true,
              })
            }
          >
            <option value="">all devices</option>
            {platforms.map((name) => (
              <option key={name} value={name}>
                {platformNames[name]}
              </option>
            ))}
          </select>
        </label>
        <StreamLine stream={stream} />
      </div>
      {dropped > 0 && (
        <Banner kind="info">
          More arrived at once than this page shows: {dropped} pushes were left out here. They are in the log and count all the same.
        </Banner>
      )}
      <Loaded
        query={devices.query}
        isEmpty={() => wall.length === 0 && !devices.hasMore}
        empty={
          <Empty title="No virtual devices yet" action={addButton}>
            Add a phone or a browser, send a notification to it, and see it arrive here with the exact payload.
          </Empty>
        }
      >
        {() => (
          <>
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,19rem),1fr))] items-start gap-4" aria-label="Virtual devices">
              {wall.slice(0, most).map(({ device, pushes: those }) => (
                <DeviceCard key={device.id} appId={appId} device={device} pushes={those} reports={reports} report={report} />
              ))}
            </ul>
            {wall.length > most ? (
              <p className="flex justify-center">
                <Button onClick={() => setMost(most + cardsAtOnce)}>Show more devices</Button>
              </p>
            ) : (
              <LoadMore pages={devices} />
            )}
          </>
        )}
      </Loaded>
      {isAdding && <AddDevice appId={appId} onClose={() => setIsAdding(false)} />}
    </Page>
  )
}

/** Says whether the stream brings new pushes, and otherwise when it last brought an event or a heartbeat. */
function StreamLine({ stream }: { stream: ReturnType<typeof useStream> }) {
  const { state, asOf } = stream
  if (state === 'live') return <Status kind="good">live</Status>
  return (
    <span className="flex items-center gap-2 text-sm text-muted" role="status">
      <Status kind="busy">{state === 'polling' ? 'asked every 2 seconds' : 'connecting'}</Status>
      {asOf !== undefined && (
        <span>
          as of <Time at={asOf} precise />
        </span>
      )}
    </span>
  )
}
