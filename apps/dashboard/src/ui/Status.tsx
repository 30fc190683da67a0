import { CircleCheck, CircleMinus, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'

export type StatusKind = 'good' | 'warning' | 'bad' | 'busy' | 'off'

const looks = {
  good: { Icon: CircleCheck, look: 'bg-good-soft text-good' },
  warning: { Icon: TriangleAlert, look: 'bg-warning-soft text-warning' },
  bad: { Icon: CircleX, look: 'bg-bad-soft text-bad' },
  busy: { Icon: LoaderCircle, look: 'bg-busy-soft text-busy' },
  off: { Icon: CircleMinus, look: 'bg-sunken text-muted' },
}

/** Shows a state by an icon, a word and a colour, so that an operator who cannot see one of them has the others. */
export function Status({ kind, children }: { kind: StatusKind; children: ReactNode }) {
  const { Icon, look } = looks[kind]
  return (
    <span className={clsx('inline-flex items-center gap-1 rounded-full py-0.5 pr-2 pl-1.5 text-xs font-medium whitespace-nowrap', look)}>
      <Icon size={12} className={clsx('shrink-0', kind === 'busy' && 'animate-spin')} aria-hidden />
      {children}
    </span>
  )
}
