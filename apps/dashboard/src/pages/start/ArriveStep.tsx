import { platformNames } from '@herald/contracts/platform'
import type { components } from '../../api/schema.gen.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { Time } from '../../ui/Time.tsx'

type Device = components['schemas']['ReadSubscriptionOfAppAnswer']
type Owner = components['schemas']['ReadUserOfAppAnswer']

/** Shows the first device after it has registered. */
export function ArriveStep({ appId, device, owner }: { appId: string; device: Device | undefined; owner: Owner | undefined }) {
  if (device === undefined) return <p className="text-muted">The device appears here as soon as it has registered.</p>
  const facts = [
    ['Platform', [platformNames[device.platform], device.browser ?? device.deviceModel, device.osVersion].filter(Boolean).join(', ')],
    ['Language', owner?.language ?? 'Not set'],
    ['Time zone', owner?.timezone ?? 'Not set (uses the app’s)'],
    ['Registered', <Time key="at" at={device.createdAt} precise />],
    ['Device', <CopyText key="id" text={device.id} label="the device’s id" shown={device.id} />],
    [
      'Person',
      <TextLink key="person" to="/apps/$appId/people/$userId" params={{ appId, userId: device.user.id }}>
        {device.user.externalId ?? 'Anonymous'}
      </TextLink>,
    ],
  ] as const
  return (
    <dl className="grid max-w-2xl grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 rounded-lg border border-line bg-surface p-4">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
