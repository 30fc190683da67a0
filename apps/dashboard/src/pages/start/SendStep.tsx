import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { Status } from '../../ui/Status.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { type PushOfDevice, pushState } from './first-device.ts'

// Only a virtual phone shows its pushes here.
const ArrivedHere = lazy(async () => ({ default: (await import('./ArrivedHere.tsx')).ArrivedHere }))

/**
 * Sends the first push to the first device as a test. On a virtual phone the push arrives beside the button, and can be tapped there; for any other
 * device the control room of the test opens.
 */
export function SendStep({
  appId,
  deviceId,
  isVirtual,
  push,
  text,
}: {
  appId: string
  deviceId: string | undefined
  isVirtual: boolean
  push: PushOfDevice | undefined
  text: { title: string; body: string; set: (some: { title?: string; body?: string }) => void }
}) {
  const navigate = useNavigate()
  const sending = useMutation({
    mutationFn: async (to: string) =>
      dataOf(
        await client.POST('/v1/admin/apps/{appId}/test-send', {
          params: { path: { appId } },
          body: { subscriptionId: to, content: { _default: 'en', en: { title: text.title, body: text.body } } },
        }),
      ),
    onSuccess: async ({ id }) => {
      if (!isVirtual) await navigate({ to: '/apps/$appId/campaigns/$campaignId', params: { appId, campaignId: id } })
    },
  })
  const said = push === undefined ? undefined : pushState(push)
  return (
    <form
      className="flex max-w-xl flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (deviceId !== undefined) sending.mutate(deviceId)
      }}
    >
      {sending.error !== null && <ErrorNote error={sending.error} />}
      <Field label="Title">
        {(control) => (
          <TextInput {...control} value={text.title} maxLength={200} onChange={(event) => text.set({ title: event.target.value })} />
        )}
      </Field>
      <Field label="Text">
        {(control) => (
          <TextInput {...control} value={text.body} maxLength={1000} onChange={(event) => text.set({ body: event.target.value })} />
        )}
      </Field>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          variant={push === undefined ? 'primary' : 'secondary'}
          busy={sending.isPending}
          disabled={deviceId === undefined}
        >
          {push === undefined ? 'Send to this device' : 'Send again'}
        </Button>
        {said !== undefined && push !== undefined && (
          <span className="flex flex-wrap items-center gap-2">
            <Status kind={said.kind}>{said.text}</Status>
            <TextLink to="/apps/$appId/campaigns/$campaignId" params={{ appId, campaignId: push.campaignId }}>
              See the result
            </TextLink>
          </span>
        )}
        {deviceId === undefined && <span className="text-muted">There is no device yet.</span>}
      </div>
      {isVirtual && deviceId !== undefined && (
        <Suspense>
          <ArrivedHere appId={appId} subscriptionId={deviceId} />
        </Suspense>
      )}
    </form>
  )
}
