import { clsx } from 'clsx'
import { Image, X } from 'lucide-react'
import { useState } from 'react'
import type { Gesture } from '../../core/inbox.ts'
import { Button } from '../../ui/Button.tsx'
import { Status } from '../../ui/Status.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { Count } from '../../ui/Count.tsx'
import { Json } from '../../ui/Code.tsx'
import type { SimulatedPush } from './useInbox.ts'
import type { Report } from './useReports.ts'

type NotificationCardProps = { appId: string; push: SimulatedPush; report: Report | undefined; onGesture: (gesture: Gesture) => void }

/** Shows the host and the file name of a picture. The picture is not loaded, because it is on another origin. */
function PictureFrame({ url }: { url: string }) {
  const { hostname, pathname } = URL.canParse(url) ? new URL(url) : { hostname: url, pathname: '' }
  return (
    <span className="flex items-center gap-2 rounded border border-dashed border-strong px-2 py-3 text-xs text-muted">
      <Image size={16} className="shrink-0" aria-hidden />
      <span className="min-w-0 break-all">
        Image {pathname.split('/').at(-1)} from {hostname}
      </span>
    </span>
  )
}

function words(gesture: Gesture, actions: readonly { id: string; title: string }[], hasLink: boolean): string {
  if (gesture.kind === 'swipe') return 'dismissed'
  if (gesture.kind === 'tap') return hasLink ? 'opened and clicked' : 'opened'
  return `clicked “${actions.find(({ id }) => id === gesture.actionId)?.title ?? gesture.actionId}”`
}

/** Shows a notification as on a device: clicking it is a tap, a button is an action, and the cross is a swipe. "Payload" shows the exact payload. */
export function NotificationCard({ appId, push, report, onGesture }: NotificationCardProps) {
  const [isTurned, setIsTurned] = useState(false)
  const { shown, msgId } = push
  const isGone = report?.gesture.kind === 'swipe'
  const canReport = msgId !== null && shown !== null && !isGone && report?.isDone !== false
  return (
    <article className={clsx('flex flex-col rounded-xl border border-line shadow-xs', isGone ? 'bg-sunken' : 'bg-surface')}>
      {shown === null ? (
        <p className="px-3 pt-2.5 text-sm text-muted">A silent push: nothing appears, the app gets its data.</p>
      ) : (
        <div className="flex items-start">
          <button
            type="button"
            disabled={!canReport}
            onClick={() => onGesture({ kind: 'tap' })}
            className="flex min-w-0 flex-1 flex-col gap-1 rounded-xl px-3 pt-2.5 pb-1.5 text-left enabled:hover:bg-hover"
          >
            <span className="font-semibold break-words" dir="auto">
              {shown.title ?? 'No title'}
            </span>
            <span className="break-words whitespace-pre-wrap" dir="auto">
              {shown.body}
            </span>
            {shown.image !== null && <PictureFrame url={shown.image} />}
            <span className="sr-only">Tap it</span>
          </button>
          <Button
            variant="quiet"
            small
            className="m-1"
            disabled={!canReport}
            aria-label="Dismiss"
            title="Dismiss"
            onClick={() => onGesture({ kind: 'swipe' })}
          >
            <X size={14} aria-hidden />
          </Button>
        </div>
      )}
      {shown !== null && shown.actions.length > 0 && (
        <div className="flex flex-wrap gap-1.5 px-3 py-1.5">
          {shown.actions.map(({ id, title }) => (
            <Button key={id} small disabled={!canReport} onClick={() => onGesture({ kind: 'action', actionId: id })}>
              {title}
            </Button>
          ))}
        </div>
      )}
      <footer className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 pb-2 text-xs text-muted">
        <Time at={push.at} precise />
        {report !== undefined && (
          <Status kind={report.isDone ? 'good' : 'busy'}>
            {report.isDone ? words(report.gesture, shown?.actions ?? [], shown?.url !== null) : 'reporting'}
          </Status>
        )}
        <span className="ml-auto flex items-center gap-2">
          {push.campaignId !== null && push.subscriptionId !== null && (
            <TextLink
              to="/apps/$appId/explain"
              params={{ appId }}
              search={{ campaignId: push.campaignId, subscriptionId: push.subscriptionId }}
            >
              Why?
            </TextLink>
          )}
          <button
            type="button"
            aria-expanded={isTurned}
            onClick={() => setIsTurned(!isTurned)}
            className="min-h-6 rounded px-1 text-accent hover:bg-hover"
          >
            {isTurned ? 'Hide payload' : 'Payload'}
          </button>
        </span>
      </footer>
      {isTurned && <PushBack appId={appId} push={push} />}
    </article>
  )
}

/** Shows the size, the campaign, the headers and the payload of a push as the simulated provider got it. */
function PushBack({ appId, push }: { appId: string; push: SimulatedPush }) {
  const headers = Object.entries(push.headers)
  return (
    <div className="flex min-w-0 flex-col gap-2 border-t border-line px-3 py-2 text-xs">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5">
        <dt className="text-muted">Size</dt>
        <dd>
          <Count value={push.bytes} /> bytes
        </dd>
        {push.campaignId !== null && (
          <>
            <dt className="text-muted">Campaign</dt>
            <dd className="truncate">
              <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: push.campaignId }}>
                {push.campaignId}
              </TextLink>
            </dd>
          </>
        )}
        {push.msgId !== null && (
          <>
            <dt className="text-muted">Message id</dt>
            <dd className="min-w-0">
              <CopyText text={push.msgId} />
            </dd>
          </>
        )}
        {headers.map(([name, value]) => (
          <Header key={name} name={name} value={value} />
        ))}
      </dl>
      {push.error !== null && <p className="text-bad">It {push.error}.</p>}
      {push.payload === null ? <p className="text-muted">Payloads are not being stored.</p> : <Json value={push.payload} />}
    </div>
  )
}

function Header({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="break-all">{value}</dd>
    </>
  )
}
