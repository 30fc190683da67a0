import type { Mistake } from '../../core/segment-paths.ts'

const partWords = { field: 'The field', op: 'The operator', value: 'The value' }

/** What is wrong with a row, in the API's words. `id` ties it to the row's controls. */
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
