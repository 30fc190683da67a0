import { useId } from 'react'
import { problemOf } from '../../core/segment-mistakes.ts'
import { inputClass } from '../TextInput.tsx'
import type { SegmentDetail } from './useSegmentTree.ts'

/** The text that the operator types (`text`), and the JSON of the segment at that moment (`of`). The text may be no valid JSON yet. */
export type JsonDraft = { text: string; of: string }

type SegmentJsonProps = {
  definition: Record<string, unknown>
  details: readonly SegmentDetail[]
  /** The parent component keeps this draft, so that an unfinished text is still there when the operator comes back to the JSON view. */
  draft: JsonDraft | undefined
  onDraft: (draft: JsonDraft) => void
  onChange: (definition: Record<string, unknown>) => void
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

function read(text: string): { value: Record<string, unknown> } | { message: string } {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { value } : { message: 'A segment is an object: a condition, a group, or {} for everyone.' }
  } catch (error) {
    return { message: `This is not valid JSON yet: ${error instanceof Error ? error.message : 'it cannot be read'}.` }
  }
}

/** Lets the operator edit a segment as JSON. A text that is a JSON object is taken over at each key; mistakes are shown with their path. */
export function SegmentJson({ definition, details, draft, onDraft, onChange }: SegmentJsonProps) {
  const id = useId()
  const written = JSON.stringify(definition, undefined, 2)
  // The typed text is shown while the segment is still the one that the text was typed for. After a change elsewhere the segment's own JSON is shown.
  const text = draft !== undefined && draft.of === written ? draft.text : written
  const answer = read(text)
  const problem = 'message' in answer ? undefined : problemOf(answer.value)
  const mistakes = [
    ...('message' in answer ? [answer.message] : []),
    ...[...(problem ? [problem] : []), ...details].map(({ path, message }) => `${path === '' ? 'The segment' : path} ${message}.`),
  ]
  return (
    <div className="flex flex-col gap-2">
      <label htmlFor={id} className="text-muted text-sm">
        The segment as the API takes it
      </label>
      <textarea
        id={id}
        className={`${inputClass} py-1.5 font-mono text-xs`}
        rows={Math.min(24, Math.max(8, text.split('\n').length + 1))}
        spellCheck={false}
        aria-invalid={mistakes.length > 0}
        aria-describedby={`${id}-mistakes`}
        value={text}
        onChange={({ target }) => {
          const next = read(target.value)
          if ('message' in next) {
            onDraft({ text: target.value, of: written })
            return
          }
          onDraft({ text: target.value, of: JSON.stringify(next.value, undefined, 2) })
          onChange(next.value)
        }}
      />
      <ul id={`${id}-mistakes`} className="text-sm text-bad" aria-live="polite">
        {[...new Set(mistakes)].map((mistake) => (
          <li key={mistake}>{mistake}</li>
        ))}
      </ul>
    </div>
  )
}
