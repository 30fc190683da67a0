import { client } from '../../api/client.ts'
import { Combobox } from '../Combobox.tsx'
import { Field } from '../Field.tsx'

const fixed = [
  { value: 'sample', label: 'Sample user', hint: 'every value is there' },
  { value: 'nobody', label: 'User without data', hint: 'every value is missing' },
]

/** Lets the operator choose the user for whom a preview is filled in, by the beginning of an external id or by an id. */
export function PersonPicker({
  appId,
  value,
  name,
  onChange,
}: {
  appId: string
  /** `sample` (a made-up user), `nobody` (a user without any value), or the id of a user. */
  value: string
  /** The name of the chosen user. */
  name: string
  onChange: (value: string) => void
}) {
  const load = async (q: string, signal: AbortSignal) => {
    const query = q.trim() === '' ? { limit: 20 } : { q: q.trim(), limit: 20 }
    const { data } = await client.GET('/v1/admin/apps/{appId}/users', { params: { path: { appId }, query }, signal })
    const people =
      data?.items.map((user) => ({ value: user.id, label: user.externalId ?? user.id, hint: user.language ?? undefined })) ?? []
    return [...fixed.filter(({ label }) => label.toLowerCase().includes(q.trim().toLowerCase())), ...people]
  }
  return (
    <Field label="Preview as">
      {({ id }) => (
        <Combobox id={id} label="Preview as" value={value} valueLabel={name} load={load} onChange={(chosen) => onChange(chosen)} />
      )}
    </Field>
  )
}
