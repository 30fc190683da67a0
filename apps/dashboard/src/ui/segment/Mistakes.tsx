import type { Mistake } from '../../core/segment-mistakes.ts'

const partWords = { field: 'The field', op: 'The operator', value: 'The value' }

/** Shows the mistakes of a row, in the API's words. Controls of the row refer to `id`. */
export function Mistakes({ id, mistakes }: { id: string; mistakes: readonly Mistake[] }) {
  if (mistakes.length === 0) return null
  return (
    <ul id={id} className="text-sm text-bad">
      {mistakes.map(({ part, item, message }) => (
        <li key={`${part} ${item} ${message}`}>
          {part === undefined ? 'This' : item === undefined ? partWords[part] : `Value ${item + 1}`} {message}.
        </li>
      ))}
    </ul>
  )
}
