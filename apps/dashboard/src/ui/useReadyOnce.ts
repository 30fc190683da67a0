import { useEffect, useState } from 'react'

/** Gives true from the moment when `isReady` is true, or `withinMs` after the first call, and never false again. */
export function useReadyOnce(isReady: boolean, withinMs: number): boolean {
  const [wasReady, setReady] = useState(isReady)
  useEffect(() => {
    if (wasReady) return
    if (isReady) return setReady(true)
    const timer = setTimeout(() => setReady(true), withinMs)
    return () => clearTimeout(timer)
  }, [isReady, wasReady, withinMs])
  return wasReady || isReady
}
