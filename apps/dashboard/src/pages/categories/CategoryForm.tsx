import { useState, type FormEvent } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { Category } from '../../api/useCategories.ts'
import { idOfName } from '../../core/category-id.ts'
import { draftOfPresentation, presentationOfDraft } from '../../core/send-options-draft.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { PresentationFields } from '../../ui/content/PresentationFields.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { TextArea, TextInput } from '../../ui/TextInput.tsx'

const beginnings = [
  { value: 'in', label: 'Subscribed', hint: 'People can unsubscribe (opt-out)' },
  { value: 'out', label: 'Not subscribed', hint: 'People must subscribe (opt-in)' },
] as const

const fields = /^(id|name|description|presentation\.\w+)$/

/** Makes or changes a category. The id of a new one follows its name until it is written by hand. */
export function CategoryForm({ category, onSaved }: { category: Category | undefined; onSaved: (saved: Category) => void }) {
  const appId = useAppId()
  const [name, setName] = useState(category?.name ?? '')
  const [ownId, setId] = useState<string>()
  const [description, setDescription] = useState(category?.description ?? '')
  const [begins, setBegins] = useState<'in' | 'out'>(category?.default ?? 'in')
  const [locked, setLocked] = useState(category?.locked ?? false)
  const [presentation, setPresentation] = useState(() => draftOfPresentation(category?.presentation ?? {}))
  const [details, setDetails] = useState<readonly { path: string; message: string }[]>([])
  const [busy, setBusy] = useState(false)
  const id = category?.id ?? ownId ?? idOfName(name)
  const errorAt = (path: string) => details.find((detail) => detail.path === path)?.message

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    const look = presentationOfDraft(presentation)
    const body = {
      name: name.trim(),
      description: description.trim() === '' ? null : description.trim(),
      default: begins,
      locked,
      presentation: (Object.keys(look).length === 0 ? null : look) as Category['presentation'],
    }
    try {
      const saved = category
        ? await client.PUT('/v1/admin/apps/{appId}/categories/{id}', { params: { path: { appId, id } }, body })
        : await client.POST('/v1/admin/apps/{appId}/categories', { params: { path: { appId } }, body: { ...body, id } })
      onSaved(dataOf(saved))
    } catch (error) {
      const fault = faultOf(error)
      setDetails(fault.details.length > 0 ? fault.details : [{ path: '', message: fault.message }])
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void save(event)} noValidate className="flex flex-col gap-4">
      <FormErrors details={details.filter(({ path }) => !fields.test(path))} />
      <Field label="Name" hint="As people read it in your app" required error={errorAt('name')}>
        {(control) => <TextInput {...control} value={name} maxLength={120} onChange={({ target }) => setName(target.value)} autoFocus />}
      </Field>
      <Field
        label="Id"
        hint={
          category
            ? 'Used by campaigns and the API, so it cannot be changed.'
            : 'Used by campaigns and the API. It cannot be changed later.'
        }
        required={!category}
        error={errorAt('id')}
      >
        {(control) => (
          <TextInput
            {...control}
            value={id}
            maxLength={32}
            readOnly={category !== undefined}
            spellCheck={false}
            className="font-mono"
            onChange={({ target }) => setId(target.value)}
          />
        )}
      </Field>
      <Field label="Description" hint="A sentence for people, such as what they get and how often" error={errorAt('description')}>
        {(control) => (
          <TextArea {...control} rows={2} value={description} maxLength={500} onChange={({ target }) => setDescription(target.value)} />
        )}
      </Field>
      <Choice legend="Default subscription" value={begins} onChange={setBegins} options={beginnings} />
      <Checkbox
        label="Required: nobody can unsubscribe"
        hint="Such as security or legal notices. Frequency cap, quiet hours and control group still apply"
        checked={locked}
        onChange={({ target }) => setLocked(target.checked)}
      />
      <details>
        <summary className="min-h-6">Appearance</summary>
        <p className="mt-1 mb-3 text-sm text-muted">The settings of a message or its template override these.</p>
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,13rem),1fr))] gap-3">
          <PresentationFields value={presentation} onChange={setPresentation} errorAt={errorAt} />
        </div>
      </details>
      <div className="flex justify-end">
        <Button type="submit" variant="primary" busy={busy}>
          {category ? 'Save' : 'Create category'}
        </Button>
      </div>
    </form>
  )
}
