import { platformNames } from '@herald/contracts/platform'
import { TextLink } from '../../ui/TextLink.tsx'
import { useAppId } from '../../session/useAppId.ts'
import { Json } from '../../ui/Json.tsx'
import { Status } from '../../ui/Status.tsx'
import type { Report } from './DryRunReport.tsx'
import { whyLeftOut } from './dry-run-texts.ts'

/** Shows some devices of the audience with the text and the payload that each would get. */
export function DryRunSamples({ samples }: { samples: Report['samples'] }) {
  const appId = useAppId()
  if (samples.length === 0) return null
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium">What some of them would get</p>
      {samples.map(({ subscriptionId, userId, platform, locale, variant, entry, payload, skip, warnings }) => (
        <div key={subscriptionId} className="flex flex-col gap-1 rounded-md border border-line p-3">
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
            {[platformNames[platform], locale, variant === null ? null : `variant ${variant}`].filter((part) => part !== null).join(' · ')}
            <TextLink to="/apps/$appId/people/$userId" params={{ appId, userId }}>
              whose device
            </TextLink>
            {skip !== null && <Status kind="warning">{whyLeftOut(skip)}</Status>}
            {warnings.map((warning) => (
              <Status key={warning} kind="warning">
                {warning.replaceAll('_', ' ')}
              </Status>
            ))}
          </p>
          {entry && (
            <p dir="auto" className="break-words">
              <strong>{entry.title}</strong> {entry.body}
            </p>
          )}
          {payload && (
            <details>
              <summary className="min-h-6 text-sm text-muted">The payload</summary>
              <Json value={payload} />
            </details>
          )}
        </div>
      ))}
    </div>
  )
}
