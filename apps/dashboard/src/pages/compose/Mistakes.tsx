import type { FaultDetail } from '@herald/contracts/fault'
import { useEffect, useRef } from 'react'
import { stepOfPath } from '../../core/step-texts.ts'
import { placeInWords } from '../../core/warning-lines.ts'
import { focusField } from './focus-field.ts'

/**
 * Lists what keeps a message from being reviewed, in words; those that say the same of several fields are one line. Each leads to its field. The list
 * gets the focus when it appears.
 */
export function Mistakes({ details, onLocale }: { details: readonly FaultDetail[]; onLocale: (locale: string) => void }) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (details.length > 0) list.current?.focus()
  }, [details])
  if (details.length === 0) return null
  const groups = [...Map.groupBy(details, ({ path, message }) => `${stepOfPath(path)} ${message}`).values()]
  const jump = (path: string) => {
    const { locale } = placeInWords(path)
    if (locale !== null) onLocale(locale)
    // The step was opened when the list appeared; the language's fields are there after the next render.
    requestAnimationFrame(() => focusField(path))
  }
  return (
    <div ref={list} role="alert" tabIndex={-1} className="rounded-lg border border-bad/40 bg-bad-soft px-4 py-3">
      <p className="font-medium text-bad">{groups.length === 1 ? 'Fix 1 problem:' : `Fix ${groups.length} problems:`}</p>
      <ul className="mt-1 list-disc pl-4">
        {groups.map((group) => {
          const [first] = group
          if (!first) return null
          const words = [...new Set(group.map(({ path }) => placeInWords(path).words))].join(', ')
          return (
            <li key={first.path + first.message} className="break-words">
              <button type="button" className="min-h-6 rounded text-left underline" onClick={() => jump(first.path)}>
                {words}: {first.message}
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
