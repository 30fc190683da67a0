import { platforms, type Platform } from '@herald/contracts/platform'
import { providerOf } from '@herald/contracts/app'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { queryClient } from '../../api/queryClient.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { virtualDeviceNames } from '../../core/platform-names.ts'

const options = platforms.map((value) => ({ value, label: virtualDeviceNames[value] }))

/** Makes a virtual device the first device, which registers at once. An app without credentials for the platform gets those of the simulator. */
export function VirtualPhone({ appId, onDevice }: { appId: string; onDevice: (subscriptionId: string) => void }) {
  const [platform, setPlatform] = useState<Platform>(platforms[0])
  const making = useMutation({
    mutationFn: () => makePhone(appId, platform),
    onSuccess: (subscriptionId) => {
      void queryClient.invalidateQueries({ queryKey: ['get', '/v1/admin/apps/{appId}/users'] })
      if (subscriptionId !== null) onDevice(subscriptionId)
    },
  })
  return (
    <div className="flex max-w-2xl flex-col gap-3">
      {making.error !== null && <ErrorNote error={making.error} />}
      <div className="flex flex-wrap items-end gap-2">
        <div className="w-44">
          <Field label="Kind of device">
            {(control) => (
              <Select {...control} options={options} value={platform} onChange={(event) => setPlatform(event.target.value as Platform)} />
            )}
          </Field>
        </div>
        <Button variant="primary" busy={making.isPending} onClick={() => making.mutate()}>
          Create a virtual device
        </Button>
      </div>
    </div>
  )
}

async function makePhone(appId: string, platform: Platform): Promise<string | null> {
  const { providers } = dataOf(await client.GET('/v1/admin/apps/{appId}/overview', { params: { path: { appId } } }))
  const isConfigured = providers.some((provider) => provider.kind === providerOf[platform] && provider.configured)
  if (!isConfigured) await client.POST('/v1/admin/simulator/accounts', { body: { appId, kind: providerOf[platform] } })
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const phone = await client.POST('/v1/admin/simulator/devices', {
    body: { appId, platform, name: 'First phone', language: navigator.language, timezone: timeZone },
  })
  return dataOf(phone).subscriptionId
}
