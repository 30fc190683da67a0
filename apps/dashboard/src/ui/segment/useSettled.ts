import { useEffect, useState } from 'react'

/** Gives the value as it was when it last stayed unchanged for `forMs` milliseconds. Values with equal JSON count as the same. */
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
