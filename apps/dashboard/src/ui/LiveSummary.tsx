import { useEffect, useRef, useState } from 'react'

/** A text that changes all the time is told to screen readers once in this time, because a screen reader could not read out each change. */
const everyMs = 10_000

/**
 * Tells screen readers a text that changes all the time: the first change at once, then the newest text every ten seconds. The text is not visible.
 */
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
    // When the text changes again before it was told, the timer must not begin anew, so the text itself is not among the dependencies.
  }, [text === told, told])

  return (
    <p className="sr-only" role="status" aria-live="polite">
      {told}
    </p>
  )
}
