import { platformNames } from '@herald/contracts/platform'
import { Globe, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { pushKey, type Gesture } from '../../core/inbox.ts'
import { virtualDeviceNames } from '../../core/platform-names.ts'
import { Button } from '../../ui/Button.tsx'
import { Status } from '../../ui/Status.tsx'
import { DeviceMenu } from './DeviceMenu.tsx'
import { NotificationCard } from './NotificationCard.tsx'
import type { SimulatedDevice, SimulatedPush } from './useInbox.ts'
import type { Report } from './useReports.ts'

type DeviceCardProps = {
  appId: string
  device: SimulatedDevice
  pushes: readonly SimulatedPush[]
  reports: ReadonlyMap<string, Report>
  report: (push: SimulatedPush, gesture: Gesture) => Promise<void>
}

const mostShown = 3

/** Words for each behaviour of a virtual device that makes pushes to it fail or wait. */
const behaviourWords: Record<string, string> = {
  dead: 'invalid token',
  bad_token: 'its token is malformed',
  rate_limited: 'throttled',
  failing: 'the provider fails',
  unavailable: 'the provider is away',
  silent: 'never answers',
  slow: 'slow',
  sender_mismatch: 'belongs to another sender',
  reset_after_accept: 'the connection breaks after each push',
  accepted_then_503: 'taken, but answered with 503',
}

/** Shows a virtual device with its behaviour and its pushes. */
export function DeviceCard({ appId, device, pushes, reports, report }: DeviceCardProps) {
  const [isWhole, setIsWhole] = useState(false)
  const name = device.name ?? `${virtualDeviceNames[device.platform]} ${device.id}`
  const Icon = device.platform === 'web' ? Globe : Smartphone
  const { answer } = device.behaviour
  const shown = isWhole ? pushes : pushes.slice(0, mostShown)
  return (
    <li className="flex min-w-0 flex-col overflow-hidden rounded-2xl border-2 border-strong bg-sunken">
      <header className="flex items-center gap-2 border-b border-line bg-surface px-3 py-2">
        <Icon size={16} className="shrink-0 text-muted" aria-hidden />
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-medium" title={name}>
            {name}
          </h2>
          <p className="text-xs text-muted">
            {platformNames[device.platform]}
            {device.environment === 'sandbox' && ', sandbox'}
          </p>
        </div>
        <DeviceMenu appId={appId} device={device} name={name} />
      </header>
      {answer !== 'ok' && (
        <div className="px-3 pt-2">
          <Status kind={answer === 'dead' || answer === 'bad_token' ? 'bad' : 'warning'}>{behaviourWords[answer] ?? answer}</Status>
        </div>
      )}
      <div className="flex min-h-32 flex-col gap-2 p-2" aria-live="polite" aria-relevant="additions">
        {pushes.length === 0 && <p className="m-auto px-4 text-center text-sm text-muted">Nothing has arrived yet.</p>}
        {shown.map((push) => (
          <NotificationCard
            key={pushKey(push)}
            appId={appId}
            push={push}
            report={reports.get(pushKey(push))}
            onGesture={(gesture) => void report(push, gesture)}
          />
        ))}
        {pushes.length > mostShown && (
          <Button variant="quiet" small onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show ${pushes.length - mostShown} older`}
          </Button>
        )}
      </div>
    </li>
  )
}
