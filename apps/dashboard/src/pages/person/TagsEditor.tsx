import { Plus, Trash2, Undo2 } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { api } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { changesOf, draftsOf, tagTypes, withType, type TagDraft } from '../../core/tag-edit.ts'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import type { Person } from './answers.ts'

type Detail = { path: string; message: string }

/** Lets the operator edit the tags of a user. A tag keeps its type unless the operator changes it, and nothing is sent before "Save tags". */
export function TagsEditor({ person, onChanged }: { person: Person; onChanged: () => void }) {
  const appId = useAppId()
  const patch = api.useMutation('patch', '/v1/admin/apps/{appId}/users/{id}')
  const [drafts, setDrafts] = useState(() => draftsOf(person.tags))
  const [details, setDetails] = useState<Detail[]>([])
  const { changes, problems } = changesOf(drafts)
  const isChanged = Object.keys(changes).length > 0 || drafts.some((draft) => draft.was === undefined)

  const change = (place: number, to: (draft: TagDraft) => TagDraft): void =>
    setDrafts((all) => all.map((draft, at) => (at === place ? to(draft) : draft)))
  const add = (): void => setDrafts((all) => [...all, { name: '', type: 'text', text: '' }])
  const removeOrKeep = (place: number): void =>
    drafts[place]?.was === undefined
      ? setDrafts((all) => all.toSpliced(place, 1))
      : change(place, (draft) => ({ ...draft, remove: draft.remove !== true }))

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const found = problems.map(({ name, problem }): Detail => ({ path: name === '' ? 'A tag' : name, message: problem }))
    setDetails(found)
    if (found.length > 0 || Object.keys(changes).length === 0) return
    try {
      await patch.mutateAsync({ params: { path: { appId, id: person.id } }, body: { tags: changes } })
      announce('Tags saved')
      onChanged()
    } catch (error) {
      const fault = faultOf(error)
      const named = fault.details.map(({ path, message }): Detail => ({ path: path.replace(/^tags\./, ''), message }))
      setDetails(named.length > 0 ? named : [{ path: '', message: fault.message }])
    }
  }

  return (
    <Card
      title="Tags"
      actions={
        <Button small icon={<Plus size={14} aria-hidden />} onClick={add}>
          Add a tag
        </Button>
      }
    >
      <form onSubmit={(event) => void save(event)} className="flex flex-col gap-2">
        <FormErrors details={details} />
        {drafts.length === 0 && <p className="text-muted">No tags yet. Use tags in segments and for personalization.</p>}
        {drafts.map((draft, place) => (
          <TagLine
            key={draft.was === undefined ? `new ${place}` : draft.name}
            draft={draft}
            onChange={(to) => change(place, to)}
            onRemove={() => removeOrKeep(place)}
          />
        ))}
        {isChanged && (
          <div className="mt-2 flex flex-wrap justify-end gap-2">
            <Button onClick={() => (setDrafts(draftsOf(person.tags)), setDetails([]))}>Discard</Button>
            <Button type="submit" variant="primary" busy={patch.isPending}>
              Save tags
            </Button>
          </div>
        )}
      </form>
    </Card>
  )
}

function TagLine({
  draft,
  onChange,
  onRemove,
}: {
  draft: TagDraft
  onChange: (to: (draft: TagDraft) => TagDraft) => void
  onRemove: () => void
}) {
  const { name, type, text, was, remove } = draft
  const isNew = was === undefined
  const label = name === '' ? 'new tag' : name
  const isProblem = problemOf(draft)
  const set = (event: { target: { value: string } }): void => {
    const { value } = event.target
    onChange((before) => ({ ...before, text: value }))
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_7rem_minmax(0,1.4fr)_auto] items-center gap-2 max-[480px]:grid-cols-[minmax(0,1fr)_6.5rem]">
      {isNew ? (
        <TextInput
          aria-label="Name of the new tag"
          placeholder="name"
          value={name}
          onChange={(event) => onChange((before) => ({ ...before, name: event.target.value }))}
          className="font-mono text-xs"
          autoFocus
        />
      ) : (
        <span className={`min-w-0 font-mono text-xs break-all ${remove === true ? 'line-through text-muted' : ''}`}>{name}</span>
      )}
      <Select
        aria-label={`Type of ${label}`}
        value={type}
        disabled={remove === true}
        options={tagTypes}
        onChange={(event) =>
          onChange((before) => withType(before, tagTypes.find(({ value }) => value === event.target.value)?.value ?? type))
        }
      />
      {type === 'yes_no' ? (
        <Select aria-label={`Value of ${label}`} value={text} disabled={remove === true} options={yesOrNo} onChange={set} />
      ) : (
        <TextInput
          aria-label={`Value of ${label}`}
          aria-invalid={isProblem}
          value={text}
          disabled={remove === true}
          inputMode={type === 'number' ? 'decimal' : undefined}
          onChange={set}
        />
      )}
      <Button
        small
        variant="quiet"
        aria-label={remove === true ? `Keep ${label}` : `Delete ${label}`}
        title={remove === true ? 'Keep it' : 'Delete it'}
        onClick={onRemove}
      >
        {remove === true ? <Undo2 size={14} aria-hidden /> : <Trash2 size={14} aria-hidden />}
      </Button>
    </div>
  )
}

const yesOrNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

const problemOf = (draft: TagDraft): true | undefined => (changesOf([{ ...draft, name: 'x' }]).problems.length > 0 ? true : undefined)
