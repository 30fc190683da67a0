import { CircleX, TriangleAlert } from 'lucide-react'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { faultOf } from '../api/fault.ts'
import { clockTime } from '../core/time.ts'
import { useAppIdIfAny } from '../session/useAppId.ts'
import { useSystem } from '../session/useSystem.ts'
import { TextLink } from '../ui/TextLink.tsx'

/** Shows a banner above every page for each of these while it lasts: a part of Herald is away, a circuit is open. */
export function Banners() {
  const { data: system, error, dataUpdatedAt } = useSystem()
  const appId = useAppIdIfAny()
  if (error !== null)
    return (
      <StripBanner kind="bad">
        {faultOf(error).message} {dataUpdatedAt > 0 && `What you see is as of ${clockTime(dataUpdatedAt)}. Retrying every 2 seconds.`}
      </StripBanner>
    )
  if (system === undefined) return null
  const open = system.openCircuits?.items.filter((circuit) => appId === undefined || circuit.appId === appId) ?? []
  return (
    <>
      {system.database !== 'ready' && (
        <StripBanner kind="bad">The database is unavailable. Pushes wait, and requests are refused until it is back.</StripBanner>
      )}
      {system.queue !== 'ready' && (
        <StripBanner kind="bad">
          Sending is interrupted: the message queue (NATS) is unavailable. Accepted messages are sent when it is back.
        </StripBanner>
      )}
      {open.length > 0 && (
        <StripBanner kind="warning">
          {open.length === 1 ? 'A connection to a push provider is' : `${open.length} connections to push providers are`} unavailable:
          pushes are on hold; no one was unsubscribed.{' '}
          {appId === undefined ? (
            <TextLink to="/apps/$appId/providers" params={{ appId: open[0]?.appId ?? '' }}>
              See why
            </TextLink>
          ) : (
            <TextLink to="/apps/$appId/providers" params={{ appId }}>
              See why
            </TextLink>
          )}
        </StripBanner>
      )}
    </>
  )
}

const looks = {
  warning: { Icon: TriangleAlert, look: 'bg-warning-soft text-warning' },
  bad: { Icon: CircleX, look: 'bg-bad-soft text-bad' },
}

/** Shows one banner, a line across the top of the page. */
function StripBanner({ kind, children }: { kind: keyof typeof looks; children: ReactNode }) {
  const { Icon, look } = looks[kind]
  return (
    <div role="status" className={clsx('flex items-start gap-2 border-b border-line px-4 py-1.5 text-sm sm:px-6', look)}>
      <Icon size={14} className="mt-[3px] shrink-0" aria-hidden />
      <p className="min-w-0 flex-1 break-words">{children}</p>
    </div>
  )
}
