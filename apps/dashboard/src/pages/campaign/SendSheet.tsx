import type { ReactNode } from 'react'
import { nameOfLocale } from '../../core/locale-tabs.ts'
import { countText } from '../../core/number.ts'
import { Confirm } from '../../ui/Confirm.tsx'

/** Above this number of devices the operator types the number before a send. */
export const mostUntyped = 1_000

/** A send that goes out at once waits this long, so that the operator can take it back. */
export const undoSeconds = 10

/**
 * Asks the operator to confirm a send: to whom, to how many devices, when and in which languages. Every send of the dashboard to more than test devices
 * passes here (spec: dashboard/confirm-sends).
 */
export function SendSheet({
  open,
  onClose,
  title,
  action,
  audience,
  devices,
  skipped = 0,
  when,
  locales,
  text,
  children,
  onConfirm,
}: {
  open: boolean
  onClose: () => void
  title: string
  action: string
  audience: string
  /** `counting` while the number is not known yet: nothing can be confirmed then. `unknown` when it cannot be counted. */
  devices: number | 'counting' | 'unknown'
  /** Devices of the audience that the send skips. */
  skipped?: number | undefined
  when: string
  locales: readonly string[]
  /** The title and the body in the default language; null for a silent message. */
  text: { title: string; body: string } | null
  children?: ReactNode
  onConfirm: () => Promise<unknown>
}) {
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={title}
      action={action}
      ready={devices !== 'counting'}
      typed={devices === 'unknown' ? 'send' : typeof devices === 'number' && devices > mostUntyped ? countText(devices) : undefined}
      onConfirm={onConfirm}
    >
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[6rem_1fr]">
        <Line name="Audience">{audience}</Line>
        <Line name="Devices">
          {typeof devices === 'number' ? countText(devices) : devices === 'counting' ? 'Counting' : 'Not counted'}
          {skipped > 0 && ` (${countText(skipped)} more will be skipped)`}
        </Line>
        <Line name="When">{when}</Line>
        {locales.length > 0 && <Line name="Languages">{locales.map(nameOfLocale).join(', ')}</Line>}
      </dl>
      {text !== null && (
        <div dir="auto" className="mt-3 rounded-lg border border-line bg-sunken px-3 py-2 break-words">
          <p className="font-medium">{text.title}</p>
          <p className="whitespace-pre-line">{text.body}</p>
        </div>
      )}
      {children}
    </Confirm>
  )
}

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="m-0 min-w-0 break-words">{children}</dd>
  </>
)
