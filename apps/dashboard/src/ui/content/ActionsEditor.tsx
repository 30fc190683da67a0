import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { KnownTag } from '../../core/complete-placeholder.ts'
import { newActionId, type ActionDraft } from '../../core/content-draft.ts'
import { Button } from '../Button.tsx'
import { Field } from '../Field.tsx'
import { TextInput } from '../TextInput.tsx'
import { TextField } from './TextField.tsx'

const mostActions = 4

/** Lets the operator edit up to four buttons of a message. */
export function ActionsEditor({
  actions,
  onChange,
  errorAt,
  tags,
  dataKeys,
  note,
}: {
  actions: readonly ActionDraft[]
  onChange: (actions: readonly ActionDraft[]) => void
  /** Gives the mistake at a path below `actions`, such as `.0.title`. */
  errorAt: (path: string) => string | undefined
  tags: readonly KnownTag[]
  dataKeys: readonly string[]
  note?: ReactNode
}) {
  const change = (place: number, changed: Partial<ActionDraft>) =>
    onChange(actions.map((action, at) => (at === place ? { ...action, ...changed } : action)))
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <legend className="float-left font-medium">Buttons</legend>
        {note}
      </div>
      {actions.map((action, place) => (
        <div key={place} className="flex flex-wrap items-start gap-x-3 gap-y-2 rounded-md border border-line p-3">
          <div className="min-w-40 flex-1">
            <TextField
              label={`Button ${place + 1}`}
              value={action.title}
              onChange={(title) => change(place, { title })}
              most={50}
              error={errorAt(`.${place}.title`)}
              tags={tags}
              dataKeys={dataKeys}
            />
          </div>
          <div className="min-w-40 flex-1">
            <TextField
              label="Button link"
              value={action.url}
              onChange={(url) => change(place, { url })}
              most={2048}
              error={errorAt(`.${place}.url`)}
              placeholder="Same as the message"
              isAddress
              tags={tags}
              dataKeys={dataKeys}
            />
          </div>
          <div className="w-32">
            <Field label="Button ID" error={errorAt(`.${place}.id`)}>
              {(control) => <TextInput {...control} value={action.id} onChange={({ target }) => change(place, { id: target.value })} />}
            </Field>
          </div>
          <Button
            variant="quiet"
            small
            className="mt-6"
            aria-label={`Remove button ${place + 1}`}
            onClick={() => onChange(actions.filter((_, at) => at !== place))}
          >
            <X size={14} aria-hidden />
          </Button>
        </div>
      ))}
      {errorAt('') !== undefined && <p className="text-sm text-bad">{errorAt('')}</p>}
      {actions.length < mostActions && (
        <div>
          <Button
            small
            icon={<Plus size={14} aria-hidden />}
            onClick={() => onChange([...actions, { id: newActionId(actions), title: '', url: '' }])}
          >
            Add a button
          </Button>
        </div>
      )}
    </fieldset>
  )
}
