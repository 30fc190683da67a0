import { Check } from 'lucide-react'
import { clsx } from 'clsx'
import { useId, type ReactNode } from 'react'

/** Shows one of the five steps with its number, or with a tick when it is done. */
export function Step({
  number,
  title,
  done,
  note,
  children,
}: {
  number: number
  title: string
  done: boolean
  note?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <li className="flex gap-3">
      <div className="flex flex-col items-center" aria-hidden>
        <span
          className={clsx(
            'grid size-7 shrink-0 place-items-center rounded-full border text-sm font-semibold',
            done ? 'border-transparent bg-good-soft text-good' : 'border-strong text-muted',
          )}
        >
          {done ? <Check size={14} /> : number}
        </span>
        <span className="mt-1 w-px flex-1 bg-line" />
      </div>
      <section aria-labelledby={id} className="min-w-0 flex-1 pb-6">
        <h2 id={id} className="flex flex-wrap items-baseline gap-x-2 text-lg leading-7 font-semibold tracking-tight">
          <span className="sr-only">Step {number}: </span>
          {title}
          <span className="sr-only">{done ? ' (done)' : ' (to do)'}</span>
          {note !== undefined && <span className="text-sm font-normal text-muted">{note}</span>}
        </h2>
        <div className="mt-2 flex flex-col gap-3">{children}</div>
      </section>
    </li>
  )
}
