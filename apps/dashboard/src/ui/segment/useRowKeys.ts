import type { KeyboardEvent } from 'react'
import { useSegment } from './SegmentContext.ts'

/** Alt with an arrow arranges the row that has the focus. The browser's own meaning of these keys (back, forward, opening a list) is left out. */
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
