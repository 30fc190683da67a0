import { countCodePoints } from '@herald/contracts/text'
import { SmilePlus } from 'lucide-react'
import { clsx } from 'clsx'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import { insertAt } from '../../core/insert-at.ts'
import type { KnownTag } from '../../core/complete-placeholder.ts'
import { markTags } from '../../core/text-pieces.ts'
import { unknownNames } from '../../core/unknown-names.ts'
import { Field } from '../Field.tsx'
import { Tag } from '../Tag.tsx'
import { TemplateInput } from './TemplateInput.tsx'

// Most texts get no emoji.
const EmojiPicker = lazy(async () => ({ default: (await import('./EmojiPicker.tsx')).EmojiPicker }))

/**
 * Lets the operator edit one text of a message. It shows the length when that is more than half of what is allowed, the text's mistake, and tags that no
 * user has, at once while they are typed.
 */
export function TextField({
  label,
  value,
  onChange,
  most,
  error,
  note,
  hint,
  required,
  lines,
  isAddress,
  placeholder,
  tags,
  dataKeys,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  most: number
  error?: string | undefined
  note?: ReactNode
  hint?: string | undefined
  required?: boolean | undefined
  lines?: boolean | undefined
  isAddress?: boolean | undefined
  placeholder?: string | undefined
  tags: readonly KnownTag[]
  dataKeys: readonly string[]
}) {
  const length = countCodePoints(value)
  const { fault } = markTags(value)
  const wrong = fault ?? error
  const unknown = unknownNames(value, tags, dataKeys)
  const [isPicking, setPicking] = useState(false)
  const pick = (id: string, emoji: string) => {
    const area = document.getElementById(id)
    const [from, to] = area instanceof HTMLTextAreaElement ? [area.selectionStart, area.selectionEnd] : [value.length, value.length]
    onChange(insertAt(value, emoji, from, to))
    setPicking(false)
    requestAnimationFrame(() => {
      if (!(area instanceof HTMLTextAreaElement)) return
      area.focus()
      area.setSelectionRange(from + emoji.length, from + emoji.length)
    })
  }
  return (
    <div className="relative">
      <Field label={label} required={required} hint={hint} error={wrong === undefined ? undefined : `${label} ${wrong}`}>
        {(control) => (
          <>
            <TemplateInput
              control={control}
              value={value}
              onChange={onChange}
              tags={tags}
              dataKeys={dataKeys}
              lines={lines}
              dir={isAddress === true ? 'ltr' : 'auto'}
              placeholder={placeholder}
            />
            {isPicking && (
              <Suspense>
                <EmojiPicker onPick={(emoji) => pick(control.id, emoji)} />
              </Suspense>
            )}
          </>
        )}
      </Field>
      {unknown !== undefined && <p className="mt-1 text-sm text-warning">{unknown}</p>}
      <div className="absolute top-0 right-0 flex items-center gap-2 text-sm">
        {note}
        {isAddress !== true && (
          <button
            type="button"
            aria-label={`Emoji for ${label}`}
            aria-expanded={isPicking}
            onClick={() => setPicking(!isPicking)}
            className="grid size-6 place-items-center rounded text-muted hover:text-ink"
          >
            <SmilePlus size={15} aria-hidden />
          </button>
        )}
        {length > most * 0.5 && (
          <span className={clsx('tabular-nums', length > most ? 'text-bad' : 'text-muted')}>
            {length} of {most}
            <span className="sr-only"> characters</span>
          </span>
        )}
      </div>
    </div>
  )
}

/** Marks a field that equals the template's. When it differs, a button sets it back to the template's. */
export function FromTemplate({ isSame, onTake }: { isSame: boolean; onTake: () => void }) {
  if (isSame) return <Tag>From the template</Tag>
  return (
    <button type="button" onClick={onTake} className="min-h-6 rounded text-sm text-accent hover:underline">
      Reset to template
    </button>
  )
}
