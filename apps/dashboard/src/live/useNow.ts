import { useEffect, useState } from 'react'

/** Gives the browser's time in milliseconds, and updates it each second while `runs`. */
export function useNow(runs: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!runs) return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [runs])
  return now
}
