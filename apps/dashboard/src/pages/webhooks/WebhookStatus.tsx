import type { components } from '../../api/schema.gen.ts'
import { Status } from '../../ui/Status.tsx'

type Webhook = components['schemas']['Webhook']

/** Shows whether an endpoint is on, failing or switched off. */
export function WebhookStatus({ webhook: { enabled, disabledReason, consecutiveFailures, lastStatus, lastError } }: { webhook: Webhook }) {
  if (!enabled)
    return (
      <Status kind={disabledReason === 'manual' ? 'off' : 'bad'}>
        {disabledReason === 'manual' ? 'Switched off' : 'Switched off: it failed'}
      </Status>
    )
  const failed = lastError !== null || (lastStatus !== null && (lastStatus < 200 || lastStatus > 299))
  if (consecutiveFailures > 0 || failed) return <Status kind="warning">Failing</Status>
  return <Status kind="good">On</Status>
}
