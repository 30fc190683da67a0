import { CopyText } from '../../ui/CopyText.tsx'
import { Count } from '../../ui/Count.tsx'
import { Json } from '../../ui/Code.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import type { SimulatedPush } from './useInbox.ts'

/** Shows the size, the campaign, the headers and the payload of a push as the simulated provider got it. */
export function PushBack({ appId, push }: { appId: string; push: SimulatedPush }) {
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
      {push.payload === null ? <p className="text-muted">The record keeps no payloads now.</p> : <Json value={push.payload} />}
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
