import { useEffect, useRef } from 'react'
import { addShortcut } from './shortcuts.ts'

/** Adds a shortcut while the component is shown. The help (`?`) lists it with its description. */
export function useShortcut(keys: string, run: () => void, description: string): void {
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => addShortcut({ keys, description, run: () => latest.current() }), [keys, description])
}
