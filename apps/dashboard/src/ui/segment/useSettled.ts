import { useEffect, useState } from 'react'

/** The value as it was when it last stood still for so long. Values that say the same count as one. */
export function useSettled<T>(value: T, forMs: number): { value: T; isSettled: boolean } {
  const [settled, setSettled] = useState({ value, text: JSON.stringify(value) })
  const text = JSON.stringify(value)
  useEffect(() => {
    if (text === settled.text) return
    const timer = setTimeout(() => setSettled({ value, text }), forMs)
    return () => clearTimeout(timer)
  }, [value, text, settled.text, forMs])
  return { value: settled.value, isSettled: text === settled.text }
}
