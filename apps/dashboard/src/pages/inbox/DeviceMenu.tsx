import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { paths } from '../../api/schema.gen.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { devicesKey, type SimulatedDevice } from './useInbox.ts'

type Behaviour = NonNullable<paths['/v1/admin/simulator/devices/{deviceId}/behaviour']['put']['requestBody']>['content']['application/json']

const behaviours: { label: string; said: string; behaviour: Behaviour }[] = [
  { label: 'Answer slowly (3 s)', said: 'answers after 3 seconds', behaviour: { answer: 'slow', delayMs: 3_000 } },
  { label: 'Throttle (retry after 5 s)', said: 'is throttled', behaviour: { answer: 'rate_limited', retryAfterSeconds: 5 } },
  {
    label: 'Invalidate its token',
    said: 'has an invalid token: the next push to it fails, and Herald sends no more',
    behaviour: { answer: 'dead' },
  },
  { label: 'Back to normal', said: 'is well', behaviour: { answer: 'ok' } },
]

/** The menu that changes how a virtual device behaves, opens the log of its pushes, or uninstalls its app. */
export function DeviceMenu({ appId, device, name }: { appId: string; device: SimulatedDevice; name: string }) {
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [isAsked, setIsAsked] = useState(false)
  const params = { path: { deviceId: device.id } }
  const readAgain = () => cache.invalidateQueries({ queryKey: devicesKey(appId) })

  async function behave(behaviour: Behaviour, said: string): Promise<void> {
    try {
      await client.PUT('/v1/admin/simulator/devices/{deviceId}/behaviour', { params, body: behaviour })
      await readAgain()
      announce(`${name} ${said}.`, 'good')
    } catch (error) {
      announce(faultOf(error).message, 'bad')
    }
  }
  const { subscriptionId } = device
  return (
    <>
      <Menu
        label={`Change ${name}`}
        items={[
          ...behaviours.map(({ label, said, behaviour }) => ({
            label,
            onSelect: () => void behave(behaviour, said),
            disabled: device.behaviour.answer === behaviour.answer,
          })),
          ...(subscriptionId === null
            ? []
            : [
                {
                  label: 'What Herald sent to it',
                  onSelect: () => void navigate({ to: '/apps/$appId/log', params: { appId }, search: { subscriptionId } }),
                },
              ]),
          { label: 'Uninstall the app', onSelect: () => setIsAsked(true), danger: true },
        ]}
      />
      <Confirm
        open={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Uninstall the app on ${name}?`}
        action="Uninstall"
        danger
        onConfirm={async () => {
          await client.DELETE('/v1/admin/simulator/devices/{deviceId}', { params })
          await readAgain()
          announce(`The app is gone from ${name}.`, 'good')
        }}
      >
        As with a real phone, Herald learns of it from the next push: the provider answers that the token is invalid, and Herald sends no
        more to this device.
      </Confirm>
    </>
  )
}
