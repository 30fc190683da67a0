import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { api } from '../../api/client.ts'
import { clockIn } from '../../core/device-state.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { applyFault } from '../../ui/applyFault.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { FactList } from '../../ui/FactList.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Person } from './answers.ts'

/** Shows the ids and the profile of a user, and the user's local time. */
export function Identity({ person, onChanged }: { person: Person; onChanged: () => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      title="Identity"
      actions={
        <Button small onClick={() => setOpen(true)}>
          Edit
        </Button>
      }
    >
      <FactList
        items={[
          {
            label: 'External id',
            value:
              person.externalId === undefined ? 'none: the person is anonymous' : <CopyText text={person.externalId} label="external id" />,
          },
          { label: 'User id', value: <CopyText text={person.id} label="user id" /> },
          { label: 'Local time', value: <LocalTime zone={person.timezone} /> },
          { label: 'Language', value: person.language ?? 'unknown' },
          { label: 'Country', value: person.country ?? 'unknown' },
          { label: 'First seen', value: <Time at={person.createdAt} /> },
          { label: 'Last active', value: <Time at={person.lastActiveAt} /> },
        ]}
      />
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Edit identity">
        <IdentityForm
          person={person}
          onDone={() => {
            setOpen(false)
            onChanged()
          }}
        />
      </Dialog>
    </Card>
  )
}

/** Shows the time in the user's zone, updated every 10 s. */
function LocalTime({ zone }: { zone: string | null }) {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 10_000)
    return () => clearInterval(timer)
  }, [])
  if (zone === null) return <>Unknown: the app’s time zone is used</>
  const clock = clockIn(zone, now)
  if (clock === undefined) return <>{zone}</>
  return (
    <>
      <span className="font-medium tabular-nums">{clock.time}</span>, {clock.day}
      <span className="block text-sm text-muted">
        {zone}, {clock.offset}
      </span>
    </>
  )
}

type Values = { language: string; timezone: string; country: string }
const fields = ['language', 'timezone', 'country'] as const

function IdentityForm({ person, onDone }: { person: Person; onDone: () => void }) {
  const appId = useAppId()
  const patch = api.useMutation('patch', '/v1/admin/apps/{appId}/users/{id}')
  const [left, setLeft] = useState<{ path: string; message: string }[]>([])
  const before: Values = { language: person.language ?? '', timezone: person.timezone ?? '', country: person.country ?? '' }
  const { register, handleSubmit, setError, formState } = useForm<Values>({ defaultValues: before })

  const save = async (values: Values): Promise<void> => {
    const changes = Object.fromEntries(
      fields.filter((field) => values[field].trim() !== before[field]).map((field) => [field, values[field].trim()]),
    )
    if (Object.keys(changes).length === 0) return onDone()
    try {
      await patch.mutateAsync({ params: { path: { appId, id: person.id } }, body: changes })
      announce('Saved')
      onDone()
    } catch (error) {
      setLeft(applyFault(setError, error, fields))
    }
  }
  const { errors } = formState
  return (
    <form onSubmit={(event) => void handleSubmit(save)(event)} className="flex flex-col gap-4">
      <FormErrors details={left} />
      <Field label="Language" hint="Such as en or pt-BR" error={errors.language?.message}>
        {(control) => <TextInput {...control} {...register('language')} />}
      </Field>
      <Field label="Time zone" hint="Such as Europe/Berlin" error={errors.timezone?.message}>
        {(control) => <TextInput {...control} {...register('timezone')} list="zones" />}
      </Field>
      <datalist id="zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Field label="Country" hint="Two letters, such as DE" error={errors.country?.message}>
        {(control) => <TextInput {...control} {...register('country')} maxLength={2} />}
      </Field>
      <p className="text-sm text-muted">The external id comes from your app’s login, so it cannot be changed here.</p>
      <div className="flex justify-end">
        <Button type="submit" variant="primary" busy={formState.isSubmitting}>
          Save
        </Button>
      </div>
    </form>
  )
}
