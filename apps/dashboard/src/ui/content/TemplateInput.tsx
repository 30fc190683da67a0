import { clsx } from 'clsx'
import { useId, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type UIEvent } from 'react'
import { completeAt, insertSuggestion, type Completion, type KnownTag, type Suggestion } from '../../core/complete-placeholder.ts'
import { markTags } from '../../core/text-pieces.ts'
import type { FieldControl } from '../Field.tsx'
import { inputClass } from '../TextInput.tsx'
import { Suggestions } from './Suggestions.tsx'

const boxClass = 'col-start-1 row-start-1 py-1.5 text-base break-words whitespace-pre-wrap'
const looks = {
  plain: undefined,
  tag: 'rounded bg-accent-soft',
  faulty: 'underline decoration-bad decoration-wavy decoration-2 underline-offset-2',
}

/**
 * A text field with placeholders. After `{{` and `|` it lists what can be typed, and underlines a placeholder that cannot be read. A transparent copy
 * of the text under the field shows the marks and sets its height.
 */
export function TemplateInput({
  control,
  value,
  onChange,
  tags,
  dataKeys,
  lines,
  dir,
  placeholder,
}: {
  control: FieldControl
  value: string
  onChange: (value: string) => void
  tags: readonly KnownTag[]
  dataKeys: readonly string[]
  /** Whether the text may have several lines. */
  lines?: boolean | undefined
  dir?: 'auto' | 'ltr' | undefined
  placeholder?: string | undefined
}) {
  const listId = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const marks = useRef<HTMLDivElement>(null)
  /** Where the cursor goes when the chosen suggestion is in the text. */
  const cursorAfter = useRef<number>(undefined)
  const [completion, setCompletion] = useState<Completion>()
  const [active, setActive] = useState(0)
  const { pieces } = useMemo(() => markTags(value), [value])

  const complete = (text: string, cursor: number) => {
    setCompletion(completeAt(text, cursor, tags, dataKeys))
    setActive(0)
  }
  const take = (suggestion: Suggestion) => {
    if (!completion || !area.current) return
    const { text, cursor } = insertSuggestion(value, completion, suggestion)
    setCompletion(undefined)
    cursorAfter.current = cursor
    area.current.focus()
    onChange(text)
  }
  // The cursor is set in the same render as the text, so that it cannot jump back when the operator types on.
  useLayoutEffect(() => {
    if (cursorAfter.current !== undefined) area.current?.setSelectionRange(cursorAfter.current, cursorAfter.current)
    cursorAfter.current = undefined
  }, [value])
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && lines !== true && !completion) return event.preventDefault()
    if (!completion || event.ctrlKey || event.metaKey || event.altKey) return undefined
    const { length } = completion.suggestions
    const chosen = completion.suggestions[active]
    if (event.key === 'ArrowDown') setActive((active + 1) % length)
    else if (event.key === 'ArrowUp') setActive((active - 1 + length) % length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen) take(chosen)
    else if (event.key === 'Escape') setCompletion(undefined)
    else return undefined
    event.stopPropagation()
    return event.preventDefault()
  }
  const followScroll = (event: UIEvent) => {
    if (marks.current) marks.current.scrollTop = event.currentTarget.scrollTop
  }

  return (
    <div className="relative">
      <div className={clsx('grid overflow-hidden rounded-md bg-surface', lines === true ? 'max-h-80' : 'max-h-40')}>
        <div
          ref={marks}
          aria-hidden
          dir={dir}
          className={clsx(boxClass, 'overflow-hidden border border-transparent px-2.5 text-transparent', lines === true && 'min-h-24')}
        >
          {pieces.map(({ text, is }, place) => (
            <span key={place} className={looks[is]}>
              {text}
            </span>
          ))}
          {'\u200b'}
        </div>
        <textarea
          {...control}
          ref={area}
          rows={1}
          dir={dir}
          value={value}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={completion ? listId : undefined}
          aria-activedescendant={completion ? `${listId}-${active}` : undefined}
          onChange={({ target }) => {
            const text = lines === true ? target.value : target.value.replaceAll(/\r?\n/g, ' ')
            onChange(text)
            complete(text, target.selectionStart)
          }}
          onKeyDown={press}
          onScroll={followScroll}
          onClick={({ currentTarget }) => complete(value, currentTarget.selectionStart)}
          onBlur={() => setCompletion(undefined)}
          className={clsx(inputClass, boxClass, 'resize-none bg-transparent')}
        />
      </div>
      {completion && <Suggestions id={listId} suggestions={completion.suggestions} active={active} onTake={take} />}
    </div>
  )
}
