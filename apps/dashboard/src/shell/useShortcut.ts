import { useEffect, useRef } from 'react'
import { addShortcut } from './shortcuts.ts'

/** Binds keys while the component is there. They are listed under `?` with the description. */
export function useShortcut(keys: string, run: () => void, description: string): void {
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => addShortcut({ keys, description, run: () => latest.current() }), [keys, description])
}
