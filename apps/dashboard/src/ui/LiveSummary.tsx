import { useEffect, useRef, useState } from 'react'

/** A screen reader is told a text that changes all the time at most this often. */
const everyMs = 10_000

/** Tells screen readers a text that changes all the time: the present one at once, and then the newest every ten seconds. It is not to be seen. */
export function LiveSummary({ text }: { text: string }) {
  const [told, setTold] = useState(text)
  const latest = useRef({ text, toldAt: 0 })
  latest.current.text = text

  useEffect(() => {
    if (text === told) return
    const left = latest.current.toldAt + everyMs - performance.now()
    const timer = setTimeout(
      () => {
        latest.current.toldAt = performance.now()
        setTold(latest.current.text)
      },
      Math.max(0, left),
    )
    return () => clearTimeout(timer)
    // When the text changes again before the time is over, the time must not begin anew.
  }, [text === told, told])

  return (
    <p className="sr-only" role="status" aria-live="polite">
      {told}
    </p>
  )
}
