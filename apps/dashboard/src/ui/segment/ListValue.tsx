import type { FieldType } from '@herald/contracts/segment-tree'
import { X } from 'lucide-react'
import { useId, useState, type ClipboardEvent } from 'react'
import { hintOf } from '../../core/segment-fields.ts'
import { asKind, kindOf, maxListed, readPasted, type Pasted, type TagKind } from '../../core/segment-values.ts'
import { Button } from '../Button.tsx'
import { controlClass } from '../TextInput.tsx'
import { useSegment, type ValueProps } from './SegmentContext.ts'

type ListValueProps = ValueProps & { value: unknown[]; field: string; type: FieldType | undefined }

const mostShown = 30

/** Says how many values were added, and how many were left out and why. */
function describeLoss({ values, repeated, unfit, tooMany }: Pasted): string {
  const parts = [
    `${values.length} added`,
    ...(repeated > 0 ? [`${repeated} left out because they are in the list already`] : []),
    ...(unfit.length > 0 ? [`${unfit.length} left out because they are not valid for this type: ${unfit.slice(0, 3).join(', ')}`] : []),
    ...(tooMany > 0 ? [`${tooMany} left out because a list holds at most ${maxListed}`] : []),
  ]
  return `${parts.join('; ')}.`
}

/** Asks the operator for up to 500 values. The operator types them one by one, or pastes them, one on each line or with commas between them. */
export function ListValue({ value, onChange, control, field, type }: ListValueProps) {
  const { tags } = useSegment()
  const listId = useId()
  const [typed, setTyped] = useState('')
  const [kind, setKind] = useState<TagKind>(type === 'number' ? 'number' : type === 'boolean' ? 'boolean' : kindOf(value))
  const [said, setSaid] = useState('')
  const [isWhole, setIsWhole] = useState(false)
  const samples = tags.find(({ name }) => `tags.${name}` === field)?.values ?? []
  const shown = isWhole ? value : value.slice(0, mostShown)

  function add(pasted: Pasted, wasPasted: boolean): void {
    if (pasted.values.length > 0) onChange([...value, ...pasted.values])
    setSaid(wasPasted || pasted.values.length === 0 ? describeLoss(pasted) : '')
  }
  function addTyped(): void {
    if (typed === '') return
    const one = asKind(typed, kind)
    const isThere = one !== undefined && value.includes(one)
    const isFull = value.length >= maxListed
    const taken = one === undefined || isThere || isFull ? [] : [one]
    add({ values: taken, repeated: isThere ? 1 : 0, unfit: one === undefined ? [typed] : [], tooMany: isFull && !isThere ? 1 : 0 }, false)
    if (taken.length > 0 || isThere) setTyped('')
  }
  function paste(event: ClipboardEvent): void {
    const text = event.clipboardData.getData('text/plain')
    if (!/[\n\r,;\t]/.test(text.trim())) return
    event.preventDefault()
    add(readPasted(text, kind, value), true)
  }

  return (
    <div className="flex min-w-0 flex-col gap-1">
      {value.length > 0 && (
        <ul className="flex max-w-xl flex-wrap gap-1" aria-label={`${value.length} values`}>
          {shown.map((one, place) => {
            const text = typeof one === 'string' ? one : JSON.stringify(one)
            return (
              <li
                key={`${place} ${text}`}
                className="inline-flex max-w-full items-center gap-0.5 rounded border border-line bg-sunken pl-1.5 text-xs"
              >
                <span className="max-w-48 truncate">{text === '' ? 'empty text' : text}</span>
                <button
                  type="button"
                  className="grid size-6 place-items-center rounded hover:bg-hover"
                  aria-label={`Remove ${text}`}
                  onClick={() => onChange(value.toSpliced(place, 1))}
                >
                  <X aria-hidden size={12} />
                </button>
              </li>
            )
          })}
        </ul>
      )}
      <span className="flex flex-wrap items-center gap-2">
        {type === 'tag' && (
          <select
            className={controlClass}
            aria-label="Kind of the values that are added"
            data-part="kind"
            value={kind}
            onChange={({ target }) => setKind(target.value as TagKind)}
          >
            <option value="text">text</option>
            <option value="number">number</option>
            <option value="boolean">true or false</option>
          </select>
        )}
        <input
          {...control}
          data-part="value"
          className={`${controlClass} w-56`}
          aria-label="Add a value"
          placeholder={hintOf(field) ?? 'type a value, or paste many'}
          list={samples.length > 0 ? listId : undefined}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onPaste={paste}
          onBlur={addTyped}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            addTyped()
          }}
        />
        <datalist id={listId}>
          {samples.map((sample) => (
            <option key={sample} value={sample} />
          ))}
        </datalist>
        {value.length > mostShown && (
          <Button variant="quiet" small onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show all ${value.length}`}
          </Button>
        )}
        {value.length > 1 && (
          <Button variant="quiet" small onClick={() => onChange([])}>
            Remove all
          </Button>
        )}
      </span>
      <span className="text-muted text-xs" aria-live="polite">
        {said === '' ? 'Enter adds a value. Up to 500 can be pasted, one a line or with commas.' : said}
      </span>
    </div>
  )
}
