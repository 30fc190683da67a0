import { useEffect, useRef } from 'react'

/** Lists the mistakes of a form; it stands above the form's fields. The list gets the focus when it appears. */
export function FormErrors({ details }: { details: readonly { path: string; message: string }[] }) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (details.length > 0) list.current?.focus()
  }, [details])
  if (details.length === 0) return null
  return (
    <div ref={list} role="alert" tabIndex={-1} className="rounded-lg border border-bad/40 bg-bad-soft px-4 py-3">
      <p className="font-medium text-bad">{details.length === 1 ? 'Fix 1 problem:' : `Fix ${details.length} problems:`}</p>
      <ul className="mt-1 list-disc pl-4">
        {details.map(({ path, message }) => (
          <li key={path + message} className="break-words">
            {path !== '' && <code className="font-mono text-xs">{path}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
