import { useState } from 'react'
import { client } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import { remedyOfAnswer } from '../../core/deliveries.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Time } from '../../ui/Time.tsx'

type Webhook = components['schemas']['Webhook']

/** Says why an endpoint is switched off and what to do, with a button that switches it on. */
export function WhyOff({
  webhook: { id, disabledReason, disabledAt, lastStatus, lastError },
  onChanged,
}: {
  webhook: Webhook
  onChanged: () => void
}) {
  const appId = useAppId()
  const [busy, setBusy] = useState(false)
  const enable = async (): Promise<void> => {
    setBusy(true)
    try {
      await client.POST('/v1/admin/apps/{appId}/webhooks/{id}/enable', { params: { path: { appId, id } } })
      announce('The endpoint is on: what was waiting goes out')
      onChanged()
    } catch (error) {
      announce(faultOf(error).message, 'bad')
    }
    setBusy(false)
  }
  const isByHand = disabledReason === 'manual'
  const remedy = isByHand ? null : remedyOfAnswer(lastStatus, lastError)
  return (
    <Banner
      kind={isByHand ? 'warning' : 'bad'}
      action={
        <Button needed="settings" variant="primary" busy={busy} onClick={() => void enable()}>
          Enable
        </Button>
      }
    >
      <p className="font-medium">
        {isByHand ? 'Somebody switched this endpoint off' : 'Switched off: 50 deliveries in a row used up their attempts'}
        {disabledAt !== null && (
          <>
            , <Time at={disabledAt} />
          </>
        )}
        .
      </p>
      {remedy !== null && (
        <p className="mt-1">
          The last answer was {lastStatus ?? lastError ?? 'none'}. {remedy}
        </p>
      )}
      <p className="mt-1">It gets no new events. What waits goes out when it is enabled within 7 days.</p>
    </Banner>
  )
}
