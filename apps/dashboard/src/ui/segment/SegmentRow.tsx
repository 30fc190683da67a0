import type { KeyboardEvent } from 'react'
import type { Mistake } from '../../core/segment-mistakes.ts'
import { useSegment } from './SegmentContext.ts'

/** Shows "not" before a condition or a group, once for each `not` around it. */
export function NotWords({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span className="rounded bg-bad-soft px-1.5 py-0.5 text-xs font-semibold text-bad">
      {Array.from({ length: count }, () => 'not').join(' ')}
    </span>
  )
}

const partWords = { field: 'The field', op: 'The operator', value: 'The value' }

/** Shows the mistakes of a row, in the API's words. The controls of the row name this list, by its `id`, as their description. */
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

/**
 * Gives a key handler that moves a row with Alt and an arrow key, puts it into a group or takes it out. It prevents the browser's own actions for
 * these keys (back, forward, opening a list).
 */
export function useRowKeys(id: string): (event: KeyboardEvent) => void {
  const { move, group, lift } = useSegment()
  return (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const run = {
      ArrowUp: () => move(id, -1),
      ArrowDown: () => move(id, 1),
      ArrowRight: () => group(id),
      ArrowLeft: () => lift(id),
    }[event.key]
    if (run === undefined) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }
}
