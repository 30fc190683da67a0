import { platforms, type Platform } from '@herald/contracts/platform'
import { providerOf } from '@herald/contracts/app'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { client } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { readTagLines } from '../../core/tag-lines.ts'
import { announce } from '../../ui/Announcer.tsx'
import { applyFault } from '../../ui/applyFault.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { TextArea, TextInput } from '../../ui/TextInput.tsx'
import { virtualDeviceNames } from '../../core/platform-names.ts'
import { devicesKey } from './useInbox.ts'

type Texts = { name: string; externalId: string; language: string; timezone: string; country: string; tags: string }

/** Gives the typed values without the empty ones, and the lines of the tags as an object. */
function filled({ tags, ...texts }: Texts) {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''))
  const read = readTagLines(tags)
  return { ...given, ...(Object.keys(read).length > 0 && { tags: read }) }
}

/** A dialog that adds a virtual phone or browser. The new device registers with Herald at once. */
export function AddDevice({ appId, onClose }: { appId: string; onClose: () => void }) {
  const cache = useQueryClient()
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const { register, handleSubmit, setError, formState } = useForm<Texts>({
    defaultValues: { name: '', externalId: '', language: navigator.language, timezone: zone, country: '', tags: '' },
  })
  const [platform, setPlatform] = useState<Platform>(platforms[0])
  const [fault, setFault] = useState<unknown>()
  const [others, setOthers] = useState<{ path: string; message: string }[]>([])
  const [isTaking, setIsTaking] = useState(false)
  const [needsAccount, setNeedsAccount] = useState(false)

  const submit = handleSubmit(async (texts) => {
    setFault(undefined)
    setOthers([])
    setNeedsAccount(false)
    try {
      await client.POST('/v1/admin/simulator/devices', { body: { appId, platform, ...filled(texts) } })
      await cache.invalidateQueries({ queryKey: devicesKey(appId) })
      announce('The device is registered. It can be sent to.', 'good')
      onClose()
    } catch (error) {
      if (faultOf(error).status === 422)
        setOthers(applyFault(setError, error, ['name', 'externalId', 'language', 'timezone', 'country', 'tags']))
      else if (faultOf(error).code === 'invalid_state') setNeedsAccount(true)
      else setFault(error)
    }
  })

  /** Gives the app the simulator's credentials, then adds the device. */
  async function takeAccount(): Promise<void> {
    setIsTaking(true)
    try {
      await client.POST('/v1/admin/simulator/accounts', { body: { appId, kind: providerOf[platform] } })
      await submit()
    } catch (error) {
      setFault(error)
    } finally {
      setIsTaking(false)
    }
  }

  const { errors } = formState
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add a device"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={formState.isSubmitting} onClick={() => void submit()}>
            Add the device
          </Button>
        </>
      }
    >
      <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
        <FormErrors details={others} />
        {fault !== undefined && <ErrorNote error={fault} />}
        {needsAccount && (
          <Banner
            kind="warning"
            action={
              <Button small busy={isTaking} onClick={() => void takeAccount()}>
                Use the simulated account
              </Button>
            }
          >
            The app has no credentials for this platform that the simulator knows. With the simulated account the device can be added.
          </Banner>
        )}
        <Choice
          legend="What it is"
          value={platform}
          onChange={setPlatform}
          options={platforms.map((value) => ({ value, label: virtualDeviceNames[value] }))}
        />
        <Field label="Name" error={errors.name?.message} hint="How it is called here, such as “Dana’s iPhone”">
          {(control) => <TextInput {...control} {...register('name')} />}
        </Field>
        <Field label="External id" error={errors.externalId?.message} hint="Leave empty for an anonymous user">
          {(control) => <TextInput {...control} {...register('externalId')} />}
        </Field>
        <div className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] gap-3">
          <Field label="Language" error={errors.language?.message}>
            {(control) => <TextInput {...control} {...register('language')} />}
          </Field>
          <Field label="Time zone" error={errors.timezone?.message}>
            {(control) => <TextInput {...control} {...register('timezone')} />}
          </Field>
          <Field label="Country" error={errors.country?.message}>
            {(control) => <TextInput {...control} {...register('country')} maxLength={2} />}
          </Field>
        </div>
        <Field label="Tags" error={errors.tags?.message} hint="One per line, as name=value. Numbers and true/false are recognized.">
          {(control) => <TextArea {...control} {...register('tags')} rows={2} placeholder="plan=pro" />}
        </Field>
      </form>
    </Dialog>
  )
}
