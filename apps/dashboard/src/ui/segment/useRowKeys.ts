import type { KeyboardEvent } from 'react'
import { useSegment } from './SegmentContext.ts'

/** Moves the focused row by Alt and an arrow key. The browser's own actions for these keys (back, forward, opening a list) do not happen. */
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
