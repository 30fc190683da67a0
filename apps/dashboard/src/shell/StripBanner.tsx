import { CircleX, FlaskConical, TriangleAlert } from 'lucide-react'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'

const looks = {
  info: { Icon: FlaskConical, look: 'bg-accent-soft text-accent' },
  warning: { Icon: TriangleAlert, look: 'bg-warning-soft text-warning' },
  bad: { Icon: CircleX, look: 'bg-bad-soft text-bad' },
}

/** Shows a line across the top of every page. */
export function StripBanner({ kind, children }: { kind: keyof typeof looks; children: ReactNode }) {
  const { Icon, look } = looks[kind]
  return (
    <div
      role={kind === 'info' ? undefined : 'status'}
      className={clsx('flex items-start gap-2 border-b border-line px-4 py-1.5 text-sm sm:px-6', look)}
    >
      <Icon size={14} className="mt-[3px] shrink-0" aria-hidden />
      <p className="min-w-0 flex-1 break-words">{children}</p>
    </div>
  )
}
