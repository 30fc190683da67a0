import { useState } from 'react'
import { api, client } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import { answerOf, remedyOfAnswer, verifyCommand } from '../../core/deliveries.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Code } from '../../ui/Code.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Loaded } from '../../ui/Loaded.tsx'
import { Time } from '../../ui/Time.tsx'
import { Status } from '../../ui/Status.tsx'

type Webhook = components['schemas']['Webhook']
type Delivery = components['schemas']['ReadWebhookDeliveryAnswer']

/** Shows one delivery: each attempt with its answer, the body, and how to check the signature by hand. */
export function DeliveryDialog({
  webhook,
  deliveryId,
  onClose,
  onReplayed,
}: {
  webhook: Webhook
  deliveryId: string
  onClose: () => void
  onReplayed: () => void
}) {
  const appId = useAppId()
  const [busy, setBusy] = useState(false)
  const delivery = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/webhooks/{id}/deliveries/{deliveryId}',
    { params: { path: { appId, id: webhook.id, deliveryId } } },
    { refetchInterval: ({ state }) => (state.data?.state === 'pending' ? 2_000 : false) },
  )
  const isGone = delivery.isError && faultOf(delivery.error).status === 404
  const replay = async (): Promise<void> => {
    setBusy(true)
    try {
      await client.POST('/v1/admin/apps/{appId}/webhooks/{id}/deliveries/{deliveryId}/replay', {
        params: { path: { appId, id: webhook.id, deliveryId } },
      })
      announce('It is sent again, with the same id and bytes')
      await delivery.refetch()
      onReplayed()
    } catch (error) {
      announce(faultOf(error).message, 'bad')
    }
    setBusy(false)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delivery"
      wide
      footer={
        delivery.data !== undefined && (
          <Button needed="settings" variant="primary" busy={busy} disabled={!delivery.data.replayable} onClick={() => void replay()}>
            Send again
          </Button>
        )
      }
    >
      {isGone ? (
        <Empty title="This delivery is not kept any more" />
      ) : (
        <Loaded query={delivery}>{(data) => <Shown delivery={data} secretHint={webhook.secretHint} />}</Loaded>
      )}
    </Dialog>
  )
}

function Shown({ delivery, secretHint }: { delivery: Delivery; secretHint: string }) {
  const { id, state, eventCount, attempts, nextAttemptAt, createdAt, body } = delivery
  const last = attempts.at(-1)
  const remedy = last === undefined ? null : remedyOfAnswer(last.status, last.error)
  return (
    <div className="flex flex-col gap-5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <DeliveryStatus state={state} />
        <CopyText text={id} label="delivery id" />
        <span className="text-muted">
          {eventCount} {eventCount === 1 ? 'event' : 'events'}, created <Time at={createdAt} precise />
        </span>
      </p>
      <section>
        <h3 className="mb-1 font-semibold">Attempts</h3>
        {attempts.length === 0 && <p className="text-muted">None yet.</p>}
        <ol className="flex flex-col gap-1">
          {attempts.map((attempt, place) => (
            <li key={`${attempt.at} ${place}`} className="flex flex-wrap gap-x-3">
              <span className="tabular-nums">{place + 1}.</span> <Time at={attempt.at} precise />
              <span className={remedyOfAnswer(attempt.status, attempt.error) === null ? 'text-good' : 'text-bad'}>{answerOf(attempt)}</span>
            </li>
          ))}
        </ol>
        {nextAttemptAt !== null && (
          <p className="mt-1 text-muted">
            Tried again <Time at={nextAttemptAt} precise />
          </p>
        )}
        {remedy !== null && <p className="mt-2 rounded-md border border-line bg-sunken px-3 py-2">{remedy}</p>}
      </section>
      <section>
        <h3 className="mb-1 font-semibold">Body</h3>
        {body === null ? (
          <p className="text-muted">It is not kept any more: 24 hours after success, 7 days otherwise.</p>
        ) : (
          <Code text={indented(body)} language="JSON" />
        )}
      </section>
      <section className="flex flex-col gap-2">
        <h3 className="font-semibold">Signature</h3>
        <p>
          Each attempt has a header <code className="font-mono text-xs">x-service-signature: t=…,v1=…</code>, made anew with its time. v1 is
          the HMAC-SHA256 of t, a dot and the raw body, keyed with the secret that ends in{' '}
          <code className="font-mono text-xs">{secretHint}</code>. Verify it yourself:
        </p>
        <Code text={verifyCommand('body.json')} language="shell" />
        {body !== null && (
          <div>
            <a
              href={`data:application/json;charset=utf-8,${encodeURIComponent(body)}`}
              download="body.json"
              className="text-accent underline underline-offset-2"
            >
              Download body.json, byte for byte
            </a>
          </div>
        )}
      </section>
    </div>
  )
}

/** Indents the body, so that it can be read. The download has the bytes as they were sent. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const looks = {
  pending: { kind: 'busy', word: 'Pending' },
  delivered: { kind: 'good', word: 'Delivered' },
  failed: { kind: 'bad', word: 'Failed' },
  erased: { kind: 'off', word: 'Erased' },
} as const

/** Shows the state of a delivery. */
export function DeliveryStatus({ state }: { state: keyof typeof looks }) {
  return <Status kind={looks[state].kind}>{looks[state].word}</Status>
}
