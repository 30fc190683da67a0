import { CircleX, Info, TriangleAlert } from 'lucide-react'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'

const looks = {
  info: { Icon: Info, ground: 'border-line bg-accent-soft', text: 'text-accent' },
  warning: { Icon: TriangleAlert, ground: 'border-warning/40 bg-warning-soft', text: 'text-warning' },
  bad: { Icon: CircleX, ground: 'border-bad/40 bg-bad-soft', text: 'text-bad' },
}

/** Shows a sentence for as long as it is true, and what to do about it. */
export function Banner({ kind, children, action }: { kind: 'info' | 'warning' | 'bad'; children: ReactNode; action?: ReactNode }) {
  const { Icon, ground, text } = looks[kind]
  return (
    <div role={kind === 'info' ? undefined : 'status'} className={clsx('flex items-start gap-2.5 rounded-lg border px-4 py-2.5', ground)}>
      <Icon size={16} className={clsx('mt-0.5 shrink-0', text)} aria-hidden />
      <div className="min-w-0 flex-1 break-words">{children}</div>
      {action !== undefined && <div className="flex shrink-0 flex-wrap gap-2">{action}</div>}
    </div>
  )
}
