import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client, dataOf, sendWithin } from '../../api/client.ts'
import { queryClient } from '../../api/queryClient.ts'
import type { components } from '../../api/schema.gen.ts'
import { answerOf, remedyOfAnswer } from '../../core/deliveries.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Status } from '../../ui/Status.tsx'
import { WebhookForm, EndpointSecret } from '../webhooks/WebhookForm.tsx'

type Webhook = components['schemas']['Webhook']
type Open = 'ping' | 'edit' | 'rotate' | 'off' | 'delete'

/** The actions for an endpoint: ping it, edit it, make a new secret, switch it off, delete it. */
export function WebhookActions({ webhook, onChanged }: { webhook: Webhook; onChanged: () => void }) {
  const appId = useAppId()
  const navigate = useNavigate()
  const [open, setOpen] = useState<Open>()
  const [secret, setSecret] = useState<string>()
  const close = (): void => setOpen(undefined)
  const at = { params: { path: { appId, id: webhook.id } } }

  const rotate = async (): Promise<void> => {
    setSecret(dataOf(await client.POST('/v1/admin/apps/{appId}/webhooks/{id}/rotate-secret', at)).secret)
    onChanged()
  }
  const switchOff = async (): Promise<void> => {
    await client.PATCH('/v1/admin/apps/{appId}/webhooks/{id}', { ...at, body: { enabled: false } })
    announce('The endpoint is off')
    onChanged()
  }
  const remove = async (): Promise<void> => {
    await client.DELETE('/v1/admin/apps/{appId}/webhooks/{id}', at)
    await queryClient.invalidateQueries({ queryKey: ['webhooks', appId] })
    announce('The endpoint is deleted')
    await navigate({ to: '/apps/$appId/webhooks', params: { appId } })
  }

  return (
    <>
      <Button onClick={() => setOpen('ping')}>Ping</Button>
      <Button onClick={() => setOpen('edit')}>Edit</Button>
      <Menu
        label="More for this endpoint"
        items={[
          { label: 'New secret', onSelect: () => setOpen('rotate') },
          { label: 'Switch off', onSelect: () => setOpen('off'), disabled: !webhook.enabled },
          { label: 'Delete', danger: true, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'ping' && <PingDialog webhookId={webhook.id} onClose={close} />}
      <Dialog open={open === 'edit'} onClose={close} title="Edit the endpoint">
        <WebhookForm
          webhook={webhook}
          onChanged={() => {
            close()
            onChanged()
          }}
        />
      </Dialog>
      <Confirm open={open === 'rotate'} onClose={close} title="Create a new secret?" action="Create a new secret" onConfirm={rotate}>
        The present secret is void at once, also for deliveries that are tried again. Let your receiver accept both while you put the new
        one in place.
      </Confirm>
      <Confirm open={open === 'off'} onClose={close} title="Switch this endpoint off?" action="Switch off" onConfirm={switchOff}>
        It gets no new events until it is enabled. What waits already goes out then, within 7 days.
      </Confirm>
      <Confirm open={open === 'delete'} onClose={close} title="Delete this endpoint?" action="Delete" danger onConfirm={remove}>
        Its secret, its deliveries and what waits for it go with it. This cannot be undone.
      </Confirm>
      {secret !== undefined && <EndpointSecret title="The new secret" secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

/** A ping may take this long: ten seconds for the endpoint's answer, and ten more for Herald's. */
const pingWithinMs = 20_000

function PingDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const appId = useAppId()
  const [state, setState] = useState<{
    busy: boolean
    answer?: { status: number | null; error: string | null; latencyMs: number }
    fault?: unknown
  }>({ busy: false })
  const ping = async (): Promise<void> => {
    setState({ busy: true })
    const begun = performance.now()
    try {
      const { status, error } = dataOf(
        await client.POST('/v1/admin/apps/{appId}/webhooks/{id}/test', {
          params: { path: { appId, id: webhookId } },
          fetch: sendWithin(pingWithinMs),
        }),
      )
      setState({ busy: false, answer: { status, error, latencyMs: performance.now() - begun } })
    } catch (fault) {
      setState({ busy: false, fault })
    }
  }
  const { answer, fault, busy } = state
  const remedy = answer === undefined ? null : remedyOfAnswer(answer.status, answer.error)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Ping the endpoint"
      footer={
        <Button variant="primary" busy={busy} onClick={() => void ping()} autoFocus>
          {answer === undefined ? 'Send a ping' : 'Send another'}
        </Button>
      }
    >
      <div className="flex flex-col gap-3" aria-live="polite">
        <p>
          A signed delivery with one event of the type <code className="font-mono text-xs">ping</code>. It is sent once and does not count
          as a failure.
        </p>
        {fault !== undefined && <ErrorNote error={fault} />}
        {answer !== undefined && (
          <p>
            <Status kind={remedy === null ? 'good' : 'bad'}>{remedy === null ? 'Taken' : 'Not taken'}</Status> {answerOf(answer)}, on the
            way through Herald.
          </p>
        )}
        {remedy !== null && <p>{remedy}</p>}
      </div>
    </Dialog>
  )
}
