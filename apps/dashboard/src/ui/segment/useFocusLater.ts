import { useCallback, useEffect, useRef, type RefObject } from 'react'

/**
 * Gives a function that focuses a row after the next render: React makes a row anew when it moves to another group. `part`: the `data-part` of the
 * control to focus, else that of the focused control, else `field`.
 */
export function useFocusLater(frame: RefObject<HTMLElement | null>): (node: string, part?: string) => void {
  const wanted = useRef<{ node: string; part: string } | undefined>(undefined)
  useEffect(() => {
    if (wanted.current === undefined) return
    const { node, part } = wanted.current
    wanted.current = undefined
    const row = frame.current?.querySelector(`[data-node="${CSS.escape(node)}"]`)
    const control =
      row?.querySelector<HTMLElement>(`[data-part="${CSS.escape(part)}"]`) ?? row?.querySelector<HTMLElement>('select, input, button')
    if (control !== document.activeElement) control?.focus()
  })
  return useCallback((node, part) => {
    const held = document.activeElement?.closest('[data-part]')?.getAttribute('data-part')
    wanted.current = { node, part: part ?? held ?? 'field' }
  }, [])
}
